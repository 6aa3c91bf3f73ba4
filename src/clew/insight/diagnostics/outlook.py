"""Forecasts: a falling yield, a budget out of reach, a disk that is too small."""

import os
import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path

from clew.config import Config
from clew.engine.run import CrawlRun
from clew.store.folder import DATABASE, PAGES
from clew.types import PageResult

WINDOW = 500
"""Pages over which the share of relevant ones is computed."""

RICH = 10
"""Relevant pages in the best window, at least: below 2 % there was no yield that could fall."""

LOW = 0.1
"""Share of the best window below which the yield has dropped: swings by a factor of three are normal."""

LOOK = 100
"""Pages before the speed is reliable, and between two checks of what is left."""

FEW = 3
"""Hosts up to which the politeness delay, not the network, limits the speed."""

LONG = 8.0
"""Hours: a run of more than one night gets a hint."""

WEIGH = 500
"""Pages between two checks of the disk."""


class Forecast:
    """Compare results and remaining links with the budget."""

    def __init__(self, config: Config, folder: Path, where: str, fresh: Callable[[str, float], bool]) -> None:
        self.config = config
        self.folder = folder
        self.where = where
        self.fresh = fresh
        self._pages = 0
        self._started = 0.0
        self._hits: deque[bool] = deque(maxlen=WINDOW)
        self._sum = 0
        self._best = 0
        self._best_at = 0
        self._open_before = 0
        self._hosts: set[str] = set()  # of the last pages

    def observe(self, run: CrawlRun, result: PageResult) -> list[str]:
        """Count one result; return new hints."""
        page = result.page
        if not result.is_page:
            return []
        self._pages += 1
        self._started = self._started or page.response.started
        self._hosts.add(page.link.origin)
        hints = [self._falling_yield(result.relevant)]
        if self._pages % LOOK == 0:
            hints += [self._few_links(run), self._pace(run, page.response.ended)]
            self._hosts.clear()
        if self._pages % WEIGH == 0:
            hints.append(self._disk(run))
        return [hint for hint in hints if hint]

    def _falling_yield(self, relevant: bool) -> str:
        full = len(self._hits) == WINDOW
        self._sum += relevant - (self._hits[0] if full else False)
        self._hits.append(relevant)
        if not full:
            return ""
        if self._sum > self._best:
            self._best, self._best_at = self._sum, self._pages
        low = self._best >= RICH and self._sum < LOW * self._best
        if not low or not self.fresh("yield", self._pages - self._best_at):
            return ""
        return (
            f"{self._sum} of the last {WINDOW} pages were relevant, {self._best} of the best {WINDOW}:"
            f" the yield has dropped; stop, or add seeds to crawl.seeds in {self.where}/clew.toml"
            " and run again"
        )

    def _few_links(self, run: CrawlRun) -> str:
        """Return a hint if links run out long before the budget."""
        open, before, self._open_before = (
            run.engine.frontier.open,
            self._open_before,
            run.engine.frontier.open,
        )
        rest = run.budget.pages - run.engine.totals.pages
        if not run.budget.pages or self._pages < 2 * LOOK or open >= before or 10 * open > rest:
            return ""
        if not self.fresh("left", 1):
            return ""
        return (
            f"only {open:,} links are left for {rest:,} remaining pages of the budget;"
            f" add seeds to crawl.seeds in {self.where}/clew.toml"
        )

    def _pace(self, run: CrawlRun, now: float) -> str:
        """Return a hint if few hosts and the politeness delay make the run very long."""
        rest = run.budget.pages - run.engine.totals.pages
        seconds = now - self._started
        if not run.budget.pages or rest <= 0 or seconds <= 0 or not self.config.fetch.delay:
            return ""
        rate = self._pages / seconds
        hours = rest / rate / 3600
        if hours < LONG or (run.budget.hours and hours > run.budget.hours):
            return ""
        hosts = len(self._hosts)
        if hosts > FEW or not self.fresh("pace", hours):
            return ""
        fit = max(100, round(LONG * 3600 * rate, -2))
        return (
            f"at {rate:.1f} pages/s from {hosts} host{'s' * (hosts != 1)} the other {rest:,} pages take"
            f" {hours:,.0f} hours; to stop after one night: Ctrl-C, then clew run {self.where}"
            f" --pages {run.engine.totals.pages + int(fit)}"
        )

    def _disk(self, run: CrawlRun) -> str:
        """Return a hint if the disk will be full before the budget is used up."""
        try:
            used = sum(entry.stat().st_size for entry in _files(self.folder))
            free = shutil.disk_usage(self.folder).free - self.config.store.min_free * 2**20
        except OSError:
            return ""  # the store reports a disk that cannot be used
        each = used / max(run.engine.totals.pages, 1)
        space_for = int(free / each) if each else 0
        rest = run.budget.pages - run.engine.totals.pages if run.budget.pages else WEIGH * 20
        if not used or space_for >= rest or not self.fresh("disk", rest / max(space_for, 1)):
            return ""
        wanted = f" of the {rest:,} remaining" if run.budget.pages else ""
        return (
            f"the disk has space for about {max(space_for, 0):,} more pages{wanted}"
            f" ({each / 1024:,.0f} KB each, store.min_free = {self.config.store.min_free:,} MiB);"
            f" free some space: du -sh {self.where}"
        )


def _files(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as top, os.scandir(folder / PAGES) as pages:
        return [entry for entry in top if entry.name.startswith(DATABASE)] + list(pages)
