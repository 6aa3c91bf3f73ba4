"""`clew bug`: write a report without private data."""

from pathlib import Path
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.arguments import folders
from clew.insight.bug_report import bug_report
from clew.store.export import replace_atomically


def bug(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The crawl it is about.", autocompletion=folders)
    ] = None,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report to a file.")] = None,
) -> None:
    """Print a report for the bug tracker that holds no private data.

    It has versions, the marks of clew doctor, and with DIR numbers of the crawl: settings that are numbers or
    choices, links by state, answers by status, kinds of errors. It has no topic, seeds, URLs, hosts, contact,
    paths, headers or passwords. Nothing is sent: read it, complete it, and paste it where you report.

    Example: clew bug wind --to report.md
    """
    report = bug_report(folder)
    if to is None:
        screen.echo(report)
        return
    with replace_atomically(to) as file:
        file.write(report.encode())
    screen.echo(f"wrote {to}; it names no site and no person, but read it before you send it")
