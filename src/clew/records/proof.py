"""Proof: what a pattern has shown so far, and how far it and its rows can be believed.

After Snowball (Agichtein and Gravano 2000): known rows that a pattern gives speak for it, known values that it gives
together with others speak against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.records.book import Book
from clew.records.dipre import TextPattern
from clew.records.known import Known
from clew.records.patterns import TreePattern
from clew.records.shapes import Shape
from clew.records.values import form_of, normal, same_form

Pattern: TypeAlias = TreePattern | TextPattern

_AGAINST = 2.0  # how much more a contradiction counts than an agreement
_SAME = 4  # pages on which one row may stand before a pattern of single records is doubted for it
_LOOKS = 0.6  # the share of a row's worth that depends on what its values look like


@dataclass(slots=True)
class Learned:
    """A pattern, the known rows it gave (`right`), how often it contradicted one, and its rows by page."""

    id: int
    pattern: Pattern
    right: set[int] = field(default_factory=set)
    wrong: int = 0
    struck: bool = False
    given: dict[int, tuple[int, ...]] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)  # row -> pages, for patterns of single records

    @property
    def confidence(self) -> float:
        """How far it can be believed, 0 to 1: agreements against contradictions, with one doubt to begin with."""
        right = len(self.right)
        return right / (right + _AGAINST * self.wrong + 1.0)

    @property
    def rows(self) -> int:
        """How many rows it gives."""
        return len({row for rows in self.given.values() for row in rows})

    def repeat(self, row: int) -> None:
        """Count a row that a pattern of single records gives; the same one everywhere is part of the template."""
        pages = self.same[row] = self.same.get(row, 0) + 1
        if pages > _SAME and 2 * pages > sum(self.same.values()):
            self.wrong += 1


class Proof:
    """Compares what patterns give with what is known; `sites` names the site of every pattern."""

    def __init__(self, book: Book, known: Known) -> None:
        self.book = book
        self.known = known
        self.sites: dict[int, str] = {}
        self.shapes = [Shape() for _ in book.columns]
        self._kinds: list[set[str]] = [set() for _ in book.columns]
        self._lengths = [0] * len(book.columns)

    def learn(self, values: Sequence[str], *, own: bool) -> None:
        """Learn from a row that is sure what columns look like; from the person's own, which one names it best."""
        for column, value in enumerate(values):
            self.shapes[column].learn(value)
            if own and len(self._kinds[column]) < 1_000:  # noqa: PLR2004 - enough to tell which one repeats
                self._kinds[column].add(normal(value))
                self._lengths[column] += len(value)

    @property
    def key(self) -> int:
        """The column that names a row best: the one with most different values, the longest among equals."""
        columns = range(len(self._kinds))
        return max(columns, key=lambda column: (len(self._kinds[column] - {""}), self._lengths[column]))

    def weigh(self, learned: Learned, values: Sequence[str]) -> None:
        """Compare one row of a pattern with what is known from elsewhere."""
        forms = [form_of(value) for value in values]
        key = self.key
        owners = [row for row in self.known.owners(forms[key], key) if self._elsewhere(row, learned.id)]
        if not owners:
            return
        for row in owners:
            others = self.known.forms[row]
            if all(
                not one or not other or same_form(one, other) for one, other in zip(forms, others, strict=True)
            ):
                learned.right.add(row)
                return
        learned.wrong += 1

    def _elsewhere(self, row: int, pattern: int) -> bool:
        """Tell whether a row is known from a person or from another site: patterns of one site err together."""
        if row < self.book.examples or self.book.word(row) == "right":
            return True
        site = self.sites[pattern]
        return any(self.sites.get(support.pattern, site) != site for support in self.book.supports(row))

    def worth(self, values: Sequence[str]) -> float:
        """Return how much a row looks like one, 0 to 1; empty cells make it less sure."""
        said = [(column, value) for column, value in enumerate(values) if value]
        if not said or not values[self.key] or len({normal(value) for _, value in said}) < len(said):
            return 0.0
        looks = 1.0
        for column, value in said:
            looks *= self.shapes[column].agrees(value)
        looks = looks ** (1 / len(said))
        return (1 - _LOOKS + _LOOKS * looks) * len(said) / len(values)
