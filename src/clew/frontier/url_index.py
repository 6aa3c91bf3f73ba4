"""Which addresses have been met: 64-bit URL hash to link id, in about 12 bytes a link.

A log-structured index. New pairs go to a small dictionary; when it is full it becomes a sorted run,
and runs of similar size are merged. A merge is done in slices, one at each `add`, so that no call
takes longer than a few milliseconds even with ten million links; until it is finished the old runs
answer. A lookup asks the dictionary and then every run, all hashes of a page at once.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.types import Hashes

Ids: TypeAlias = NDArray[np.int64]
_Run: TypeAlias = tuple[Hashes, NDArray[np.uint32]]

FRESH = 65_536
"""Pairs kept in the dictionary: about 9 MB, and 5 ms to sort when it is full."""

LARGEST = 1 << 22
"""Runs stop growing here, so that the spare copy during a merge stays below 50 MB."""

SLICE = 1 << 16
"""Pairs of the larger run merged at a time: about 3 ms."""

RATIO = 4
"""A run is merged with its elder when that is at most so many times larger: few runs, few copies."""


class UrlIndex:
    """Remember which link id belongs to each URL hash.

    >>> seen = UrlIndex()
    >>> seen.add(7, np.array([11, 12], np.uint64))
    >>> seen.find(np.array([12, 13], np.uint64)).tolist()
    [8, 0]
    """

    def __init__(self, *, fresh: int = FRESH, largest: int = LARGEST) -> None:
        self.fresh = fresh
        self.largest = largest
        self._fresh: dict[int, int] = {}
        self._runs: list[_Run] = []
        self._merging: Iterator[None] | None = None

    def __len__(self) -> int:
        return len(self._fresh) + sum(len(hashes) for hashes, _ in self._runs)

    def find(self, hashes: Hashes) -> Ids:
        """Return the link id of each hash, 0 for those never met."""
        get = self._fresh.get
        found = np.array([get(name, 0) for name in hashes.tolist()], np.int64)
        for names, ids in self._runs:
            at = names.searchsorted(hashes)
            hit = names.take(at, mode="clip") == hashes
            if hit.any():
                found[hit] = ids[at[hit]]
        return found

    def add(self, first_id: int, hashes: Hashes) -> None:
        """Register hashes of the links `first_id`, `first_id + 1` …; do a slice of waiting work."""
        self._fresh.update(zip(hashes.tolist(), range(first_id, first_id + len(hashes)), strict=True))
        if self._merging is not None:
            next(self._merging, None)
        if len(self._fresh) >= self.fresh:
            self._flush()

    def load(self, ids: Ids, hashes: Hashes) -> None:
        """Register many links at once, in any order."""
        order = np.argsort(hashes, kind="stable")
        for start in range(0, len(order), self.largest):
            part = order[start : start + self.largest]
            self._runs.append((hashes[part], ids[part].astype(np.uint32)))

    def _flush(self) -> None:
        for _ in self._merging or ():  # only when huge batches left no time for slices
            pass
        count = len(self._fresh)
        names = np.fromiter(self._fresh.keys(), np.uint64, count)
        ids = np.fromiter(self._fresh.values(), np.uint32, count)
        order = np.argsort(names)
        self._runs.append((names[order], ids[order]))
        self._fresh = {}
        self._merging = self._tidy()

    def _tidy(self) -> Iterator[None]:
        """Merge the youngest runs while they are of similar size, yielding between slices."""
        while len(self._runs) > 1:
            elder, younger = self._runs[-2:]
            total = len(elder[0]) + len(younger[0])
            if len(elder[0]) > RATIO * len(younger[0]) or total > self.largest:
                break
            names, ids = np.empty(total, np.uint64), np.empty(total, np.uint32)
            yield from _merge(elder, younger, names, ids)
            self._runs[-2:] = [(names, ids)]
        self._merging = None


def _merge(a: _Run, b: _Run, names: Hashes, ids: NDArray[np.uint32]) -> Iterator[None]:
    i = j = done = 0
    while i < len(a[0]) or j < len(b[0]):
        stop_a = min(i + SLICE, len(a[0]))
        stop_b = len(b[0]) if stop_a == len(a[0]) else int(b[0].searchsorted(a[0][stop_a]))
        block = np.concatenate((a[0][i:stop_a], b[0][j:stop_b]))
        order = np.argsort(block, kind="stable")  # two sorted runs: timsort only merges
        end = done + len(block)
        names[done:end] = block[order]
        ids[done:end] = np.concatenate((a[1][i:stop_a], b[1][j:stop_b]))[order]
        i, j, done = stop_a, stop_b, end
        yield
