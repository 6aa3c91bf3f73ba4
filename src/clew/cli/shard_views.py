"""Show a crawl in shards: JSON lines, plain lines, or a table on the terminal."""

import json as json_
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.live import Live
from rich.table import Table

from clew.cli import screen
from clew.config import Config
from clew.domain.text import printable
from clew.insight.sparklines import rate
from clew.scale.coordinator import ShardState

LINE_SECONDS = 2.0
"""Seconds between two plain lines."""


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


ShardsView: TypeAlias = JsonShards
"""Any of them: the others are kinds of it."""
