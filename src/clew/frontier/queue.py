"""The open links of one host, best first: a small heap on top of sorted runs.

Links are keys: one integer that holds the score and the id, smaller is better (`key_of`). A heap of
Python integers costs 40 bytes a link; a sorted numpy run costs 8. So a heap that has grown is spilled
into a run, runs of similar size are merged, and the heap is refilled from the runs a few keys at a time.
"""

from heapq import heapify, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.types import Scores

Keys: TypeAlias = NDArray[np.int64]

ID_BITS = 30
"""A billion links in one crawl; with 30 bits of score a key is two digits of a Python int: 32 bytes."""

ID_MASK = (1 << ID_BITS) - 1
ONE = 0x3F80_0000
"""The bits of the float32 1.0; bits of positive floats order like the floats themselves."""

WORST = ONE
"""The rank of the score 0.0."""

SPILL = 1_024
REFILL = 64
LARGEST = 1 << 22
_NOTHING = 1 << 62


def ranks_of(scores: Scores) -> Keys:
    """Return 0 for the score 1.0 up to `WORST` for 0.0, in exact float32 order; NaN counts as 0.0."""
    tidy = np.fmin(np.fmax(scores.astype(np.float32, copy=False), np.float32(0)), np.float32(1))
    return ONE - (tidy + np.float32(0)).view(np.int32).astype(np.int64)  # + 0.0 turns -0.0 into 0.0


def score_of(rank: int) -> float:
    """Return the score of a rank; 1.0 for what has none, such as a robots link."""
    return float(np.int32(ONE - rank).view(np.float32)) if rank >= 0 else 1.0


class Queue:
    """A priority queue of keys that takes 8 bytes a key when it is long."""

    __slots__ = ("floor", "heap", "runs")

    def __init__(self) -> None:
        self.heap: list[int] = []
        self.runs: list[tuple[Keys, int]] = []
        self.floor = _NOTHING

    def top(self) -> int:
        """Return the best key without taking it; 0 when there is none."""
        while True:
            if self.heap and self.heap[0] < self.floor:
                return self.heap[0]
            if not self.runs:
                return 0
            self._refill()

    def spill(self) -> None:
        """Move the heap into a sorted run; called when it is longer than `SPILL`."""
        self.lay(np.sort(np.array(self.heap, np.int64)))
        self.heap.clear()

    def fill(self, keys: Keys) -> None:
        """Take many sorted keys at once."""
        if len(keys) > REFILL:
            self.lay(keys)
        else:
            self.heap.extend(keys.tolist())
            self.heapify()

    def heapify(self) -> None:
        """Make the heap a heap again after keys were put into it anywhere."""
        if len(self.heap) > SPILL:
            self.spill()
        else:
            heapify(self.heap)

    def lay(self, keys: Keys) -> None:
        """Put a sorted run of keys below the heap, merging runs of similar size."""
        while self.runs:
            elder, at = self.runs[-1]
            left = len(elder) - at
            if left > 4 * len(keys) or left + len(keys) > LARGEST:
                break
            self.runs.pop()
            keys = np.concatenate((elder[at:], keys))
            keys.sort(kind="stable")  # two sorted runs: timsort only merges
        self.runs.append((keys, 0))
        self._measure()

    def _refill(self) -> None:
        """Lift the next few keys of the run that holds the best one."""
        for place, (keys, at) in enumerate(self.runs):
            if keys[at] == self.floor:
                lifted = keys[at : at + REFILL].tolist()
                if self.heap:
                    for key in lifted:
                        heappush(self.heap, key)
                else:
                    self.heap.extend(lifted)  # sorted, and so a heap
                if at + REFILL < len(keys):
                    self.runs[place] = (keys, at + REFILL)
                else:
                    del self.runs[place]
                break
        self._measure()

    def _measure(self) -> None:
        self.floor = min((int(keys[at]) for keys, at in self.runs), default=_NOTHING)
