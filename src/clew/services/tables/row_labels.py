"""The user's labels on rows (right, off-topic, noise): parse them, read files of them, store them."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from clew.errors import ConfigError
from clew.store import TableRow, add_row_labels, read_table_rows

WORDS = ("right", "off-topic", "noise")
"""The labels of a row; an empty one removes it."""

_REMOVED = ("undo", "clear", "")
_SYNONYMS = {"ok": "right", "yes": "right", "true": "right", "off": "off-topic", "offtopic": "off-topic",
          "wrong": "noise", "no": "noise", "bad": "noise"}  # fmt: skip
_BYTES = 16 << 20
_ROW, _WORD = ("row", "id"), ("mark", "word")


@dataclass(frozen=True, slots=True)
class RowLabel:
    """A row as it was before, and its new label."""

    row: TableRow
    word: str


def word_of(text: str) -> str:
    """Return the label that a text means; raise `ValueError` for anything else.

    >>> word_of("Off topic"), word_of("undo")
    ('off-topic', '')
    """
    word = re.sub(r"[\s_]+", "-", text.strip().lower())
    if word in _REMOVED:
        return ""
    if word in WORDS:
        return word
    near = get_close_matches(word, [*WORDS, "undo"], n=1)
    suggestion = _SYNONYMS.get(word) or (near[0] if near else "")
    hint = f"did you mean {suggestion}?" if suggestion else f"write {', '.join(WORDS)} or undo"
    msg = f"{text!r} is not a row label; {hint}"
    raise ValueError(msg)


def row_of(text: str) -> int:
    """Return the number of a row, as `12` or `#12`; raise `ValueError` for anything else."""
    digits = text.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdigit()):
        msg = f"{text!r} is not a row number"
        raise ValueError(msg)
    return int(digits)


def read_marks_file(data: bytes, name: str) -> list[tuple[int, str]]:
    """Read row labels from a table (tabs, commas or blanks) or JSON lines: a row's number and a label each.

    A first line may name the columns, so that an export of the table with its column `mark` filled in can be
    read; rows without a label are skipped. A line that cannot be read is an error with its number: then
    nothing of the file is stored.
    """
    if len(data) > _BYTES or b"\0" in data[:1000]:
        msg = f"{name} is not a file of marks; write a row number, a tab, and {', '.join(WORDS)} or undo"
        raise ConfigError(msg)
    found: list[tuple[int, str]] = []
    names: list[str] = []
    lines = data.decode("utf-8-sig", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if line.lstrip().startswith("{"):
                found += _from_json(line)
            elif not names and not found and (names := _names(line)):
                continue
            else:
                found += _from_cells(line, names)
        except ValueError as error:
            msg = f"{name}, line {number}: {error}. Nothing was stored"
            raise ConfigError(msg) from None
    if not found:
        msg = f"{name} contains no marks; write a row number, a tab, and {', '.join(WORDS)} or undo"
        raise ConfigError(msg)
    return found


def keep_marks(folder: Path, marks: Sequence[tuple[int, str]]) -> tuple[list[RowLabel], int]:
    """Store row labels, also beside a running crawl; return them, and by how many rows the table grew."""
    columns, rows = read_table_rows(folder, all=True)
    if not columns:
        raise no_table(folder)
    known = {row.id: row for row in rows}
    for number, _ in marks:
        if number not in known:
            last = max(known, default=0)
            msg = (
                f"there is no row {number} in {folder}; they go from 0 to {last}: clew records {folder} --all"
            )
            raise ConfigError(msg)
    before = sum(not row.out for row in rows)
    add_row_labels(folder, marks)
    _, after = read_table_rows(folder)
    return [RowLabel(known[number], word) for number, word in marks], len(after) - before


def no_table(folder: Path) -> ConfigError:
    """Return the error for a crawl that has no table."""
    return ConfigError(
        f"{folder} has no table of rows; a crawl begins with one: clew new DIR --records books.csv"
    )


def _names(line: str) -> list[str]:
    """Return the names of the columns, if this is a header."""
    names = [cell.strip().lower() for cell in _cells(line)]
    return names if set(names) & set(_ROW) and set(names) & set(_WORD) else []


def _cells(line: str) -> list[str]:
    if "\t" in line:
        return line.split("\t")
    return next(csv.reader([line])) if "," in line else line.split(maxsplit=1)


def _from_cells(line: str, names: list[str]) -> list[tuple[int, str]]:
    cells = _cells(line)
    if names:
        row = dict(zip(names, cells, strict=False))
        number, word = (next((row[key] for key in keys if key in row), "") for keys in (_ROW, _WORD))
        return [(row_of(number), word_of(word))] if word.strip() else []
    if len(cells) < 2:  # noqa: PLR2004
        msg = f"a row's number or a word is missing; write both: 12 {WORDS[-1]}"
        raise ValueError(msg)
    return [(row_of(cells[0]), word_of(cells[1]))]


def _from_json(line: str) -> list[tuple[int, str]]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        msg = f"this is not valid JSON ({error.msg})"
        raise ValueError(msg) from None
    number = next((row[key] for key in _ROW if key in row), None)
    word = next((row[key] for key in _WORD if key in row), None)
    if number is None or word is None:
        msg = 'this has no "row" and "mark"'
        raise ValueError(msg)
    return [(row_of(str(number)), word_of(str(word)))] if str(word).strip() else []
