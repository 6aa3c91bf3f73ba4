"""The sites of a crawl: what was read of each, what a person said of it, and how it stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew import urls
from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.domain.sites.information_value import belief, silent
from clew.domain.sites.normal import Floats
from clew.domain.sites.site_stats import SiteStats, pooled

FILE = "sites.tsv"
NAME, VERSION = "sites", 1

THRESHOLD = 0.5
"""Chances from here up are a yes."""

SURE = 1.96
"""Deviations to either side of a 95 % interval."""

_COLUMNS = ("site", "pages", "total", "squares", "hits", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStatus:
    """How one site stands: pages read, requests in vain, the chance that it holds it with its interval.

    `said` is a person's own word, None where there is none; `verdict` is yes, no, or unknown.
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
    """Columns by site; sites get their rows as they are met. `by` is what a site is: a host, or a domain.

    >>> table = SiteTable()
    >>> table.add_page(table.row(table.name("https://a.test")), 0.2, found=False)
    >>> table.status(0).verdict
    'no'
    """

    def __init__(self, *, by: str = "host") -> None:
        self.by = by
        self.names: list[str] = []
        self.origins: list[list[str]] = []
        self.labels: dict[int, bool] = {}
        self.pool = pooled(SiteStats.none(1))
        self._rows: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._columns = np.zeros((5, 0))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def stats(self) -> SiteStats:
        """What was read of all sites, as columns that may be written to."""
        pages, total, squares, hits, _ = self._columns[:, : len(self)]
        return SiteStats(pages, total, squares, hits)

    @property
    def failed(self) -> Floats:
        """Requests that brought no page, by site."""
        return self._columns[4, : len(self)]

    def name(self, origin: str) -> str:
        """Return the site of an origin: http and https of a host are one, another port is another."""
        return urls.site(urls.host(origin)) if self.by == "domain" else urls.clock_key(origin)

    def row(self, name: str) -> int:
        """Return the row of a site, made when it is met first."""
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = len(self.names)
            self.names.append(name)
            self.origins.append([])
            if row >= self._columns.shape[1]:
                self._columns = np.concatenate((self._columns, np.zeros((5, 64 + row // 2))), axis=1)
        return row

    def find(self, name: str) -> int:
        """Return the row of a site, -1 if it was never met."""
        return self._rows.get(name, -1)

    def add_origins(self, origins: Iterable[str]) -> list[int]:
        """Enter origins under their sites; return the rows of those that are new."""
        fresh = []
        for origin in origins:
            if origin not in self._known:
                row = self._known[origin] = self.row(self.name(origin))
                self.origins[row].append(origin)
                fresh.append(row)
        return fresh

    def add_page(self, row: int, chance: float, *, found: bool) -> None:
        """Add a page that was read: the chance it gives its site, and whether it held what is looked for."""
        self.stats.read(row, chance, float(found))

    def set_stats(self, row: int, numbers: Floats) -> None:
        """Write what is known of a site in place of what was: pages, total, squares and hits."""
        self._columns[:4, row] = numbers

    def refresh_pool(self) -> None:
        """Estimate anew what all sites have in common."""
        if len(self):
            self.pool = pooled(self.stats)

    def verdicts(self) -> tuple[Floats, Floats]:
        """Return for all sites whether the verdict is yes (1), no (0) or unknown (-1), and the chance."""
        evidence = self.stats
        chance = belief(evidence, self.pool).chance
        verdict = np.where(evidence.pages > 0, chance >= THRESHOLD, -1.0)
        for row, good in self.labels.items():
            verdict[row] = float(good)
        return verdict, chance

    def status(self, row: int) -> SiteStatus:
        """Return how one site stands."""
        evidence = self.stats.at(np.array([row]))
        known = belief(evidence, self.pool)
        spread = SURE * float(np.sqrt(known.doubt[0]))
        unseen = silent(evidence.pages, self.pool.hit, self.pool.miss)[0]
        ends = np.clip([known.word[0] - spread, known.word[0] + spread], 0.0, 1.0)
        low, high = (ends * unseen / (1 - ends + ends * unseen)).tolist()
        chance, hits, said = float(known.chance[0]), int(evidence.hits[0]), self.labels.get(row)
        if hits:
            low = high = 1.0
        verdict = "unknown" if not evidence.pages[0] else "yes" if chance >= THRESHOLD else "no"
        if said is not None:
            verdict = "yes" if said else "no"
        return SiteStatus(
            site=self.names[row], pages=int(evidence.pages[0]), failed=int(self.failed[row]), hits=hits,
            chance=chance, low=low, high=high, label=said, verdict=verdict,
        )  # fmt: skip

    def save(self, folder: Path, facts: dict[str, str]) -> None:
        """Write all sites as a file that people can read."""
        rows: Sequence[Sequence[str | float]] = [
            (name, *(float(f"{value:.6g}") for value in column))
            for name, column in zip(self.names, self._columns[:, : len(self)].T.tolist(), strict=True)
        ]
        model = Model(name=NAME, version=VERSION, facts=facts, tables={"sites": ModelTable(_COLUMNS, rows)})
        write_model(folder / FILE, model)

    def load(self, folder: Path) -> dict[str, str]:
        """Read what `save` wrote; return its facts, none when there is no file."""
        model = read_model(folder / FILE, NAME, VERSION)
        if model is None:
            return {}
        try:
            for name, *cells in model.tables["sites"].rows:
                row = self.row(str(name))  # may make room, and so comes first
                self._columns[:, row] = [float(cell) for cell in cells]
        except (KeyError, ValueError) as error:
            raise damaged_model(folder / FILE, str(error)) from None
        self.refresh_pool()
        return dict(model.facts)
