"""Run a crawl under signals: the first asks it to come home, the second ends it at once."""

import asyncio
import signal
from pathlib import Path

from clew.cli.screen import View
from clew.config import Config
from clew.crawl import Walk
from clew.errors import NothingFetched
from clew.house import open_house
from clew.report import Summary, summarise

DRAIN_SECONDS = 20
"""How long a stop waits for fetches under way; what has not come by then is simply fetched again."""


async def run(folder: Path, config: Config, view: View) -> int:
    """Crawl, show, and return the exit code."""
    ended = "stopped"
    async with open_house(folder, config) as walk:
        view.begin(walk)
        task = asyncio.create_task(_steps(walk, view))
        with _Signals(walk, task, view):
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()
            ended = walk.ended
        held = walk.mind.frontier.held()
    summary = summarise(folder, ended, held)
    view.end(summary)
    if ended == "stopped":
        return 3
    if not summary.answered:
        raise NothingFetched("\n".join(["nothing could be fetched", *summary.notes(), *_cures(summary)]))
    return 0


def _cures(summary: Summary) -> list[str]:
    """Return what would help, for the reasons that have a cure."""
    said = " ".join(summary.notes())
    cures = {
        "refused address": "private addresses are fetched only if named: --set fetch.allow=127.0.0.0/8",
        "dns": "check the spelling of the host, and that this computer is online",
        "robots: Disallow": "the site forbids it in robots.txt: begin elsewhere, or ask its owner",
        "scope.": "the seeds are outside of your own [scope]: look at clew.toml",
    }
    return [cure for word, cure in cures.items() if word in said]


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
