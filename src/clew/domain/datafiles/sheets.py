"""Read spreadsheets as rows: xlsx and ods by their tags, from the start, also truncated ones.

No XML parser is used: only the first part of an untrusted file was fetched.
"""

import html
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice

from clew.domain.datafiles.archives import entries
from clew.domain.datafiles.delimited import MOST_CELL, MOST_COLUMNS, MOST_ROWS

_STRINGS = 20_000
_SHEETS = 3
"""Sheets that are read: the first is often a cover, the one with most cells counts."""

_ROW = re.compile(r"<(?:\w+:)?row\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?row>)", re.DOTALL)
_C = re.compile(r"<(?:\w+:)?c\b([^>]*?)(?:/>|>(.*?)</(?:\w+:)?c>)", re.DOTALL)
_V = re.compile(r"<(?:\w+:)?v(?:\s[^>]*)?>([^<]*)<")
_T = re.compile(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<")
_SI = re.compile(r"<(?:\w+:)?si>(.*?)</(?:\w+:)?si>", re.DOTALL)
_AT = re.compile(r'\br="([A-Z]{1,3})\d+"')
_KIND = re.compile(r'\bt="(\w+)"')
_TABLE = re.compile(r"<table:table\s[^>]*>")
_LINE = re.compile(r"<table:table-row\b([^>]*?)(?:/>|>(.*?)</table:table-row>)", re.DOTALL)
_BOX = re.compile(
    r"<table:(?:covered-)?table-cell\b([^>]*?)(?:/>|>(.*?)</table:(?:covered-)?table-cell>)", re.DOTALL
)
_TEXT_VALUE = re.compile(r"<text:p(?:\s[^>]*)?>(.*?)</text:p>", re.DOTALL)
_VALUE = re.compile(r'office:(?:date-|time-)?value="([^"]*)"')
_TIMES = re.compile(r'number-(?:columns|rows)-repeated="(\d+)"')
_TAG = re.compile(r"<[^>]*>")
_TR = re.compile(r"<tr\b[^>]*>(.*?)(?=<tr\b|</tr|</table|$)", re.DOTALL | re.IGNORECASE)
_TD = re.compile(r"<t[dh]\b[^>]*>(.*?)(?=<t[dh]\b|</t[dh]|$)", re.DOTALL | re.IGNORECASE)

Rows = list[list[str]]


def read_xlsx(body: bytes) -> Rows:
    """Return the rows of the fullest of the first sheets; strings missing in a truncated file are `…`."""
    strings: list[str] = []
    sheets: list[str] = []
    for name, inside in entries(body):
        if name.endswith("sharedStrings.xml"):
            strings_found = _SI.finditer(inside.decode("utf-8", "replace"))
            strings = [_plain("".join(_T.findall(found[1]))) for found in islice(strings_found, _STRINGS)]
        elif "worksheets/" in name and name.endswith(".xml") and len(sheets) < _SHEETS:
            sheets.append(inside.decode("utf-8", "replace"))
    rows_of_sheets = (
        [_xlsx_row(row[1] or "", strings) for row in islice(_ROW.finditer(text), MOST_ROWS)]
        for text in sheets
    )
    return max(rows_of_sheets, key=_filled, default=[])


def _xlsx_row(row: str, strings: list[str]) -> list[str]:
    cells: list[str] = []
    for found in islice(_C.finditer(row), MOST_COLUMNS):
        marks, inside = found[1], found[2] or ""
        if at := _AT.search(marks):
            cells += [""] * (min(_column(at[1]), MOST_COLUMNS) - len(cells))
        kind = _KIND.search(marks)
        value = _V.search(inside)
        if kind and kind[1] == "s":
            number = int(value[1]) if value and value[1].isdecimal() and len(value[1]) < 10 else -1  # noqa: PLR2004
            cells.append(strings[number] if 0 <= number < len(strings) else "…")
        elif kind and kind[1] == "inlineStr":
            cells.append(_plain("".join(_T.findall(inside))))
        else:
            cells.append(_plain(value[1]) if value else "")
    return cells[:MOST_COLUMNS]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def read_ods(body: bytes) -> Rows:
    """Return the rows of the fullest of the first sheets."""
    text = next((inside for name, inside in entries(body) if name == "content.xml"), b"").decode(
        "utf-8", "replace"
    )
    pieces = islice(_TABLE.split(text)[1:], _SHEETS)
    return max((_ods_rows(piece) for piece in pieces), key=_filled, default=[])


def _ods_rows(text: str) -> Rows:
    rows: Rows = []
    for found in _LINE.finditer(text):
        cells: list[str] = []
        for box in islice(_BOX.finditer(found[2] or ""), MOST_COLUMNS):
            shown = _TEXT_VALUE.search(box[2] or "")
            value = _VALUE.search(box[1])
            cell = value[1] if value and 'value-type="float"' in box[1] else shown[1] if shown else ""
            cells += [_plain(cell)] * _times(box[1], MOST_COLUMNS - len(cells), empty=not cell)
        rows += [cells] * _times(found[1], MOST_ROWS - len(rows), empty=not any(cells))
        if len(rows) >= MOST_ROWS:
            break
    while rows and not any(rows[-1]):
        rows.pop()
    return rows


def _times(marks: str, most: int, *, empty: bool) -> int:
    """Return how often a cell or row is repeated; sheets are padded with millions of empty ones."""
    found = _TIMES.search(marks)
    wanted = int(found[1][:7]) if found else 1
    return max(0, min(wanted, most, 50 if empty else most))


def read_html_sheet(text: str) -> Rows:
    """Return the rows of an HTML table that is declared as a spreadsheet."""
    rows = islice(_TR.finditer(text), MOST_ROWS)
    return [[_plain(cell[1]) for cell in islice(_TD.finditer(row[1]), MOST_COLUMNS)] for row in rows]


def read_zipped(body: bytes, read: Callable[[bytes, str], Rows]) -> Rows:
    """Return the rows of the first tables in a zip file, the fullest of them."""
    sheets: Iterator[Rows] = (
        read(inside, name) for name, inside in islice(entries(body), 20) if inside and not name.endswith("/")
    )
    first = next((rows for rows in sheets if _filled(rows)), [])
    return max(chain([first], islice(sheets, _SHEETS - 1)), key=_filled)


def _filled(rows: Rows) -> int:
    return sum(bool(cell) for row in rows[:200] for cell in row[:50])


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", text[: 4 * MOST_CELL])).split())[:MOST_CELL]
