"""Arcs of a graph: the targets of many nodes in one column of numbers."""

import numpy as np
from numpy.typing import NDArray

from clew.rank.shared.link_index import grown
from clew.types import Ids

Heads = NDArray[np.uint32]

NO_HEADS = np.empty(0, np.uint32)
"""The targets of a node that has none."""


class Arcs:
    """Store the targets of many nodes one after the other in one column (compressed sparse rows).

    A node whose arcs outgrow their slot moves to the end of the column with room to spare; when more than
    half of the column is unused, it is packed.

    >>> arcs = Arcs()
    >>> arcs.put(1, np.array([5, 7])); arcs.put(0, np.array([6])); arcs.put(1, np.array([5, 7, 8]))
    >>> heads, counts = arcs.gather(np.array([0, 1, 2]))
    >>> heads.tolist(), counts.tolist(), arcs.total
    ([6, 5, 7, 8], [1, 3, 0], 4)
    """

    def __init__(self) -> None:
        self.total = 0
        self._heads = np.empty(0, np.uint32)
        self._starts = np.empty(0, np.int64)
        self._counts = np.empty(0, np.int64)
        self._capacities = np.empty(0, np.int64)
        self._end = 0

    @property
    def allocated(self) -> int:
        """The length of the column, with its unused slots."""
        return len(self._heads)

    def of(self, node: int) -> Heads:
        """Return the targets of a node."""
        if node >= len(self._counts):
            return NO_HEADS
        start = self._starts[node]
        return self._heads[start : start + self._counts[node]]

    def put(self, node: int, heads: NDArray[np.generic]) -> None:
        """Set the targets of a node."""
        size = node + 1
        self._starts, self._counts = grown(self._starts, size), grown(self._counts, size)
        self._capacities = grown(self._capacities, size)
        many = len(heads)
        if many > self._capacities[node]:
            room = many + many // 2 if self._capacities[node] else many  # most pages are added once
            self._starts[node], self._capacities[node] = self._end, room
            self._end += room
            self._heads = grown(self._heads, self._end)
        start = self._starts[node]
        self._heads[start : start + many] = heads
        self.total += many - int(self._counts[node])
        self._counts[node] = many
        if self._end > 2 * self.total + 1024:
            self._pack()

    def gather(self, nodes: NDArray[np.integer]) -> tuple[Heads, Ids]:
        """Return the targets of some nodes, one node after the other, and how many arcs each has."""
        known = nodes < len(self._counts)
        counts = np.zeros(len(nodes), np.int64)
        counts[known] = self._counts[nodes[known]]
        starts = np.zeros(len(nodes), np.int64)
        starts[known] = self._starts[nodes[known]]
        ends = np.cumsum(counts)
        many = int(ends[-1]) if len(ends) else 0
        return self._heads[np.repeat(starts - ends + counts, counts) + np.arange(many)], counts

    def state(self) -> tuple[Heads, Ids]:
        """Return all targets, one node after the other, and how many each node has."""
        return self.gather(np.arange(len(self._counts)))

    def restore(self, heads: Heads, counts: Ids) -> None:
        """Continue with arcs that `state` returned."""
        self._set(heads.astype(np.uint32), counts.astype(np.int64))
        self.total = len(heads)

    def _pack(self) -> None:
        self._set(*self.state())

    def _set(self, heads: Heads, counts: Ids) -> None:
        self._heads, self._counts, self._end = heads, counts, len(heads)
        self._capacities, self._starts = counts.copy(), np.cumsum(counts) - counts
