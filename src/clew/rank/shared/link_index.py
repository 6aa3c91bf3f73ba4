"""The links a ranker has met: 64-bit names to rows, so that all else can be columns of numbers.

A million links as Python objects are a gigabyte; as rows they are twenty bytes each and whatever
columns a policy keeps beside them.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.types import Hashes, Ids

Number = TypeVar("Number", bound=np.generic)

FRESH = 16_384
"""Names kept in a dictionary before they are sorted into the rest: about 2 MB."""


class LinkIndex:
    """Give each link a row when it is first met: 0, 1, 2 and so on; know it again by its name.

    New names go to a small dictionary; from time to time it is merged into one sorted array. `done`
    marks the links that were fetched: they need no new scores.

    >>> ledger = LinkIndex()
    >>> ledger.enter(np.array([11, 12], np.uint64)).tolist()
    [0, 1]
    >>> ledger.enter(np.array([12, 13], np.uint64)).tolist(), ledger.row(14)
    ([1, 2], -1)
    >>> ledger.close(12), ledger.open_rows().tolist()
    (1, [0, 2])
    """

    def __init__(self) -> None:
        self._names = np.empty(0, np.uint64)
        self._done = np.empty(0, bool)
        self._size = 0
        self._fresh: dict[int, int] = {}
        self._sorted = np.empty(0, np.uint64), np.empty(0, np.uint32)

    def __len__(self) -> int:
        return self._size

    @property
    def names(self) -> Hashes:
        """The names of all links met, by row."""
        return self._names[: self._size]

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which links were fetched, by row."""
        return self._done[: self._size]

    def rows(self, names: Hashes) -> Ids:
        """Return the row of each name, -1 for those never met."""
        get = self._fresh.get
        found = np.array([get(name, -1) for name in names.tolist()], np.int64)
        keys, rows = self._sorted
        if len(keys):
            at = keys.searchsorted(names)
            hit = keys.take(at, mode="clip") == names
            found[hit] = rows[at[hit]]
        return found

    def row(self, name: int) -> int:
        """Return the row of one name, -1 if it was never met."""
        return int(self.rows(np.array([name], np.uint64))[0])

    def enter(self, names: Hashes) -> Ids:
        """Return the row of each name; those never met get the next ones."""
        rows = self.rows(names)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            for at in missing.tolist():  # a page may say one name twice
                rows[at] = self._fresh.setdefault(int(names[at]), self._size)
                self._size += int(rows[at] == self._size)
            self._names = grown(self._names, self._size)
            self._done = grown(self._done, self._size)
            self._names[rows[missing]] = names[missing]
            if len(self._fresh) >= max(FRESH, self._size // 8):
                self._merge()
        return rows

    def close(self, name: int) -> int:
        """Mark a link as fetched; return its row, -1 if it was never met (a seed, a redirect's target)."""
        row = self.row(name)
        if row >= 0:
            self._done[row] = True
        return row

    def open_rows(self) -> Ids:
        """Return the rows of all links that were not fetched."""
        return np.flatnonzero(~self.done)

    def _merge(self) -> None:
        count = len(self._fresh)
        keys = np.concatenate((self._sorted[0], np.fromiter(self._fresh.keys(), np.uint64, count)))
        rows = np.concatenate((self._sorted[1], np.fromiter(self._fresh.values(), np.uint32, count)))
        order = np.argsort(keys, kind="stable")
        self._sorted = keys[order], rows[order]
        self._fresh = {}


def grown(column: NDArray[Number], size: int, empty: Any = 0) -> NDArray[Number]:  # noqa: ANN401 - any number
    """Return a column with room for `size` rows, new ones filled with `empty`; a quarter more than asked."""
    if size <= len(column):
        return column
    longer = np.full(size + size // 4 + 64, empty, column.dtype)
    longer[: len(column)] = column
    return longer
