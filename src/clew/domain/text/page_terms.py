"""Count the terms of a page as hashed ids, once, where it is parsed."""

from functools import cache, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.domain.text.compiled import WordTable
from clew.domain.text.language import language
from clew.domain.text.stemming import LATIN_LETTERS, latin_bytes, stem_of, terms
from clew.types import TermBag

MAX_CHARACTERS = 16_000
"""Characters of a text that are read: four times a typical page."""

MAX_MARGIN = 4_000
"""Characters of the margin that are read: breadcrumbs and menus are at its beginning."""

_CACHE_SIZE = 200_000
_MOST = np.iinfo(np.uint16).max


@cache
def _latin_table(lang: str) -> WordTable:
    """Return the ids of the words of a language in Latin letters; 0 for words that are no terms."""

    def number_of(word: str) -> int:
        term = stem_of(word, lang)
        return term_id(term) if term else 0

    return WordTable(LATIN_LETTERS, number_of, "cp1252", _CACHE_SIZE)


@lru_cache(_CACHE_SIZE)
def term_id(term: str) -> int:
    """Return the 32-bit id of a term; it is never 0."""
    return crc32(term.encode("utf-8", "replace")) or 1


def count_terms(title: str, text: str, lang: str, margin: str = "") -> TermBag:
    """Count the terms of a page; `margin` is the text around the main text.

    >>> bag = count_terms("Lighthouses", "A lighthouse, and a keeper of lighthouses.", "en")
    >>> at = int(np.searchsorted(bag.ids, term_id("lighthous")))
    >>> len(bag), int(bag.text[at]), int(bag.title[at])
    (2, 2, 1)
    """
    lang = lang or language(f"{title}\n{title}\n{text}")
    in_title, in_margin = _ids(title, lang), _ids(margin[:MAX_MARGIN], lang)
    found = np.concatenate((_ids(text[:MAX_CHARACTERS], lang), in_title, in_margin))
    found.sort()
    differs = np.ones(len(found) + 1, bool)
    np.not_equal(found[1:], found[:-1], out=differs[1:-1])
    bounds = np.flatnonzero(differs)
    if len(found) and not found[0]:
        bounds = bounds[1:]  # words that are no terms
    ids, total = found[bounds[:-1]], bounds[1:] - bounds[:-1]
    titles, margins = (
        np.bincount(ids.searchsorted(part[part > 0]), minlength=len(ids)) for part in (in_title, in_margin)
    )
    return TermBag(
        ids=ids,
        text=np.minimum(total - titles - margins, _MOST).astype(np.uint16),
        title=np.minimum(titles, _MOST).astype(np.uint16),
        margin=np.minimum(margins, _MOST).astype(np.uint16),
    )


def _ids(text: str, lang: str) -> NDArray[np.uint32]:
    """Return the ids of the words of a text, 0 for those that are no terms."""
    plain = latin_bytes(text)
    if plain is None:
        return np.fromiter(map(term_id, terms(text, lang)), np.uint32)
    return np.frombuffer(_latin_table(lang).numbers(plain), np.uint32)
