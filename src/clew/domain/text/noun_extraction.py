"""Extract the nouns of a text in normal form, with or without the optional dictionaries."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain

from clew.domain.installation import install_command
from clew.domain.text.english import english_noun, nouns_in_context
from clew.domain.text.german import german_noun
from clew.domain.text.japanese import Nouns, has_dictionary, japanese_nouns
from clew.domain.text.language import language
from clew.domain.text.lexicon import has_lexicon
from clew.domain.text.scripts import UNSPACED
from clew.domain.text.stemming import CACHE_SIZE, INVISIBLE, MAX_LENGTH, TOKEN, runs_of
from clew.domain.text.tokenizing import folded

MAX_CACHED_LENGTH = 100
"""Maximum characters of a text that is cached as a whole: links and titles, most of which recur."""

_END = re.compile(r"[.!?:;\n|•·»]+")
_WORD = {"de": re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"), "en": re.compile(r"[^\W\d_]+")}
_CROWDED = re.compile(f"[{UNSPACED}]")


def nouns(text: str, lang: str = "") -> list[str]:
    """Return the nouns of a text in normal form, in order and as often as they occur.

    Japanese, German and English know which words are nouns, better with the extras `ja` and `nouns`; in
    other languages every word that is not a stop word counts, as its stem. The text of links and pages gives
    the same normal forms.

    >>> nouns("Planning permits for offshore wind farms", "en")[-1]
    'farm'
    """
    return [noun for noun, _ in nouns_as_written(text, lang)]


def nouns_as_written(text: str, lang: str = "") -> Nouns:
    """Return the nouns of a text, each with its written form, which search queries need."""
    if len(text) <= MAX_CACHED_LENGTH:
        return _remembered(text, lang)
    return _read(text, lang)


def _read(text: str, lang: str) -> Nouns:
    lang = lang or language(text)
    if lang == "ja":
        return japanese_nouns(text)
    return tuple(_western(text, lang) if lang in _WORD else _any(text, lang))


_remembered = lru_cache(maxsize=30_000)(_read)  # about 20 MB


def extra_for(lang: str) -> str:
    """Return a note on which extra improves nouns of a language, or nothing.

    >>> extra_for("fr")
    ''
    """
    if lang == "ja" and not has_dictionary():
        return f"Japanese nouns are detected by their script only; for a dictionary: {install_command('ja')}"
    if lang in _WORD and not has_lexicon():
        name = {"de": "German", "en": "English"}[lang]
        return f"{name} nouns are detected by their form only; for a lexicon: {install_command('nouns')}"
    return ""


class _Words(dict[str, Nouns]):
    """Words of German or English with the nouns they are read as; filled on first use.

    `firm` says that a capital is a sign: the word begins no sentence, and not everything has one.
    """

    def __init__(self, lang: str, firm: bool) -> None:
        super().__init__()
        self.lang = lang
        self.firm = firm

    def __missing__(self, word: str) -> Nouns:
        if len(word) > MAX_LENGTH:
            return ()
        if len(self) >= CACHE_SIZE:
            self.clear()
        self[word] = found = self._read(word)
        return found

    def _read(self, word: str) -> Nouns:
        if _CROWDED.search(word):
            return tuple((term, term) for term in runs_of("")[word])
        if len(word) < 2:  # noqa: PLR2004 - a single letter is no noun
            return ()
        if self.lang == "de":
            noun = german_noun(word, self.firm)
        else:
            noun = english_noun(word, self.firm and word[0].isupper())
        return ((noun, word),) if noun else ()


_words = cache(_Words)


def _western(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """Read German or English sentence by sentence: the meaning of a capital depends on its position.

    With a lexicon the part of speech of an English word depends on the words around it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    loose, firm = _words(lang, firm=False), _words(lang, firm=True)
    tagged = lang == "en" and has_lexicon()
    for sentence in _END.split(text):
        tokens = _WORD[lang].findall(sentence)
        # Unless a German writes everything small, or an English Line Is a Headline.
        small = sum(map(str.islower, tokens))
        if tagged and len(tokens) > 1 and not _CROWDED.search(sentence):
            yield from nouns_in_context(
                [token[:MAX_LENGTH] for token in tokens], capitals=small * 2 > len(tokens)
            )
            continue
        if small < len(tokens) if lang == "de" else small * 2 > len(tokens):
            yield from loose[tokens[0]]
            yield from chain.from_iterable(map(firm.__getitem__, tokens[1:]))
        else:
            yield from chain.from_iterable(map(loose.__getitem__, tokens))


def _any(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """Return the stem of every word that is not a stop word."""
    runs = runs_of(lang)
    for token in TOKEN.findall(INVISIBLE.sub("", text)):
        found = runs[token]
        if len(found) == 1:
            yield found[0], folded(token)
        else:
            yield from zip(found, found, strict=True)
