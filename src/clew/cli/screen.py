"""Output of a crawl run; text from the web is always escaped."""

import asyncio
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from typing import Protocol, TextIO

from clew.cli.text_cells import encodable, folded
from clew.config import Config
from clew.domain.text import printable
from clew.domain.verdict_text import verdict_text
from clew.engine.run import CrawlRun
from clew.insight.summary import Summary
from clew.types import Kind, PageResult, State

LINE_SECONDS = 2.0
"""Seconds between two plain lines in the first minute."""

LATER_SECONDS = 10.0
"""Seconds between two plain lines after that, so that logs stay small."""


def echo(text: str) -> None:
    """Print text in the encoding of standard output; on a terminal, break a long line between words."""
    echo_folded(text, len(text) - len(text.lstrip(" ")) + 2)


def echo_folded(text: str, indent: int) -> None:
    """Print one line; on a terminal that is too narrow, break it between words and indent the rest."""
    lines = _fitted(text, indent, sys.stdout)
    sys.stdout.write("".join(f"{encodable(line, sys.stdout.encoding)}\n" for line in lines))
    sys.stdout.flush()


def _fitted(text: str, indent: int, stream: TextIO) -> list[str]:
    """Return the lines of one line of prose; JSON, several lines and colours stay as they are."""
    width = get_terminal_size().columns - 1 if stream.isatty() else 0
    if width <= 0 or text.startswith("{") or "\n" in text or "\x1b" in text:
        return [text]
    return folded(text, width, indent)


def print_error(text: str, *, usage: bool = False) -> None:
    """Print an error to standard error, without control characters."""
    lines = [printable(line) for line in text.splitlines()] or ["something went wrong"]
    lines += ["see clew --help, or clew COMMAND --help"] if usage else []
    sys.stderr.write(
        "".join(f"{part}\n" for line in lines for part in _fitted(f"clew: {line}", 6, sys.stderr))
    )
    sys.stderr.flush()


def warnings(config: Config) -> list[str]:
    """Return the settings that are less polite than the defaults."""
    fetch = config.fetch
    found = [] if fetch.robots else ["robots.txt not obeyed (fetch.robots)"]
    found += [f"delay {fetch.delay:g} s (fetch.delay)"] if fetch.delay < 1 else []
    return found + ([f"{fetch.per_host} at once (fetch.per_host)"] if fetch.per_host > 1 else [])


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
        known = f", resuming after {many(engine.totals.pages, 'page')}" if engine.totals.pages else ""
        echo(
            f"{printable(str(self.folder))}: policy {printable(self.config.rank.policy)},"
            f" {many(engine.frontier.open, 'link')} queued{known}"
        )
        if careful := warnings(self.config):
            echo(f"careful: {' · '.join(careful)}")

    def step(self, result: PageResult) -> None:
        if result.page.link.kind is Kind.PAGE and result.state is not State.OPEN:
            self._last = _line(result, self.config.goal.keep)
        if self._timer is None:
            self._print_status()

    def _print_status(self) -> None:
        engine, early = self._run.engine, time.monotonic() - self._began < 60  # noqa: PLR2004
        budget, totals = self._run.budget, engine.totals
        limit = f"/{budget.pages:,}" if budget.pages else ""
        failed = f"  failed {totals.failed:,}" if totals.failed else ""
        new = f" ({totals.pages - budget.pages_before:,} new)  requests {budget.requests_spent(totals):,}"
        echo(
            f"pages {budget.pages_spent(totals):,}{limit}{new if self._run.is_refresh else failed}"
            f"  relevant {totals.relevant:,}  open {engine.frontier.open:,}"
            f"  hosts {engine.frontier.hosts:,}  | {self._last}"
        )
        later = LINE_SECONDS if early else LATER_SECONDS
        self._timer = asyncio.get_running_loop().call_later(later, self._print_status)

    def note(self, text: str, **facts: object) -> None:  # noqa: ARG002 - the text is enough
        echo(printable(text))

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def end(self, summary: Summary) -> None:
        folder = printable(str(self.folder))
        echo(_headline(summary))
        for line in summary.notes():
            echo(f"  {printable(line)}")
        echo(f"  data in {folder}")
        if summary.ended == "stopped":
            echo(f"  resume:  {printable(self.again or f'clew run {folder}')}")
        elif summary.ended.startswith("the budget") and summary.open:
            requests = re.fullmatch(r"the budget of ([\d,]+) requests is spent", summary.ended)
            limit = 2 * int(requests[1].replace(",", "")) if requests else 2 * summary.pages
            option = f"--{'requests' if requests else 'pages'}"
            again = re.sub(rf" {option} \d+", "", self.again or f"clew run {folder}")
            echo(f"  more:    {printable(again)} {option} {limit}")
        if summary.rows is not None:
            echo(f"  table:   {many(summary.rows, 'new row')}: clew records {folder}")
        if summary.pages:
            echo(f"  explain: clew why {folder} URL")
        only = " --only relevant" if 0 < summary.relevant < summary.pages else ""
        echo(f"  export:  clew export {folder} pages.jsonl{only}")


