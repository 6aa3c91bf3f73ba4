"""Term vectors of pages: terms by id, with their frequencies."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import terms
from clew.types import Page

MAX_CHARACTERS = 16_000
"""Maximum characters of a text that are read: four times a typical page."""

TITLE_REPEATS = 2
"""Weight of the title's words: a title names the subject in a few words."""


def count_terms(page: Page) -> Counter[str]:
    """Count the terms of a page, its title twice."""
    return Counter(terms(f"{page.title}\n" * TITLE_REPEATS + page.text[:MAX_CHARACTERS], page.lang))


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

    def __len__(self) -> int:
        return len(self.names)

    def id_of(self, term: str) -> int:
        """Return the id of a term, a new one if it is unknown."""
        known = self.ids.get(term)
        if known is None:
            known = self.ids[term] = len(self.names)
            self.names.append(term)
        return known

    def encode(self, counts: Mapping[str, int], lang: str = "") -> TermVector:
        """Return counted terms by id."""
        ids = np.fromiter((self.id_of(term) for term in counts), np.int32, len(counts))
        return TermVector(ids, np.fromiter(counts.values(), np.float32, len(counts)), lang)


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


def distinct(pages: Iterable[TermVector]) -> list[TermVector]:
    """Remove duplicates: three copies of a page are one example."""
    seen: dict[tuple[bytes, bytes], TermVector] = {}
    for page in pages:
        order = np.argsort(page.ids)
        seen.setdefault((page.ids[order].tobytes(), page.counts[order].tobytes()), page)
    return list(seen.values())
