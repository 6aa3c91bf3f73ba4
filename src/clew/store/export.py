"""Export results: JSON lines, CSV, Parquet or WARC, chosen by the suffix of the file.

An export is written under another name, brought to the disk and then renamed: whoever sees the
file sees all of it. Memory stays flat, whatever the crawl holds.
"""

import csv
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeAlias

from isal import igzip

from clew.errors import ConfigError, StoreError
from clew.store.archive import serial_of
from clew.store.database import open_reader, store_errors
from clew.store.escaping import safe_cell, safe_json
from clew.store.folder import DATABASE, PAGES, disk_error, sync_folder
from clew.store.reading import FIELDS, arrow_batch, arrow_schema, batches, import_optional
from clew.store.row_export import rows_as_csv, rows_as_geojson, rows_as_jsonl
from clew.store.table_export import TableWriter
from clew.store.table_rows import table_columns
from clew.store.warc import read_record, warcinfo

Writer: TypeAlias = Callable[[Path, sqlite3.Connection, BinaryIO, str], int]


def export(
    folder: Path, target: Path, *, only_relevant: bool = False, records: bool = False, provenance: bool = True
) -> int:
    """Write every fetched URL of a crawl once (or the relevant ones); return how many.

    `records` exports the rows that were extracted from them instead; a map (.geojson) always holds rows.
    If the crawl has a growing table, its rows are exported; without `provenance` only their values.
    """
    table = TableWriter(provenance=provenance) if records and has_table(folder) else None
    writer = _writer_for(target, _table_writers(table) if table else _ROW_WRITERS if records else _WRITERS)
    if target.resolve().parent == (folder / PAGES).resolve():
        msg = f"{target} is among the crawl's own files; export to another place, e.g. {target.name}"
        raise ConfigError(msg)
    with (
        closing(open_reader(folder)) as db,
        store_errors(folder / DATABASE),
        _replace_atomically(target) as file,
    ):
        return writer(folder, db, file, "relevant = 1" if only_relevant else "true")


def has_table(folder: Path) -> bool:
    """Return whether the crawl has a table that grows from example rows."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        return bool(table_columns(db))


def _table_writers(table: TableWriter) -> dict[str, Writer]:
    return {
        ".jsonl": table.jsonl, ".csv": table.csv, ".parquet": table.parquet, ".sqlite": table.database,
        ".db": table.database, ".jsonl.gz": _packed(table.jsonl), ".csv.gz": _packed(table.csv),
    }  # fmt: skip


def _writer_for(target: Path, known: dict[str, Writer]) -> Writer:
    name = target.name.lower()
    for suffix, writer in known.items():
        if name.endswith(suffix):
            if suffix == ".parquet":
                import_optional("pyarrow", "parquet")
            return writer
    near = get_close_matches(target.suffix, known, n=1)
    meant = f" (did you mean {target.with_suffix(near[0]).name}?)" if near else ""
    what = "" if known is _WRITERS else " of extracted rows"
    msg = f"{target.name}: the suffix says the format{what}; use one of {', '.join(known)}{meant}"
    raise ConfigError(msg)


@contextmanager
def _replace_atomically(target: Path) -> Iterator[BinaryIO]:
    """Yield a file to write; it replaces `target` on success and is removed otherwise."""
    if not target.parent.is_dir():
        msg = f"{target} cannot be written: there is no folder {target.parent}; make it first"
        raise ConfigError(msg)
    if target.is_dir():
        msg = f"{target} is a folder; choose another name for the export"
        raise ConfigError(msg)
    half = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with half.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        half.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise disk_error(error, target) from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)


def json_line(row: tuple[Any, ...]) -> str:
    """Return a row as one line of JSON; terminal control characters are escaped."""
    return safe_json(dict(zip(FIELDS, row, strict=True))) + "\n"


def _jsonl(_folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
    count = 0
    for rows in batches(db, where):
        file.write("".join(map(json_line, rows)).encode())
        count += len(rows)
    return count


def _csv(_folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    sheet = csv.writer(text, quoting=csv.QUOTE_MINIMAL)
    sheet.writerow(FIELDS)
    count = 0
    for rows in batches(db, where):
        sheet.writerows([safe_cell(cell) for cell in row] for row in rows)
        count += len(rows)
    text.flush()
    text.detach()
    return count


def _parquet(_folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
    parquet = import_optional("pyarrow.parquet", "parquet")
    count = 0
    with parquet.ParquetWriter(file, arrow_schema(), compression="zstd") as writer:
        for rows in batches(db, where):
            writer.write_batch(arrow_batch(rows))
            count += len(rows)
    return count


def _packed(inner: Writer) -> Writer:
    def write(folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
        opened: Any = igzip.open(file, "wb", compresslevel=2)  # type: ignore[no-untyped-call]
        with opened as packed:
            return inner(folder, db, packed, where)

    return write


def _warc(folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
    """Copy the records as they are, behind a warcinfo of their own."""
    (software,) = db.execute(
        "SELECT ifnull((SELECT value FROM meta WHERE key = 'made_by'), 'clew')"
    ).fetchone()
    file.write(warcinfo("export.warc.gz", software=software))
    statement = (
        "SELECT id, warc_file, warc_offset, warc_length FROM pages"  # noqa: S608
        f" WHERE id > ? AND warc_file IS NOT NULL AND {where} ORDER BY id LIMIT 500"
    )
    count, last = 0, -1
    with _Sources(folder / PAGES) as sources:
        while rows := db.execute(statement, (last,)).fetchall():
            file.writelines(sources.records(name, offset, length) for _, name, offset, length in rows)
            last = rows[-1][0]
            count += len(rows)
    return count


class _Sources:
    """The WARC files of a crawl, opened when first import_optional."""

    def __init__(self, pages: Path) -> None:
        self.pages = pages
        self._name = ""
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def records(self, name: str, offset: int, length: int) -> bytes:
        """Return the response at `offset`, its rendered page and its request, still compressed."""
        if name != self._name:
            self._open(name)
        assert self._file is not None
        self._file.seek(offset)
        response = self._file.read(length)
        if len(response) != length:
            msg = f"{self.pages / name} is shorter than the database says; put the whole file back"
            raise StoreError(msg)
        end = offset + length
        with suppress(EOFError, ValueError, zlib.error):
            follower = read_record(self._file, end)
            if follower.header.get("warc-type") == "conversion":
                end += follower.length
                follower = read_record(self._file, end)
            if follower.header.get("warc-type") == "request":
                end += follower.length
        self._file.seek(offset + length)
        return response + self._file.read(end - offset - length)

    def _open(self, name: str) -> None:
        serial_of(name)  # names come from the database, and that may come from a stranger
        if self._file is not None:
            self._file.close()
        try:
            self._file = (self.pages / name).open("rb")
        except FileNotFoundError:
            msg = f"{self.pages / name} is missing; put it back to export WARC (other formats do without)"
            raise StoreError(msg) from None
        self._name = name


_WRITERS: dict[str, Writer] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
    ".warc.gz": _warc,
    ".jsonl.gz": _packed(_jsonl),
    ".csv.gz": _packed(_csv),
    ".geojson": rows_as_geojson,
}

_ROW_WRITERS: dict[str, Writer] = {
    ".jsonl": rows_as_jsonl,
    ".csv": rows_as_csv,
    ".geojson": rows_as_geojson,
    ".jsonl.gz": _packed(rows_as_jsonl),
    ".csv.gz": _packed(rows_as_csv),
}
