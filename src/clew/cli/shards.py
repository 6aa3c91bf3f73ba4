"""`clew run --shards`: run a crawl in several processes on this machine, and show them."""

import asyncio
import json as json_
import shlex
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from clew import config as configuration
from clew.cli import screen, shard_process
from clew.cli.shard_feedback import check_not_sharded
from clew.cli.terminal import can_paint
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError, NothingFetched
from clew.insight.sparklines import rate
from clew.scale.coordinator import CrawlLimits, ShardState
from clew.scale.coordinator_file import settle_place
from clew.scale.limits import check_shards
from clew.scale.member import shard_folder
from clew.scale.supervisor import Supervisor
from clew.store.folder import DATABASE, drop_lock, make_folder, take_lock
from clew.store.outbox import shard_folders

LINE_SECONDS = 2.0
"""Seconds between two plain lines."""


def number_of_shards(folder: Path, config: Config, given: int, *, rerender: bool = False) -> int:
    """Return how many shards the crawl of a folder has: as it was begun, or as wanted for a new one."""
    if rerender:
        check_not_sharded(folder, "--rerender")
    found = len(shard_folders(folder))
    wanted = given or config.crawl.shards
    if found:
        if given and given != found:
            msg = (
                f"{folder} has {found} shards, and their number cannot change; "
                f"run it with --shards {found}, or begin anew in another folder"
            )
            raise ConfigError(msg)
        return found
    if wanted > 1 and (folder / DATABASE).exists():
        msg = (
            f"{folder} was begun without shards and cannot be divided; "
            f"run it as it is: clew run {folder} --shards 1, or begin anew in another folder"
        )
        raise ConfigError(msg)
    return wanted


def run_shards(
    folder: Path, settings: list[str], *, coordinator: str = "", plain: bool = False, json: bool = False
) -> int:
    """Run all shards of a crawl on this machine to their end; return the exit code."""
    config = configuration.load(folder / "clew.toml", settings)
    check_shards(config)
    shards = config.crawl.shards
    lock = take_lock(folder)
    try:
        for shard in range(shards):
            make_folder(shard_folder(folder, shard))
        place = settle_place(folder, coordinator)
        shared = place.open(folder)
        shared.join(place.crawl, shards)
        shared.begin(CrawlLimits(config.crawl.pages, config.crawl.requests, config.fetch.focus))
        view = (
            JsonShards() if json else LineShards(config) if plain or not can_paint() else LiveShards(config)
        )
        supervisor = Supervisor(
            coordinator=shared, shards=shards, view=view,
            command=lambda shard: shard_process.command(folder, shard, settings, place.address),
        )  # fmt: skip
        try:
            ended = asyncio.run(_supervise(supervisor, view))
        finally:
            shared.close()
    finally:
        drop_lock(lock)
    view.end(folder, ended)
    if ended != "stopped" and not view.pages:
        msg = f"nothing could be fetched; see why: clew why {shlex.quote(str(folder))} URL"
        raise NothingFetched(msg)
    return 3 if ended == "stopped" else 0


async def _supervise(supervisor: Supervisor, view: "LineShards | LiveShards | JsonShards") -> str:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        again = "" if supervisor.stopping else " (again: stop at once; nothing is lost either way)"
        view.note(f"stopping all shards{again}")
        supervisor.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    loop.add_signal_handler(signal.SIGUSR1, lambda: supervisor.pause(paused=True))
    loop.add_signal_handler(signal.SIGUSR2, lambda: supervisor.pause(paused=False))
    view.begin(supervisor.shards)
    try:
        return await supervisor.run()
    finally:
        view.close()


