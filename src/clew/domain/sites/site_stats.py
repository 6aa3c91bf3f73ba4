"""Statistics of pages read of each site, as columns, and statistics pooled over all sites."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.domain.sites.normal import Floats

PRIOR_PAGES = 4.0
"""Weight of the pooled variance in a site's own variance, in pages."""

PRIOR_HITS, PRIOR_MISSES = 0.5, 2.0
"""Beta prior of the share of pages with a hit on sites that hold it: one in five, with a large variance."""

MIN_VARIANCE = 1e-4
"""Minimum variance; smaller ones are due to too few pages."""


@dataclass(frozen=True, slots=True)
class SiteStats:
    """Pages read of each site, sum and sum of squares of their chances, and pages with a hit.

    A page's chance is the probability that its *site* holds the wanted content. Columns may have any shape,
    all the same one; the last axis is sites.
    """

    pages: Floats
    total: Floats
    squares: Floats
    hits: Floats

    @classmethod
    def empty(cls, *shape: int) -> "SiteStats":
        """Return columns for sites without pages."""
        return cls(*(np.zeros(shape) for _ in range(4)))

    @property
    def mean(self) -> Floats:
        """The mean chance of each site's pages: the paper's θ; one half for a site without pages."""
        return np.divide(self.total, self.pages, out=np.full_like(self.total, 0.5), where=self.pages > 0)

    @property
    def variance(self) -> Floats:
        """The sample variance of each site's chances; 0 where there are fewer than two."""
        deviation = np.maximum(self.squares - self.total * self.mean, 0.0)
        return np.divide(deviation, self.pages - 1, out=np.zeros_like(deviation), where=self.pages > 1)

    def at(self, rows: Any) -> "SiteStats":  # noqa: ANN401 - any index of a column
        """Return some rows."""
        return SiteStats(self.pages[rows], self.total[rows], self.squares[rows], self.hits[rows])

    def add(self, rows: Any, chances: Any, hits: Any = 0.0) -> None:  # noqa: ANN401 - numbers or columns
        """Add one page to each of the given rows, which must differ."""
        self.pages[rows] += 1
        self.total[rows] += chances
        self.squares[rows] += np.square(chances)
        self.hits[rows] += hits


@dataclass(frozen=True, slots=True)
class PooledStats:
    """Statistics common to all sites: their mean, the variance between sites and within a site.

    `mean` and `between` are mean and variance of the sites' true means, `within` the variance of the pages of
    one site. `hit` and `miss` are the Beta parameters of the share of pages with a hit on sites that hold it.
    """

    mean: Floats
    between: Floats
    within: Floats
    hit: Floats
    miss: Floats


def pool_stats(stats: SiteStats) -> PooledStats:
    """Estimate the statistics of the sites on the last axis by moments, smoothed by a prior.

    The prior counts as two sites with an even chance, so that three pages that agree do not make all other
    sites certain.
    """
    seen = stats.pages > 0
    count = seen.sum(axis=-1, keepdims=True)
    mean = np.where(seen, stats.mean, 0.0)
    middle = (mean.sum(axis=-1, keepdims=True) + 1.0) / (count + 2)
    more = np.maximum(stats.pages - 1, 0).sum(axis=-1, keepdims=True)
    scatter = (stats.variance * np.maximum(stats.pages - 1, 0)).sum(axis=-1, keepdims=True)
    within = np.maximum((scatter + PRIOR_PAGES * 0.05) / (more + PRIOR_PAGES), MIN_VARIANCE)
    share = np.divide(1.0, stats.pages, out=np.zeros_like(mean), where=seen)
    apart = np.where(seen, np.square(stats.mean - middle), 0.0).sum(axis=-1, keepdims=True)
    noise = within * share.sum(axis=-1, keepdims=True)
    between = np.maximum((apart - noise + 2 * 0.08) / (count + 2), 0.1 * within)
    found = stats.hits > 0
    good = stats.hits.sum(axis=-1, keepdims=True)
    # A site without a hit so far may still hold it: its pages count as misses with that chance.
    likely = np.where(found, 1.0, stats.mean)
    rest = (likely * (stats.pages - stats.hits)).sum(axis=-1, keepdims=True)
    rate = (good + PRIOR_HITS) / (good + rest + PRIOR_HITS + PRIOR_MISSES)
    return PooledStats(
        middle, between, within, rate * (PRIOR_HITS + PRIOR_MISSES), (1 - rate) * (PRIOR_HITS + PRIOR_MISSES)
    )
