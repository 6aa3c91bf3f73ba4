"""Priority queue of the open links of one host: a small heap on top of sorted runs.

Links are keys: one integer that holds the rank and the id, smaller is better. A heap of
Python integers costs 40 bytes a link; a sorted numpy run costs 8. So a heap that has grown is spilled
into a run, runs of similar size are merged, and the heap is refilled from the runs a few keys at a time.
"""

from heapq import heapify, heappush
from struct import Struct
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.types import Scores

Keys: TypeAlias = NDArray[np.int64]

ID_BITS = 30
"""A billion links in one crawl; with 30 bits of rank a key is two digits of a Python int: 32 bytes."""

ID_MASK = (1 << ID_BITS) - 1
_ONE_BITS = 0x3F80_0000
"""The bits of the float32 1.0; bits of positive floats order like the floats themselves."""

WORST_RANK = _ONE_BITS
"""The rank of the score 0.0."""

MAX_HEAP = 1_024
REFILL = 64
MAX_RUN = 1 << 22
_NO_KEY = 1 << 62
_ZERO, _ONE = np.float32(0), np.float32(1)
_BITS, _FLOAT = Struct("=i"), Struct("=f")


def ranks_of(scores: Scores) -> Keys:
    """Return 0 for the score 1.0 up to `WORST` for 0.0, in exact float32 order; NaN counts as 0.0."""
    clipped = np.fmax(scores.astype(np.float32, copy=False), _ZERO)
    np.fmin(clipped, _ONE, out=clipped)
    clipped += _ZERO  # turns -0.0 into 0.0
    return _ONE_BITS - clipped.view(np.int32).astype(np.int64)


def score_of(rank: int) -> float:
    """Return the score of a rank; 1.0 for robots links, which have none."""
    score: float = _FLOAT.unpack(_BITS.pack(_ONE_BITS - rank))[0] if rank >= 0 else 1.0
    return score


class Queue:
    """A priority queue of keys that takes 8 bytes a key when it is long."""

    __slots__ = ("floor", "heap", "runs")

    def __init__(self) -> None:
        self.heap: list[int] = []
        self.runs: list[tuple[Keys, int]] = []
        self.floor = _NO_KEY

    def peek(self) -> int:
        """Return the best key without removing it; 0 when the queue is empty."""
        while True:
            if self.heap and self.heap[0] < self.floor:
                return self.heap[0]
            if not self.runs:
                return 0
            self._refill()

    def spill(self) -> None:
        """Move the heap into a sorted run; called when it is longer than `MAX_HEAP`."""
        self.add_run(np.sort(np.array(self.heap, np.int64)))
        self.heap.clear()

    def extend(self, keys: Keys) -> None:
        """Add many sorted keys at once."""
        if len(keys) > REFILL:
            self.add_run(keys)
        else:
            self.heap.extend(keys.tolist())
            self.heapify()

    def heapify(self) -> None:
        """Restore the heap order after keys were appended."""
        if len(self.heap) > MAX_HEAP:
            self.spill()
        else:
            heapify(self.heap)

    def add_run(self, keys: Keys) -> None:
        """Add a sorted run of keys, merging runs of similar size."""
        while self.runs:
            older, at = self.runs[-1]
            remaining = len(older) - at
            if remaining > 4 * len(keys) or remaining + len(keys) > MAX_RUN:
                break
            self.runs.pop()
            keys = np.concatenate((older[at:], keys))
            keys.sort(kind="stable")  # two sorted runs: timsort only merges
        self.runs.append((keys, 0))
        self._update_floor()

    def _refill(self) -> None:
        """Move the next few keys of the run that holds the best one into the heap."""
        for index, (keys, at) in enumerate(self.runs):
            if keys[at] == self.floor:
                moved = keys[at : at + REFILL].tolist()
                if self.heap:
                    for key in moved:
                        heappush(self.heap, key)
                else:
                    self.heap.extend(moved)  # a sorted list is a heap
                if at + REFILL < len(keys):
                    self.runs[index] = (keys, at + REFILL)
                else:
                    del self.runs[index]
                break
        self._update_floor()

    def _update_floor(self) -> None:
        self.floor = min((int(keys[at]) for keys, at in self.runs), default=_NO_KEY)
