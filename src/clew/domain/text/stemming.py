"""Terms: the content words of a text as stems, fast enough for every page."""

import codecs
import re
import unicodedata
from functools import cache
from itertools import chain

import Stemmer

from clew.domain.text.korean import without_particle
from clew.domain.text.language import language
from clew.domain.text.scripts import UNSPACED, scripts_of
from clew.domain.text.stopword_lists import stop_words
from clew.domain.text.tokenizing import STOP_WORDS, folded, has_signs, spell_signs

CACHE_SIZE = 100_000
"""Maximum cached stems of a language; a typical crawl has fewer, and garbage clears the cache."""

MAX_LENGTH = 40
"""Maximum letters of a word; longer ones are machine-made."""

SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Languages with a Snowball stemmer."""

INVISIBLE = re.compile("[\u00ad\u200c-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe"
_SOUTHERN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
# Vowel signs and accents that stand beside their letter: not letters by themselves, but of the word.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
_LETTER = rf"[^\W_{UNSPACED}\U00020000-\U000323af]"
_HAN_RUN = re.compile(f"[{_HAN}]")
_SOUTHERN_RUN = re.compile(f"[{_SOUTHERN}]")
TOKEN = re.compile(rf"\w+(?:[{_MARKS}]+\w*)*")
_RUN = re.compile(rf"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*|[{_KATAKANA}]+|[{_HAN}]+|[{_SOUTHERN}]+")


def _lower_byte(byte: int) -> int:
    """Return the small letter or digit of a byte in Windows-1252, a space for everything else."""
    letter = unicodedata.normalize("NFKC", bytes([byte]).decode("cp1252", "replace")).lower()
    if len(letter) > 1 or not (letter.isalpha() or letter in "0123456789"):
        return 32
    return letter.encode("cp1252", "replace")[0] if letter != "μ" else byte


LATIN_LETTERS = bytes(map(_lower_byte, range(256)))
"""What each byte of a text in Windows-1252 counts as in a word: a small letter, a digit, or a space."""

_ERROR_HANDLER = "clew-blanked"


def _replace_by_spaces(error: UnicodeError) -> tuple[str, int]:
    """Replace arrows, emoji and the like by spaces, so that only letters need the slow path."""
    assert isinstance(error, UnicodeEncodeError), "it is registered for encoding"
    strange = error.object[error.start : error.end]
    if any(unicodedata.category(letter)[0] in "LMN" for letter in strange):
        raise error
    return "" if INVISIBLE.fullmatch(strange) else " ", error.end


codecs.register_error(_ERROR_HANDLER, _replace_by_spaces)


class _Stems(dict[str, str]):
    """Words of one language with their terms, empty for stop words; filled on first use."""

    def __init__(self, lang: str) -> None:
        super().__init__()
        self.stops = stop_words(lang) or (frozenset() if lang in SNOWBALL else STOP_WORDS)
        self.stem = Stemmer.Stemmer(SNOWBALL[lang], 0).stemWord if lang in SNOWBALL else str

    def __missing__(self, word: str) -> str:
        if len(word) > MAX_LENGTH:
            return ""
        if len(self) >= CACHE_SIZE:
            self.clear()
        self[word] = term = self._term(folded(word))
        return term

    def new_term(self, word: str) -> str:
        """Return the term of a word in small Latin letters, for a caller that remembers it."""
        if len(word) > MAX_LENGTH:
            return ""
        return self._term(word if word.isascii() else folded(word))

    def _term(self, word: str) -> str:
        if word in self.stops or word.isdecimal() or (len(word) < 2 and word < "\u0590"):  # noqa: PLR2004
            return ""
        return self.stem(without_particle(word) if "\uac00" <= word[0] <= "\ud7a3" else word)


class _Runs(dict[str, tuple[str, ...]]):
    """Runs of letters with the terms they are read as, for texts that are not in Latin letters alone."""

    def __init__(self, lang: str) -> None:
        super().__init__()
        self.stems = stems_of(lang)
        lone = "".join(word for word in self.stems.stops if len(word) == 1) if lang == "zh" else ""
        self.between = re.compile(f"[{lone}]" if lone else "(?!)")

    def __missing__(self, run: str) -> tuple[str, ...]:
        found = tuple(term for part in _RUN.findall(folded(run)) for term in self._read(part))
        if len(run) <= MAX_LENGTH:  # longer ones occur once, and are not cached
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[run] = found
        return found

    def _read(self, run: str) -> list[str]:
        if _HAN_RUN.match(run):
            pairs = (pair for part in self.between.split(run) if part for pair in cut(part, 2))
            return [pair for pair in pairs if pair not in self.stems.stops]
        if _SOUTHERN_RUN.match(run):
            return cut(run, 3)
        term = self.stems[run]
        return [term] if term else []


stems_of = cache(_Stems)
runs_of = cache(_Runs)


def cut(run: str, size: int) -> list[str]:
    """Split a run of characters into overlapping pieces of one size; a shorter run is its own piece."""
    return [run[at : at + size] for at in range(max(1, len(run) - size + 1))]


def terms(text: str, lang: str = "") -> list[str]:
    """Return the content words of a text in normal form, in order and as often as they occur.

    Languages that Snowball knows give stems, others their words as they are; function words and numbers
    are left out. Scripts without spaces give katakana words whole and runs of Han in pairs of
    characters, so that the same text gives the same terms on every machine, whatever is installed.

    >>> terms("The lighthouses were built in 1850, and lit by keepers.", "en")
    ['lighthous', 'built', 'lit', 'keeper']
    >>> terms("洋上風力発電とコンピュータの許可", "ja")
    ['洋上', '上風', '風力', '力発', '発電', 'コンピュータ', '許可']
    """
    lang = lang or language(text)
    words = latin_words(text)
    if words is not None:
        return list(filter(None, map(stems_of(lang).__getitem__, words)))
    lines = text.splitlines() if "latin" in scripts_of(lang) else ()
    if len(lines) > 1:  # most lines of a page with a Greek word or two have none
        return list(chain.from_iterable(terms(line, lang) for line in lines))
    runs = TOKEN.findall(INVISIBLE.sub("", text))
    return list(chain.from_iterable(map(runs_of(lang).__getitem__, runs)))


def latin_words(text: str) -> list[str] | None:
    """Split a text of the western web into words, in half the time; None for other texts."""
    plain = latin_bytes(text)
    return None if plain is None else plain.translate(LATIN_LETTERS, b"\xad").decode("cp1252").split()


def latin_bytes(text: str) -> bytes | None:
    """Return a text of the western web in Windows-1252, its signs spelled out; None for other texts."""
    if has_signs(text):
        text = spell_signs(text.lower())
    try:
        return text.encode("ascii") if text.isascii() else text.encode("cp1252", _ERROR_HANDLER)
    except UnicodeEncodeError:
        return None
