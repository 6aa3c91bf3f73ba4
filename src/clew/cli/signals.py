"""Run a crawl with signal handlers: the first stops it cleanly, the second at once; two others pause it."""

import asyncio
import signal
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Self

from clew.builder import open_crawl
from clew.cli.opening import OpeningProgress
from clew.cli.screen import RunView
from clew.cli.shared_view import SharedView
from clew.config import Config
from clew.engine.refresh import RefreshOptions
from clew.engine.run import CrawlRun
from clew.errors import NothingFetched
from clew.insight.diagnostics import Advisor
from clew.insight.summary import summarise
from clew.services.host_status import HostStatusService

DRAIN_SECONDS = 20
"""Seconds that a stop waits for requests in flight; unfinished ones are repeated by the next run."""


PAUSE, RESUME = signal.SIGUSR1, signal.SIGUSR2
"""Signals that let a run take no more links, and go on."""


async def run(
    folder: Path,
    config: Config,
    view: RunView,
    *,
    brief: bool = False,
    refresh: RefreshOptions | None = None,
) -> int:
    """Run a crawl, or a refresh of it, and show it; return the exit code. `brief` omits the summary."""
    advisor, view = Advisor(config, folder), SharedView(folder, view)
    with _replicating(folder, config.crawl.replicate, view), OpeningProgress(folder) as progress:
        async with open_crawl(folder, config, refresh=refresh) as crawl_run:
            progress.end()
            ended = await show(crawl_run, view, advisor)
            suspended = crawl_run.engine.suspended()
    summary = summarise(folder, ended, suspended)
    hints = advisor.finish(crawl_run, summary)
    for hint in hints if summary.pages or ended == "stopped" else ():  # else part of the error
        view.note(hint)
    for status in (
        service.policy.status() for service in crawl_run.services if isinstance(service, HostStatusService)
    ):
        view.note(status.text, **status.facts)
    if not brief:
        view.end(summary)
    if ended == "stopped":
        return 3
    if ended.startswith("proxy"):
        command = f"clew {'refresh' if refresh else 'run'} {folder}"
        msg = f"{ended} (fetch.proxy); start it, or correct fetch.proxy; nothing is lost: {command}"
        raise NothingFetched(msg)
    if not summary.pages:
        raise NothingFetched("\n".join(["nothing could be fetched", *summary.notes(), *hints]))
    return 0


def _replicating(folder: Path, url: str, view: RunView) -> AbstractContextManager[None]:
    """Keep a copy of the crawl up to date, if it is to have one."""
    if not url:
        return nullcontext()
    from clew.scale.replication import replicating  # noqa: PLC0415 - few crawls have a copy

    return replicating(folder, url, view.note)


async def show(crawl_run: CrawlRun, view: RunView, advisor: Advisor) -> str:
    """Run an open crawl to its end, with signal handlers, and show it; return why it ended."""
    task = asyncio.create_task(_show_results(crawl_run, view, advisor))
    with _Signals(crawl_run, task, view) as signals:
        try:
            view.begin(crawl_run, signals.stop)
            crawl_run.subscribe(view.note)
            await asyncio.wait([task])
        finally:
            view.close()
    if task.cancelled():
        return "stopped"
    task.result()
    return crawl_run.ended


async def _show_results(crawl_run: CrawlRun, view: RunView, advisor: Advisor) -> None:
    async for result in crawl_run.results():
        view.step(result)
        for hint in advisor.observe(crawl_run, result):
            view.note(hint)


class _Signals:
    """Handle SIGINT and SIGTERM: the first stops the run cleanly, the second cancels it."""

    def __init__(self, crawl_run: CrawlRun, task: "asyncio.Task[None]", view: RunView) -> None:
        self.crawl_run = crawl_run
        self.task = task
        self.view = view
        self.loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.add_signal_handler(number, self.stop)
        self.loop.add_signal_handler(PAUSE, self.crawl_run.pause, True)
        self.loop.add_signal_handler(RESUME, self.crawl_run.pause, False)
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.loop.remove_signal_handler(number)
        for number in (PAUSE, RESUME):  # one that comes late must not end the process
            signal.signal(number, signal.SIG_IGN)

    def stop(self) -> None:
        """Stop the run after the requests in flight; on the second call, cancel it."""
        if self.crawl_run.stopping:
            self.task.cancel()
            return
        self.crawl_run.stop()
        in_flight = self.crawl_run.engine.frontier.in_flight
        self.view.note(
            f"stopping: {in_flight} request{'s' * (in_flight != 1)} in flight,"
            f" waiting at most {DRAIN_SECONDS} s"
            " (again: stop at once; nothing is lost either way)"
        )
        self.loop.call_later(DRAIN_SECONDS, self.task.cancel)
