"""Read data files as rows of cells: csv, tsv, xlsx, ods, JSON records, HTML sheets, and zip files of them."""

import json
from dataclasses import dataclass

from clew.domain.datafiles import sheets
from clew.domain.datafiles.delimited import MOST_CELL, MOST_COLUMNS, MOST_ROWS, decoded, read_delimited
from clew.domain.datafiles.magic import PACKED, kind_of_bytes, unpacked

MOST_BYTES = 262_144
"""Bytes that are read of a file: enough for a thousand rows, and quick to read."""

READABLE = frozenset({"csv", "tsv", "xlsx", "ods", "json", "xls"})


@dataclass(frozen=True, slots=True)
class DataTable:
    """Rows of cells as they are written, limited in size."""

    rows: list[list[str]]

    @property
    def width(self) -> int:
        """Number of cells of its widest row."""
        return max(map(len, self.rows), default=0)


def read_table(body: bytes, kind: str, *, encoding: str = "", cut: bool = False) -> DataTable | None:
    """Read the first bytes of a file; None for kinds whose cells cannot be read here.

    `cut` says that the file goes on; then its last row is not whole.
    """
    cut = cut or len(body) > MOST_BYTES
    if body.startswith(PACKED):
        body = unpacked(body, MOST_BYTES)
        cut = cut or len(body) == MOST_BYTES
    rows = _rows(body, kind, encoding, cut=cut)
    filled_rows = [row for row in rows if any(row)]
    return DataTable(filled_rows) if len(filled_rows) > 1 else None


def _rows(body: bytes, kind: str, encoding: str, *, cut: bool) -> sheets.Rows:
    if body.startswith(b"PK\x03\x04"):
        return _zipped(body, kind)
    if kind not in READABLE:
        return []
    text, known = decoded(body[:MOST_BYTES], encoding)
    if not known:
        return []
    if kind == "json":
        return _records(text)
    if kind == "xls":
        return sheets.read_html_sheet(text) if text.lstrip().startswith("<") else []
    return read_delimited(text, cut=cut)


def _zipped(body: bytes, kind: str) -> sheets.Rows:
    if kind == "ods":
        return sheets.read_ods(body)
    rows = sheets.read_xlsx(body) if kind == "xlsx" else []
    return rows or sheets.read_zipped(body, _entry)


def _entry(inside: bytes, name: str) -> sheets.Rows:
    """Read one file inside a zip file, unless it is a nested zip file."""
    if inside.startswith(b"PK\x03\x04"):
        return []
    kind = kind_of_bytes(inside, name.rpartition(".")[2].lower())[0]
    return _rows(inside, kind, "", cut=len(inside) >= MOST_BYTES) if kind in READABLE else []


def _records(text: str) -> sheets.Rows:
    """Return the objects of a JSON list, or of one object a line, as rows under the names of their keys."""
    records = _objects(text)
    names = list(dict.fromkeys(key for record in records[:50] for key in record))[:MOST_COLUMNS]
    if not names:
        return []
    return [names, *([_format_value(record.get(name)) for name in names] for record in records)]


def _objects(text: str) -> list[dict[str, object]]:
    """Return JSON objects from the first place in a text where one follows another; it may be truncated."""
    decoder, at = json.JSONDecoder(), text.find("{", 1 if text.lstrip().startswith("{") else 0)
    found: list[dict[str, object]] = []
    if text.lstrip().startswith("{") and "\n{" in text[:20_000]:
        at = text.find("{")
    while 0 <= at < len(text) and len(found) < MOST_ROWS:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if isinstance(value, dict):
            found.append(value)
        at = text.find("{", end, end + 100)
    return found


def _format_value(value: object) -> str:
    if value is None:
        return ""
    return (json.dumps(value) if isinstance(value, dict | list) else str(value))[:MOST_CELL]
