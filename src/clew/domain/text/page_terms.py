"""Count the terms of a page as hashed ids, once, where it is parsed."""

from array import array
from functools import cache, lru_cache
from zlib import crc32

import numpy as np

from clew.domain.text.compiled import WordTable, tally
from clew.domain.text.language import language
from clew.domain.text.scripts import scripts_of
from clew.domain.text.stemming import LATIN_LETTERS, latin_bytes, stems_of, terms
from clew.types import TermBag

MAX_CHARACTERS = 16_000
"""Characters of a text that are read: four times a typical page."""

MAX_MARGIN = 4_000
"""Characters of the margin that are read: breadcrumbs and menus are at its beginning."""

_CACHE_SIZE = 200_000


@cache
def _latin_table(lang: str) -> WordTable:
    """Return the ids of the words of a language in Latin letters; 0 for words that are no terms.

    The table remembers them, so their stems and ids are not remembered once more.
    """
    term_of = stems_of(lang).new_term

    def number_of(word: str) -> int:
        term = term_of(word)
        return (crc32(term.encode("utf-8", "replace")) or 1) if term else 0

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
    ids, in_text, in_title, in_margin = tally(
        _ids(text, lang, MAX_CHARACTERS), _ids(title, lang, len(title)), _ids(margin, lang, MAX_MARGIN)
    )
    return TermBag(
        ids=np.frombuffer(ids, np.uint32),
        text=np.frombuffer(in_text, np.uint16),
        title=np.frombuffer(in_title, np.uint16),
        margin=np.frombuffer(in_margin, np.uint16),
    )


def _ids(text: str, lang: str, most: int) -> bytes:
    """Return the ids of the words in the first characters of a text, packed; 0 for what is no term."""
    table = _latin_table(lang)
    found = table.plain_numbers(text, most)
    if found is not None:
        return found
    text = text[:most]
    plain = latin_bytes(text)
    if plain is not None:
        return table.numbers(plain)
    lines = text.splitlines() if "latin" in scripts_of(lang) else ()
    if len(lines) > 1:  # most lines of a page with a Greek word or two have none
        return b"".join(_ids(line, lang, len(line)) for line in lines)
    return array("I", map(term_id, terms(text, lang))).tobytes()