class JsonShards:
    """JSON lines of all shards, each with the number of its shard."""

    def __init__(self) -> None:
        self.pages = self.relevant = self.failed = 0

    def begin(self, shards: int) -> None:
        """Do nothing: lines come when there is something to say."""

    def line(self, shard: int, fields: dict[str, Any]) -> None:
        if "ended" not in fields:
            screen.echo(json_.dumps({"shard": shard, **fields}))

    def note(self, text: str) -> None:
        screen.echo(json_.dumps({"note": printable(text)}))

    def states(self, states: Sequence[ShardState]) -> None:
        self.pages = sum(state.pages for state in states)
        self.relevant = sum(state.relevant for state in states)
        self.failed = sum(state.failed for state in states)

    def close(self) -> None:
        """Do nothing: every line is out."""

    def end(self, folder: Path, ended: str) -> None:  # noqa: ARG002 - a program knows the folder
        """Print the totals."""
        totals = {"pages": self.pages, "failed": self.failed, "relevant": self.relevant}
        screen.echo(json_.dumps({"ended": ended, **totals}))


class LineShards(JsonShards):
    """Plain lines with the totals of all shards, and notes."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.budget = config.crawl.pages
        self._last = ""
        self._printed = 0.0

    def begin(self, shards: int) -> None:
        screen.echo(f"{shards} shards")

    def line(self, shard: int, fields: dict[str, Any]) -> None:
        if "note" in fields:
            self.note(f"shard {shard}: {fields['note']}")
        elif fields.get("kind") == "page" and fields.get("state") != "open":
            self._last = f"{'✓' if fields['relevant'] else '✗'} {printable(fields['url'], 60)}"

    def note(self, text: str) -> None:
        screen.echo(printable(text))

    def states(self, states: Sequence[ShardState]) -> None:
        super().states(states)
        if time.monotonic() >= self._printed + LINE_SECONDS:
            self._printed = time.monotonic()
            screen.echo(f"{self.totals(states)}  | {self._last}")

    def totals(self, states: Sequence[ShardState]) -> str:
        """Return the totals of all shards in one line."""
        limit = f"/{self.budget:,}" if self.budget else ""
        failed = f"  failed {self.failed:,}" if self.failed else ""
        open_links = sum(state.open for state in states)
        return f"pages {self.pages:,}{limit}{failed}  relevant {self.relevant:,}  open {open_links:,}"

    def end(self, folder: Path, ended: str) -> None:
        name = printable(shlex.quote(str(folder)))
        share = f" ({self.relevant / self.pages:.0%})" if self.pages else ""
        why = "stopped after" if ended == "stopped" else f"{ended}:"
        screen.echo(f"{why} {screen.many(self.pages, 'page')} · {self.relevant:,} relevant{share}")
        if ended == "stopped":
            screen.echo(f"  resume:  clew run {name}")
        screen.echo(f"  export:  clew export {name} pages.jsonl")


class LiveShards(LineShards):
    """A table on the terminal with one row for each shard."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._console = Console()
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._before: dict[int, tuple[float, int]] = {}

    def begin(self, shards: int) -> None:  # noqa: ARG002 - the table shows them
        self._live.start()

    def note(self, text: str) -> None:
        self._console.print(printable(text), markup=False, highlight=False)

    def states(self, states: Sequence[ShardState]) -> None:
        JsonShards.states(self, states)
        self._live.update(self.table(states), refresh=True)

    def table(self, states: Sequence[ShardState]) -> Table:
        """Return the state of all shards as a table."""
        table = Table(title=self.totals(states), title_justify="left", box=None, padding=(0, 2, 0, 0))
        for name in ("shard", "owner", "pages/s", "pages", "relevant", "open", "above", "lag", "heard"):
            table.add_column(name, justify="left" if name == "owner" else "right")
        now = time.monotonic()
        for state in states:
            at, pages = self._before.get(state.shard, (now, state.pages))
            speed = rate((state.pages - pages) / (now - at)) if now > at else ""
            if now > at + LINE_SECONDS or state.shard not in self._before:
                self._before[state.shard] = now, state.pages
            heard = f"{state.silent:.1f} s ago" if state.owner else "no owner"
            table.add_row(
                str(state.shard), printable(state.owner, 30), speed, f"{state.pages:,}",
                f"{state.relevant:,}", f"{state.open:,}", f"{state.above:,}", f"{state.lag:,}",
                "idle" if state.idle and state.owner else heard,
            )  # fmt: skip
        return table

    def close(self) -> None:
        self._live.stop()
