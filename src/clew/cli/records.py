"""`clew records`: the table that grows from a person's example rows, and their word on it."""

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
from clew.cli.arguments import Folder, read_given
from clew.cli.text_cells import cut, tidy
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.services.tables import WORDS, RowLabel, keep_marks, no_table, read_marks_file, row_of, word_of
from clew.store import TableRow, read_table_rows
from clew.store.escaping import safe_json
from clew.store.table_export import as_dict

SHOWN = 50
"""Rows that a terminal is shown without --all: the newest."""

_NAMED = 8
_LEAST_WIDTH = 60
_SAID = {"": "undo"}


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
    """
    configuration.load(folder / "clew.toml")
    given = _given(words or [], mark, undo or [], file)
    if given:
        told, gained = keep_marks(folder, given)
        _tell(folder, told, gained, json)
    else:
        _list(folder, json, all_rows)


def _given(words: Sequence[str], mark: bool, undo: Sequence[int], file: str) -> list[tuple[int, str]]:
    if words and not mark:
        msg = f"what about {words[0]}? Say it with --mark: clew records DIR --mark {words[0]} noise"
        raise ConfigError(msg)
    if mark and not words:
        msg = f"--mark needs a row and a word: --mark 12 noise (or {', '.join(WORDS[:-1])})"
        raise ConfigError(msg)
    if file and (words or undo):
        msg = "--file and single rows exclude each other; give one or the other"
        raise ConfigError(msg)
    found = read_marks_file(*read_given(file, "a row's number and a word")) if file else _pairs(words)
    return found + [(row, "") for row in undo]


def _pairs(words: Sequence[str]) -> list[tuple[int, str]]:
    """Give each row the word that follows it."""
    pairs: list[tuple[int, str]] = []
    waiting: list[int] = []
    for text in words:
        try:
            waiting.append(row_of(text))
            continue
        except ValueError:
            pass
        try:
            word = word_of(text)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if not waiting:
            msg = f"{text} is said of no row; the number comes first: clew records DIR --mark 12 {text}"
            raise ConfigError(msg)
        pairs += [(row, word) for row in waiting]
        waiting = []
    if waiting:
        msg = f"what is row {waiting[-1]}? Say {', '.join(WORDS)} or undo behind its number"
        raise ConfigError(msg)
    return pairs


# ---- marks -------------------------------------------------------------------------------------


def _tell(folder: Path, told: Sequence[RowLabel], gained: int, json: bool) -> None:
    """Say what was kept, what it changed, and when it counts."""
    if json:
        for each in told:
            screen.say(json_.dumps({"row": each.row.id, "mark": each.word}, ensure_ascii=False))
        return
    for each in told if len(told) <= _NAMED else ():
        values = printable(" · ".join(each.row.values), 100)
        screen.say(f"✓ row {each.row.id}  {_SAID.get(each.word, each.word)}  ({values})")
    if len(told) > _NAMED:
        counts = {word: sum(each.word == word for each in told) for word in (*WORDS, "")}
        said = ", ".join(f"{count:,} {_SAID.get(word, word)}" for word, count in counts.items() if count)
        screen.say(f"✓ {len(told):,} rows: {said}")
    if gained:
        many = f"{abs(gained):,} row{'s' * (abs(gained) != 1)}"
        left = f"{many} left the table: noise, and what only its pattern gave"
        screen.say(f"  {left if gained < 0 else f'{many} came back'}")
    if holder := lock_holder(folder):
        screen.say(f"  saved; the crawl running as process {holder} applies it within a second")
    else:
        screen.say(f"  saved; the next run applies it: {_command('run', folder)}")


def _command(name: str, folder: Path, *more: str) -> str:
    return printable(shlex.join(["clew", name, str(folder), *more]))


# ---- the table ---------------------------------------------------------------------------------


def _list(folder: Path, json: bool, all_rows: bool) -> None:
    columns, rows = read_table_rows(folder, all=all_rows)
    if not columns:
        raise no_table(folder)
    if json:
        for row in rows:
            screen.say(safe_json(as_dict(columns, row)))
        return
    found = [row for row in rows if not row.given and not row.out]
    own, out = sum(row.given for row in rows), sum(bool(row.out) for row in rows)
    listed = rows if all_rows else rows[-SHOWN:]
    if not found:
        screen.say(
            f"no rows yet beside your own {own:,}; the crawl looks for them: {_command('run', folder)}"
        )
        return
    width = shutil.get_terminal_size((110, 24)).columns if sys.stdout.isatty() else 0
    for line in _lines(columns, listed, width):
        screen.say(line)
    sites = len({row.url.split("/")[2] for row in found if row.url})
    parts = [f"{len(found):,} rows found on {sites:,} host{'s' * (sites != 1)}", f"{own:,} your own"]
    parts += [f"{out:,} left out"] if out else []
    parts += [f"the last {len(listed):,} are shown, --all shows every one"] if len(listed) < len(rows) else []
    screen.say("; ".join(parts))
    screen.say(f"  wrong ones: {_command('records', folder, '--mark', str(found[-1].id), 'noise')}")
    screen.say(f"  all of them: {_command('export', folder, 'rows.csv', '--records')}")


def _lines(columns: Sequence[str], rows: Sequence[TableRow], width: int) -> list[str]:
    """Lay rows out in two lines each: the values, and below where they come from; a pipe gets them whole."""
    head = f"{'row':>6}  sure  {' · '.join(printable(column, 30) for column in columns)}"
    made = [head]
    for row in rows:
        sign = "✗" if row.out else {"right": "✓", "off-topic": "–"}.get(row.mark, "·" if row.given else " ")
        values = " · ".join(tidy(value) or "?" for value in row.values)
        made.append(_fitted(f"{row.id:>6} {sign}{row.confidence:>5.2f}  {values}", width))
        made.append(_fitted(f"{'':14}{_origin(row)}", width))
    return made


def _origin(row: TableRow) -> str:
    said = f"you: {row.mark}; " if row.mark and not row.out else ""
    if row.out:
        return f"left out: {row.out}"
    if not row.pages:
        return f"{said}your own row; met on no page yet"
    own = "your own row, " if row.given else ""
    pages = f"{row.pages:,} page{'s' * (row.pages != 1)}"
    sites = f" of {row.sites:,} sites" if row.sites > 1 else ""
    return f"{said}{own}{pages}{sites}, {tidy(row.url, 200)}  by {tidy(row.pattern, 300) or 'a pattern'}"


def _fitted(line: str, width: int) -> str:
    return cut(line, max(width, _LEAST_WIDTH)) if width else line
