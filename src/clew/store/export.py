"""Export results: tables, WARC or a map, chosen by the suffix of the file.

An export is written under another name, brought to the disk and then renamed: whoever sees the
file sees all of it. Memory stays flat, whatever the crawl holds.
"""

import os
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol, Self, TypeAlias

from clew.errors import ConfigError, StoreError
from clew.store.archive import serial_of
from clew.store.cdxj import write_cdxj
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE, PAGES, disk_error, sync_folder
from clew.store.outbox import shard_folders
from clew.store.reading import FIELDS, KINDS, batches, import_optional
from clew.store.row_export import row_table, rows_as_geojson
from clew.store.table_export import grown_table
from clew.store.table_formats import TABLE_FORMATS, ExportTable
from clew.store.table_rows import table_columns
from clew.store.wacz import write_wacz
from clew.store.warc import StoredRecord, read_record, warcinfo

Part: TypeAlias = tuple[Path, sqlite3.Connection]
"""A folder with its database: a crawl, or one shard of it."""

Writer: TypeAlias = Callable[[Sequence[Part], BinaryIO, str], int]

STDOUT = Path("-")
"""The name of standard output."""

_READ_AT = "(SELECT pages.fetched_at FROM pages WHERE pages.id = fetched.id)"
_EXTRAS = {".parquet": ("pyarrow", "parquet"), ".xlsx": ("xlsxwriter", "xlsx")}


