"""The simulation of the paper behind `sites`: sites with random Beta distributions, explored page by page.

Each site has a Beta distribution with α and β drawn evenly from a range (which the paper does not give), is
positive with probability α / (α + β), and has at most 1,000 pages whose probabilities are drawn from it. All
explorers see the same sites and pages; all repetitions are simulated side by side.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clew.domain.sites.explorers import ErrorReduction, Explorer
from clew.domain.sites.site_stats import PooledStats, SiteStats, pool_stats

Floats = NDArray[np.float64]

SITE_PAGES = 1_000
"""Pages of a site, as in the paper."""

STRIDE = 10
"""Pages after which Thompson sampling draws again for all sites; the ten highest draws are read."""

REPOOL = 250
"""Pages after which the pooled statistics of sites are estimated again."""

MEASURES = ("accuracy", "precision", "recall")


def measured(yes: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Floats:
    """Return accuracy, precision and recall of verdicts on sites, which are the last axis.

    >>> measured(np.array([True, True, False]), np.array([True, False, False])).round(2).tolist()
    [0.67, 0.5, 1.0]
    """
    right = (yes & truth).sum(axis=-1)
    found: Floats = np.stack(
        ((yes == truth).mean(axis=-1), right / np.maximum(yes.sum(axis=-1), 1),
         right / np.maximum(truth.sum(axis=-1), 1)), axis=-1,
    )  # fmt: skip
    return found


class SimulatedSites:
    """All repetitions of one range: sites, their truth, and the chances of their pages.

    `mean` is what would be known after endlessly many pages.
    """

    def __init__(self, span: tuple[float, float], repetitions: int, sites: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        a, b = np.maximum(rng.uniform(*span, (2, repetitions, sites)), 1e-3)
        self.mean = a / (a + b)
        self.truth = rng.random((repetitions, sites)) < self.mean
        self.pages = np.empty((repetitions, sites, SITE_PAGES), np.float32)
        for at in range(repetitions):  # one at a time: doubles of all would be a third of a gigabyte
            self.pages[at] = rng.beta(a[at, :, None], b[at, :, None], (sites, SITE_PAGES))
        np.nan_to_num(self.pages, copy=False, nan=0.5)


def explore(
    simulated: SimulatedSites, explorer: Explorer, budget: int, checkpoints: Collection[int], seed: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the measures at each checkpoint (checkpoints, repetitions, measures), and the pages read.

    The first checkpoint is one page of each site.
    """
    repetitions, sites, _ = simulated.pages.shape
    rng, every = np.random.default_rng(seed), np.arange(repetitions)
    stats = SiteStats.empty(repetitions, sites)
    stats.add(slice(None), simulated.pages[:, :, 0].astype(float))
    pool = pool_stats(stats)
    values, draws = explorer.values(stats, pool, rng), np.zeros((repetitions, STRIDE), int)

    def verdicts() -> Floats:
        return measured(explorer.estimate(stats, pool) >= 0.5, simulated.truth)  # noqa: PLR2004

    found, read = [verdicts()], np.full(repetitions, sites)
    for page in range(sites + 1, budget + 1):
        row = values.argmax(axis=1)
        if explorer.stochastic:
            at = (page - sites - 1) % STRIDE
            if at == 0:
                values = explorer.values(stats, pool, rng)
                draws = np.argpartition(-values, STRIDE, axis=1)[:, :STRIDE]
            row = draws[:, at]
        if explorer.random_share:
            some_row = rng.integers(sites, size=repetitions)
            row = np.where(rng.random(repetitions) < explorer.random_share, some_row, row)
        number = stats.pages[every, row].astype(int)
        goes = number < SITE_PAGES
        if explorer.min_value >= 0:
            goes &= values[every, row] > explorer.min_value
        some, where = every[goes], row[goes]
        stats.add((some, where), simulated.pages[some, where, number[goes]].astype(float))
        read[some] += 1
        if not explorer.stochastic:
            values[some, where] = explorer.values(stats.at((some, where)), _rows_of(pool, some), rng)
            spent = number + 1 >= SITE_PAGES
            values[every[spent], row[spent]] = -1.0
        if isinstance(explorer, ErrorReduction) and page % REPOOL == 0:
            pool = pool_stats(stats)
            values = np.where(values < 0, -1.0, explorer.values(stats, pool, rng))
        if page in checkpoints:
            found.append(verdicts())
    return np.array(found), read


def _rows_of(pool: PooledStats, rows: NDArray[np.intp]) -> PooledStats:
    return PooledStats(
        pool.mean[rows, 0], pool.between[rows, 0], pool.within[rows, 0], pool.hit[rows, 0], pool.miss[rows, 0]
    )