class JsonView:
    """One JSON object a line on standard output: for each page result, for each note, and for the end.

    A result has `url`, `kind` (page, robots, sitemap, feed), `state` (done, failed, refused, or open if it
    will be retried), `status`, `error`, `verdict` (0 to 1, null if not judged), `relevant`, `title`,
    `depth`, `score` (of its link), `links` (found on it), and the totals after it: `pages` read, `failed`
    requests, `requests` in all, links `open`. A note has `note`; one about applied labels also has `labels`
    (URLs with true, false, or null if removed), the number of links that went `up` and `down`, and of
    stored pages `judged` differently (null: not counted yet). The last object has `ended`, `pages`,
    `failed`, `relevant` and `notes`.
    """

    def begin(self, run: CrawlRun, stop: Callable[[], None]) -> None:  # noqa: ARG002 - a program sends signals
        self._run = run

    def step(self, result: PageResult) -> None:
        page, totals = result.page, self._run.engine.totals
        echo(
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
                "pages": totals.pages,
                "failed": totals.failed,
                "requests": totals.requests,
                "open": self._run.engine.frontier.open,
            })
        )  # fmt: skip

    def note(self, text: str, **facts: object) -> None:
        echo(json.dumps({"note": printable(text), **facts}))

    def close(self) -> None:
        pass

    def end(self, summary: Summary) -> None:
        echo(json.dumps({"ended": summary.ended, "pages": summary.pages, "failed": summary.failed,
                        "relevant": summary.relevant, "notes": summary.notes()}))  # fmt: skip


def _headline(summary: Summary) -> str:
    """Return one line with the reason of the end and the totals."""
    share = f" ({summary.relevant / summary.pages:.0%})" if summary.pages else ""
    stopped = summary.ended == "stopped"
    parts = (
        f"{many(summary.pages, 'page')}{'' if stopped else ' read'}",
        *([many(summary.failed, "failed request")] if summary.failed else []),
        f"{summary.relevant:,} relevant{share}",
        f"from {many(summary.hosts, 'host')}",
        f"{many(summary.open, 'link')} open",
    )
    ended = "stopped after" if stopped else f"{summary.ended or 'ended'}:"
    return f"{ended} {' · '.join(parts)}"


def many(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _line(result: PageResult, keep: float) -> str:
    page = result.page
    if result.change is not None and not result.verdict:
        return f"{result.change} {printable(page.url, 60)}"
    mark = "✓" if result.relevant else "✗"
    verdict = (
        verdict_text(result.verdict.value, keep)
        if result.verdict
        else f"{page.response.status or page.error or page.response.error}"
    )
    return f"{mark} {verdict} {printable(page.url, 60)} {printable(page.title, 40)}"
