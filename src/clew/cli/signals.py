"""Run a crawl under signals: the first asks it to come home, the second ends it at once."""

import asyncio
import signal
from pathlib import Path
from typing import Self

from clew.builder import open_crawl
from clew.cli.screen import RunView
from clew.config import Config
from clew.engine.run import CrawlRun
from clew.errors import NothingFetched
from clew.insight.diagnostics import Advisor
from clew.insight.summary import summarise
from clew.services.host_status import HostStatusService

DRAIN_SECONDS = 20
"""How long a stop waits for fetches under way; what has not come by then is simply fetched again."""


async def run(folder: Path, config: Config, view: RunView, *, brief: bool = False) -> int:
    """Crawl, show, and return the exit code; `brief` leaves the summary to the caller."""
    ended, advisor = "stopped", Advisor(config, folder)
    async with open_crawl(folder, config) as walk:
        task = asyncio.create_task(_steps(walk, view, advisor))
        with _Signals(walk, task, view) as signals:
            try:
                view.begin(walk, signals.ring)
                walk.subscribe(view.note)
                await asyncio.wait([task])
            finally:
                view.close()
        if not task.cancelled():
            task.result()
            ended = walk.ended
        held = walk.engine.frontier.suspended()
    summary = summarise(folder, ended, held)
    hints = advisor.finish(walk, summary)
    for hint in hints if summary.answered or ended == "stopped" else ():  # else they end the error
        view.note(hint)
    for status in (
        service.policy.status() for service in walk.services if isinstance(service, HostStatusService)
    ):
        view.note(status.text, **status.facts)
    if not brief:
        view.end(summary)
    if ended == "stopped":
        return 3
    if ended.startswith("proxy"):
        cure = f"start it, or correct fetch.proxy; nothing is lost: clew run {folder}"
        msg = f"{ended} (fetch.proxy); {cure}"
        raise NothingFetched(msg)
    if not summary.answered:
        raise NothingFetched("\n".join(["nothing could be fetched", *summary.notes(), *hints]))
    return 0


async def _steps(walk: CrawlRun, view: RunView, advisor: Advisor) -> None:
    async for step in walk.results():
        view.step(step)
        for hint in advisor.observe(walk, step):
            view.note(hint)


class _Signals:
    """Turn SIGINT and SIGTERM into a clean stop, a second one into a quick one."""

    def __init__(self, walk: CrawlRun, task: "asyncio.Task[None]", view: RunView) -> None:
        self.walk = walk
        self.task = task
        self.view = view
        self.loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.add_signal_handler(number, self.ring)
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.remove_signal_handler(number)

    def ring(self) -> None:
        """Ask the walk to come home; when it was asked before, end it at once."""
        if self.walk.stopping:
            self.task.cancel()
            return
        self.walk.stop()
        under_way = self.walk.engine.frontier.in_flight
        self.view.note(
            f"stopping: {under_way} fetches under way, waiting at most {DRAIN_SECONDS} s"
            " (again: at once, nothing is lost either way)"
        )
        self.loop.call_later(DRAIN_SECONDS, self.task.cancel)
