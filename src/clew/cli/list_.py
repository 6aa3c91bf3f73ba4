"""`clew list`: the crawls in a folder."""

import json as json_
import shlex
import sys
import time
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.text_cells import cut, fit
from clew.config.folder_hints import crawls_in
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.status import CrawlStatus, read_status

_NAME = 16
_TOPIC = 24


def list_(
    place: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where to look.", show_default=False)]
    = Path(),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per crawl.")] = False,
) -> None:  # fmt: skip
    """List the crawls in a folder, one per line.

    Shows state, pages, relevant pages, queued links, the time of the last run and the topic of each crawl.
    clew status shows more of one.

    Example: clew list ~/crawls
    """
    if not place.is_dir():
        msg = f"{place} is not a folder; name the folder that contains your crawls"
        raise ConfigError(msg)
    crawls = [read_status(path) for path in crawls_in(place).values()]
    if json:
        for crawl in crawls:
            screen.echo(json_.dumps(crawl.as_dict(), ensure_ascii=False))
        return
    if not crawls:
        screen.echo(_why_empty(place))
        return
    width = min(_NAME, max(len("crawl"), *(len(Path(crawl.folder).name) for crawl in crawls)))
    head = f"{'crawl':{width}}  state    {'pages':>7}  relevant  {'queued':>8}  last run     "
    screen.echo(f"{head}topic")
    left = min(_TOPIC, get_terminal_size().columns - 1 - len(head)) if sys.stdout.isatty() else _TOPIC
    for crawl in crawls:
        screen.echo(_row(crawl, width, left))


def _why_empty(place: Path) -> str:
    """Return why nothing is listed, and where to look instead."""
    name = printable(str(place)) if place.name else "this folder"
    if (place / "clew.toml").exists():
        return f"{name} is itself a crawl; clew status {printable(str(place))} shows it"
    deeper = [path for path in sorted(place.glob("*/")) if crawls_in(path)]
    if deeper:
        inner = printable(str(deeper[0]))
        return f"{name} contains no crawl, but {inner} does: clew list {shlex.quote(inner)}"
    return f"{name} contains no crawl; create one: clew new DIR"


def _row(crawl: CrawlStatus, width: int, left: int) -> str:
    name = fit(printable(Path(crawl.folder).name), width)
    run = crawl.last_run
    at = time.strftime("%m-%d %H:%M", time.localtime(run.started_at)) if run else "never"
    topic = cut(printable(crawl.problem or crawl.topic), left)
    read = crawl.read
    numbers = f"{read.pages:>7,}  {read.relevant:>8,}  {crawl.open:>8,}"
    return f"{name}  {crawl.state:<7}  {numbers}  {at:<11}  {topic}".rstrip()
