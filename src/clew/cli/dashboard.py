"""The dashboard of a run: counts above, the last pages below, fitted to the terminal."""

import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from clew.cli import resource_usage, screen
from clew.cli.resource_usage import Throttled
from clew.cli.run_counts import ReadPage, RunCounts
from clew.cli.text_cells import Line, cut, fit, fitting, length, tidy, trimmed
from clew.config import Config
from clew.domain.verdict_text import verdict_text
from clew.engine.run import CrawlRun
from clew.frontier.stats import BINS, FrontierStats
from clew.insight import sparklines
from clew.parse import ParsePool
from clew.types import Link

DISK_SECONDS = 5.0
_LABEL = 11
_COUNTS = 16  # cells for the numbers before a bar or a curve
_ROOMY = 20  # rows from which on rules are drawn between the parts
_PARENTS = 500
_PROMISING = 0.9


class Dashboard:
    """Compose the lines of the live screen from the state of a run."""

    def __init__(self, folder: Path, config: Config, run: CrawlRun, counts: RunCounts) -> None:
        self.folder = folder
        self.config = config
        self.run = run
        self.counts = counts
        self.began = time.monotonic()
        frontier, clock = run.engine.frontier, run.engine.clock
        self.stats: Throttled[FrontierStats] = Throttled(lambda: frontier.stats(clock.monotonic()))
        self._memory = Throttled(lambda: resource_usage.memory(self._workers()), 1.0)
        self._disk = Throttled(lambda: resource_usage.disk(folder), DISK_SECONDS)
        self._parents: dict[int, Link] = {}
        self._url_width = 20

    def lines(
        self,
        width: int,
        height: int,
        notes: Sequence[str],
        *,
        lower: Sequence[Line] = (),
        foot: Line | None = None,
        full: bool = True,
    ) -> list[Line]:
        """Return at most `height` lines of at most `width` cells; `lower` instead of the last pages."""
        rule: list[Line] = [[("─" * width, "dim")]]
        roomy = height >= _ROOMY
        top = [self._header(width), *(rule if roomy else []), *self._numbers(width, self._details(height))]
        most = 4 if height >= 30 else 3 if roomy else 2  # noqa: PLR2004
        bottom: list[Line] = [[(f" {note}", "warn")] for note in _wrapped(notes, width - 2, most)]
        if bottom and roomy:
            bottom = rule + bottom
        if foot:
            bottom.append(foot)
        room = max(0, height - len(top) - 1 - len(bottom))
        if lower:
            bottom, room = [], max(0, height - len(top) - 1)
            middle = list(lower)[:room]
            if len(lower) > room > 0:
                middle[-1] = [(f" … and {len(lower) - room + 1} more lines: make the window taller", "dim")]
        else:
            middle = self._last_pages(width, room)
        if full:
            middle += [[]] * (room - len(middle))
        return [trimmed(line, width) for line in (top + rule + middle + bottom)[:height]]

    # ---- the numbers ---------------------------------------------------------------------------

    def _header(self, width: int) -> Line:
        config = self.config
        left: Line = [
            (f" {tidy(self.folder.absolute().name)}", "name"),
            (f" · policy {tidy(config.rank.policy)} · judge {tidy(config.goal.judge)}", ""),
        ]
        if self.run.stopping:
            left.append((" · stopping", "warn"))
        elif self.run.paused:
            left.append((" · paused, p resumes", "warn"))
        home = str(Path.home())
        place = tidy(str(self.folder.absolute()))
        place = f"~{place[len(home) :]}" if place.startswith(f"{home}/") else place
        gap = width - length(left) - len(place) - 1
        return [*left, (" " * gap, ""), (place, "dim")] if gap > 1 else left

    def _numbers(self, width: int, details: int) -> list[Line]:
        drawing = max(6, min(40, width - 64))
        stats = self.stats()
        return [
            self._pages(width, drawing),
            self._relevant(width, drawing),
            self._frontier(width, stats),
            *self._hosts(width, stats, details),
            self._resources(width),
            *self._warnings(),
        ]

    def _pages(self, width: int, drawing: int) -> Line:
        run, totals = self.run, self.run.engine.totals
        pages, room = run.budget.pages_spent(totals), width - _LABEL - _COUNTS
        elapsed = time.monotonic() - self.began
        limit = run.budget.pages
        beside = [f"{totals.failed:,} failed"] if totals.failed else []
        if run.is_refresh:
            new, requests = totals.pages - run.budget.pages_before, run.budget.requests_spent(totals)
            beside = [f"{new:,} new", _many(requests, "request")]
        if not limit:
            running = f"running {sparklines.duration(elapsed)}, no page limit"
            return [*_labelled("pages", f"{pages:,}"), (fitting([running, *beside], room), "")]
        done, open = sparklines.bar(pages / limit, drawing)
        times = [sparklines.duration(elapsed), self._time_left(elapsed)]
        return [
            *_labelled("pages", f"{pages:,} of {limit:,}"),
            (done, "good"), (open, "dim"), (f"  {fitting([*times, *beside], room - drawing - 2)}", ""),
        ]  # fmt: skip

    def _time_left(self, elapsed: float) -> str:
        """Estimate the remaining time from the speed of the last half minute."""
        if self.run.stopping or self.run.paused or self.run.ended:
            return ""
        speed, budget = self.counts.speed()[0], self.run.budget
        spans = [max(0, budget.pages - budget.pages_spent(self.run.engine.totals)) / speed] if speed else []
        if budget.hours:
            spans.append(max(0.0, budget.hours * 3600 - elapsed))
        return f"about {sparklines.rough_duration(min(spans))} left" if spans and self.counts.pages else ""

    def _relevant(self, width: int, drawing: int) -> Line:
        engine = self.run.engine
        share, count = self.counts.share()
        whole = f" · {engine.totals.relevant / engine.totals.pages:.0%}" if engine.totals.pages else ""
        line = _labelled("relevant", f"{engine.totals.relevant:,}{whole}")
        if not count:
            return line
        shares = self.counts.shares()
        top = sparklines.scale_top(shares)
        drawn = sparklines.curve([each / top for each in shares], drawing)
        last = f"{share:.0%} of the last {count:,}" if count > 1 else ""
        scale = f"curve up to {top:.0%}" if last and top < 1 else ""
        expected = f"{ahead} expected" if (ahead := engine.totals.forecast()) else ""
        text = fitting([last, expected, scale], width - _LABEL - _COUNTS - drawing - 2)
        return [*line, (fit(drawn, drawing), "good"), (f"  {text}", "")]

    def _frontier(self, width: int, stats: FrontierStats) -> Line:
        frontier = self.run.engine.frontier
        line: Line = [
            (fit(" frontier", _LABEL), "label"),
            (f"{_many(frontier.open, 'link')} · {_many(frontier.hosts, 'host')}", ""),
        ]
        if not any(stats.scores):
            return line
        line += [(" · scores 0 ", ""), (sparklines.histogram(stats.scores[::-1]), "good"), (" 1", "")]
        best = sum(n for n, top in zip(stats.scores, BINS, strict=True) if top > _PROMISING)
        return [*line, (f" · {best:,} at {_PROMISING} or better", "")] if width >= 90 else line  # noqa: PLR2004

    def _hosts(self, width: int, stats: FrontierStats, details: int) -> list[Line]:
        frontier = self.run.engine.frontier
        robots = len(self.run.engine.robots_gate.waiting)
        waiting = stats.hosts_by_status.get("waiting", 0)
        statuses = [
            (frontier.in_flight, "fetching"),
            (waiting, f"waiting for {'its' if waiting == 1 else 'their'} delay"),
            (robots, "waiting for robots.txt"),
            (len(stats.paused), "paused"),
            (len(stats.suspended), "suspended"),
        ]
        parts = [f"{count:,} {what}" for count, what in statuses if count or what == "fetching"]
        text = fitting(parts, width - _LABEL)
        now = self.run.engine.clock.monotonic()
        more = [self.pause_text(name, until - now) for name, until in stats.paused if until > now]
        for origin, why in stats.suspended.items():
            more.append(f"{tidy(origin.partition('://')[2])} is suspended: {tidy(why)}")
        if len(more) > details > 0:
            more[details - 1] += f" (and {len(more) - details:,} more)"
        return [
            [(fit(" hosts", _LABEL), "label"), (text, "")],
            *([(" " * _LABEL, ""), (line, "warn")] for line in more[:details]),
        ]

    def pause_text(self, name: str, seconds: float) -> str:
        """Return a sentence with the time a host is paused, and the reason."""
        why = self.counts.troubles.get(name, "")
        reason = f": {tidy(why)}" if why else ""
        return f"{tidy(name)} is paused for {sparklines.duration(seconds + 0.99)}{reason}"

    def _resources(self, width: int) -> Line:
        pages, size = self.counts.speed()
        own, others = self._memory()
        parts = [
            f"{sparklines.rate(pages)} pages/s",
            f"{sparklines.rate(size / 1e6)} MB/s",
            f"memory {sparklines.size(own + others)}",
            f"disk {sparklines.size(self._disk())}",
            f"parsing uses {sparklines.size(others)} of the memory" if others else "",
        ]
        return [(fit(" speed", _LABEL), "label"), (fitting(parts, width - _LABEL), "")]

    def _workers(self) -> list[int]:
        parse = self.run.parse
        return parse.pids if isinstance(parse, ParsePool) else []

    def _warnings(self) -> list[Line]:
        warnings = " · ".join(screen.warnings(self.config))
        return [[(fit(" careful", _LABEL), "warn"), (warnings, "warn")]] if warnings else []

    @staticmethod
    def _details(height: int) -> int:
        return 0 if height < 18 else 1 if height < 24 else 3  # noqa: PLR2004

    # ---- the last pages ------------------------------------------------------------------------

    def _last_pages(self, width: int, room: int) -> list[Line]:
        if not self.counts.last:
            return [[(f" {self._waiting_for()}", "dim")]][:room]
        pages = list(self.counts.last)[::-1][:room]
        # The column of URLs grows and never shrinks: columns that move are hard to read.
        longest = max((len(page.url) for page in pages), default=0) - len("http://")
        self._url_width = max(self._url_width, longest)
        return [self._page(page, width) for page in pages]

    def _waiting_for(self) -> str:
        engine = self.run.engine
        if hosts := len(engine.robots_gate.waiting):
            return f"reading robots.txt of {_many(hosts, 'host')}"
        if engine.frontier.in_flight:
            return f"waiting for the first of {_many(engine.frontier.in_flight, 'page')}"
        return "starting"

    def _page(self, page: ReadPage, width: int) -> Line:
        """Return verdict, mark, URL, title, and the page that links there.

        Left-to-right text stands between a title and a link text, which may both be written from right to
        left: so neither can pull the other's column into its own direction.
        """
        pen, mark = ("good", "✓") if page.relevant else ("bad" if page.verdict is None else "", "✗")
        value, keep = page.verdict, self.config.goal.keep
        verdict = cut(tidy(page.error), 4) if value is None else verdict_text(value, keep)
        start: Line = [(f" {verdict:<5}", pen), (f"{mark} ", pen)]
        rest = width - 8
        url = tidy(page.url.partition("://")[2])
        if rest < 70:  # noqa: PLR2004
            left = min(rest * 3 // 5, self._url_width)
            return [*start, (fit(url, left), ""), (f" {self._title(page, rest - left - 1)}", "dim")]
        left = min(rest * 2 // 5, self._url_width)
        middle = (rest - left) // 2
        title = fit(self._title(page, middle), middle)
        return [
            *start,
            (fit(url, left), ""),
            (f" {title}", "label"),
            (f" {self._from(page)}", "dim"),
        ]

    @staticmethod
    def _title(page: ReadPage, width: int) -> str:
        title = tidy(page.title)
        if not title:
            return "" if page.verdict is not None else cut(tidy(page.error), width)
        return f"“{cut(title, width - 2)}”"

    def _from(self, page: ReadPage) -> str:
        if not page.parent:
            return "← a seed"
        parent = self._parent(page.parent)
        here, there = page.url.split("/", 3), parent.url.split("/", 3)
        where = f"/{there[-1]}" if here[2] == there[2] else "/".join(there[2:])
        anchor = f" “{tidy(page.anchor, 80)}”" if page.anchor.strip() else ""
        return f"← from {cut(tidy(where), 30)}{anchor}"

    def _parent(self, id: int) -> Link:
        link = self._parents.get(id)
        if link is None:
            if len(self._parents) > _PARENTS:
                self._parents.clear()
            link = self._parents[id] = self.run.engine.store.link(id)
        return link


def _labelled(name: str, number: str) -> Line:
    return [(fit(f" {name}", _LABEL), "label"), (fit(number, _COUNTS), "")]


def _wrapped(notes: Sequence[str], width: int, most: int) -> list[str]:
    """Return the newest notes as lines, wrapped so that their end, which names the next step, is visible."""
    lines: list[str] = []
    for note in reversed(notes):
        wrapped = textwrap.wrap(note, width, subsequent_indent=" " * 10, max_lines=most, placeholder=" …")
        if len(lines) + len(wrapped) > most:
            break
        lines = wrapped + lines
    return lines


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
