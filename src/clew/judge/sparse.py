"""Products of sparse matrices with vectors, and ids among sorted ones; compiled where that was built."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.types import TermBag

Column = NDArray[np.float64]
Places = NDArray[np.int64]

_sums: Callable[[Places, Places, Column, Column, Column], None] | None = compiled(
    "clew.judge._sparse", "sums"
)
_match: Callable[..., int] | None = compiled("clew.judge._sparse", "match")
_weigh: Callable[..., int] | None = compiled("clew.judge._sparse", "weigh")

_BITS = 12  # of an id that choose its bucket: a few ids each in a vocabulary of a crawl
_SHIFT = 32 - _BITS
_BEGINS = np.arange(1 << _BITS, dtype=np.uint32) << np.uint32(_SHIFT)


@dataclass(frozen=True, slots=True)
class SparseMatrix:
    """Entry `i` is the value of column `columns[i]` in row `rows[i]`.

    >>> matrix = SparseMatrix(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]), (2, 2))
    >>> matrix.dot(np.array([1.0, 10.0])).tolist(), matrix.transposed_dot(np.array([1.0, 10.0])).tolist()
    ([21.0, 30.0], [1.0, 32.0])
    """

    rows: Places
    columns: Places
    values: Column
    shape: tuple[int, int]

    def dot(self, vector: Column) -> Column:
        """Multiply each row with a vector."""
        return _product(self.rows, self.columns, self.values, vector, self.shape[0])

    def transposed_dot(self, vector: Column) -> Column:
        """Sum the rows, each times its number in the vector."""
        return _product(self.columns, self.rows, self.values, vector, self.shape[1])


def _product(rows: Places, columns: Places, values: Column, vector: Column, size: int) -> Column:
    if _sums is None:
        return np.bincount(rows, values * vector[columns], minlength=size).astype(np.float64)
    out = np.zeros(size)
    _sums(rows, columns, values, np.ascontiguousarray(vector), out)
    return out


class SortedIds:
    """Ids in ascending order, among which others are found.

    >>> known = SortedIds(np.array([3, 5, 1 << 31], np.uint32))
    >>> rows, hits = known.match(np.array([4, 5, 9, 1 << 31], np.uint32))
    >>> rows.tolist(), hits.tolist()
    ([1, 2], [1, 3])
    """

    def __init__(self, ids: NDArray[np.uint32]) -> None:
        self.ids = ids
        self._starts = np.append(ids.searchsorted(_BEGINS), len(ids)).astype(np.int64)

    def match(self, wanted: NDArray[np.uint32]) -> tuple[Places, Places]:
        """Return where the wanted ids (ascending) that are known are: among the known, among the wanted."""
        if _match is not None:
            rows, hits = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
            count = _match(self.ids, self._starts, _SHIFT, wanted, rows, hits)
            return rows[:count], hits[:count]
        if not len(self.ids):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        rows = self.ids.searchsorted(wanted)
        hits = np.flatnonzero(self.ids.take(rows, mode="clip") == wanted)
        return rows[hits], hits

    def weigh(
        self, bag: TermBag, table: Column, damped: Column, title_weight: int
    ) -> tuple[Places, Column, Column]:
        """Return where the known ids of a bag are in it, the value of each, and that times its weight.

        A row of `table` holds the rarity and the weight of a known id; `damped` is what a count is worth, a
        mention in the title counts `title_weight` times.
        """
        if _weigh is not None:
            size = len(bag)
            hits, values, parts = np.empty(size, np.int64), np.empty(size), np.empty(size)
            counts = bag.text, bag.title, bag.margin, title_weight
            found = _weigh(
                self.ids, self._starts, _SHIFT, table, bag.ids, *counts, damped, hits, values, parts
            )
            return hits[:found], values[:found], parts[:found]
        rows, hits = self.match(bag.ids)
        values = damped_counts(bag, damped, title_weight)[hits] * table[rows, 0]
        return hits, values, values * table[rows, 1]


def damped_counts(bag: TermBag, damped: Column, title_weight: int) -> Column:
    """Return what the counts of terms are worth: `damped` by their sum over text, title and margin."""
    counts = bag.text.astype(np.intp)
    counts += title_weight * bag.title.astype(np.intp)
    counts += bag.margin
    return damped.take(counts)
