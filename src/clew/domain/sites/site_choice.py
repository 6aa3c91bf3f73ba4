"""Choosing site after site: a heap by value, brought up to date where something was learned."""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from clew.domain.sites.explorers import Explorer, Lots
from clew.domain.sites.site_stats import Pool, SiteStats, pooled

STRIDE = 1_000
"""Drawn values are drawn anew for all sites so often that each page pays for at most this many draws."""

NEWS = 0.1
"""What all sites have in common is estimated anew when a tenth more pages were read."""


@dataclass(slots=True)
class SiteChoice:
    """Explore sites page by page: `take` names the site to look at, `tell` what its page said.

    Each site is looked at once first, in order; then always the one with the highest value, in O(log n): only
    the site that was told of changes its place. `left` counts the pages each site has, if that is known; a
    site without any left drops out. `known` is what was read of all of them before. `take` gives -1 when no
    site is left or, if the explorer knows, no gain.

    >>> from clew.domain.sites.explorers import Delta
    >>> choice = SiteChoice(Delta(), sites=2, left=np.array([1, 9]))
    >>> order = []
    >>> while (site := choice.take()) >= 0 and len(order) < 5:
    ...     order.append(site)
    ...     choice.tell(site, 0.4)
    >>> order
    [0, 1, 1, 1, 1]
    """

    explorer: Explorer
    sites: int
    left: NDArray[np.int64] | None = None
    seed: int = 0
    known: SiteStats | None = None
    evidence: SiteStats = field(init=False)
    pool: Pool = field(init=False)
    read: int = 0
    _open: Lots = field(default_factory=Lots)
    _heap: list[tuple[float, int]] = field(default_factory=list)
    _values: list[float] = field(default_factory=list)
    _pooled: int = 0
    _first: int = 0
    _dice: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.evidence = self.known or SiteStats.none(self.sites)
        self.pool = pooled(self.evidence)
        self._dice = np.random.default_rng(self.seed)
        self._values = [0.0] * self.sites
        self._open.rows = [row for row in range(self.sites) if self.left is None or self.left[row] > 0]
        self._open.places = {row: place for place, row in enumerate(self._open.rows)}
        if self.known is not None:
            self.read, self._first = int(self.evidence.pages.sum()), self.sites
            self._renew()

    def take(self) -> int:
        """Return the site whose next page is worth most; -1 when there is none."""
        while self._first < self.sites:
            self._first += 1
            if self._first - 1 in self._open.places:
                return self._first - 1
        if not self._open.rows:
            return -1
        if self.explorer.lots and self._dice.random() < self.explorer.lots:
            return self._open.draw(self._dice)
        while self._heap:
            value, row = self._heap[0]
            if row in self._open.places and -value == self._values[row]:
                return row if -value > self.explorer.worth else -1
            heappop(self._heap)
        return -1

    def tell(self, site: int, chance: float, *, found: bool = False) -> None:
        """Add a page of a site: the chance it gives the site, and whether it held what is looked for."""
        self.evidence.read(site, chance, float(found))
        self.read += 1
        if self.left is not None and self.evidence.pages[site] >= self.left[site]:
            self._open.drop(site)
        stride = max(1, self.sites // STRIDE)
        if self.read > (1 + NEWS) * self._pooled or (self.explorer.restless and self.read % stride == 0):
            self._renew()
        else:
            row = np.array([site])
            self._enter(site, float(self.explorer.values(self.evidence.at(row), self.pool, self._dice)[0]))

    def drop(self, site: int) -> None:
        """Leave a site out from now on: it has no page left that may be read."""
        self._open.drop(site)

    def _enter(self, site: int, value: float) -> None:
        self._values[site] = value
        heappush(self._heap, (-value, site))

    def _renew(self) -> None:
        """Value all sites anew: what they have in common has changed, or it is time for new draws."""
        if self.read > (1 + NEWS) * self._pooled:
            self.pool, self._pooled = pooled(self.evidence), self.read
        self._values = self.explorer.values(self.evidence, self.pool, self._dice).tolist()
        self._heap = [(-self._values[row], row) for row in self._open.rows]
        heapify(self._heap)
