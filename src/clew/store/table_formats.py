"""Write a table as JSON lines, CSV, an Excel sheet, Parquet or an SQLite database."""

import csv
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from isal import igzip

from clew.store.escaping import safe_cell, safe_json
from clew.store.reading import import_optional

MAX_CELL = 32_767
"""Characters in a cell of a spreadsheet; Excel spills what is longer into the next rows."""

MAX_ROWS = 1_048_576
"""Rows of an Excel sheet."""

_BATCH = 1_000
_SQL = {"int32": "INTEGER", "int64": "INTEGER", "bool": "INTEGER", "float64": "REAL"}


@dataclass(slots=True)
class ExportTable:
    """A table on its way to a file. `kinds` are types: string, bool, int32, int64, float64 or timestamp.

    `bom` marks CSV as UTF-8 for spreadsheets; `cut` counts the cells that were too long for them.
    """

    name: str
    columns: Sequence[str]
    kinds: Sequence[str]
    rows: Iterator[Sequence[Any]]
    bom: bool = True
    cut: int = 0

    def cells(self, row: Sequence[Any]) -> list[Any]:
        """Return a row for a spreadsheet: harmless, and no cell longer than it can hold."""
        cells = [safe_cell(cell) for cell in row]
        for place, cell in enumerate(cells):
            if isinstance(cell, str) and len(cell) > MAX_CELL:
                cells[place] = cell[: MAX_CELL - 1] + "…"
                self.cut += 1
        return cells


TableWriter: TypeAlias = Callable[[ExportTable, BinaryIO], int]


def write_jsonl(table: ExportTable, file: BinaryIO) -> int:
    """Write one line of JSON for each row."""
    count = 0
    while rows := list(islice(table.rows, _BATCH)):
        file.write("".join(f"{_json(table.columns, row)}\n" for row in rows).encode())
        count += len(rows)
    return count


def _json(columns: Sequence[str], row: Sequence[Any]) -> str:
    return safe_json(dict(zip(columns, row, strict=True)))


def write_csv(table: ExportTable, file: BinaryIO) -> int:
    """Write a table for spreadsheets; the mark at its beginning tells Excel that it is UTF-8."""
    text = TextIOWrapper(file, encoding="utf-8-sig" if table.bom else "utf-8", newline="")
    sheet = csv.writer(text, quoting=csv.QUOTE_MINIMAL)
    sheet.writerow([safe_cell(name) for name in table.columns])
    count = 0
    for row in table.rows:
        sheet.writerow(table.cells(row))
        count += 1
    text.flush()
    text.detach()
    return count


def write_xlsx(table: ExportTable, file: BinaryIO) -> int:
    """Write one Excel sheet; texts are never formulas or links there."""
    excel = import_optional("xlsxwriter", "xlsx")
    plain = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with tempfile.TemporaryFile() as whole:  # it is written backwards, which a pipe cannot
        book = excel.Workbook(whole, plain | {"in_memory": False})
        sheet = book.add_worksheet(table.name)
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, [safe_cell(name) for name in table.columns], book.add_format({"bold": True}))
        count = 0
        for row in islice(table.rows, MAX_ROWS - 1):
            count += 1
            for place, cell in enumerate(table.cells(row)):
                if isinstance(cell, str):
                    sheet.write_string(count, place, cell)
                elif cell is not None:
                    sheet.write(count, place, cell)
        book.close()
        whole.seek(0)
        _copy(whole, file)
    return count


def write_parquet(table: ExportTable, file: BinaryIO) -> int:
    """Write a table for data frames."""
    arrow, parquet = import_optional("pyarrow", "parquet"), import_optional("pyarrow.parquet", "parquet")
    moment = arrow.timestamp("ms", tz="UTC")
    types = {"string": arrow.string(), "bool": arrow.bool_(), "int32": arrow.int32(), "int64": arrow.int64(),
             "float64": arrow.float64(), "timestamp": moment}  # fmt: skip
    schema = arrow.schema([(n, types[kind]) for n, kind in zip(table.columns, table.kinds, strict=True)])
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while rows := list(islice(table.rows, _BATCH)):
            arrays = []
            for cells, field in zip(zip(*rows, strict=True), schema, strict=True):
                plain = arrow.array(list(cells), arrow.string() if field.type == moment else field.type)
                arrays.append(plain.cast(field.type))
            writer.write_batch(arrow.RecordBatch.from_arrays(arrays, schema=schema))
            count += len(rows)
    return count


def write_database(table: ExportTable, file: BinaryIO) -> int:
    """Write an SQLite database with one table."""
    quoted = ['"{}"'.format(name.replace('"', '""')) for name in table.columns]
    columns = ", ".join(
        f"{name} {_SQL.get(kind, 'TEXT')}" for name, kind in zip(quoted, table.kinds, strict=True)
    )
    with tempfile.TemporaryDirectory(dir=_beside(file)) as folder:
        half = Path(folder, "export.db")
        with closing(sqlite3.connect(half)) as made:
            made.execute("PRAGMA journal_mode = OFF")
            made.execute(f"CREATE TABLE {table.name} ({columns})")
            marks = ", ".join("?" * len(quoted))
            count = made.executemany(f"INSERT INTO {table.name} VALUES ({marks})", table.rows).rowcount  # noqa: S608
            made.commit()
        with half.open("rb") as ready:
            _copy(ready, file)
    return max(0, count)


def _beside(file: BinaryIO) -> str | None:
    """Return the folder of a file, whose disk has room for it; None for standard output."""
    return (
        str(Path(file.name).resolve().parent) if isinstance(file.name, str) and file.name[:1] != "<" else None
    )


def _copy(source: Any, target: BinaryIO) -> None:  # noqa: ANN401 - any file
    while piece := source.read(1 << 20):
        target.write(piece)


def packed(inner: TableWriter) -> TableWriter:
    """Return a writer that compresses what another writes."""

    def write(table: ExportTable, file: BinaryIO) -> int:
        opened: Any = igzip.open(file, "wb", compresslevel=2)  # type: ignore[no-untyped-call]
        with opened as smaller:
            return inner(table, smaller)

    return write


TABLE_FORMATS: dict[str, TableWriter] = {
    ".jsonl": write_jsonl,
    ".csv": write_csv,
    ".xlsx": write_xlsx,
    ".parquet": write_parquet,
    ".db": write_database,
    ".sqlite": write_database,
    ".jsonl.gz": packed(write_jsonl),
    ".csv.gz": packed(write_csv),
}
"""The writers by the suffix of the file."""
