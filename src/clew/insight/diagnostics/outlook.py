"""Look ahead: a dry spell, a budget out of reach, a disk that will not hold it all."""

import os
import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path

from clew.config import Config
from clew.engine.run import CrawlRun
from clew.store.folder import DATABASE, PAGES
from clew.types import Kind, PageResult, State

WINDOW = 500
"""Pages over which the share of relevant ones is taken."""

RICH = 10
"""Relevant pages in the best window, at least: below 2 % a crawl was never in luck, and nothing dried up."""

DRY = 0.1
"""A share of the best one that counts as dry: focused crawls swing by a factor of three all the time."""

LOOK = 100
"""Pages of a run before speed means anything, and between two looks at what is left."""

FEW = 3
"""Hosts: up to here politeness, not the network, sets the pace."""

LONG = 8.0
"""Hours: more than one night is worth a word."""

WEIGH = 500
"""Pages between two looks at the disk."""


class Forecast:
    """Compare what came and what is left with what was asked for."""

    def __init__(self, config: Config, folder: Path, where: str, fresh: Callable[[str, float], bool]) -> None:
        self.config = config
        self.folder = folder
        self.where = where
        self.fresh = fresh
        self._pages = 0
        self._began = 0.0
        self._hits: deque[bool] = deque(maxlen=WINDOW)
        self._sum = 0
        self._best = 0
        self._best_at = 0
        self._open_before = 0
        self._hosts: set[str] = set()  # of the last pages

    def see(self, walk: CrawlRun, step: PageResult) -> list[str]:
        """Take one step into account; return what is to be said about the way ahead."""
        page = step.page
        if page.link.kind is not Kind.PAGE or step.state is State.OPEN or page.redirect:
            return []
        self._pages += 1
        self._began = self._began or page.response.started
        self._hosts.add(page.link.origin)
        hints = [self._drought(step.relevant)]
        if self._pages % LOOK == 0:
            hints += [self._left(walk), self._pace(walk, page.response.ended)]
            self._hosts.clear()
        if self._pages % WEIGH == 0:
            hints.append(self._disk(walk))
        return [hint for hint in hints if hint]

    def _drought(self, relevant: bool) -> str:
        full = len(self._hits) == WINDOW
        self._sum += relevant - (self._hits[0] if full else False)
        self._hits.append(relevant)
        if not full:
            return ""
        if self._sum > self._best:
            self._best, self._best_at = self._sum, self._pages
        dry = self._best >= RICH and self._sum < DRY * self._best
        if not dry or not self.fresh("drought", self._pages - self._best_at):
            return ""
        return (
            f"{self._sum} of the last {WINDOW} pages were relevant, {self._best} of the best {WINDOW}:"
            f" the source runs dry; stop, or add new crawl.seeds in {self.where}/clew.toml and run again"
        )

    def _left(self, walk: CrawlRun) -> str:
        """Say that the links run out long before the budget does."""
        open, before, self._open_before = (
            walk.engine.frontier.open,
            self._open_before,
            walk.engine.frontier.open,
        )
        rest = walk.budget.pages - walk.engine.pages
        if not walk.budget.pages or self._pages < 2 * LOOK or open >= before or 10 * open > rest:
            return ""
        if not self.fresh("left", 1):
            return ""
        return (
            f"only {open:,} links are left, {rest:,} pages of the budget are not read; for more,"
            f" add new crawl.seeds in {self.where}/clew.toml"
        )

    def _pace(self, walk: CrawlRun, now: float) -> str:
        """Say how long politeness makes the budget take when there are few hosts to ask."""
        rest = walk.budget.pages - walk.engine.pages
        seconds = now - self._began
        if not walk.budget.pages or rest <= 0 or seconds <= 0 or not self.config.fetch.delay:
            return ""
        rate = self._pages / seconds
        hours = rest / rate / 3600
        if hours < LONG or (walk.budget.hours and hours > walk.budget.hours):
            return ""
        hosts = len(self._hosts)
        if hosts > FEW or not self.fresh("pace", hours):
            return ""
        fit = max(100, round(LONG * 3600 * rate, -2))
        return (
            f"at {rate:.1f} pages/s from {hosts} host{'s' * (hosts != 1)} the other {rest:,} pages take"
            f" {hours:,.0f} hours; be content with one night: Ctrl-C, then clew run {self.where}"
            f" --pages {walk.engine.pages + int(fit)}"
        )

    def _disk(self, walk: CrawlRun) -> str:
        """Say that the disk will be full before the budget is spent."""
        try:
            used = sum(entry.stat().st_size for entry in _files(self.folder))
            free = shutil.disk_usage(self.folder).free - self.config.store.min_free * 2**20
        except OSError:
            return ""  # whoever cannot read the disk cannot write to it either, and says so
        each = used / max(walk.engine.pages, 1)
        room = int(free / each) if each else 0
        rest = walk.budget.pages - walk.engine.pages if walk.budget.pages else WEIGH * 20
        if not used or room >= rest or not self.fresh("disk", rest / max(room, 1)):
            return ""
        wanted = f" of the {rest:,} still to come" if walk.budget.pages else ""
        return (
            f"the disk has room for about {max(room, 0):,} more pages{wanted} ({each / 1024:,.0f} KB each,"
            f" store.min_free = {self.config.store.min_free:,} MiB); free some space: du -sh {self.where}"
        )


def _files(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as top, os.scandir(folder / PAGES) as pages:
        return [entry for entry in top if entry.name.startswith(DATABASE)] + list(pages)
