"""The value of one more page of each site, and the phase of a crawl that explores sites first."""

from dataclasses import dataclass

import numpy as np

from clew.domain.sites.explorers import Explorer
from clew.domain.sites.information_value import NEGLIGIBLE
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_table import SiteTable

POOL_GROWTH = 0.1
"""All sites are valued again when a tenth more pages were read: the statistics they share have changed."""

MIN_CHANGE = 0.05
"""Relative change of a site's value that is reported to the frontier."""

DRAWS_PER_PAGE = 1_000
"""Values that are sampled are sampled again so often that each page pays for so many draws."""


@dataclass(slots=True)
class ExplorationPhase:
    """How far exploration is: `ended` is the reason why it is over, empty as long as it is not.

    `reserved` means that the pages left in the budget are reserved for sites of which none was read.
    """

    explored: int = 0
    ended: str = ""
    reserved: bool = False


class SiteValues:
    """Keep the value of one more page of each site up to date while pages are read."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.values: Floats = np.empty(0)
        self.pages = 0  # pages read
        self.drawn = -1  # the site that was chosen at random, -1 for none
        self._pooled = 0  # pages read at the last estimate of the shared statistics

    def value(self, row: int) -> float:
        """Return the value of a site; 1 if it was never computed."""
        return float(self.values[row]) if row < len(self.values) else 1.0

    def pool_due(self) -> bool:
        """Return whether the shared statistics should be estimated again; then it counts from here."""
        due = self.pages > (1 + POOL_GROWTH) * self._pooled
        if due:
            self._pooled = self.pages
        return due

    def compute_all(self, table: SiteTable, explorer: Explorer) -> None:
        """Compute the values of all sites."""
        self.values = explorer.values(table.stats, table.pool, self.rng)

    def update(self, row: int, table: SiteTable, explorer: Explorer, *, everything: bool) -> set[int]:
        """Compute the value of a site of which a page was read; from time to time, of all sites.

        Return the other sites whose value has changed noticeably.
        """
        changed: set[int] = set()
        stale = explorer.stochastic and self.pages % max(1, len(table) // DRAWS_PER_PAGE) == 0
        if everything or stale or len(self.values) < len(table):
            before = np.zeros(len(table))
            before[: len(self.values)] = self.values
            self.compute_all(table, explorer)
            moved = np.abs(self.values - before) > MIN_CHANGE * np.maximum(before, NEGLIGIBLE)
            changed.update(np.flatnonzero(moved).tolist())
        else:
            self.values[row] = explorer.values(table.stats.at(np.array([row])), table.pool, self.rng)[0]
        if explorer.random_share and self.rng.random() < explorer.random_share:
            last, self.drawn = self.drawn, int(self.rng.integers(len(table)))
            changed |= {last, self.drawn} - {-1}
        return changed
