"""What a person sees while a crawl runs; nothing from the web reaches the terminal unescaped."""

import json
import sys
import time
from pathlib import Path
from typing import Protocol

from clew.config import Config
from clew.crawl import Walk
from clew.report import Summary
from clew.text import shown
from clew.types import Kind, State, Step

LINE_SECONDS = 2.0
"""A plain line this often: enough to see life, not enough to fill a log."""


def say(text: str) -> None:
    """Print one line of ours."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def complain(text: str, *, usage: bool = False) -> None:
    """Print an error and its cure to standard error, safe to show."""
    lines = [shown(line) for line in text.splitlines()] or ["something went wrong"]
    sys.stderr.write("".join(f"clew: {line}\n" for line in lines))
    if usage:
        sys.stderr.write("clew: see clew --help, or clew COMMAND --help\n")
    sys.stderr.flush()


class View(Protocol):
    """Show a run: it begins, steps come, it ends."""

    def begin(self, walk: Walk) -> None: ...

    def step(self, step: Step) -> None: ...

    def note(self, text: str) -> None: ...

    def end(self, summary: Summary) -> None: ...


class Lines:
    """Plain lines: one every two seconds, and a summary that says what to do next."""

    def __init__(self, folder: Path, config: Config) -> None:
        self.folder = folder
        self.config = config
        self._next = 0.0
        self._last = ""

    def begin(self, walk: Walk) -> None:
        self._walk = walk
        mind = walk.mind
        known = f", going on after {mind.pages:,} pages" if mind.pages else ""
        say(
            f"{shown(str(self.folder))}: policy {shown(self.config.rank.policy)},"
            f" {mind.frontier.open:,} links open{known}"
        )

    def step(self, step: Step) -> None:
        if step.page.link.kind is Kind.PAGE and step.state is not State.OPEN:
            self._last = _line(step)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + LINE_SECONDS
            mind = self._walk.mind
            limit = f"/{self._walk.budget.pages:,}" if self._walk.budget.pages else ""
            say(
                f"pages {mind.pages:,}{limit}  relevant {mind.relevant:,}  open {mind.frontier.open:,}"
                f"  hosts {mind.frontier.hosts:,}  | {self._last}"
            )

    def note(self, text: str) -> None:
        say(shown(text))

    def end(self, summary: Summary) -> None:
        say(f"{summary.ended or 'ended'}: {summary.sentence()}")
        for line in summary.notes():
            say(f"  {shown(line)}")
        if summary.ended == "stopped":
            say(f"  go on:   clew run {shown(str(self.folder))}")
        say(f"  export:  clew export {shown(str(self.folder))} pages.jsonl")


class Json:
    """One JSON object per step on standard output, and one for the end."""

    def begin(self, walk: Walk) -> None:
        self._walk = walk

    def step(self, step: Step) -> None:
        page = step.page
        say(
            json.dumps({
                "url": page.url,
                "kind": page.link.kind.name.lower(),
                "state": step.state.name.lower(),
                "status": page.visit.status,
                "error": page.error or page.visit.error,
                "verdict": round(step.verdict.value, 4) if step.verdict else None,
                "relevant": step.relevant,
                "title": page.title,
                "depth": page.link.depth,
                "score": round(page.link.score, 4),
                "links": len(page.links),
                "pages": self._walk.mind.pages,
                "open": self._walk.mind.frontier.open,
            })
        )  # fmt: skip

    def note(self, text: str) -> None:
        complain(text)

    def end(self, summary: Summary) -> None:
        say(json.dumps({"ended": summary.ended, "pages": summary.pages, "relevant": summary.relevant,
                        "notes": summary.notes()}))  # fmt: skip


def _line(step: Step) -> str:
    page = step.page
    mark = "✓" if step.relevant else "✗"
    verdict = (
        f"{step.verdict.value:.2f}"
        if step.verdict
        else f"{page.visit.status or page.error or page.visit.error}"
    )
    return f"{mark} {verdict} {shown(page.url, 60)} {shown(page.title, 40)}"
