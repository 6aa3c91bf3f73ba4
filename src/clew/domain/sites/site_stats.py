"""What was read of each site so far, as columns, and what all sites have in common."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.domain.sites.normal import Floats

FEW = 4.0
"""Pages that the spread common to all sites counts for, beside a site's own."""

HIT, MISS = 0.5, 2.0
"""Of pages of sites that hold it one in five shows it, give or take much: so it is thought before any did."""

LEAST = 1e-4
"""Variances below this are no knowledge but too few pages."""


@dataclass(frozen=True, slots=True)
class SiteStats:
    """Pages read of each site, the sum of their chances and of the squares of these, and pages that held it.

    A page's chance is the probability that its *site* holds what is looked for. Columns may have any shape,
    all the same one; the last axis counts sites.
    """

    pages: Floats
    total: Floats
    squares: Floats
    hits: Floats

    @classmethod
    def none(cls, *shape: int) -> "SiteStats":
        """Return columns for sites of which nothing was read."""
        return cls(*(np.zeros(shape) for _ in range(4)))

    @property
    def mean(self) -> Floats:
        """The mean chance of each site's pages: the paper's θ; one half where nothing was read."""
        return np.divide(self.total, self.pages, out=np.full_like(self.total, 0.5), where=self.pages > 0)

    @property
    def variance(self) -> Floats:
        """The sample variance of each site's chances; 0 where there are fewer than two."""
        off = np.maximum(self.squares - self.total * self.mean, 0.0)
        return np.divide(off, self.pages - 1, out=np.zeros_like(off), where=self.pages > 1)

    def at(self, place: Any) -> "SiteStats":  # noqa: ANN401 - whatever indexes a column
        """Return some rows."""
        return SiteStats(self.pages[place], self.total[place], self.squares[place], self.hits[place])

    def read(self, place: Any, chances: Any, hits: Any = 0.0) -> None:  # noqa: ANN401 - numbers or columns
        """Add one page to each of the places named, which must differ."""
        self.pages[place] += 1
        self.total[place] += chances
        self.squares[place] += np.square(chances)
        self.hits[place] += hits


@dataclass(frozen=True, slots=True)
class Pool:
    """What sites have in common: where they lie on average, how far apart, and how their pages scatter.

    `mean` and `between` are mean and variance of the sites' true means, `within` the variance of the pages of
    one site. `hit` and `miss` are the Beta numbers of how often a page of a site that holds it shows it.
    """

    mean: Floats
    between: Floats
    within: Floats
    hit: Floats
    miss: Floats


def pooled(evidence: SiteStats) -> Pool:
    """Estimate what the sites of the last axis have in common, by moments; with few pages, from caution.

    Two sites' worth of an even prior stand beside what was seen, so that three pages that agree do not make
    all other sites certain.
    """
    seen = evidence.pages > 0
    count = seen.sum(axis=-1, keepdims=True)
    mean = np.where(seen, evidence.mean, 0.0)
    middle = (mean.sum(axis=-1, keepdims=True) + 1.0) / (count + 2)
    more = np.maximum(evidence.pages - 1, 0).sum(axis=-1, keepdims=True)
    scatter = (evidence.variance * np.maximum(evidence.pages - 1, 0)).sum(axis=-1, keepdims=True)
    within = np.maximum((scatter + FEW * 0.05) / (more + FEW), LEAST)
    share = np.divide(1.0, evidence.pages, out=np.zeros_like(mean), where=seen)
    apart = np.where(seen, np.square(evidence.mean - middle), 0.0).sum(axis=-1, keepdims=True)
    noise = within * share.sum(axis=-1, keepdims=True)
    between = np.maximum((apart - noise + 2 * 0.08) / (count + 2), 0.1 * within)
    found = evidence.hits > 0
    good = evidence.hits.sum(axis=-1, keepdims=True)
    # A site that has shown nothing so far holds it with some chance: so much of its silence counts, too.
    likely = np.where(found, 1.0, evidence.mean)
    rest = (likely * (evidence.pages - evidence.hits)).sum(axis=-1, keepdims=True)
    rate = (good + HIT) / (good + rest + HIT + MISS)
    return Pool(middle, between, within, rate * (HIT + MISS), (1 - rate) * (HIT + MISS))
