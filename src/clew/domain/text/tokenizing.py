"""Tokenize text of any language: fold case, split, stem."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache

from clew.domain.text.scripts import UNSPACED

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_LETTER = re.compile(r"(?<!\S)[A-Z](?![^\s,;:.!?)])")
_WESTERN = [bytes([at]).decode("cp1252", "replace") for at in range(256)]
WESTERN_LOWER = b"".join(
    one.lower().encode("cp1252") if one.isalnum() or one in "'’" else b" " for one in _WESTERN
)
"""What each byte in cp1252 counts as in a word, a blank between words."""

_SIGNED = re.compile(r"(?<![^\W_])(?:[a-z](?:\+\+|#)(?![\w+#])|(?<![\w.])\.net(?![^\W_]))")
_SPELLED: dict[str, Callable[[str], str]] = {
    "+": lambda name: f"{name[0]}plusplus",
    "#": lambda name: f"{name[0]}sharp",
    "t": lambda _: "dotnet",
}
_ENDINGS = ("ings", "ing", "ern", "en", "em", "er", "es", "ed", "s", "e", "n")
_QUOTES = (b" '", b"' ", b" \x92", b"\x92 ")

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be been but by can could did do does for from had has
    have he her his how i if in into is it its just me more my no not of on one or other our out she
    should so some than that the their them then there these they this those to up us was we were what
    when where which who why will with would you your aber als am an auch auf aus bei bin bis das dass
    dem den der des die doch du durch ein eine einem einen einer eines er es für hat ich ihr im in ist
    kein mit nach nicht noch nur oder sein sich sie sind so um und uns von vor war was wie wir zu zum
    zur über au aux avec ce ces dans de des du elle en est et il je la le les leur mais ne nous ou par
    pas pour que qui sa se ses son sur un une vous el los las una por con para como del al lo su
    """.split()  # noqa: SIM905 - a list of this length reads better as text
)
"""Function words of English, German, French and Spanish: they never identify a topic."""


def folded(text: str) -> str:
    """Return text with width, case and compatibility forms normalized, for matching.

    Names with signs are spelled out, as many pages and URLs do themselves:

    >>> folded("C++ and C# for .NET, not a#b or www.example.net")
    'cplusplus and csharp for dotnet, not a#b or www.example.net'
    """
    if text.isascii():
        return spell_signs(text.lower())
    even = unicodedata.is_normalized("NFKC", text)  # the check costs a fifth of the work
    return spell_signs((text if even else unicodedata.normalize("NFKC", text)).casefold())


def has_signs(text: str) -> bool:
    """Return whether a text may contain names with signs; cheap, and rarely true."""
    return _has_plus_or_sharp(text) or ".net" in text or ".NET" in text or ".Net" in text


def spell_signs(text: str) -> str:
    """Spell out names with signs in a text of small letters: "c++" is "cplusplus"."""
    if not _has_plus_or_sharp(text) and ".net" not in text:
        return text
    return _SIGNED.sub(lambda found: _SPELLED[found[0][-1]](found[0]), text)


def _has_plus_or_sharp(text: str) -> bool:
    # Single characters are found at memory speed, longer strings in 0.6 ms a megabyte.
    return "#" in text or ("+" in text and "++" in text)


def words(text: str) -> list[str]:
    """Split text into folded words; scripts without spaces give pairs of characters.

    >>> words("Offshore-Wind farms, 2024")
    ['offshore', 'wind', 'farms', '2024']
    >>> words("風力発電")
    ['風力', '力発', '発電']
    """
    found: list[str] = []
    for word in _WORD.findall(folded(text)):
        if word.isascii() or not _UNSPACED.search(word):
            found.append(word)
            continue
        for run in re.split(f"({_UNSPACED.pattern})", word):
            if _UNSPACED.fullmatch(run) and len(run) > 1:
                found += (run[i : i + 2] for i in range(len(run) - 1))
            elif run:
                found.append(run)
    return found


def topic_words(about: str) -> list[str]:
    """Return the words of a topic that a person typed, folded: no function words, and no single letters.

    A single capital letter counts: it is a name.

    >>> topic_words("a guide to R and C++ for plan b")
    ['guide', 'r', 'cplusplus', 'plan']
    """
    letters = {word.lower() for word in _LETTER.findall(about)}
    found = (word for word in words(about) if word not in STOP_WORDS)
    return [word for word in found if len(word) > 1 or not word.isascii() or word in letters]


def count_words(text: str) -> Counter[str]:
    """Count the words of a text; those of the western web, the common case, in a quarter of the time.

    >>> count_words("Fog, fog-signals and FOG").most_common(1)
    [('fog', 3)]
    """
    western = western_words(text)
    if western is None:
        return Counter(words(text))
    return Counter(western.decode("cp1252").replace("ß", "ss").split())


def western_words(text: str) -> bytes | None:
    """Return the words of a text in small letters with blanks between them, in cp1252, "ß" not folded yet.

    None is returned for texts in other letters, and for those with names with signs.
    """
    try:
        plain = text.encode("cp1252")
    except UnicodeEncodeError:
        return None
    if has_signs(text):
        return None
    data = b" %b " % plain.translate(WESTERN_LOWER)
    for quote in _QUOTES:  # an apostrophe is kept between letters only
        data = data.replace(quote, b" ")
    return data


def typical_words(texts: Iterable[str], against: Iterable[str] = (), most: int = 20) -> list[str]:
    """Return the words most typical of `texts`: in many of them, in few of `against`."""
    good = Counter(w for text in texts for w in set(words(text)))
    bad = Counter(w for text in against for w in set(words(text)))
    wanted = {
        w: n / (1 + 2 * bad[w])
        for w, n in good.items()
        if len(w) > 1 and w not in STOP_WORDS and not w.isdigit()
    }
    return [w for w, _ in sorted(wanted.items(), key=lambda item: (-item[1], -len(item[0]), item[0]))[:most]]


@lru_cache(maxsize=1024)
def stem(word: str) -> str:
    """Remove common endings, approximately, for several languages at once.

    >>> stem("permits"), stem("lighthouses"), stem("crawling")
    ('permit', 'lighthous', 'crawl')
    """
    return new_stem(word)


def new_stem(word: str) -> str:
    """Return the same for a caller that remembers it."""
    if not word.endswith(_ENDINGS) or (not word.isascii() and _UNSPACED.search(word)):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:  # noqa: PLR2004 - shorter stems match anything
            return word[: -len(ending)]
    return word
