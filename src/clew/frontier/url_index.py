"""Index of known URLs: 64-bit URL hash to link id, in about 12 bytes a link.

A log-structured index. New pairs go to a small hash table; when it is full it becomes a sorted run,
and runs of similar size are merged. A merge is done in slices, one at each `add`, so that no call
takes longer than a few milliseconds even with ten million links; until it is finished lookups
use the old runs. A lookup searches the table and then every run, all hashes of a page at once.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.types import Hashes

Ids: TypeAlias = NDArray[np.int64]
_Run: TypeAlias = tuple[Hashes, NDArray[np.uint32]]

BUFFER_SIZE = 65_536
"""Pairs in the hash table: 3 MB (9 in plain Python), and 5 ms to sort when it is full."""

MAX_RUN = 1 << 22
"""Runs stop growing here, so that the spare copy during a merge stays below 50 MB."""

SLICE = 1 << 16
"""Pairs of the larger run merged at a time: about 3 ms."""

RATIO = 4
"""A run is merged with the next older one if that is at most this many times larger: few runs, few copies."""


class DictBuffer:
    """What the compiled `UrlBuffer` does: map URL hashes to link ids."""

    def __init__(self) -> None:
        self._ids: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, first: int, hashes: Hashes) -> None:
        """Register hashes of the links `first`, `first + 1` and so on; a known hash gets the new id."""
        self._ids.update(zip(hashes.tolist(), range(first, first + len(hashes)), strict=True))

    def find(self, hashes: Hashes, found: Ids) -> int:
        """Write the id of each hash, 0 for unknown ones; return how many of these there are."""
        found[:] = list(map(self._ids.get, hashes.tolist(), repeat(0)))
        return int(np.count_nonzero(found == 0))

    def pairs(self) -> _Run:
        """Return all hashes and their ids, in no order."""
        count = len(self._ids)
        hashes = np.fromiter(self._ids.keys(), np.uint64, count)
        return hashes, np.fromiter(self._ids.values(), np.uint32, count)


_Buffer: type[DictBuffer] = compiled("clew.frontier._new_links", "UrlBuffer") or DictBuffer


class UrlIndex:
    """Map URL hashes to link ids.

    >>> seen = UrlIndex()
    >>> seen.add(7, np.array([11, 12], np.uint64))
    >>> seen.find(np.array([12, 13], np.uint64)).tolist()
    [8, 0]
    """

    def __init__(self, *, fresh: int = BUFFER_SIZE, largest: int = MAX_RUN) -> None:
        self.fresh = fresh
        self.largest = largest
        self._buffer = _Buffer()
        self.runs: list[_Run] = []
        self._merging: Iterator[None] | None = None

    def __len__(self) -> int:
        return len(self._buffer) + sum(len(hashes) for hashes, _ in self.runs)

    def find(self, hashes: Hashes) -> Ids:
        """Return the link id of each hash, 0 for unknown ones."""
        found = np.empty(len(hashes), np.int64)
        unknown = self._buffer.find(hashes, found)
        for names, ids in self.runs if unknown else ():
            at = names.searchsorted(hashes)
            hit = names.take(at, mode="clip") == hashes
            if hit.any():
                found[hit] = ids[at[hit]]
        return found

    def add(self, first_id: int, hashes: Hashes) -> None:
        """Register hashes of the links `first_id`, `first_id + 1` …; do a slice of pending merge work."""
        self._buffer.add(first_id, hashes)
        if self._merging is not None:
            next(self._merging, None)
        if len(self._buffer) >= self.fresh:
            self._flush()

    def load(self, ids: Ids, hashes: Hashes) -> None:
        """Register many links at once, in any order."""
        order = np.argsort(hashes, kind="stable")
        for start in range(0, len(order), self.largest):
            part = order[start : start + self.largest]
            self.runs.append((hashes[part], ids[part].astype(np.uint32)))

    def _flush(self) -> None:
        for _ in self._merging or ():  # only when huge batches came faster than slices
            pass
        names, ids = self._buffer.pairs()
        order = np.argsort(names)
        self.runs.append((names[order], ids[order]))
        self._buffer = _Buffer()
        self._merging = self._merge_runs()

    def _merge_runs(self) -> Iterator[None]:
        """Merge the newest runs while they are of similar size, yielding between slices."""
        while len(self.runs) > 1:
            older, newer = self.runs[-2:]
            total = len(older[0]) + len(newer[0])
            if len(older[0]) > RATIO * len(newer[0]) or total > self.largest:
                break
            names, ids = np.empty(total, np.uint64), np.empty(total, np.uint32)
            yield from _merge(older, newer, names, ids)
            self.runs[-2:] = [(names, ids)]
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
