"""Export the growing table with its provenance."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from clew.store.table_formats import ExportTable
from clew.store.table_rows import TableRow, table_columns, table_rows

PROVENANCE = (
    "id", "given", "mark", "confidence", "pages", "sites", "page_url", "pattern", "position", "found_at",
)  # fmt: skip
"""The columns after the values of a row, in this order, in every export."""

_KINDS = {"id": "int64", "given": "int64", "confidence": "float64", "pages": "int64", "sites": "int64",
          "position": "int64"}  # fmt: skip


def grown_table(db: sqlite3.Connection, *, provenance: bool) -> ExportTable:
    """Return the table that grows from example rows; without `provenance` only its values."""
    columns = table_columns(db)
    names = column_names(columns) if provenance else list(columns)
    kinds = ["string"] * len(columns) + [_KINDS.get(name, "string") for name in PROVENANCE] * provenance
    rows = (row.values + (provenance_of(row) if provenance else ()) for row in table_rows(db))
    return ExportTable("records", names, kinds, rows)


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
