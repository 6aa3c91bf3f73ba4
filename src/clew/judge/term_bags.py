"""Bags: what a page says, as numbered terms and how often it says them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import terms
from clew.types import Page

READ = 16_000
"""Characters of a text that are read: four times a typical page, and more than says what it is about."""

TITLE = 2
"""Times a title is read: it says in six words what the page is about."""


def counted(page: Page) -> Counter[str]:
    """Count the terms of a page, its title twice."""
    return Counter(terms(f"{page.title}\n" * TITLE + page.text[:READ], page.lang))


@dataclass(frozen=True, slots=True)
class Bag:
    """The distinct terms of one page by number, with their counts, and the page's language."""

    ids: NDArray[np.int32]
    counts: NDArray[np.float32]
    lang: str = ""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class TermIndex:
    """Give each term a number, in the order in which they are met."""

    names: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def number(self, term: str) -> int:
        """Return the number of a term, a new one if it was never met."""
        known = self.numbers.get(term)
        if known is None:
            known = self.numbers[term] = len(self.names)
            self.names.append(term)
        return known

    def bag(self, counts: Mapping[str, int], lang: str = "") -> Bag:
        """Return counted terms as a bag."""
        ids = np.fromiter((self.number(term) for term in counts), np.int32, len(counts))
        return Bag(ids, np.fromiter(counts.values(), np.float32, len(counts)), lang)


@dataclass(frozen=True, slots=True)
class Stack:
    """Many bags, one after the other: entry `i` is a term of page `pages[i]`."""

    pages: NDArray[np.intp]
    ids: NDArray[np.int32]
    counts: NDArray[np.float32]
    many: int

    @classmethod
    def of(cls, bags: Iterable[Bag]) -> "Stack":
        """Lay bags one after the other."""
        given = list(bags)
        sizes = [len(bag) for bag in given]
        return cls(
            np.repeat(np.arange(len(given)), sizes),
            np.concatenate([bag.ids for bag in given] or [np.empty(0, np.int32)]),
            np.concatenate([bag.counts for bag in given] or [np.empty(0, np.float32)]),
            len(given),
        )


def distinct(bags: Iterable[Bag]) -> list[Bag]:
    """Leave out bags that are the same as an earlier one: three copies of a page are one example."""
    seen: dict[tuple[bytes, bytes], Bag] = {}
    for bag in bags:
        order = np.argsort(bag.ids)
        seen.setdefault((bag.ids[order].tobytes(), bag.counts[order].tobytes()), bag)
    return list(seen.values())
