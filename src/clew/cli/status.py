"""`clew status`: the state of one or more crawls at a glance."""

import json as json_
from pathlib import Path
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.arguments import crawl_folder, folders
from clew.config.folder_hints import crawls_in, no_crawl
from clew.insight.status import read_status

_INDENT = 12  # cells of the label before each line


def status(
    crawls: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DIR …]", help="Folders of crawls; all in this folder if none is given.",
                       autocompletion=folders),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per crawl.")] = False,
) -> None:  # fmt: skip
    """Show how far a crawl has come, and what to do next.

    Shows pages and relevant pages, a histogram of the verdicts with the threshold goal.keep, queued links,
    the hosts with most relevant pages, labels, the last run and the next useful command. It only reads, and
    works while the crawl runs.

    Example: clew status wind
    """  # fmt: skip
    chosen = [crawl_folder(path) for path in crawls or crawls_in(Path()).values()]
    if not chosen:
        screen.echo("no crawl in this folder; create one: clew new DIR")
    for path in chosen:
        if not (path / "clew.toml").exists():
            raise no_crawl(path)
    for number, path in enumerate(chosen):
        crawl = read_status(path)
        if json:
            screen.echo(json_.dumps(crawl.as_dict(), ensure_ascii=False))
            continue
        if number:
            screen.echo("")
        for line in crawl.lines():
            screen.echo_folded(line, _INDENT)
