"""Run a crawl under signals: the first asks it to come home, the second ends it at once."""

import asyncio
import signal
from pathlib import Path

from clew.cli.screen import View
from clew.config import Config
from clew.crawl import Walk
from clew.errors import NothingFetched
from clew.house import open_house
from clew.report import summarise

DRAIN_SECONDS = 20
"""How long a stop waits for fetches under way; what has not come by then is simply fetched again."""


async def run(folder: Path, config: Config, view: View) -> int:
    """Crawl, show, and return the exit code."""
    ended = "stopped"
    try:
        async with open_house(folder, config) as walk:
            view.begin(walk)
            task = asyncio.create_task(_steps(walk, view))
            with _Signals(walk, task, view):
                await asyncio.wait([task])
            if not task.cancelled():
                task.result()
                ended = walk.ended or "stopped"
            held = walk.mind.frontier.held()
    finally:
        pass
    summary = summarise(folder, ended, held)
    view.end(summary)
    if ended == "stopped":
        return 3
    if not summary.answered:
        raise NothingFetched("nothing could be fetched: " + ("; ".join(summary.reasons) or "no seed was allowed"))
    return 0


async def _steps(walk: Walk, view: View) -> None:
    async for step in walk.steps():
        view.step(step)


class _Signals:
    """Turn SIGINT and SIGTERM into a clean stop, a second one into a quick one."""

    def __init__(self, walk: Walk, task: "asyncio.Task[None]", view: View) -> None:
        self.walk = walk
        self.task = task
        self.view = view
        self.loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.add_signal_handler(number, self._ring)

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.remove_signal_handler(number)

    def _ring(self) -> None:
        if self.walk.stopping:
            self.task.cancel()
            return
        self.walk.stop()
        under_way = self.walk.mind.frontier.under_way
        self.view.note(
            f"stopping: {under_way} fetches under way, waiting at most {DRAIN_SECONDS} s"
            " (again: at once, nothing is lost either way)"
        )
        self.loop.call_later(DRAIN_SECONDS, self.task.cancel)
