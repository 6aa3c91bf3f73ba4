"""Stop words: shipped for each language, and derived from many topics by one rule."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from clew.domain.text.tokenizing import folded

WEB = "web"
"""The group of words that occur on every site, whatever its language: home, contact, Impressum."""


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Return the function words of a language, folded; those of "web" are the words of menus and footers.

    A language that has no list gives none. The lists are plain files, `clew/text/stopwords/*.txt`.

    >>> "the" in stop_words("en"), "impressum" in stop_words("web"), stop_words("tlh")
    (True, True, frozenset())
    """
    return _read("stopwords", lang)


@cache
def other_words(lang: str) -> frozenset[str]:
    """Return frequent words of a language, folded, that only look like nouns."""
    return _read("others", lang)


def _read(folder: str, lang: str) -> frozenset[str]:
    """Read a list of words: lines of them, and comment lines that start with #."""
    page = Path(__file__).parent / folder / f"{lang}.txt"
    if not (lang.isascii() and lang.isalpha() and page.is_file()):
        return frozenset()
    lines = page.read_text("utf-8").splitlines()
    return frozenset(folded(word) for line in lines if not line.startswith("#") for word in line.split())


def derive_stop_words(
    arrays: Iterable[Mapping[str, float]], share: float = 0.3, under: int = 2
) -> frozenset[str]:
    """Return the words that are common to unrelated topics, and so identify none of them.

    `arrays` holds for each topic its words with the share of its pages that say them (about ten topics
    are enough); a word with at least `share` under `under` topics or more is a stop word.

    >>> baseball = {"page": 0.8, "pitcher": 0.5, "news": 0.3}
    >>> cooking = {"page": 0.7, "onion": 0.4, "news": 0.2}
    >>> sorted(derive_stop_words([baseball, cooking]))
    ['page']
    """
    counts = Counter(word for array in arrays for word, value in array.items() if value >= share)
    return frozenset(word for word, count in counts.items() if count >= under)
