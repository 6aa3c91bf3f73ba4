"""Export the growing table with its provenance: JSON lines, CSV, Parquet or a database."""

import csv
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from clew.store.escaping import safe_cell, safe_json
from clew.store.reading import import_optional
from clew.store.table_rows import TableRow, table_columns, table_rows

PROVENANCE = (
    "id", "given", "mark", "confidence", "pages", "sites", "page_url", "pattern", "position", "found_at",
)  # fmt: skip
"""The columns after the values of a row, in this order, in every export."""

_BATCH = 1000
_KINDS = {"id": "INTEGER", "given": "INTEGER", "confidence": "REAL", "pages": "INTEGER", "sites": "INTEGER",
          "position": "INTEGER"}  # fmt: skip


class TableWriter:
    """Write the table of a crawl; `provenance` False leaves out all but the values."""

    def __init__(self, *, provenance: bool = True) -> None:
        self.provenance = provenance

    def names(self, db: sqlite3.Connection) -> list[str]:
        """Return the names of all columns."""
        return column_names(table_columns(db)) if self.provenance else list(table_columns(db))

    def rows(self, db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of the table as plain values."""
        for row in table_rows(db):
            yield row.values + (provenance_of(row) if self.provenance else ())

    def jsonl(self, _folder: Path, db: sqlite3.Connection, file: BinaryIO, _where: str) -> int:
        """Write one line of JSON for each row."""
        names, count = self.names(db), 0
        for row in self.rows(db):
            file.write(f"{safe_json(dict(zip(names, row, strict=True)))}\n".encode())
            count += 1
        return count

    def csv(self, _folder: Path, db: sqlite3.Connection, file: BinaryIO, _where: str) -> int:
        """Write a table for spreadsheets."""
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        sheet = csv.writer(text, quoting=csv.QUOTE_MINIMAL)
        sheet.writerow([safe_cell(name) for name in self.names(db)])
        count = 0
        for row in self.rows(db):
            sheet.writerow([safe_cell(cell) for cell in row])
            count += 1
        text.flush()
        text.detach()
        return count

    def parquet(self, _folder: Path, db: sqlite3.Connection, file: BinaryIO, _where: str) -> int:
        """Write a table for data frames."""
        arrow, parquet = import_optional("pyarrow", "parquet"), import_optional("pyarrow.parquet", "parquet")
        kinds = {"INTEGER": arrow.int64(), "REAL": arrow.float64(), "TEXT": arrow.string()}
        names = self.names(db)
        schema = arrow.schema([(name, kinds[kind]) for name, kind in zip(names, _kinds(names), strict=True)])
        count, rows = 0, self.rows(db)
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            while batch := list(islice(rows, _BATCH)):
                columns = [list(column) for column in zip(*batch, strict=True)]
                writer.write_batch(arrow.RecordBatch.from_arrays(
                    [arrow.array(cells, field.type) for cells, field in zip(columns, schema, strict=True)],
                    schema=schema,
                ))  # fmt: skip
                count += len(batch)
        return count

    def database(self, _folder: Path, db: sqlite3.Connection, file: BinaryIO, _where: str) -> int:
        """Write an SQLite database with one table, `records`."""
        names = self.names(db)
        quoted = ['"{}"'.format(name.replace('"', '""')) for name in names]
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, _kinds(names), strict=True))
        half = Path(f"{file.name}.db")
        try:
            with closing(sqlite3.connect(half)) as made:
                made.execute("PRAGMA journal_mode = OFF")
                made.execute(f"CREATE TABLE records ({columns})")
                marks = ", ".join("?" * len(names))
                count = made.executemany(f"INSERT INTO records VALUES ({marks})", self.rows(db)).rowcount  # noqa: S608
                made.commit()
            with half.open("rb") as ready:
                while piece := ready.read(1 << 20):
                    file.write(piece)
        finally:
            half.unlink(missing_ok=True)
        return max(0, count)


def column_names(columns: Sequence[str]) -> list[str]:
    """Return the names of columns and provenance; provenance never takes the name of a user column."""
    taken = {name.lower() for name in columns}
    return [*columns, *(f"clew_{name}" if name in taken else name for name in PROVENANCE)]


def as_dict(columns: Sequence[str], row: TableRow) -> dict[str, Any]:
    """Return a row with its provenance, and why it is left out, if it is."""
    shown = dict(zip(column_names(columns), (*row.values, *provenance_of(row)), strict=True))
    return {**shown, "out": row.out} if row.out else shown


def provenance_of(row: TableRow) -> tuple[Any, ...]:
    """Return the provenance of a row, in the order of `PROVENANCE`."""
    at = datetime.fromtimestamp(row.found_at, UTC).isoformat(timespec="seconds") if row.found_at else ""
    return (
        row.id, int(row.given), row.mark, round(row.confidence, 4), row.pages, row.sites, row.url,
        row.pattern, row.position, at.replace("+00:00", "Z"),
    )  # fmt: skip


def _kinds(names: Sequence[str]) -> list[str]:
    """Return the SQL types of columns: provenance by name, the user's own columns are text."""
    ours = len(names) - len(PROVENANCE)
    provenance = ours > 0 and tuple(name.removeprefix("clew_") for name in names[ours:]) == PROVENANCE
    return [
        _KINDS.get(name.removeprefix("clew_"), "TEXT") if provenance and place >= ours else "TEXT"
        for place, name in enumerate(names)
    ]
