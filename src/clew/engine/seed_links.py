"""The links around the seeds, breadth-first: read beside the policy's choice, the less the more it finds.

Before anything relevant was found, a policy knows only the words of the goal. If those are not on the seeds,
its order is close to chance, and the page that leads to everything may stand far behind. Later it may have
learned from a few pages that were no good examples, or read on in a region that only resembles the goal.
So some requests take the next of these links (`LinkChoice` says how many).

Where the goal is a table, a page with one of the example rows says little: rows are learned from pages that
have several of them. There the links of the seeds themselves go on until all of them were read, and those
further out end with the first relevant page.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from clew.frontier import Frontier
from clew.types import Kind, NewLinks

MAX_DEPTH = 2
"""The largest number of links from a seed: pages that seeds point to, and pages that those point to."""

Run: TypeAlias = tuple[int, int, int, int]
"""Links with consecutive ids: their depth, the negative level of their list, the first and the last id."""

LOOK = 32
"""Links whose hosts are asked whether they are ready, before the policy chooses instead."""


@dataclass(slots=True, kw_only=True)
class SeedLinks:
    """The open links found on seeds and on the pages they point to, in the order in which to read them.

    By depth; at the same depth, links of lists first: pages with many links that stand alike (same tag path).
    `all_of_seeds`: the links of seeds are read to the end; `ended`: no others are read, because a host policy
    plans which hosts are visited, or other shards of the crawl have found relevant pages.
    """

    frontier: Frontier
    all_of_seeds: bool = False
    ended: bool = False
    _heap: list[Run] = field(default_factory=list)
    _last: Run = (0, 0, 0, 0)

    @property
    def depth(self) -> int:
        """How far from the seeds links are read in this order now; 0 for none."""
        return MAX_DEPTH if not self.ended else int(self.all_of_seeds)

    @property
    def owed(self) -> bool:
        """Whether links of the seeds themselves are left that are read in any case."""
        return self.all_of_seeds and bool(self._heap) and self._heap[0][0] == 1

    def add(self, found: NewLinks) -> None:
        """Remember the new links of a page that is a seed or near one."""
        if 1 <= found.depth <= self.depth and not found.hops:
            kinds, refused, begin = found.links.kinds, found.refused, found.first
            open = [begin + row for row, kind in enumerate(kinds) if kind is Kind.PAGE and not refused[row]]
            level = list_level(found.links.paths)
            for first, last in _runs(open):
                heappush(self._heap, (found.depth, -level, first, last))

    def restore(self, links: Sequence[tuple[int, int, int]]) -> None:
        """Remember stored links, by id, with depth and the most links of their page that stand alike."""
        begin = 0
        for at in range(1, len(links) + 1):
            id, *kind = links[begin]
            if at == len(links) or links[at][0] != id + at - begin or list(links[at][1:]) != kind:
                depth, alike = kind
                heappush(self._heap, (depth, -alike.bit_length(), id, id + at - begin - 1))
                begin = at

    def take(self, now: float) -> int | None:
        """Take the first link whose host may be requested now; it is then in flight."""
        waiting: list[Run] = []
        taken = None
        while self._heap and taken is None and len(waiting) < LOOK:
            depth, level, id, last = heappop(self._heap)
            if id < last:
                heappush(self._heap, (depth, level, id + 1, last))
            if self.frontier.discounts.states.find(id) is not None:
                continue  # links like it bring no pages
            entry = (depth, level, id, id)
            took = self.frontier.take_link(id, now)
            if took:
                taken = id
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
        """Leave the order to the policy from now on."""
        if not self.ended:
            self.ended = True
            self._heap = [entry for entry in self._heap if entry[0] <= self.depth]
            heapify(self._heap)


def list_level(paths: Sequence[str]) -> int:
    """Return how long the longest list of a page is, as a power of two: 870 links are not much more than 600.

    >>> list_level(["ul/li/a"] * 40 + ["nav/a"] * 5), list_level([])
    (6, 0)
    """
    return max(Counter(paths).values(), default=0).bit_length()


def _runs(ids: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of consecutive numbers.

    >>> list(_runs([4, 5, 6, 9])), list(_runs([]))
    ([(4, 6), (9, 9)], [])
    """
    ends = [at for at, (id, following) in enumerate(pairwise(ids), 1) if following != id + 1]
    for begin, end in pairwise([0, *ends, len(ids)]):
        if begin < end:
            yield ids[begin], ids[end - 1]
