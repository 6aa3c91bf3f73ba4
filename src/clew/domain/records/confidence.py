"""Estimate the confidence of patterns and of the rows they extract.

After Snowball (Agichtein and Gravano 2000): known rows that a pattern extracts confirm it; a known value
that it combines with other values contradicts it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from clew.domain.records.dipre import TextPattern
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.known_values import KnownValues
from clew.domain.records.record_table import RecordTable
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_shapes import ValueShape
from clew.domain.records.values import lookup_form, normalize, same_form

Pattern: TypeAlias = TreePattern | TextPattern

_CONTRADICTION_WEIGHT = 2.0  # how much more a contradiction counts than a confirmation
_NAMESAKES = 2  # known names with other values on a site where no row is known: other people are called so
_MAX_REPEATS = 4  # pages on which a single-record pattern may extract one row before it is doubted
_MAX_DISTINCT = 2_000  # distinct values of a column that are counted
_SHAPE_SHARE = 0.6  # the share of a row's plausibility that depends on the shape of its values
_MAX_EXAMPLE_VALUES = 1_000  # distinct example values of a column: enough to tell which columns repeat


@dataclass(slots=True)
class LearnedPattern:
    """A pattern, the known rows it extracted (`confirmed`) or contradicted, and its rows by page.

    `template_pages` counts pages on which a single-record pattern extracted what it extracts everywhere.
    `by_look` patterns were learned without known rows (`UnknownSites`); that counts as one confirmation.
    """

    id: int
    pattern: Pattern
    confirmed: set[int] = field(default_factory=set)
    contradicted: set[int] = field(default_factory=set)
    template_pages: int = 0
    rejected: bool = False
    by_look: bool = False
    rows_by_page: dict[int, tuple[int, ...]] = field(default_factory=dict)
    repeats: dict[int, int] = field(default_factory=dict)  # row -> pages, for single-record patterns
    distinct_values: list[set[str]] = field(default_factory=list)  # by column

    @property
    def confidence(self) -> float:
        """Confidence from 0 to 1: confirmations against contradictions, smoothed by one doubt."""
        confirmed = len(self.confirmed) + self.by_look
        contradicted = len(self.contradicted - self.confirmed)
        if self.by_look:
            contradicted = max(0, contradicted - _NAMESAKES)
        against = _CONTRADICTION_WEIGHT * contradicted + self.template_pages
        return confirmed / (confirmed + against + 1.0)

    @property
    def row_count(self) -> int:
        """The number of distinct rows it extracted."""
        return len({row for rows in self.rows_by_page.values() for row in rows})

    def add_row(self, page: int, row: int) -> None:
        """Note that it extracted a row from a page."""
        self.rows_by_page[page] = (*self.rows_by_page.get(page, ()), row)

    def count_repeat(self, row: int) -> None:
        """Count a row of a single-record pattern; the same one everywhere is part of the template."""
        pages = self.repeats[row] = self.repeats.get(row, 0) + 1
        if pages > _MAX_REPEATS and 2 * pages > sum(self.repeats.values()):
            self.template_pages += 1


class Confidence:
    """Compare the rows that patterns extract with known rows."""

    def __init__(self, table: RecordTable, known: KnownValues) -> None:
        self.table = table
        self.known = known
        self.shapes = [ValueShape() for _ in table.columns]
        self._sites: dict[int, str] = {}  # site of each pattern, by number
        self._example_values: list[set[str]] = [set() for _ in table.columns]
        self._lengths = [0] * len(table.columns)

    def set_site(self, learned: LearnedPattern) -> None:
        """Note the site for which a pattern was learned."""
        self._sites[learned.id] = site_of(learned.pattern.url_prefix)

    def learn_shape(self, values: Sequence[str], *, is_example: bool) -> None:
        """Learn the shape of columns from a trusted row; from examples also which column names a row best."""
        for column, value in enumerate(values):
            self.shapes[column].learn(value)
            if is_example and len(self._example_values[column]) < _MAX_EXAMPLE_VALUES:
                self._example_values[column].add(normalize(value))
                self._lengths[column] += len(value)

    @property
    def key_column(self) -> int:
        """The column that names a row best: the one with most distinct values, the longest among equals."""
        columns = range(len(self._example_values))
        return max(
            columns, key=lambda column: (len(self._example_values[column] - {""}), self._lengths[column])
        )

    @property
    def naming_columns(self) -> frozenset[int]:
        """The columns that may name a row: those that repeat least; a genre names none."""
        sizes = [len(values - {""}) for values in self._example_values]
        return frozenset(column for column, size in enumerate(sizes) if size >= max(sizes))

    def compare(self, learned: LearnedPattern, values: Sequence[str], key: int) -> None:
        """Compare one extracted row with the rows that other sources have for its key value."""
        forms = [lookup_form(value) for value in values]
        owners = [
            row for row in self.known.owners(forms[key], key) if self._is_known_elsewhere(row, learned.id)
        ]
        if not owners:
            return
        for row in owners:
            others = self.known.forms[row]
            if all(
                not one or not other or same_form(one, other)
                for one, other in zip(forms, others, strict=True)
            ):
                learned.confirmed.add(row)
                return
        learned.contradicted.update(row for row in owners if any(map(_differs, forms, self.known.forms[row])))

    def pattern_key(self, learned: LearnedPattern, rows: Iterable[Sequence[str]]) -> int:
        """Return the key column of a pattern's rows: the one in which it extracts most distinct values."""
        learned.distinct_values = learned.distinct_values or [set() for _ in self.table.columns]
        for values in rows:
            for distinct, value in zip(learned.distinct_values, values, strict=True):
                if value and len(distinct) < _MAX_DISTINCT:
                    distinct.add(value)
        sizes = [len(distinct) for distinct in learned.distinct_values]
        return max(range(len(sizes)), key=lambda column: (sizes[column], column == self.key_column))

    def _is_known_elsewhere(self, row: int, pattern: int) -> bool:
        """Return whether a row is known from the user or another site: patterns of one site err together."""
        if row < self.table.example_count or self.table.row_label(row) == "right":
            return True
        site = self._sites[pattern]
        return any(self._sites.get(support.pattern, site) != site for support in self.table.supports(row))

    def plausibility(self, values: Sequence[str], key: int) -> float:
        """Return how much values look like a row, 0 to 1; empty cells lower it, an empty key makes it 0."""
        cells = [(column, value) for column, value in enumerate(values) if value]
        if all(normalize(value) == normalize(self.table.columns[column]) for column, value in cells):
            return 0.0  # the head of a table, or nothing
        if not values[key] or len({normalize(value) for _, value in cells}) < min(2, len(cells)):
            return 0.0
        product: float = 1.0
        for column, value in cells:
            product *= self.shapes[column].similarity(value)
        similarity = float(product ** (1 / len(cells)))
        return (1 - _SHAPE_SHARE + _SHAPE_SHARE * similarity) * len(cells) / len(values)


def _differs(one: str, other: str) -> bool:
    """Return whether two forms are different values, not two spellings of one: they share few words."""
    words, others = set(one.split()), set(other.split())
    return bool(words and others) and 2 * len(words & others) < min(len(words), len(others))
