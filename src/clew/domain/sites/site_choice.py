"""Choose the next site to explore: a heap by value, updated where pages were read."""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from clew.domain.sites.explorers import Explorer, RandomSet
from clew.domain.sites.site_stats import PooledStats, SiteStats, pool_stats

STRIDE = 1_000
"""Sampled values of all sites are renewed at most so often that a page costs this many samples."""

REPOOL_SHARE = 0.1
"""Pooled statistics are re-estimated when this share of pages has been added."""


@dataclass(slots=True)
class SiteChoice:
    """Explore sites page by page: `next_site` returns the site to read, `update` adds the page that was read.

    Each site is read once first, in order; then always the one with the highest value, in O(log n): only the
    updated site changes its place. `page_limits` are the pages each site has, if known; a site without pages
    left is removed. `initial` are statistics of pages read before. `next_site` returns -1 if no site is left
    or, for some explorers, if no gain is expected.

    >>> from clew.domain.sites.explorers import Delta
    >>> choice = SiteChoice(Delta(), sites=2, page_limits=np.array([1, 9]))
    >>> order = []
    >>> while (site := choice.next_site()) >= 0 and len(order) < 5:
    ...     order.append(site)
    ...     choice.update(site, 0.4)
    >>> order
    [0, 1, 1, 1, 1]
    """

    explorer: Explorer
    sites: int
    page_limits: NDArray[np.int64] | None = None
    seed: int = 0
    initial: SiteStats | None = None
    stats: SiteStats = field(init=False)
    pool: PooledStats = field(init=False)
    pages_read: int = 0
    _candidates: RandomSet = field(default_factory=RandomSet)
    _heap: list[tuple[float, int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    _pooled_at: int = 0
    _next_unread: int = 0
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.stats = self.initial or SiteStats.empty(self.sites)
        self.pool = pool_stats(self.stats)
        self._rng = np.random.default_rng(self.seed)
        self.values = [0.0] * self.sites
        self._candidates.rows = [
            row for row in range(self.sites) if self.page_limits is None or self.page_limits[row] > 0
        ]
        self._candidates.positions = {row: position for position, row in enumerate(self._candidates.rows)}
        if self.initial is not None:
            self.pages_read, self._next_unread = int(self.stats.pages.sum()), self.sites
            self._revalue_all()

    def next_site(self) -> int:
        """Return the site whose next page has the highest value; -1 if there is none."""
        while self._next_unread < self.sites:
            self._next_unread += 1
            if self._next_unread - 1 in self._candidates.positions:
                return self._next_unread - 1
        if not self._candidates.rows:
            return -1
        if self.explorer.random_share and self._rng.random() < self.explorer.random_share:
            return self._candidates.draw(self._rng)
        while self._heap:
            value, row = self._heap[0]
            if row in self._candidates.positions and -value == self.values[row]:
                return row if -value > self.explorer.min_value else -1
            heappop(self._heap)
        return -1

    def update(self, site: int, chance: float, *, found: bool = False) -> None:
        """Add a page of a site: the chance it gives the site, and whether it held the wanted content."""
        self.stats.add(site, chance, float(found))
        self.pages_read += 1
        if self.page_limits is not None and self.stats.pages[site] >= self.page_limits[site]:
            self._candidates.drop(site)
        stride = max(1, self.sites // STRIDE)
        if self.pages_read > (1 + REPOOL_SHARE) * self._pooled_at or (
            self.explorer.stochastic and self.pages_read % stride == 0
        ):
            self._revalue_all()
        else:
            row = np.array([site])
            self._push(site, float(self.explorer.values(self.stats.at(row), self.pool, self._rng)[0]))

    def drop(self, site: int) -> None:
        """Remove a site: it has no page left that may be read."""
        self._candidates.drop(site)

    def _push(self, site: int, value: float) -> None:
        self.values[site] = value
        heappush(self._heap, (-value, site))

    def _revalue_all(self) -> None:
        """Revalue all sites: pooled statistics have changed, or new samples are due."""
        if self.pages_read > (1 + REPOOL_SHARE) * self._pooled_at:
            self.pool, self._pooled_at = pool_stats(self.stats), self.pages_read
        self.values = self.explorer.values(self.stats, self.pool, self._rng).tolist()
        self._heap = [(-self.values[row], row) for row in self._candidates.rows]
        heapify(self._heap)
