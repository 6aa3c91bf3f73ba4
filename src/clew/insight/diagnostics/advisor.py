"""The advisor: looks at every step, speaks seldom, and not twice about the same thing."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from clew.config import Config
from clew.config.judge_spec import JudgeSpec
from clew.domain.text import shown
from clew.engine.run import CrawlRun
from clew.insight.diagnostics.blocked_hosts import BlockedHosts
from clew.insight.diagnostics.counts import CrawlCounts
from clew.insight.diagnostics.cures import cures
from clew.insight.diagnostics.goal_words import wanted_words
from clew.insight.diagnostics.nothing_relevant import likeliest
from clew.insight.diagnostics.outlook import Forecast
from clew.types import Kind, PageResult, State

FIRST = 100
"""Pages before a crawl is told that it finds nothing, or everything: chance is out of the game by then."""

LITTLE = 20
"""Pages before a run that was stopped by hand is told the same at its end."""

AGAIN = 5.0
"""A hint comes again when its number has grown by this factor."""

ALL = 0.95
"""A judge that keeps more than this share tells nothing apart."""

SEEDS = 3
"""Seeds that fail and are named one by one; the summary lists the rest by reason."""


class Ended(Protocol):
    """What a summary tells about a run that is over."""

    @property
    def ended(self) -> str: ...

    @property
    def pages(self) -> int: ...

    @property
    def relevant(self) -> int: ...

    @property
    def answered(self) -> int: ...

    def notes(self) -> Sequence[str]: ...


class Advisor:
    """Say what is wrong while it can still be put right.

    `see` is called after every step and costs a few additions; `end` once, with the summary. Both return
    hints, most often none. `folder` is the crawl's: for the disk, and for the commands that hints end with.
    """

    def __init__(self, config: Config, folder: Path | None = None) -> None:
        self.config = config
        self.folder = folder or Path("DIR")
        where = shown(shlex.quote(str(self.folder)))
        self.run = f"clew run {where}"
        self.rerun = f"Ctrl-C, then {self.run}"  # a folder takes one run at a time
        self.anew = f"clew new {where}-2"  # pages that were read keep their verdicts, links their refusals
        self.tally = CrawlCounts(wanted=wanted_words(config.goal.about), keep=config.goal.keep)
        self.walls = BlockedHosts(config, where, self._fresh)
        self.outlook = Forecast(config, self.folder, where, self._fresh)
        self._said: dict[str, float] = {}
        self._bad_seeds = 0

    def see(self, walk: CrawlRun, step: PageResult) -> list[str]:
        """Take one step into account; return what a person should know now."""
        tally = self.tally
        before = tally.pages
        tally.count(step)
        hints = self.walls.see(walk, step) + self.outlook.see(walk, step)
        if tally.pages == before:
            return hints
        if not before:
            hints.append(self._no_topic())
        if not step.page.link.depth and step.verdict is None:
            hints.append(self._seed(step))
        if tally.pages >= FIRST and not walk.engine.relevant and self._fresh("nothing", tally.pages):
            hints.append(self._nothing(walk, self.rerun))
        if tally.readable >= FIRST and tally.relevant > ALL * tally.readable:
            hints.append(self._everything())
        return [hint for hint in hints if hint]

    def end(self, walk: CrawlRun, summary: Ended) -> list[str]:
        """Return what a person should know when the run is over."""
        if not summary.answered:
            return self.walls.silence() or cures(summary.notes())
        stopped = summary.ended == "stopped"
        if not summary.relevant and self.tally.pages >= (LITTLE if stopped else 1):
            return [self._nothing(walk, self.run if walk.engine.frontier.open else self.anew)]
        left = walk.budget.pages - summary.pages
        if not stopped and left > summary.pages and not walk.engine.frontier.open:
            return [self._short(summary.pages, left)]
        return []

    def _fresh(self, key: str, size: float) -> bool:
        """Say whether a hint was never given, or has become much worse since; remember that it is given."""
        if size < AGAIN * self._said.get(key, 0.0):
            return False
        self._said[key] = size
        return True

    def _no_topic(self) -> str:
        """Say once that every page counts when there is nothing to judge by."""
        goal = self.config.goal
        if self.tally.wanted or goal.good or not JudgeSpec.parse(goal.judge).is_topical:
            return ""
        why = f'"{shown(goal.about, 40)}" names no topic' if goal.about.strip() else "no topic was given"
        return f"{why}, so every page counts as relevant; to choose: {self.rerun} --set goal.about='…'"

    def _seed(self, step: PageResult) -> str:
        """Say which seed gave nothing, and why."""
        if step.page.link.kind is not Kind.PAGE or step.page.link.parent:
            return ""
        self._bad_seeds += 1
        if self._bad_seeds > SEEDS:
            return ""
        visit = step.page.response
        why = f"status {visit.status}" if visit.status and step.state is State.DONE else step.reason
        return (
            f"the seed {shown(step.page.url, 80)} gave no page ({shown(why or visit.error, 60)});"
            f" check it in a browser, and correct crawl.seeds in {shown(str(self.folder))}/clew.toml"
        )

    def _nothing(self, walk: CrawlRun, run: str) -> str:
        """Say why nothing is relevant, as far as the numbers tell."""
        mind = walk.engine
        cause = likeliest(
            self.tally, self.config, run, self.anew, forbidden=mind.forbidden, open=mind.frontier.open
        )
        pages = f"{self.tally.pages:,} page{'s' * (self.tally.pages != 1)}"
        return f"nothing relevant in {pages}: {cause.what}; {cause.cure}"

    def _everything(self) -> str:
        """Say that the judge keeps all it sees; on a site about nothing else that may be right."""
        tally, goal = self.tally, self.config.goal
        if not tally.wanted or not self._fresh("everything", tally.readable):
            return ""
        common = [word for term, word in tally.wanted.items() if tally.seen[term] > ALL * len(tally.verdicts)]
        because = f" (nearly all hold “{shown(common[0], 24)}”)" if common else ""
        middle = sorted(tally.verdicts)[len(tally.verdicts) // 2]
        higher = round(min(0.95, middle), 2)
        cure = (
            f"be stricter: {self.rerun} --set goal.keep={higher:g}"
            if higher > goal.keep
            else f"name more of what you look for: {self.rerun} --set goal.about='…'"
        )
        return (
            f"{tally.relevant:,} of {tally.readable:,} pages count as relevant{because}:"
            f" if that is too many, {cure}"
        )

    def _short(self, pages: int, left: int) -> str:
        """Say why a run ended long before its budget."""
        tally = self.tally
        said = f"nothing is left after {pages:,} pages, {left:,} short of the budget"
        if tally.outside > tally.links / 2:
            return (
                f"{said}: your scope.hosts refused {tally.outside:,} of {tally.links:,} links;"
                f" let it leave: {self.run} --set scope.hosts=any"
            )
        return f"{said}; add new crawl.seeds in {shown(str(self.folder))}/clew.toml, then: {self.run}"
