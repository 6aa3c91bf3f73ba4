"""Output of a crawl run; text from the web is always escaped."""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from clew.cli.text_cells import encodable
from clew.config import Config
from clew.domain.text import printable
from clew.engine.run import CrawlRun
from clew.insight.summary import Summary
from clew.types import Kind, PageResult, State

LINE_SECONDS = 2.0
"""A plain line this often in the first minute: enough to see life."""

LATER_SECONDS = 10.0
"""A plain line this often after that: not enough to fill a log."""


def say(text: str) -> None:
    """Print one line of ours, in whatever encoding the reader has."""
    sys.stdout.write(f"{encodable(text, sys.stdout.encoding)}\n")
    sys.stdout.flush()


def complain(text: str, *, usage: bool = False) -> None:
    """Print an error and its cure to standard error, safe to show."""
    lines = [printable(line) for line in text.splitlines()] or ["something went wrong"]
    sys.stderr.write("".join(f"clew: {line}\n" for line in lines))
    if usage:
        sys.stderr.write("clew: see clew --help, or clew COMMAND --help\n")
    sys.stderr.flush()


class RunView(Protocol):
    """Show a run: `begin`, then page results and notes, then `close`, and a summary at the end.

    `stop` stops the run, as Ctrl-C does. `close` is always called, also after an error, while the crawl
    is still open; `end` only if there is a summary.
    """

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None: ...

    def step(self, result: PageResult) -> None: ...

    def note(self, text: str, **facts: object) -> None: ...

    def close(self) -> None: ...

    def end(self, summary: Summary) -> None: ...


class LineView:
    """Plain status lines at regular intervals, and a summary with the next commands."""

    def __init__(self, folder: Path, config: Config, again: str = "") -> None:
        self.folder = folder
        self.config = config
        self.again = again
        self._last = ""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:  # noqa: ARG002 - lines have no keys
        self._run = run
        self._began = time.monotonic()
        engine = run.engine
        known = f", resuming after {engine.totals.pages:,} pages" if engine.totals.pages else ""
        say(
            f"{printable(str(self.folder))}: policy {printable(self.config.rank.policy)},"
            f" {engine.frontier.open:,} links queued{known}"
        )

    def step(self, result: PageResult) -> None:
        if result.page.link.kind is Kind.PAGE and result.state is not State.OPEN:
            self._last = _line(result)
        if self._timer is None:
            self._tell()

    def _tell(self) -> None:
        engine, early = self._run.engine, time.monotonic() - self._began < 60  # noqa: PLR2004
        limit = f"/{self._run.budget.pages:,}" if self._run.budget.pages else ""
        totals = engine.totals
        say(
            f"pages {totals.pages:,}{limit}  relevant {totals.relevant:,}  open {engine.frontier.open:,}"
            f"  hosts {engine.frontier.hosts:,}  | {self._last}"
        )
        later = LINE_SECONDS if early else LATER_SECONDS
        self._timer = asyncio.get_running_loop().call_later(later, self._tell)

    def note(self, text: str, **facts: object) -> None:  # noqa: ARG002 - words are enough
        say(printable(text))

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def end(self, summary: Summary) -> None:
        folder = printable(str(self.folder))
        say(_headline(summary))
        for line in summary.notes():
            say(f"  {printable(line)}")
        say(f"  everything is in {folder}")
        if summary.ended == "stopped":
            say(f"  go on:   {printable(self.again or f'clew run {folder}')}")
        elif summary.ended.startswith("the budget") and summary.open:
            say(f"  more:    clew run {folder} --pages {2 * summary.pages}")
        if summary.rows is not None:
            say(f"  table:   {_many(summary.rows, 'new row')}: clew records {folder}")
        if summary.pages:
            say(f"  look:    clew why {folder} URL")
        only = " --only relevant" if 0 < summary.relevant < summary.pages else ""
        say(f"  export:  clew export {folder} pages.jsonl{only}")


class JsonView:
    """One JSON object a line on standard output: for each step, for each note, and for the end.

    A step has `url`, `kind` (page, robots, sitemap, feed), `state` (done, failed, refused, or open when it
    will be tried again), `status`, `error`, `verdict` (0 to 1, null when nobody judged), `relevant`,
    `title`, `depth`, `score` (what its link promised), `links` (found on it), and how the crawl stands
    after it: `pages` read, links `open`. A note has `note`; one about labels that were heard also has
    `labels` (addresses with true, false, or null when taken back), links that went `up` and `down`, and
    stored pages `judged` otherwise (null: not counted yet). The last object has `ended`, `pages`,
    `relevant` and `notes`.
    """

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:  # noqa: ARG002 - a program sends signals
        self._run = run

    def step(self, result: PageResult) -> None:
        page = result.page
        say(
            json.dumps({
                "url": page.url,
                "kind": page.link.kind.name.lower(),
                "state": result.state.name.lower(),
                "status": page.response.status,
                "error": page.error or page.response.error,
                "verdict": round(result.verdict.value, 4) if result.verdict else None,
                "relevant": result.relevant,
                "title": page.title,
                "depth": page.link.depth,
                "score": round(page.link.score, 4),
                "links": len(page.links),
                "pages": self._run.engine.totals.pages,
                "open": self._run.engine.frontier.open,
            })
        )  # fmt: skip

    def note(self, text: str, **facts: object) -> None:
        say(json.dumps({"note": printable(text), **facts}))

    def close(self) -> None:
        pass

    def end(self, summary: Summary) -> None:
        say(json.dumps({"ended": summary.ended, "pages": summary.pages, "relevant": summary.relevant,
                        "notes": summary.notes()}))  # fmt: skip


def _headline(summary: Summary) -> str:
    """Return one line with the reason of the end and the totals."""
    came = min(summary.answered, summary.pages)
    share = f" ({summary.relevant / came:.0%})" if came else ""
    stopped = summary.ended == "stopped"
    parts = (
        f"{_many(summary.pages, 'page')}{'' if stopped else ' read'}",
        *([f"{came:,} of them came with content"] if came < 0.9 * summary.pages else []),
        f"{summary.relevant:,} on topic{share}",
        f"from {_many(summary.hosts, 'host')}",
        f"{_many(summary.open, 'link')} open",
    )
    ended = "stopped after" if stopped else f"{summary.ended or 'ended'}:"
    return f"{ended} {' · '.join(parts)}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _line(result: PageResult) -> str:
    page = result.page
    mark = "✓" if result.relevant else "✗"
    verdict = (
        f"{result.verdict.value:.2f}"
        if result.verdict
        else f"{page.response.status or page.error or page.response.error}"
    )
    return f"{mark} {verdict} {printable(page.url, 60)} {printable(page.title, 40)}"
