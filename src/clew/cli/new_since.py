"""`clew new-since`: what is new in a collection."""

import sys
from typing import Annotated

import typer

from clew.cli.arguments import Folder
from clew.cli.text_cells import encodable
from clew.insight.changes import parse_date, read_changes, render

Date = Annotated[str, typer.Argument(metavar="DATE", help="2026-11-01, 2026-11-01T12:00, or 7d for a week.")]
Format = Annotated[str, typer.Option(metavar="NAME", help="txt, html, eml, atom, json, jsonl or csv.")]


def new_since(
    folder: Folder,
    date: Date,
    format: Format = "txt",
    all: Annotated[bool, typer.Option("--all", help="Also pages that are not relevant.")] = False,
) -> None:
    """Show what is new in a collection since a date: new, changed, moved and gone pages.

    Of a changed page it shows the passages that differ: [-what was there-] {+what is there now+}. Rows that
    were extracted from it and have come or gone are listed, too. The date is UTC unless it says otherwise.

    --format writes the same as HTML, as a letter ready to be sent (eml), as an Atom feed, a JSON feed
    (json), JSON lines or a table; clew export DIR FILE --since DATE --changes writes it to a file.

    Example: clew new-since wind 7d
    """
    report = read_changes(folder, parse_date(date), only_relevant=not all)
    sys.stdout.write(encodable(render(report, format, folder.resolve().name), sys.stdout.encoding))
    sys.stdout.flush()
