"""The live screen of a run, redrawn at most four times a second, with keys to control it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from pathlib import Path

from clew.cli import panels
from clew.cli.dashboard import Dashboard
from clew.cli.run_counts import RunCounts
from clew.cli.screen import LineView
from clew.cli.terminal import Terminal
from clew.cli.text_cells import Line, Pens
from clew.config import Config
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.errors import ClewError
from clew.insight.summary import Summary
from clew.services.labels import LabelAnswer, LabelQuestion, ask, keep_answers
from clew.types import PageResult
from clew.urls import host

SECONDS = 0.25
"""Between two pictures, at least."""

SHARE = 0.01
"""Of the time, at most, goes into pictures: one that took 5 ms is followed by half a second without."""

KEPT = 20
"""Notes that are printed again after the run."""

ASKED = 10
"""Pages asked about in one go."""

_LONG = 10.0  # seconds a host must rest to be worth a note


class LiveScreen:
    """Show a run on a terminal."""

    def __init__(self, folder: Path, config: Config, again: str = "") -> None:
        self.folder = folder
        self.config = config
        self.again = again
        self.notes: deque[tuple[str, str]] = deque(maxlen=KEPT)
        self._counts = RunCounts()
        self._terminal = Terminal(self._press)
        self._pens = Pens()
        self._panel: panels.Panel | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._resting: set[str] = set()
        self._asked: set[asyncio.Future[None]] = set()

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:
        self._run = run
        self._stop = stop
        self._picture = Dashboard(self.folder, self.config, run, self._counts)
        self._resting = {name for name, _ in self._picture.stats().paused}
        self._loop = asyncio.get_running_loop()
        self._terminal.open()
        self._tick()

    def step(self, result: PageResult) -> None:
        self._counts.add(result)

    def note(self, text: str, **facts: object) -> None:  # noqa: ARG002 - words are enough
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
        said = LineView(self.folder, self.config, self.again)
        for at, text in self.notes:
            said.note(f"{at}  {text}")
        said.end(summary)

    # ---- pictures ------------------------------------------------------------------------------

    def _tick(self) -> None:
        began = time.perf_counter()
        if self._terminal.is_free():
            self._notice_rests()
            self._paint()
        cost = time.perf_counter() - began
        self._timer = self._loop.call_later(max(SECONDS, cost / SHARE), self._tick)

    def _paint(self, *, last: bool = False) -> None:
        width, height = self._terminal.size()
        notes = [f"{at}  {text}" for at, text in self.notes] if not last else []
        lower = self._panel.lines() if self._panel else []
        foot = self._keys() if self._terminal.has_keys and not (last or self._panel) else None
        lines = self._picture.lines(width, height - 1, notes, lower=lower, foot=foot, full=not last)
        self._terminal.paint([self._pens.paint(line) for line in lines])

    def _keys(self) -> Line:
        if self._run.stopping:
            return [(" q", "key"), (" stop at once   ", ""), ("?", "key"), (" help", "")]
        keys = (("p", "go on" if self._run.paused else "pause"), ("w", "why"), ("l", "label"),
                ("x", "exclude a host"), ("q", "stop"), ("?", "help"))  # fmt: skip
        return [(" ", ""), *(piece for key, does in keys for piece in ((key, "key"), (f" {does}   ", "")))]

    def _notice_rests(self) -> None:
        now = self._run.engine.clock.monotonic()
        resting = dict(self._picture.stats().paused)
        self._resting &= resting.keys()
        for name in resting.keys() - self._resting:
            # A host rests as soon as its answer came; the step that says why comes when it is on disk.
            if name in self._counts.troubles:
                self._resting.add(name)
                if resting[name] - now >= _LONG:
                    self.note(self._picture.rest(name, resting[name] - now))

    # ---- keys ----------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        panel = self._panel
        if panel is not None:
            if not panel.press(key) and self._panel is panel:
                self._panel = None
        elif key == "p":
            self._run.pause(not self._run.paused)
        elif key == "x":
            self._panel = panels.ExcludePanel(self._last_hosts(), self._exclude)
        elif key == "w" and self._counts.last:
            self._panel = panels.ChoicePanel(list(self._counts.last)[::-1], self._explain)
        elif key == "l":
            waiting = self._panel = panels.CardPanel(
                "Label", [[(" looking for pages to ask about …", "dim")]]
            )
            self._later(self._ask(waiting))
        elif key == "q":
            self._stop()
        elif key in "?h":
            self._panel = panels.help_card()
        if self._terminal.is_free():
            self._paint()

    def _last_hosts(self) -> list[str]:
        return list(dict.fromkeys(host(page.url) for page in reversed(self._counts.last)))

    def _exclude(self, name: str) -> None:
        if any(sign in name for sign in "/:"):
            self.note(f"{name} is not a host name; write it as news.example, or *.example for its subdomains")
            return
        links = self._run.engine.exclude(name)
        self.note(f"{name} is excluded from now on: {links:,} queued link{'s' * (links != 1)}")
        self._picture.stats.forget()

    def _explain(self, url: str) -> None:
        self._panel = panels.CardPanel("Why", [[(" looking it up …", "dim")]])
        self._later(self._explained(url, self._panel))

    def _later(self, work: Coroutine[None, None, None]) -> None:
        """Run a coroutine that reads or writes the store in the background."""
        asked = asyncio.ensure_future(work)
        self._asked.add(asked)
        asked.add_done_callback(self._asked.discard)

    async def _ask(self, panel: panels.CardPanel) -> None:
        from clew.cli.ask_labels import card  # noqa: PLC0415 - as below

        keep, width = self.config.goal.keep, self._terminal.size
        found: list[LabelQuestion] = []
        while self._panel is panel and not found:
            try:
                found = await asyncio.to_thread(ask, self.folder, ASKED, keep=keep)
            except ClewError as error:
                self.note(str(error))
                return
            if not found:
                panel.body = [[(" nothing to ask about yet: waiting for pages …", "dim")]]
                await asyncio.sleep(1.0)
        if self._panel is panel:
            self._panel = panels.LabelPanel(
                found, lambda question: card(question, keep, width()[0]), self._answer
            )

    def _answer(self, question: LabelQuestion, good: bool) -> None:
        self._later(self._keep(LabelAnswer(question.url, good)))

    async def _keep(self, answer: LabelAnswer) -> None:
        """Store a label; the crawl applies it and reports the effect within a second."""
        try:
            await asyncio.to_thread(keep_answers, self.folder, [answer])
        except ClewError as error:
            self.note(str(error))

    async def _explained(self, url: str, panel: panels.Panel) -> None:
        from clew.insight.explain import explain  # noqa: PLC0415 - reads much that a screen without questions never needs

        try:
            said = (await asyncio.to_thread(explain, self.folder, url)).lines()
        except ClewError as error:
            said = str(error).splitlines()
        if self._panel is panel:
            # Its columns are made with blanks: kept, while anything that could steer the terminal goes.
            safe = ["".join(c if c.isprintable() else " " for c in line) for line in said]
            self._panel = panels.CardPanel("Why", [[(f" {line}", "")] for line in safe])