class PageDescriber(Protocol):
    """More columns about the pages of one folder: made with its path, called with a row and its response."""

    columns: ClassVar[tuple[str, ...]]

    def __init__(self, folder: Path) -> None: ...

    def __call__(self, page: Mapping[str, Any], head: bytes, body: bytes) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What is exported.

    `records` are the rows extracted from pages; if the crawl has a growing table, its rows, and without
    `provenance` only their values. `fields` selects columns, in this order; empty for all. `format` is a
    suffix, for standard output. `since` leaves out what was read before (Unix seconds). `describe` adds
    columns about pages, read from their responses, by name, or replaces them. `note` is
    called with what a reader should know.
    """

    only_relevant: bool = False
    records: bool = False
    provenance: bool = True
    fields: Sequence[str] = ()
    text: bool = True
    format: str = ".jsonl"
    since: float = 0.0
    describe: type["PageDescriber"] | None = None
    note: Callable[[str], None] = field(default=lambda _: None)


def export(folder: Path, target: Path, options: ExportOptions | None = None) -> int:
    """Write every fetched URL of a crawl once, or what the options say; return the number of rows.

    The suffix of the file is the format; `-` is standard output. A map (.geojson) always holds rows. Of a
    crawl in shards, all of them follow one another.
    """
    options = options or ExportOptions()
    known = [*TABLE_FORMATS, ".geojson"] if options.records else [*TABLE_FORMATS, *_OTHERS]
    suffix = _suffix(target, known, options)
    if suffix in _EXTRAS:
        import_optional(*_EXTRAS[suffix])
    if target.resolve().parent == (folder / PAGES).resolve():
        msg = f"{target} is among the crawl's own files; export to another place, e.g. {target.name}"
        raise ConfigError(msg)
    where = "relevant = 1" if options.only_relevant else "true"
    if options.since:
        column = "pages.fetched_at" if suffix in _OTHERS or options.records else _READ_AT
        where += f" AND {column} >= {options.since!r}"
    output = nullcontext(sys.stdout.buffer) if target == STDOUT else replace_atomically(target)
    with _open_parts(folder) as parts, store_errors(folder / DATABASE), output as file:
        if suffix in _OTHERS:
            return _OTHERS[suffix](parts, file, where)
        table = _table(parts, where, options)
        table.bom = target != STDOUT
        rows = TABLE_FORMATS[suffix](table, file)
    if table.cut:
        texts = "1 text was" if table.cut == 1 else f"{table.cut:,} texts were"
        options.note(
            f"{texts} longer than a cell of a spreadsheet can be (32,767 characters) and cut;"
            " .jsonl, .parquet and .db keep them whole, --no-text leaves them out"
        )
    return rows


@contextmanager
def _open_parts(folder: Path) -> Iterator[list[Part]]:
    """Open the database of a crawl, or those of its shards that have begun."""
    folders = [path for path in shard_folders(folder) if (path / DATABASE).exists()] or [folder]
    with ExitStack() as stack:
        yield [(path, stack.enter_context(closing(open_reader(path)))) for path in folders]


def _table(parts: Sequence[Part], where: str, options: ExportOptions) -> ExportTable:
    """Return what is exported as a table, with the columns that were chosen."""
    if not options.records:
        fields = [name for name in FIELDS if options.text or name != "text"]
        added = options.describe.columns if options.describe else ()
        chosen = _chosen([*fields, *(name for name in added if name not in FIELDS)], options)
        whole = len(parts) == 1
        described = options.describe if set(chosen) & set(added) else None
        rows = (
            row
            for part in parts
            for row in (
                _described_rows(part, where, chosen, described, whole=whole)
                if described
                else _page_rows(part, where, chosen, whole=whole)
            )
        )
        return ExportTable("pages", chosen, [KINDS.get(name, "string") for name in chosen], rows)
    dbs = [db for _, db in parts]
    grown = bool(table_columns(dbs[0]))
    table = grown_table(dbs[0], provenance=options.provenance) if grown else row_table(dbs, where)
    places = [table.columns.index(name) for name in _chosen(table.columns, options)]
    if options.fields:
        columns, kinds = ([each[place] for place in places] for each in (table.columns, table.kinds))
        return ExportTable(table.name, columns, kinds, ([row[p] for p in places] for row in table.rows))
    return table


def _described_rows(
    part: Part, where: str, fields: Sequence[str], describer: type[PageDescriber], *, whole: bool
) -> Iterator[Sequence[Any]]:
    """Yield the pages of a crawl with fields that are read from their responses."""
    folder, _ = part
    describe = describer(folder)
    with ArchiveReader(folder / PAGES) as archive:
        for row in _page_rows(part, where, FIELDS, whole=True):
            page = dict(zip(FIELDS, row, strict=True))
            head, body = archive.http(page["warc_file"], page["warc_offset"])
            page |= zip(describe.columns, describe(page, head, body), strict=True)
            if not whole and page["warc_file"]:
                page["warc_file"] = _name_in_shard(folder, page["warc_file"])
            yield [page[name] for name in fields]


def _name_in_shard(folder: Path, name: str) -> str:
    return f"{folder.parent.name}/{folder.name}/{PAGES}/{name}"


def _page_rows(part: Part, where: str, fields: Sequence[str], *, whole: bool) -> Iterator[Sequence[Any]]:
    """Yield the pages of a crawl or of one of its shards, whose WARC files are named with their folder."""
    folder, db = part
    place = fields.index("warc_file") if "warc_file" in fields and not whole else -1
    for rows in batches(db, where, fields):
        for row in rows:
            if place < 0 or row[place] is None:
                yield row
            else:
                yield (*row[:place], _name_in_shard(folder, row[place]), *row[place + 1 :])


def _chosen(columns: Sequence[str], options: ExportOptions) -> list[str]:
    """Return the columns that were chosen; an unknown one is an error with the nearest name."""
    for name in options.fields:
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            meant = f"did you mean {near[0]}?" if near else f"fields: {', '.join(columns)}"
            msg = f"--fields: there is no field {name}; {meant}"
            raise ConfigError(msg)
    return list(options.fields) or list(columns)


def has_table(folder: Path) -> bool:
    """Return whether the crawl has a table that grows from example rows."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        return bool(table_columns(db))


