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
    """A table on the terminal with one row for each shard, or for each machine if there are several."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._console = Console()
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._before: dict[str, tuple[float, int]] = {}

    def begin(self, shards: int) -> None:  # noqa: ARG002 - the table shows them
        self._live.start()

    def note(self, text: str) -> None:
        self._console.print(printable(text), markup=False, highlight=False)

    def states(self, states: Sequence[ShardState]) -> None:
        JsonShards.states(self, states)
        self._live.update(self.table(states), refresh=True)

    def table(self, states: Sequence[ShardState]) -> Table:
        """Return the state of all shards as a table."""
        groups = by_machine(states)
        machines = len(groups) > 1
        if not machines:
            groups = {str(state.shard): [state] for state in states}
        table = Table(title=self.totals(states), title_justify="left", box=None, padding=(0, 2, 0, 0))
        first = ("machine", "shards") if machines else ("shard", "owner")
        for name in (*first, "pages/s", "pages", "relevant", "open", "above", "lag", "heard"):
            table.add_column(name, justify="left" if name in ("machine", "owner") else "right")
        for name, some in groups.items():
            second = f"{len(some):,}" if machines else printable(some[0].owner, 30)
            table.add_row(
                printable(name, 30), second, self._speed(name, some),
                *(f"{sum(column):,}" for column in zip(*map(_counts, some), strict=True)), _heard(some),
            )  # fmt: skip
        return table

    def _speed(self, name: str, states: Sequence[ShardState]) -> str:
        """Return the pages a second of a row since it was last measured."""
        now, pages = time.monotonic(), sum(state.pages for state in states)
        at, before = self._before.get(name, (now, pages))
        if now > at + LINE_SECONDS or name not in self._before:
            self._before[name] = now, pages
        return rate(max(0, pages - before) / (now - at)) if now > at else ""

    def close(self) -> None:
        self._live.stop()


def by_machine(states: Sequence[ShardState]) -> dict[str, list[ShardState]]:
    """Return the shards of each machine, by its name; those without an owner last.

    >>> owned = [ShardState(shard=0, owner="b:7"), ShardState(shard=1), ShardState(shard=2, owner="a:9")]
    >>> {machine: [state.shard for state in some] for machine, some in by_machine(owned).items()}
    {'a': [2], 'b': [0], 'no owner': [1]}
    """
    groups: dict[str, list[ShardState]] = {}
    for state in sorted(
        states, key=lambda state: (not state.owner, state.owner.rpartition(":")[0], state.shard)
    ):
        groups.setdefault(state.owner.rpartition(":")[0] or "no owner", []).append(state)
    return groups


def _counts(state: ShardState) -> tuple[int, ...]:
    return state.pages, state.relevant, state.open, state.above, state.lag


def _heard(states: Sequence[ShardState]) -> str:
    """Say when the shard of a row was last heard of that has been silent for longest."""
    owned = [state for state in states if state.owner]
    if not owned:
        return "no owner"
    if all(state.idle for state in owned):
        return "idle"
    return f"{max(state.silent for state in owned):.1f} s ago"


ShardsView: TypeAlias = JsonShards
"""Any of them: the others are kinds of it."""
