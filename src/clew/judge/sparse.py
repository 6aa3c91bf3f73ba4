"""Products of sparse matrices with vectors; compiled where that was built."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled

Column = NDArray[np.float64]
Places = NDArray[np.int64]

_sums: Callable[[Places, Places, Column, Column, Column], None] | None = compiled(
    "clew.judge._sparse", "sums"
)


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
