"""The advisor: checks every result of a run and returns hints, each problem once."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from clew.config import Config
from clew.config.judge_spec import JudgeSpec
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.insight.diagnostics.blocked_hosts import BlockedHosts
from clew.insight.diagnostics.counts import CrawlCounts, WordSample
from clew.insight.diagnostics.cures import cures
from clew.insight.diagnostics.goal_words import wanted_words
from clew.insight.diagnostics.nothing_relevant import leave_out, likeliest
from clew.insight.diagnostics.outlook import Forecast
from clew.types import Kind, PageResult, State

FIRST = 100
"""Pages before a hint that nothing or everything is relevant: fewer could be chance."""

LITTLE = 20
"""The same at the end of a run that was stopped by hand."""

AGAIN = 5.0
"""A hint is repeated only when its number has grown by this factor."""

ALL = 0.95
"""A judge that marks more than this share relevant does not discriminate."""

SEEDS = 3
"""Failed seeds with a hint of their own; the summary lists the rest by reason."""


class RunSummary(Protocol):
    """The summary of a finished run, as far as hints need it."""

    @property
    def ended(self) -> str: ...

    @property
    def pages(self) -> int: ...

    @property
    def failed(self) -> int: ...

    @property
    def relevant(self) -> int: ...

    def notes(self) -> Sequence[str]: ...


class Advisor:
    """Return hints about problems while they can still be fixed.

    Call `observe` after every result (it costs a few additions) and `finish` once, with the summary. Both
    return hints, usually none. `folder` is the crawl's: for its disk, and for the commands in hints.
    """

    def __init__(self, config: Config, folder: Path | None = None) -> None:
        self.config = config
        self.folder = folder or Path("DIR")
        where = printable(shlex.quote(str(self.folder)))
        self.run_command = f"clew run {where}"
        self.rerun_command = f"Ctrl-C, then {self.run_command}"  # a folder takes one run at a time
        self.new_command = (
            f"clew new {where}-2 --like {where}"  # fetched pages keep their verdicts, links their refusals
        )
        self.counts = CrawlCounts(
            sample=WordSample(wanted=wanted_words(config.goal.about)), keep=config.goal.keep
        )
        self.blocked = BlockedHosts(config, where, self._fresh)
        self.outlook = Forecast(config, self.folder, where, self._fresh)
        self._given: dict[str, float] = {}
        self._failed_seeds = 0

    def observe(self, run: CrawlRun, result: PageResult) -> list[str]:
        """Count one result; return new hints."""
        counts = self.counts
        if result.change is not None:  # a known page that brings nothing new is no problem
            return self.blocked.observe(run, result)
        before = counts.pages
        counts.count(result)
        hints = self.blocked.observe(run, result) + self.outlook.observe(run, result)
        if counts.pages == before:
            return hints
        if not before:
            hints.append(self._no_topic())
        if not result.page.link.depth and result.verdict is None:
            hints.append(self._seed(result))
        if counts.pages >= FIRST and not run.engine.totals.relevant and self._fresh("nothing", counts.pages):
            hints.append(self._nothing(run, self.rerun_command))
        if run.engine.totals.relevant:  # else the hint above names the cause
            hints.append(self._failures())
        if counts.readable >= FIRST and counts.relevant > ALL * counts.readable:
            hints.append(self._everything())
        return [hint for hint in hints if hint]

    def finish(self, run: CrawlRun, summary: RunSummary) -> list[str]:
        """Return the hints for the end of the run."""
        if not summary.pages:
            return self.blocked.no_response() or cures(summary.notes())
        stopped = summary.ended == "stopped"
        resumed = summary.pages + summary.failed > self.counts.pages
        if not summary.relevant and self.counts.pages >= (LITTLE if stopped or resumed else 1):
            return [self._nothing(run, self.run_command if run.engine.frontier.open else self.new_command)]
        if run.is_refresh:
            return []
        left = run.budget.pages - summary.pages
        if not stopped and left > summary.pages and not run.engine.frontier.open:
            return [self._short(run, summary.pages, left)]
        return []

    def _fresh(self, key: str, size: float) -> bool:
        """Return whether a hint is new or its number has grown fivefold; record that it is given."""
        if size < AGAIN * self._given.get(key, 0.0):
            return False
        self._given[key] = size
        return True

    def _no_topic(self) -> str:
        """Return a hint if there is no topic, so that every page is relevant."""
        goal = self.config.goal
        if self.counts.sample.wanted or goal.good or not JudgeSpec.parse(goal.judge).is_topical:
            return ""
        why = f'"{printable(goal.about, 40)}" has no topic words' if goal.about.strip() else "no topic given"
        return f"{why}, so every page is relevant; set a topic: {self.rerun_command} --set goal.about='…'"

    def _seed(self, result: PageResult) -> str:
        """Return a hint about a seed that could not be read."""
        if result.page.link.kind is not Kind.PAGE or result.page.link.parent:
            return ""
        self._failed_seeds += 1
        if self._failed_seeds > SEEDS:
            return ""
        response = result.page.response
        why = f"status {response.status}" if response.status and result.state is State.DONE else result.reason
        return (
            f"seed {printable(result.page.url, 80)} returned no page "
            f"({printable(why or response.error, 60)});"
            f" check it in a browser and correct crawl.seeds in {printable(str(self.folder))}/clew.toml"
        )

    def _nothing(self, run: CrawlRun, command: str) -> str:
        """Return the hint for the likeliest cause of no relevant pages."""
        engine = run.engine
        cause = likeliest(
            self.counts,
            self.config,
            command,
            self.new_command,
            forbidden=engine.rules.forbidden,
            open=engine.frontier.open,
        )
        read, failed = self.counts.readable, self.counts.pages - self.counts.readable
        beside = f" ({failed:,} failed request{'s' * (failed != 1)})" if failed else ""
        return f"nothing relevant in {read:,} page{'s' * (read != 1)}{beside}: {cause.what}; {cause.cure}"

    def _failures(self) -> str:
        """Return a hint if most links to pages bring none."""
        counts = self.counts
        failed = counts.failures.failed.total()
        if failed < FIRST or 2 * failed <= counts.pages or not self._fresh("failures", failed):
            return ""
        return (
            f"{failed:,} of {counts.pages:,} links to pages brought none;"
            f" {leave_out(counts, self.rerun_command)}"
        )

    def _everything(self) -> str:
        """Return a hint that nearly every page is relevant; on a site about one topic that may be right."""
        counts, goal = self.counts, self.config.goal
        if not counts.sample.wanted or not self._fresh("everything", counts.readable):
            return ""
        common = [
            word
            for term, word in counts.sample.wanted.items()
            if counts.sample.pages_with[term] > ALL * len(counts.sample.verdicts)
        ]
        because = f" (nearly all contain “{printable(common[0], 24)}”)" if common else ""
        middle = sorted(counts.sample.verdicts)[len(counts.sample.verdicts) // 2]
        higher = round(min(0.95, middle), 2)
        cure = (
            f"raise the threshold: {self.rerun_command} --set goal.keep={higher:g}"
            if higher > goal.keep
            else f"describe the topic more precisely: {self.rerun_command} --set goal.about='…'"
        )
        return (
            f"{counts.relevant:,} of {counts.readable:,} pages are relevant{because};"
            f" if that is too many, {cure}"
        )

    def _short(self, run: CrawlRun, pages: int, left: int) -> str:
        """Return a hint why a run ended long before its budget."""
        counts = self.counts
        ended = f"no links are left after {pages:,} page{'s' * (pages != 1)}, {left:,} short of the budget"
        if counts.outside > counts.links / 2:
            return (
                f"{ended}: scope.hosts refused {counts.outside:,} of {counts.links:,} links;"
                f" allow other hosts: {self.run_command} --set scope.hosts=any"
            )
        if run.engine.rules.exclusions.active() and run.engine.suspended():
            where = self.run_command.removeprefix("clew run ")
            return f"{ended}, without what you excluded; to see it: clew exclude {where}"
        file = f"{printable(str(self.folder))}/clew.toml"
        return f"{ended}; add seeds to crawl.seeds in {file}, then: {self.run_command}"
