"""The table of sites of a crawl: statistics, the user's labels, and verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.domain.sites.information_value import site_posteriors
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_estimates import RARE, SURE, SiteEstimates, estimate_sites
from clew.domain.sites.site_stats import SiteStats, pool_stats

FILE = "sites.tsv"
NAME, VERSION = "sites", 1

INTERVAL_DEVIATIONS = 1.96
"""Deviations to either side of a 95 % interval."""

THRESHOLD = 0.5
"""Minimum chance of a site that is collected from."""

_COLUMNS = ("site", "pages", "total", "squares", "hits", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStatus:
    """Status of one site: pages read, failed requests, the chance that it holds it with its interval.

    `label` is the user's label, None if there is none; `verdict` is yes or no where it is sure, else unknown.
    """

    site: str
    pages: int
    failed: int
    hits: int
    chance: float
    low: float
    high: float
    label: bool | None
    verdict: str


class SiteTable:
    """Columns by site, rows in order of first use. `by` is what counts as a site: a host, or a domain.

    With `by_mean` a site is judged by the mean of its pages, as in the paper, and by nothing else.

    >>> table = SiteTable()
    >>> table.add_page(table.row(table.name("https://a.test")), 0.2, found=False)
    >>> table.statuses()[0].verdict
    'unknown'
    """

    def __init__(self, *, by: str = "host", by_mean: bool = False) -> None:
        self.by = by
        self.by_mean = by_mean
        self.names: list[str] = []
        self.origins: list[list[str]] = []
        self.labels: dict[int, bool] = {}
        self.pool = pool_stats(SiteStats.empty(1))
        self._rows: dict[str, int] = {}
        self._row_of_origin: dict[str, int] = {}
        self._columns = np.zeros((5, 0))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def stats(self) -> SiteStats:
        """Statistics of all sites, as writable columns."""
        pages, total, squares, hits, _ = self._columns[:, : len(self)]
        return SiteStats(pages, total, squares, hits)

    @property
    def failed(self) -> Floats:
        """Failed requests, by site."""
        return self._columns[4, : len(self)]

    def name(self, origin: str) -> str:
        """Return the site of an origin: http and https, with and without www; another port is another."""
        if self.by == "domain":
            return urls.site(urls.host(origin))
        return urls.clock_key(origin).removeprefix("www.")

    def row(self, name: str) -> int:
        """Return the row of a site, added if it is new."""
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = len(self.names)
            self.names.append(name)
            self.origins.append([])
            if row >= self._columns.shape[1]:
                self._columns = np.concatenate((self._columns, np.zeros((5, 64 + row // 2))), axis=1)
        return row

    def find(self, name: str) -> int:
        """Return the row of a site, -1 if it is unknown."""
        return self._rows.get(name, -1)

    def add_origins(self, origins: Iterable[str]) -> list[int]:
        """Add origins to their sites; return the rows of those that are new."""
        new_rows = []
        for origin in origins:
            if origin not in self._row_of_origin:
                row = self._row_of_origin[origin] = self.row(self.name(origin))
                self.origins[row].append(origin)
                new_rows.append(row)
        return new_rows

    def add_page(self, row: int, chance: float, *, found: bool) -> None:
        """Add a page: the chance it gives its site, and whether it held the wanted content."""
        self.stats.add(row, chance, float(found))

    def set_stats(self, row: int, numbers: Floats) -> None:
        """Replace the statistics of a site: pages, total, squares and hits."""
        self._columns[:4, row] = numbers

    def refresh_pool(self) -> None:
        """Re-estimate the pooled statistics."""
        if len(self):
            self.pool = pool_stats(self.stats)

    def estimates(self) -> SiteEstimates:
        """Return the chance of every site with its interval, and how many hold it in all."""
        text_chance = site_posteriors(self.stats, self.pool).text_chance
        estimates = estimate_sites(self.stats, text_chance, self.pool.mean, self.labels)
        if not self.by_mean:
            return estimates
        mean = self.stats.mean
        half = INTERVAL_DEVIATIONS * np.sqrt(mean * (1 - mean) / np.maximum(self.stats.pages, 1))
        return replace(
            estimates, chance=mean, low=np.maximum(mean - half, 0), high=np.minimum(mean + half, 1)
        )

    def chances(self, stats: SiteStats) -> Floats:
        """Return the chance of sites with these statistics that they hold the wanted content."""
        return stats.mean if self.by_mean else site_posteriors(stats, self.pool).chance

    def verdicts(self, estimates: SiteEstimates) -> NDArray[np.int64]:
        """Return for all sites whether they hold it (1), do not (0), or are not known yet (-1)."""
        if self.by_mean:
            verdicts = np.where(self.stats.pages > 0, (estimates.chance >= THRESHOLD).astype(np.int64), -1)
            verdicts[list(self.labels)] = [int(label) for label in self.labels.values()]
            return verdicts
        return np.where(estimates.chance >= SURE, 1, np.where(estimates.high <= RARE, 0, -1))

    def statuses(self) -> list[SiteStatus]:
        """Return the status of every site."""
        stats, estimates = self.stats, self.estimates()
        words = {1: "yes", 0: "no", -1: "unknown"}
        columns = zip(
            self.names, stats.pages.tolist(), self.failed.tolist(), stats.hits.tolist(),
            estimates.chance.tolist(), estimates.low.tolist(), estimates.high.tolist(),
            self.verdicts(estimates).tolist(), strict=True,
        )  # fmt: skip
        return [
            SiteStatus(
                site=name, pages=int(pages), failed=int(failed), hits=int(hits), chance=chance, low=low,
                high=high, label=self.labels.get(row), verdict=words[verdict],
            )
            for row, (name, pages, failed, hits, chance, low, high, verdict) in enumerate(columns)
        ]  # fmt: skip

    def save(self, folder: Path, facts: dict[str, str]) -> None:
        """Write all sites as a readable file."""
        rows: Sequence[Sequence[str | float]] = [
            (name, *(float(f"{value:.6g}") for value in column))
            for name, column in zip(self.names, self._columns[:, : len(self)].T.tolist(), strict=True)
        ]
        model = Model(name=NAME, version=VERSION, facts=facts, tables={"sites": ModelTable(_COLUMNS, rows)})
        write_model(folder / FILE, model)

    def load(self, folder: Path) -> dict[str, str]:
        """Read what `save` wrote; return its facts, empty if there is no file."""
        model = read_model(folder / FILE, NAME, VERSION)
        if model is None:
            return {}
        try:
            for name, *cells in model.tables["sites"].rows:
                row = self.row(self.name(f"http://{name}"))  # may extend the columns, so it comes first
                self._columns[:, row] += [float(cell) for cell in cells]
        except (KeyError, ValueError) as error:
            raise damaged_model(folder / FILE, str(error)) from None
        self.refresh_pool()
        return dict(model.facts)
