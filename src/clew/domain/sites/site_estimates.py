"""How sure are we about each site? Chances with 95 % intervals, and how many sites hold it in all.

An unknown share of the sites holds the wanted content, and their pages show it at an unknown rate that
differs between sites (a Beta distribution). Both are estimated from all sites together, on a grid of
possibilities, each weighted by how well it explains the pages read. A chance is the mean over the grid; its
interval covers 95 % of the weight, so that it is wide when a few pages of a few sites were read.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from clew.domain.sites.information_value import log_beta
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_stats import SiteStats

SHARES = (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.28, 0.36, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
"""Possible shares of sites that hold it."""

RATES = {0.02: 1, 0.04: 2, 0.07: 3, 0.12: 4, 0.2: 4, 0.3: 4, 0.45: 3, 0.6: 2, 0.8: 1}
"""Possible mean rates of pages that show it on sites that hold it, with their prior weights."""

CONCENTRATIONS = (1.0, 2.5, 6.0)
"""Possible sums of the parameters of the Beta distribution: small where rates differ much between sites."""

MAX_WORD_RATIO = 10.0
"""The words of a site change its odds by this factor at most: they resemble sites, they prove nothing."""

WORD_STEPS = 6
"""Steps of the factor to either side, so that sites can be counted in groups."""

SURE = 0.95
"""Chance from which a site is said to hold it."""

RARE = 0.1
"""A site whose whole interval is below this is said not to hold it."""

DRAWS = 4_000
"""Draws for the interval of the number of sites."""

_NONE, _NO, _YES = -1.0, 0.0, 1.0


@dataclass(frozen=True, slots=True)
class SiteEstimates:
    """The chance of each site with a 95 % interval; the expected number that hold it, with its interval."""

    chance: Floats
    low: Floats
    high: Floats
    expected: float = 0.0
    fewest: int = 0
    most: int = 0


def estimate_sites(
    stats: SiteStats, text_chance: Floats, prior: Floats, labels: dict[int, bool]
) -> SiteEstimates:
    """Estimate all sites: `text_chance` is what their words say, `prior` its mean; `labels` are certain."""
    if not len(stats.pages):
        return SiteEstimates(np.zeros(0), np.zeros(0), np.zeros(0))
    groups, members, number = _grouped(stats, text_chance, prior, labels)
    pages, hits, step, label = groups.T
    share, hit, miss, prior_weight = _possibilities()
    seen = np.exp(log_beta(hit + hits, miss + pages - hits) - log_beta(hit, miss))
    holding = share * seen * MAX_WORD_RATIO ** (step / WORD_STEPS) * (label != _NO)
    lacking = (1 - share) * ((label == _NO) | ((hits == 0) & (label == _NONE)))
    weight = np.log(holding + lacking) @ number + np.log(prior_weight[:, 0])
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    chances = holding / (holding + lacking)
    low, high = _quantiles(chances, weight)
    expected, fewest, most = _total(chances, weight, number)
    return SiteEstimates(
        (weight @ chances)[members], low[members], high[members], float(expected), int(fewest), int(most)
    )


def _possibilities() -> tuple[Floats, Floats, Floats, Floats]:
    """Return share, hit, miss and prior weight of each point of the grid, as columns."""
    points = product(SHARES, RATES.items(), CONCENTRATIONS)
    grid = np.array([
        (share, rate * total, (1 - rate) * total, weight * (1 - share) ** 0.5)  # most shares are small
        for share, (rate, weight), total in points
    ])  # fmt: skip
    return grid[:, :1], grid[:, 1:2], grid[:, 2:3], grid[:, 3:]


def _grouped(
    stats: SiteStats, text_chance: Floats, prior: Floats, labels: dict[int, bool]
) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Return distinct rows of pages, hits, words and label; the row of each site; the sites of each row."""
    odds = np.log(text_chance / (1 - text_chance)) - np.log(prior / (1 - prior))
    step = np.clip(np.round(odds / np.log(MAX_WORD_RATIO) * WORD_STEPS), -WORD_STEPS, WORD_STEPS)
    label = np.full_like(stats.pages, _NONE)
    for row, good in labels.items():
        label[row] = _YES if good else _NO
    step = np.where((stats.pages > 0) & (stats.hits == 0), step, 0.0)
    columns = np.stack((stats.pages, stats.hits, step, label), axis=1)
    groups, members, number = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    return groups, members.reshape(-1), number.astype(np.float64)


def _quantiles(chances: Floats, weight: Floats) -> Floats:
    """Return the ends of the interval that has 95 % of the weight, for each column."""
    order = np.argsort(chances, axis=0)
    below = np.cumsum(weight[order], axis=0)
    ends = [(below < share).sum(axis=0).clip(max=len(weight) - 1) for share in (0.025, 0.975)]
    ranked = np.take_along_axis(chances, order, axis=0)
    return np.array([ranked[end, np.arange(chances.shape[1])] for end in ends])


def _total(chances: Floats, weight: Floats, number: Floats) -> tuple[float, float, float]:
    """Return the expected number of sites that hold it, and the ends of its 95 % interval."""
    mean, variance = chances @ number, (chances * (1 - chances)) @ number
    rng = np.random.default_rng(0)
    drawn = rng.choice(len(weight), DRAWS, p=weight)
    totals = np.round(mean[drawn] + np.sqrt(variance[drawn]) * rng.standard_normal(DRAWS))
    certain, possible = chances.min(axis=0) == 1, chances.max(axis=0) > 0
    fewest, most = np.quantile(totals, (0.025, 0.975))
    least, highest = number[certain].sum(), number[possible].sum()
    return float(weight @ mean), max(float(fewest), float(least)), min(float(most), float(highest))
