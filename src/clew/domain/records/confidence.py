"""Proof: what a pattern has shown so far, and how far it and its rows can be believed.

After Snowball (Agichtein and Gravano 2000): known rows that a pattern gives speak for it, known values that
it gives together with others speak against it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.domain.records.dipre import TextPattern
from clew.domain.records.known_values import KnownValues
from clew.domain.records.record_table import RecordTable
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_shapes import ValueShape
from clew.domain.records.values import form_of, normal, same_form

Pattern: TypeAlias = TreePattern | TextPattern

_AGAINST = 2.0  # how much more a contradiction counts than an agreement
_SAME = 4  # pages on which one row may stand before a pattern of single records is doubted for it
_FORMS = 2_000  # different values of a column that are counted
_LOOKS = 0.6  # the share of a row's worth that depends on what its values look like


@dataclass(slots=True)
class LearnedPattern:
    """A pattern, the known rows it gave (`right`) or contradicted (`wrong`), and its rows by page.

    `dull` counts pages on which a pattern of single records gave what it gives everywhere.
    """

    id: int
    pattern: Pattern
    right: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)
    dull: int = 0
    struck: bool = False
    given: dict[int, tuple[int, ...]] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)  # row -> pages, for patterns of single records
    different: list[set[str]] = field(default_factory=list)  # the forms it gave, by column

    @property
    def confidence(self) -> float:
        """How far it can be believed, 0 to 1: what speaks for it and against it, and one doubt."""
        right = len(self.right)
        return right / (right + _AGAINST * len(self.wrong - self.right) + self.dull + 1.0)

    @property
    def rows(self) -> int:
        """How many rows it gives."""
        return len({row for rows in self.given.values() for row in rows})

    def repeat(self, row: int) -> None:
        """Count a row of a pattern of single records; the same one everywhere is part of the template."""
        pages = self.same[row] = self.same.get(row, 0) + 1
        if pages > _SAME and 2 * pages > sum(self.same.values()):
            self.dull += 1


class Confidence:
    """Compares what patterns give with what is known; `sites` names the site of every pattern."""

    def __init__(self, book: RecordTable, known: KnownValues) -> None:
        self.book = book
        self.known = known
        self.sites: dict[int, str] = {}
        self.shapes = [ValueShape() for _ in book.columns]
        self._kinds: list[set[str]] = [set() for _ in book.columns]
        self._lengths = [0] * len(book.columns)

    def learn(self, values: Sequence[str], *, own: bool) -> None:
        """Learn from a sure row what columns look like; from the person's own, which one names it best."""
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

    @property
    def naming(self) -> frozenset[int]:
        """The columns that may name a row: those that repeat themselves least; a genre names none."""
        sizes = [len(kinds - {""}) for kinds in self._kinds]
        return frozenset(column for column, size in enumerate(sizes) if size >= max(sizes))

    def weigh(self, learned: LearnedPattern, values: Sequence[str], key: int) -> None:
        """Compare one row of a pattern with what is known from elsewhere under the value that names it."""
        forms = [form_of(value) for value in values]
        owners = [row for row in self.known.owners(forms[key], key) if self._elsewhere(row, learned.id)]
        if not owners:
            return
        for row in owners:
            others = self.known.forms[row]
            if all(
                not one or not other or same_form(one, other)
                for one, other in zip(forms, others, strict=True)
            ):
                learned.right.add(row)
                return
        learned.wrong.update(row for row in owners if any(map(_unlike, forms, self.known.forms[row])))

    def key_of(self, learned: LearnedPattern, rows: Iterable[Sequence[str]]) -> int:
        """Return the column that names a pattern's rows: the one in which it gives most different values."""
        learned.different = learned.different or [set() for _ in self.book.columns]
        for values in rows:
            for seen, value in zip(learned.different, values, strict=True):
                if value and len(seen) < _FORMS:
                    seen.add(value)
        sizes = [len(seen) for seen in learned.different]
        return max(range(len(sizes)), key=lambda column: (sizes[column], column == self.key))

    def _elsewhere(self, row: int, pattern: int) -> bool:
        """Tell whether a row is known from a person or another site: patterns of one site err together."""
        if row < self.book.examples or self.book.word(row) == "right":
            return True
        site = self.sites[pattern]
        return any(self.sites.get(support.pattern, site) != site for support in self.book.supports(row))

    def worth(self, values: Sequence[str], key: int) -> float:
        """Return how much a row looks like one, 0 to 1; empty cells make it less sure, `key` names it."""
        said = [(column, value) for column, value in enumerate(values) if value]
        if all(normal(value) == normal(self.book.columns[column]) for column, value in said):
            return 0.0  # the head of a table, or nothing
        if not values[key] or len({normal(value) for _, value in said}) < min(2, len(said)):
            return 0.0
        looks: float = 1.0
        for column, value in said:
            looks *= self.shapes[column].agrees(value)
        alike = float(looks ** (1 / len(said)))
        return (1 - _LOOKS + _LOOKS * alike) * len(said) / len(values)


def _unlike(one: str, other: str) -> bool:
    """Tell whether two forms are different values, not two ways to write one: they share few words."""
    words, others = set(one.split()), set(other.split())
    return bool(words and others) and 2 * len(words & others) < min(len(words), len(others))