def _suffix(target: Path, known: Sequence[str], options: ExportOptions) -> str:
    """Return the suffix that is the format of a file; an unknown one is an error with what was meant."""
    name = f"-.{options.format.removeprefix('.')}" if target == STDOUT else target.name
    ending = max((each for each in known if name.lower().endswith(each)), key=len, default="")
    if ending:
        return ending
    if target == STDOUT:
        msg = f"--format {options.format}: use one of {', '.join(each.removeprefix('.') for each in known)}"
        raise ConfigError(msg)
    plain = name.removesuffix(".gz")
    if plain != name and plain.lower().endswith(tuple(known)):
        meant = f" (write {plain}: it is compressed already)"
    else:
        choices = [each for each in known if each[-3:] != ".gz"]
        near = get_close_matches(Path(name).suffix, choices, n=1, cutoff=0.7)
        meant = f" (did you mean {Path(name).with_suffix(near[0]).name}?)" if near else ""
    what = " of extracted rows" if options.records else ""
    msg = f"{name}: the suffix says the format{what}; use one of {', '.join(known)}{meant}"
    raise ConfigError(msg)


@contextmanager
def replace_atomically(target: Path) -> Iterator[BinaryIO]:
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


def _warc(parts: Sequence[Part], file: BinaryIO, where: str) -> int:
    """Copy the records as they are, behind a warcinfo of their own."""
    (software,) = (
        parts[0][1]
        .execute("SELECT ifnull((SELECT value FROM meta WHERE key = 'made_by'), 'clew')")
        .fetchone()
    )
    file.write(warcinfo("export.warc.gz", software=software))
    return sum(_copy_records(folder, db, file, where) for folder, db in parts)


def _copy_records(folder: Path, db: sqlite3.Connection, file: BinaryIO, where: str) -> int:
    statement = (
        "SELECT id, warc_file, warc_offset, warc_length FROM pages"  # noqa: S608
        f" WHERE id > ? AND warc_file IS NOT NULL AND {where} ORDER BY id LIMIT 500"
    )
    count, last = 0, -1
    with ArchiveReader(folder / PAGES) as sources:
        while rows := db.execute(statement, (last,)).fetchall():
            file.writelines(sources.records(name, offset, length) for _, name, offset, length in rows)
            last = rows[-1][0]
            count += len(rows)
    return count


class ArchiveReader:
    """The WARC files of a crawl, opened when first needed."""

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

    def response(self, name: str, offset: int, length: int) -> StoredRecord:
        """Return the response record at `offset`, unpacked."""
        return read_record(BytesIO(self.records(name, offset, length)), 0)

    def http(self, name: str | None, offset: int | None) -> tuple[bytes, bytes]:
        """Return head and body of the response at `offset`; empty if there is none or it is damaged."""
        if name is None or offset is None:
            return b"", b""
        if name != self._name:
            self._open(name)
        assert self._file is not None
        try:
            return read_record(self._file, offset).http
        except (EOFError, ValueError, zlib.error):
            return b"", b""

    def _open(self, name: str) -> None:
        serial_of(name)  # names come from the database, and that may come from a stranger
        if self._file is not None:
            self._file.close()
        try:
            self._file = (self.pages / name).open("rb")
        except FileNotFoundError:
            msg = f"{self.pages / name} is missing; put it back (only WARC and --metadata need it)"
            raise StoreError(msg) from None
        self._name = name


def _geojson(parts: Sequence[Part], file: BinaryIO, where: str) -> int:
    return rows_as_geojson([db for _, db in parts], file, where)


def _wacz(parts: Sequence[Part], file: BinaryIO, where: str) -> int:
    with ExitStack() as stack:
        sources = [stack.enter_context(ArchiveReader(folder / PAGES)) for folder, _ in parts]
        readers = [(db, each.records) for (_, db), each in zip(parts, sources, strict=True)]
        return write_wacz(readers, file, where)


_OTHERS: dict[str, Writer] = {
    ".warc.gz": _warc, ".wacz": _wacz, ".cdxj": write_cdxj, ".geojson": _geojson,
}  # fmt: skip
