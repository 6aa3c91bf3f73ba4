"""Products of sparse matrices with vectors, and ids among sorted ones; compiled where that was built."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.types import TermBag

Column = NDArray[np.float64]
Places = NDArray[np.int64]

_dot: Callable[..., None] | None = compiled("clew.judge._sparse", "dot")
_transposed_dot: Callable[..., None] | None = compiled("clew.judge._sparse", "transposed_dot")
_curved: Callable[..., None] | None = compiled("clew.judge._sparse", "curved")
_match: Callable[..., int] | None = compiled("clew.judge._sparse", "match")
_weigh: Callable[..., int] | None = compiled("clew.judge._sparse", "weigh")

_BITS = 12  # of an id that choose its bucket: a few ids each in a vocabulary of a crawl
_SHIFT = 32 - _BITS
_BEGINS = np.arange(1 << _BITS, dtype=np.uint32) << np.uint32(_SHIFT)


@dataclass(frozen=True, slots=True)
class SparseMatrix:
    """Row `i` has the entries from `starts[i]` to `starts[i + 1]`, each a value in one of `size` columns.

    >>> matrix = SparseMatrix(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([1.0, 2, 3]), 2)
    >>> matrix.dot(np.array([1.0, 10.0])).tolist(), matrix.transposed_dot(np.array([1.0, 10.0])).tolist()
    ([21.0, 30.0], [1.0, 32.0])
    """

    starts: Places
    columns: NDArray[np.int32]
    values: Column
    size: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> Places:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def dot(self, vector: Column) -> Column:
        """Multiply each row with a vector."""
        if _dot is None:
            return _sums(self.rows, self.values * vector[self.columns], len(self))
        out = np.empty(len(self))
        _dot(self.starts, self.columns, self.values, vector, out)
        return out

    def transposed_dot(self, vector: Column) -> Column:
        """Sum the rows, each times its number in the vector."""
        if _transposed_dot is None:
            return _sums(self.columns, self.values * vector[self.rows], self.size)
        out = np.zeros(self.size)
        _transposed_dot(self.starts, self.columns, self.values, vector, out)
        return out

    def curved(self, vector: Column, bias: float, curvature: Column) -> tuple[Column, Column]:
        """Return the products with a vector plus `bias`, times `curvature`; and the rows times those, summed.

        That is a step of conjugate gradients in one pass: the matrix is larger than the processor's cache.
        """
        if _curved is None:
            bent = curvature * (self.dot(vector) + bias)
            return bent, self.transposed_dot(bent)
        bent, out = np.empty(len(self)), np.zeros(self.size)
        _curved(self.starts, self.columns, self.values, vector, bias, curvature, bent, out)
        return bent, out


def _sums(rows: Places | NDArray[np.int32], values: Column, size: int) -> Column:
    return np.bincount(rows, values, minlength=size).astype(np.float64)


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
        """Return where the wanted ids that are known are: among the known, among the wanted."""
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
