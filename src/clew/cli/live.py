"""The live screen of a run, redrawn at most four times a second, with keys to control it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from pathlib import Path

from clew.cli import panels
from clew.cli.dashboard import Dashboard
from clew.cli.exclude import describe
from clew.cli.run_counts import RunCounts
from clew.cli.screen import LineView
from clew.cli.terminal import Terminal
from clew.cli.text_cells import Line, Pens
from clew.config import Config
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.errors import ClewError
from clew.frontier import is_url_pattern, read_rule
from clew.insight.rule_counts import count_rules
from clew.insight.summary import Summary
from clew.services.labels import LabelAnswer, LabelQuestion, ask, store_answers
from clew.types import PageResult
from clew.urls import host

SECONDS = 0.25
"""Minimum seconds between two frames."""

SHARE = 0.01
"""Maximum share of the time spent on drawing: a frame of 5 ms is followed by a pause of half a second."""

MAX_NOTES = 20
"""Number of last notes printed again after the run."""

QUESTIONS = 10
"""Number of pages to ask about at once."""

_LONG_PAUSE = 10.0  # seconds of a pause that is worth a note


class LiveScreen:
    """Show a run on a terminal."""

    def __init__(self, folder: Path, config: Config, again: str = "") -> None:
        self.folder = folder
        self.config = config
        self.again = again
        self.notes: deque[tuple[str, str]] = deque(maxlen=MAX_NOTES)
        self._counts = RunCounts()
        self._terminal = Terminal(self._handle_key)
        self._pens = Pens()
        self._panel: panels.Panel | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._paused: set[str] = set()
        self._tasks: set[asyncio.Future[None]] = set()

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:
        self._run = run
        self._stop = stop
        self._dashboard = Dashboard(self.folder, self.config, run, self._counts)
        self._paused = {name for name, _ in self._dashboard.stats().paused}
        self._loop = asyncio.get_running_loop()
        self._terminal.open()
        self._tick()

    def step(self, result: PageResult) -> None:
        self._counts.add(result)

    def note(self, text: str, **facts: object) -> None:  # noqa: ARG002 - the text is enough
        self.notes.append((time.strftime("%H:%M:%S"), printable(text)))

    def close(self) -> None:
        """Draw the last frame and restore the terminal."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = self._panel = None
        if self._terminal.is_free():
            self._paint(last=True)
        self._terminal.close()

    def end(self, summary: Summary) -> None:
        view = LineView(self.folder, self.config, self.again)
        for at, text in self.notes:
            view.note(f"{at}  {text}")
        view.end(summary)

    # ---- drawing -------------------------------------------------------------------------------

    def _tick(self) -> None:
        began = time.perf_counter()
        if self._terminal.is_free():
            self._note_pauses()
            self._paint()
        cost = time.perf_counter() - began
        self._timer = self._loop.call_later(max(SECONDS, cost / SHARE), self._tick)

    def _paint(self, *, last: bool = False) -> None:
        width, height = self._terminal.size()
        notes = [f"{at}  {text}" for at, text in self.notes] if not last else []
        lower = self._panel.lines() if self._panel else []
        foot = self._keys() if self._terminal.has_keys and not (last or self._panel) else None
        lines = self._dashboard.lines(width, height - 1, notes, lower=lower, foot=foot, full=not last)
        self._terminal.paint([self._pens.paint(line) for line in lines])

    def _keys(self) -> Line:
        if self._run.stopping:
            return [(" q", "key"), (" stop now   ", ""), ("?", "key"), (" help", "")]
        keys = (("p", "resume" if self._run.paused else "pause"), ("w", "why"), ("l", "label"),
                ("x", "exclude"), ("q", "stop"), ("?", "help"))  # fmt: skip
        return [
            (" ", ""),
            *(piece for key, action in keys for piece in ((key, "key"), (f" {action}   ", ""))),
        ]

    def _note_pauses(self) -> None:
        now = self._run.engine.clock.monotonic()
        paused = dict(self._dashboard.stats().paused)
        self._paused &= paused.keys()
        for name in paused.keys() - self._paused:
            # A host is paused as soon as it responds; the result with the reason follows when it is on disk.
            if name in self._counts.troubles:
                self._paused.add(name)
                if paused[name] - now >= _LONG_PAUSE:
                    self.note(self._dashboard.pause_text(name, paused[name] - now))

    # ---- keys ----------------------------------------------------------------------------------

    def _handle_key(self, key: str) -> None:
        panel = self._panel
        if panel is not None:
            if not panel.press(key) and self._panel is panel:
                self._panel = None
        elif key == "p":
            self._run.pause(not self._run.paused)
        elif key in "xi":
            self._panel = self._exclude_panel() if key == "x" else self._include_panel()
        elif key == "w" and self._counts.last:
            self._panel = panels.ChoicePanel(list(self._counts.last)[::-1], self._explain)
        elif key == "l":
            card = self._panel = panels.CardPanel("Label", [[(" selecting pages to ask about …", "dim")]])
            self._in_background(self._ask(card))
        elif key == "q":
            self._stop()
        elif key in "?h":
            self._panel = panels.help_card()
        if self._terminal.is_free():
            self._paint()

    def _exclude_panel(self) -> panels.Panel:
        hosts = dict.fromkeys(host(page.url) for page in reversed(self._counts.last))
        return panels.ExcludePanel(list(hosts), self._exclude)

    def _include_panel(self) -> panels.Panel:
        rules = [rule.host for rule in reversed(self._run.engine.rules.exclusions.active())]
        if not rules:
            return panels.CardPanel("Include", [[(" nothing is excluded", "dim")]])
        return panels.IncludePanel(rules, self._include)

    def _exclude(self, text: str, *, undo: bool = False) -> None:
        try:
            rule = read_rule(text)
        except ClewError as error:
            self.note(str(error))
            return
        links = self._run.engine.exclude(rule, undo=undo)
        self._dashboard.stats.invalidate()
        if is_url_pattern(rule):
            self._in_background(self._count(rule, undo=undo))
        else:
            self.note(describe(rule, links, undo=undo))

    def _include(self, rule: str) -> None:
        self._exclude(rule, undo=True)

    async def _count(self, rule: str, *, undo: bool) -> None:
        """Report how many stored links a URL pattern concerns."""
        (counts,) = await asyncio.to_thread(count_rules, self.folder, [rule])
        self.note(describe(rule, counts.open, undo=undo))

    def _explain(self, url: str) -> None:
        self._panel = panels.CardPanel("Why", [[(" looking it up …", "dim")]])
        self._in_background(self._show_explanation(url, self._panel))

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine that reads or writes the store in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, panel: panels.CardPanel) -> None:
        from clew.cli.ask_labels import card  # noqa: PLC0415 - as below

        keep, width = self.config.goal.keep, self._terminal.size
        questions: list[LabelQuestion] = []
        while self._panel is panel and not questions:
            try:
                questions = await asyncio.to_thread(ask, self.folder, QUESTIONS, keep=keep)
            except ClewError as error:
                self.note(str(error))
                return
            if not questions:
                panel.body = [[(" no page to ask about yet: waiting for pages …", "dim")]]
                await asyncio.sleep(1.0)
        if self._panel is panel:
            self._panel = panels.LabelPanel(
                questions, lambda question: card(question, keep, width()[0]), self._save_label
            )

    def _save_label(self, question: LabelQuestion, good: bool) -> None:
        self._in_background(self._store_label(LabelAnswer(question.url, good)))

    async def _store_label(self, answer: LabelAnswer) -> None:
        """Store a label; the crawl applies it and reports the effect within a second."""
        try:
            await asyncio.to_thread(store_answers, self.folder, [answer])
        except ClewError as error:
            self.note(str(error))

    async def _show_explanation(self, url: str, panel: panels.Panel) -> None:
        from clew.insight.explain import explain  # noqa: PLC0415 - slow to import, and rarely needed

        try:
            lines = (await asyncio.to_thread(explain, self.folder, url)).lines()
        except ClewError as error:
            lines = str(error).splitlines()
        if self._panel is panel:
            # Blanks that align the columns are kept; control characters are removed.
            safe = ["".join(c if c.isprintable() else " " for c in line) for line in lines]
            self._panel = panels.CardPanel("Why", [[(f" {line}", "")] for line in safe])
