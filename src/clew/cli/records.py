"""`clew records`: show the table extracted from example rows, and label its rows."""

import json as json_
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import Folder, read_input
from clew.cli.near import list_near
from clew.cli.text_cells import cut, tidy
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.services.tables import WORDS, RowLabel, keep_marks, no_table, read_marks_file, row_of, word_of
from clew.store import TableRow, read_table_rows
from clew.store.escaping import safe_json
from clew.store.table_export import as_dict

SHOWN = 50
"""Number of last rows shown on a terminal without --all."""

_LISTED = 8
_LEAST_WIDTH = 60
_LABEL_NAMES = {"": "undo"}


def records(
    folder: Folder,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ROW WORD …]", help="With --mark: row numbers and labels."),
    ] = None,
    mark: Annotated[
        bool, typer.Option("--mark", help=f"Label rows as {', '.join(WORDS)}: --mark 12 noise")
    ] = False,
    undo: Annotated[list[int] | None, typer.Option(metavar="ROW", help="Remove the label of a row.")] = None,
    file: Annotated[
        str, typer.Option(metavar="FILE", help="Row labels as .tsv, .csv or .jsonl; - reads standard input.")
    ] = "",
    all_rows: Annotated[
        bool, typer.Option("--all", help="Show every row, and excluded rows with the reason.")
    ] = False,
    near: Annotated[
        str, typer.Option(metavar="LAT,LON", help="Rows with coordinates near this point, nearest first.")
    ] = "",
    km: Annotated[float, typer.Option(min=0.001, help="With --near: within this distance.")] = 5.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Show the table extracted from your example rows, and label its rows.

    Each row is listed with its number, confidence (1 for your own and confirmed rows), the number of pages
    and sites it occurs on, the page it was first found on, and the pattern that extracted it. A terminal
    shows the last 50 rows; --all shows every row, and the excluded ones.

    --mark ROW WORD labels one row or several: --mark 12 noise 15 16 right. right confirms a row. off-topic
    means a real row outside your topic: the policy lowers pages like the one it was found on. noise means
    an extraction error: the pattern is removed, with every row that only this pattern supports. --undo ROW
    removes the label and restores those rows. --file reads labels from a file: a row number and a word on
    each line, or an export of the table with its column mark filled in.

    Labels are on disk when the command returns. A running crawl applies them within a second.

    --near LAT,LON lists rows that have coordinates, as those of a goal like place=jp, within --km kilometres
    of a point: --near 35.681,139.767 --km 2. Write --near=LAT,LON if the latitude is negative.

    Example: clew records shelf
    """
    configuration.load(folder / "clew.toml")
    if near:
        list_near(folder, near, km, json=json)
        return
    marks = _marks(words or [], mark, undo or [], file)
    if marks:
        labels, gained = keep_marks(folder, marks)
        _report(folder, labels, gained, json)
    else:
        _list(folder, json, all_rows)


def _marks(words: Sequence[str], mark: bool, undo: Sequence[int], file: str) -> list[tuple[int, str]]:
    if words and not mark:
        msg = f"{words[0]} needs --mark: clew records DIR --mark {words[0]} noise"
        raise ConfigError(msg)
    if mark and not words:
        msg = f"--mark needs a row and a label: --mark 12 noise (or {', '.join(WORDS[:-1])})"
        raise ConfigError(msg)
    if file and (words or undo):
        msg = "--file and single rows exclude each other; give one or the other"
        raise ConfigError(msg)
    marks = read_marks_file(*read_input(file, "a row number and a label")) if file else _pairs(words)
    return marks + [(row, "") for row in undo]


def _pairs(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return each row with the label that follows it."""
    pairs: list[tuple[int, str]] = []
    unlabelled: list[int] = []
    for text in words:
        try:
            unlabelled.append(row_of(text))
            continue
        except ValueError:
            pass
        try:
            word = word_of(text)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if not unlabelled:
            msg = f"{text} has no row; write the row number first: clew records DIR --mark 12 {text}"
            raise ConfigError(msg)
        pairs += [(row, word) for row in unlabelled]
        unlabelled = []
    if unlabelled:
        msg = f"row {unlabelled[-1]} has no label; add {', '.join(WORDS)} or undo after its number"
        raise ConfigError(msg)
    return pairs


# ---- marks -------------------------------------------------------------------------------------


