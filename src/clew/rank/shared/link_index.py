"""An index of known links: 64-bit URL hashes to rows, so that all else can be columns of numbers.

A million links as Python objects are a gigabyte; as rows they are twenty bytes each and whatever
columns a policy keeps beside them.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.types import Hashes, Ids

Number = TypeVar("Number", bound=np.generic)

RECENT = 16_384
"""Hashes kept in a dictionary before they are sorted into the rest: about 2 MB."""


class LinkIndex:
    """Give each link a row when it is first added: 0, 1, 2 and so on; find it again by its hash.

    New hashes go to a small dictionary; from time to time it is merged into one sorted array. `fetched`
    marks the links that were fetched: they need no new scores.

    >>> index = LinkIndex()
    >>> index.add(np.array([11, 12], np.uint64)).tolist()
    [0, 1]
    >>> index.add(np.array([12, 13], np.uint64)).tolist(), index.row(14)
    ([1, 2], -1)
    >>> index.mark_fetched(12), index.unfetched_rows().tolist()
    (1, [0, 2])
    """

    def __init__(self) -> None:
        self._hashes = np.empty(0, np.uint64)
        self._fetched = np.empty(0, bool)
        self._size = 0
        self._recent: dict[int, int] = {}
        self._sorted = np.empty(0, np.uint64), np.empty(0, np.uint32)

    def __len__(self) -> int:
        return self._size

    @property
    def hashes(self) -> Hashes:
        """The hashes of all links, by row."""
        return self._hashes[: self._size]

    @property
    def fetched(self) -> NDArray[np.bool_]:
        """Which links were fetched, by row."""
        return self._fetched[: self._size]

    def rows(self, hashes: Hashes) -> Ids:
        """Return the row of each hash, -1 for unknown ones."""
        get = self._recent.get
        found = np.array([get(key, -1) for key in hashes.tolist()], np.int64)
        keys, rows = self._sorted
        if len(keys):
            at = keys.searchsorted(hashes)
            hit = keys.take(at, mode="clip") == hashes
            found[hit] = rows[at[hit]]
        return found

    def row(self, key: int) -> int:
        """Return the row of one hash, -1 if it is unknown."""
        return int(self.rows(np.array([key], np.uint64))[0])

    def add(self, hashes: Hashes) -> Ids:
        """Return the row of each hash; new ones get the next rows."""
        rows = self.rows(hashes)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            for at in missing.tolist():  # a page may link to one URL twice
                rows[at] = self._recent.setdefault(int(hashes[at]), self._size)
                self._size += int(rows[at] == self._size)
            self._hashes = grown(self._hashes, self._size)
            self._fetched = grown(self._fetched, self._size)
            self._hashes[rows[missing]] = hashes[missing]
            if len(self._recent) >= max(RECENT, self._size // 8):
                self._merge()
        return rows

    def mark_fetched(self, key: int) -> int:
        """Mark a link as fetched; return its row, -1 if it is unknown (a seed, a redirect's target)."""
        row = self.row(key)
        if row >= 0:
            self._fetched[row] = True
        return row

    def unfetched_rows(self) -> Ids:
        """Return the rows of all links that were not fetched."""
        return np.flatnonzero(~self.fetched)

    def restore(self, hashes: Hashes, fetched: NDArray[np.bool_]) -> None:
        """Continue with the links of another index, in the order of their rows."""
        self.add(hashes)
        self._fetched[: len(fetched)] = fetched

    def _merge(self) -> None:
        count = len(self._recent)
        keys = np.concatenate((self._sorted[0], np.fromiter(self._recent.keys(), np.uint64, count)))
        rows = np.concatenate((self._sorted[1], np.fromiter(self._recent.values(), np.uint32, count)))
        order = np.argsort(keys, kind="stable")
        self._sorted = keys[order], rows[order]
        self._recent = {}


def grown(column: NDArray[Number], size: int, empty: Any = 0) -> NDArray[Number]:  # noqa: ANN401 - any number
    """Return a column with room for `size` rows, new ones filled with `empty`; a quarter more than needed."""
    if size <= len(column):
        return column
    longer = np.full(size + size // 4 + 64, empty, column.dtype)
    longer[: len(column)] = column
    return longer


def value_at(column: NDArray[np.uint8], id: int) -> int:
    """Return the value stored for an id, 0 for none."""
    return int(column[id]) if id < len(column) else 0
