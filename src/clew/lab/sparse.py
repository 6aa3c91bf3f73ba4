"""A web as a graph of numbered pages, with links as compressed sparse rows."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Flags = NDArray[np.bool_]

FAR = int(np.iinfo(np.int32).max)
"""The distance of a page that cannot be reached."""


@dataclass(frozen=True, slots=True)
class SparseGraph:
    """Pages 0 … n-1; the links of page `i` are `targets[starts[i]:starts[i + 1]]`, `hosts[i]` is its host.

    Links lead where redirects end: a trace does not count redirects as fetches, and neither does this.
    """

    starts: NDArray[np.int64]
    targets: Rows
    hosts: Rows = field(default_factory=lambda: np.empty(0, np.int32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, links: list[list[int]], hosts: list[int] | None = None) -> "SparseGraph":
        """Make a graph of lists; every page has a host of its own unless `hosts` is given.

        >>> SparseGraph.of([[1, 2], [2], []]).out(0).tolist()
        [1, 2]
        """
        lengths = [len(row) for row in links]
        flat = np.array([target for row in links for target in row], np.int32)
        named = np.arange(len(links), dtype=np.int32) if hosts is None else np.array(hosts, np.int32)
        return cls(np.concatenate(([0], np.cumsum(lengths))).astype(np.int64), flat, named)

    def out(self, page: int) -> Rows:
        """Return the pages that a page links to."""
        return self.targets[self.starts[page] : self.starts[page + 1]]

    def out_of(self, pages: Rows) -> tuple[Rows, Rows]:
        """Return all links of several pages, as sources and targets."""
        begins = self.starts[pages]
        lengths = self.starts[pages + 1] - begins
        shifts = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(begins - shifts, lengths)
        return np.repeat(pages, lengths), self.targets[places]

    def search(
        self, known: Rows, fetched: Rows | None = None, closed: Flags | None = None
    ) -> tuple[Rows, Rows]:
        """Return for every page how many fetches away it is, and the page before it on a shortest path.

        `known` are URLs that cost one fetch each (seeds), `fetched` pages that were fetched already:
        they are at distance 0, their links at distance 1. Pages that are `closed` are not passed through.
        """
        distances = np.full(len(self), FAR, np.int32)
        before = np.full(len(self), -1, np.int32)
        wave = np.empty(0, np.int32) if fetched is None else fetched
        distances[wave] = 0
        closed = np.zeros(len(self), bool) if closed is None else closed
        step = 0
        while True:
            step += 1
            sources, targets = self.out_of(wave)
            new = (distances[targets] == FAR) & ~closed[targets]
            sources, targets = sources[new], targets[new]
            # Written backwards, so that of several paths to a page the first one stays.
            before[targets[::-1]] = sources[::-1]
            if step == 1:
                targets = np.concatenate((targets, known[(distances[known] == FAR) & ~closed[known]]))
            distances[targets] = step
            wave = np.unique(targets)
            if not len(wave):
                return distances, before

    def reachable(self, seeds: Rows) -> Flags:
        """Tell for every page whether links lead to it from the seeds."""
        distances, _ = self.search(seeds)
        return np.not_equal(distances, FAR)