def _report(folder: Path, labels: Sequence[RowLabel], gained: int, json: bool) -> None:
    """Print the saved labels, their effect, and when they are applied."""
    if json:
        for each in labels:
            screen.echo(json_.dumps({"row": each.row.id, "mark": each.word}, ensure_ascii=False))
        return
    for each in labels if len(labels) <= _LISTED else ():
        values = printable(" · ".join(each.row.values), 100)
        screen.echo(f"✓ row {each.row.id}  {_LABEL_NAMES.get(each.word, each.word)}  ({values})")
    if len(labels) > _LISTED:
        counts = {word: sum(each.word == word for each in labels) for word in (*WORDS, "")}
        totals = ", ".join(
            f"{count:,} {_LABEL_NAMES.get(word, word)}" for word, count in counts.items() if count
        )
        screen.echo(f"✓ {len(labels):,} rows: {totals}")
    if gained:
        rows = f"{abs(gained):,} row{'s' * (abs(gained) != 1)}"
        removed = f"{rows} removed: noise, and rows that only its pattern extracted"
        screen.echo(f"  {removed if gained < 0 else f'{rows} restored'}")
    if holder := lock_holder(folder):
        screen.echo(f"  saved; the crawl running as process {holder} applies it within a second")
    else:
        screen.echo(f"  saved; the next run applies it: {_command('run', folder)}")


def _command(name: str, folder: Path, *more: str) -> str:
    return printable(shlex.join(["clew", name, str(folder), *more]))


# ---- the table ---------------------------------------------------------------------------------


def _list(folder: Path, json: bool, all_rows: bool) -> None:
    columns, rows = read_table_rows(folder, all=all_rows)
    if not columns:
        raise no_table(folder)
    if json:
        for row in rows:
            screen.echo(safe_json(as_dict(columns, row)))
        return
    found = [row for row in rows if not row.given and not row.out]
    own, out = sum(row.given for row in rows), sum(bool(row.out) for row in rows)
    listed = rows if all_rows else rows[-SHOWN:]
    if not found:
        screen.echo(
            f"no rows yet besides your own {own:,}; the crawl extracts them: {_command('run', folder)}"
        )
        return
    width = shutil.get_terminal_size((110, 24)).columns if sys.stdout.isatty() else 0
    for line in _lines(columns, listed, width):
        screen.echo(line)
    sites = len({row.url.split("/")[2] for row in found if row.url})
    parts = [f"{len(found):,} rows found on {sites:,} host{'s' * (sites != 1)}", f"{own:,} your own"]
    parts += [f"{out:,} excluded"] if out else []
    parts += [f"the last {len(listed):,} are shown, --all shows all"] if len(listed) < len(rows) else []
    screen.echo("; ".join(parts))
    screen.echo(f"  mark an error: {_command('records', folder, '--mark', str(found[-1].id), 'noise')}")
    screen.echo(f"  export: {_command('export', folder, 'rows.csv', '--records')}")


def _lines(columns: Sequence[str], rows: Sequence[TableRow], width: int) -> list[str]:
    """Return two lines per row: its values and its origin; width 0 means no limit."""
    head = f"{'row':>6}  conf  {' · '.join(printable(column, 30) for column in columns)}"
    lines = [head]
    for row in rows:
        mark = "✗" if row.out else {"right": "✓", "off-topic": "–"}.get(row.mark, "·" if row.given else " ")
        values = " · ".join(tidy(value) or "?" for value in row.values)
        lines.append(_fitted(f"{row.id:>6} {mark}{row.confidence:>5.2f}  {values}", width))
        lines.append(_fitted(f"{'':14}{_origin(row)}", width))
    return lines


def _origin(row: TableRow) -> str:
    label = f"you: {row.mark}; " if row.mark and not row.out else ""
    if row.out:
        return f"excluded: {row.out}"
    if not row.pages:
        return f"{label}your own row; not found on any page yet"
    own = "your own row, " if row.given else ""
    pages = f"{row.pages:,} page{'s' * (row.pages != 1)}"
    sites = f" of {row.sites:,} sites" if row.sites > 1 else ""
    return f"{label}{own}{pages}{sites}, {tidy(row.url, 200)}  by {tidy(row.pattern, 300) or 'a pattern'}"


def _fitted(line: str, width: int) -> str:
    return cut(line, max(width, _LEAST_WIDTH)) if width else line
