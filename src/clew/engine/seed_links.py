"""The links around the seeds, breadth-first: what a crawl reads beside its policy's choice before a hit.

Before anything relevant was found, a policy knows only the words of the goal. If those are not on the seeds,
its order is close to chance, and the page that leads to everything may stand far behind. So every second
request takes the next of these links, until the first relevant page.

Where the goal is a table, a page with one of the example rows is no such hit: rows are learned from pages
that have several of them. There the links of the seeds themselves go on until all of them were read.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from clew.frontier import Frontier
from clew.types import Kind, NewLinks

MAX_DEPTH = 2
"""The largest number of links from a seed: pages that seeds point to, and pages that those point to."""

MOST = 100_000
"""Links that are remembered; a seed that lists more has nothing to lose by their order."""

LOOK = 32
"""Links whose hosts are asked whether they are ready, before the policy chooses instead."""


@dataclass(slots=True, kw_only=True)
class SeedLinks:
    """The open links found on seeds and on the pages they point to, in the order in which to read them.

    By depth; at the same depth, links of lists first: pages with many links that stand alike (same tag path).
    `all_of_seeds`: the links of seeds are read to the end; `hit`: something relevant was found, or a host
    policy plans which hosts are read.
    """

    frontier: Frontier
    all_of_seeds: bool = False
    hit: bool = False
    _heap: list[tuple[int, int, int]] = field(default_factory=list)
    _last: tuple[int, int, int] = (0, 0, 0)

    @property
    def depth(self) -> int:
        """How far from the seeds links are read in this order now; 0 for none."""
        return MAX_DEPTH if not self.hit else int(self.all_of_seeds)

    def add(self, found: NewLinks) -> None:
        """Remember the new links of a page that is a seed or near one."""
        if 1 <= found.depth <= self.depth and not found.hops:
            kinds, refused = found.links.kinds, found.refused
            open = [row for row, kind in enumerate(kinds) if kind is Kind.PAGE and not refused[row]]
            level = list_level(found.links.paths)
            for row in open[: MOST - len(self._heap)]:
                heappush(self._heap, (found.depth, -level, found.first + row))

    def restore(self, links: Sequence[tuple[int, int, int]]) -> None:
        """Remember stored links, each with its depth and the most links of its page that stand alike."""
        for id, depth, alike in links[:MOST]:
            heappush(self._heap, (depth, -alike.bit_length(), id))

    def take(self, now: float) -> int | None:
        """Take the first link whose host may be requested now; it is then in flight."""
        waiting: list[tuple[int, int, int]] = []
        taken = None
        while self._heap and taken is None and len(waiting) < LOOK:
            entry = heappop(self._heap)
            took = self.frontier.take_link(entry[2], now)
            if took:
                taken = entry[2]
                self._last = entry
            elif took is not None:
                waiting.append(entry)
        for entry in waiting:
            heappush(self._heap, entry)
        return taken

    def put_back(self, id: int) -> None:
        """Remember a link again that was just taken and must wait: robots.txt of its host comes first."""
        if self._last[2] == id:
            heappush(self._heap, self._last)

    def end(self) -> None:
        """Leave the order to the policy: something relevant was found."""
        if not self.hit:
            self.hit = True
            self._heap = [entry for entry in self._heap if entry[0] <= self.depth]
            heapify(self._heap)


def list_level(paths: Sequence[str]) -> int:
    """Return how long the longest list of a page is, as a power of two: 870 links are not much more than 600.

    >>> list_level(["ul/li/a"] * 40 + ["nav/a"] * 5), list_level([])
    (6, 0)
    """
    return max(Counter(paths).values(), default=0).bit_length()
