"""Term vectors of pages: terms by id, with their frequencies."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.domain.learned_state import State, StateRead, packed, unpacked
from clew.domain.text import language, page_terms, terms
from clew.domain.text.compiled import WordTable
from clew.domain.text.stemming import LATIN_LETTERS, latin_bytes, stems_of
from clew.types import Page, TermBag

Column = NDArray[np.float64]

TITLE_REPEATS = 2
"""Weight of the title's words: a title names the subject in a few words."""


def bag_of(page: Page) -> TermBag:
    """Return the terms of a page as its parser counted them; count them if it has not."""
    if page.terms is not None:
        return page.terms
    return page_terms.count_terms(page.title, page.text, page.lang, page.margin)


@dataclass(frozen=True, slots=True)
class ScoredTerms:
    """The raw score of a page, and what each weighted term on it adds, with its name and its count."""

    raw: float
    values: Column
    names: NDArray[np.object_]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.values)


class TermColumns:
    """Two numbers for each known term (see `TermModel.table`) as columns, found by hashed ids."""

    def __init__(self, table: Mapping[str, tuple[float, float]]) -> None:
        ids = np.array([page_terms.term_id(term) for term in table], np.uint32)
        order = ids.argsort(kind="stable")
        numbers = np.array(list(table.values()), np.float64).reshape(-1, 2)[order]
        self.ids = ids[order]
        self.rarity, self.weight = numbers[:, 0], numbers[:, 1]
        self.names = np.array(list(table), object)[order]

    def match(self, bag: TermBag) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the rows of the known terms on a page, with their counts; the title counts twice."""
        if not len(self.ids):
            return np.zeros(0, np.intp), np.zeros(0, np.int64)
        rows = self.ids.searchsorted(bag.ids)
        hit = np.flatnonzero(self.ids.take(rows, mode="clip") == bag.ids)
        counts = bag.text[hit].astype(np.int64) + TITLE_REPEATS * bag.title[hit].astype(np.int64)
        return rows[hit], counts

    def scored(
        self, rows: NDArray[np.intp], counts: NDArray[np.int64], values: Column, raw: float
    ) -> ScoredTerms:
        """Return the terms of a page that have a weight."""
        has_weight = np.flatnonzero(self.weight[rows])
        return ScoredTerms(raw, values[has_weight], self.names[rows[has_weight]], counts[has_weight])


@dataclass(frozen=True, slots=True)
class TermVector:
    """The distinct terms of one page by id, with their counts, and the page's language."""

    ids: NDArray[np.int32]
    counts: NDArray[np.float32]
    lang: str = ""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class TermIndex:
    """Assign ids to terms, in order of first occurrence."""

    names: list[str] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    _words: dict[str, WordTable] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def id_of(self, term: str) -> int:
        """Return the id of a term, a new one if it is unknown."""
        known = self.ids.get(term)
        if known is None:
            known = self.ids[term] = len(self.names)
            self.names.append(term)
        return known

    def restore_state(self, names: Sequence[str]) -> None:
        """Go on with these terms, each with the id of its place."""
        self.names[:] = names
        self.ids.clear()
        self.ids.update({name: id for id, name in enumerate(names)})
        self._words.clear()

    def encode_page(self, page: Page) -> TermVector:
        """Return the terms of a page by id, in order of first occurrence; its title counts twice."""
        text = f"{page.title}\n" * TITLE_REPEATS + page.text[: page_terms.MAX_CHARACTERS]
        lang = page.lang or language(text)
        plain = latin_bytes(text)
        if plain is None:
            return self.encode(Counter(terms(text, lang)), page.lang)
        found = np.frombuffer(self._table(lang).numbers(plain), np.uint32)
        numbers, first, counts = np.unique(found[found > 0], return_index=True, return_counts=True)
        order = first.argsort()
        return TermVector((numbers[order] - 1).astype(np.int32), counts[order].astype(np.float32), page.lang)

    def _table(self, lang: str) -> WordTable:
        """Return the words of a language in Latin letters with their term's id plus one, 0 for no term."""
        term_of = stems_of(lang).new_term

        def number_of(word: str) -> int:
            term = term_of(word)
            return self.id_of(term) + 1 if term else 0

        table = self._words.get(lang)
        if table is None:
            table = self._words[lang] = WordTable(LATIN_LETTERS, number_of, "cp1252")
        return table

    def encode(self, counts: Mapping[str, float], lang: str = "") -> TermVector:
        """Return counted terms by id."""
        ids = np.fromiter((self.id_of(term) for term in counts), np.int32, len(counts))
        return TermVector(ids, np.fromiter(counts.values(), np.float32, len(counts)), lang)

    def bag(self, page: TermVector) -> TermBag:
        """Return the terms of a page by hashed ids, as its parser would give them, all in the text."""
        found = np.array([page_terms.term_id(self.names[id]) for id in page.ids.tolist()], np.uint32)
        ids, first = np.unique(found, return_index=True)
        none = np.zeros(len(ids), np.uint16)
        return TermBag(ids=ids, text=page.counts[first].astype(np.uint16), title=none, margin=none)


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """Sparse term counts of many pages: entry `i` belongs to page `pages[i]`."""

    pages: NDArray[np.intp]
    ids: NDArray[np.int32]
    counts: NDArray[np.float32]
    page_count: int

    @classmethod
    def of(cls, pages: Iterable[TermVector]) -> "TermMatrix":
        """Concatenate the counts of pages."""
        vectors = list(pages)
        sizes = [len(vector) for vector in vectors]
        return cls(
            np.repeat(np.arange(len(vectors)), sizes),
            np.concatenate([vector.ids for vector in vectors] or [np.empty(0, np.int32)]),
            np.concatenate([vector.counts for vector in vectors] or [np.empty(0, np.float32)]),
            len(vectors),
        )


def vectors_state(vectors: Sequence[TermVector]) -> State:
    """Return the terms of many pages as arrays."""
    matrix = TermMatrix.of(vectors)
    sizes = np.array([len(vector) for vector in vectors], np.int64)
    langs = packed([vector.lang for vector in vectors])
    return {"sizes": sizes, "ids": matrix.ids, "counts": matrix.counts, "langs": langs}


def vectors_of(state: StateRead) -> list[TermVector]:
    """Return what `vectors_state` has made arrays of."""
    ends = np.cumsum(state["sizes"])[:-1]
    columns = np.split(state["ids"], ends), np.split(state["counts"], ends), unpacked(state["langs"])
    return [TermVector(ids, counts, lang) for ids, counts, lang in zip(*columns, strict=False)]


def distinct(pages: Iterable[TermVector]) -> list[TermVector]:
    """Remove duplicates: three copies of a page are one example."""
    seen: dict[tuple[bytes, bytes], TermVector] = {}
    for page in pages:
        order = np.argsort(page.ids)
        seen.setdefault((page.ids[order].tobytes(), page.counts[order].tobytes()), page)
    return list(seen.values())
