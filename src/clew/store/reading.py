"""Read a crawl back: as rows, as a data frame, or by a query in SQL.

Everything here opens the database for reading only, and works while a crawl runs in the folder.
"""

import html
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.domain.installation import install_command
from clew.errors import ConfigError
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE

if TYPE_CHECKING:
    import pandas as pd

FIELDS = (
    "url", "kind", "status", "error", "truncated", "verdict", "relevant", "title", "text", "lang", "mime",
    "fetched_at", "parent", "anchor", "depth", "host", "bytes", "digest", "duplicate_of", "noindex",
    "warc_file", "warc_offset",
)  # fmt: skip
"""The fields of a fetched URL, in this order, in every export."""

_ASKED = "(kind != 'robots' OR status)"  # a robots.txt that brought no answer is no result; its pages say why
KINDS = {
    "status": "int32", "truncated": "bool", "verdict": "float64", "relevant": "bool", "depth": "int32",
    "fetched_at": "timestamp", "bytes": "int64", "noindex": "bool", "warc_offset": "int64",
    "lang_confidence": "float64",
}  # fmt: skip
"""The types of fields that are not texts."""

_BATCH = 500
_SHOWN = 20  # rows in a notebook
_NOT_THE_QUERY = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY)


def read_pages(folder: Path) -> "StoredTable":
    """Return every page a crawl has fetched, as a table that is read when it is used."""
    return StoredTable(folder, where="kind = 'page'")


def read_links(folder: Path) -> "StoredTable":
    """Return every URL ever found, fetched or not, with its kind and state in words."""
    return StoredTable(folder, query="SELECT * FROM links_readable")


def read_sql(folder: Path, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Return all rows of a query about a crawl."""
    return StoredTable(folder, query=query, parameters=parameters).rows()


def batches(
    db: sqlite3.Connection, where: str = "true", fields: Sequence[str] = FIELDS
) -> Iterator[list[tuple[Any, ...]]]:
    """Read the fetched URLs for which `where` holds, in the order of their ids, in batches of some hundred.

    Each batch is a read of its own, so that a long export never holds back the log of a running crawl.
    """
    names = ", ".join(fields)
    statement = (
        f"SELECT id, {names} FROM fetched WHERE id > ? AND {_ASKED} AND {where} ORDER BY id LIMIT {_BATCH}"  # noqa: S608
    )
    flags = [place for place, name in enumerate(fields) if KINDS.get(name) == "bool"]
    last = -1
    while rows := db.execute(statement, (last,)).fetchall():
        last = rows[-1][0]
        yield [_with_flags(row[1:], flags) for row in rows]


def _with_flags(row: tuple[Any, ...], flags: Sequence[int]) -> tuple[Any, ...]:
    cells = list(row)
    for place in flags:
        cells[place] = bool(cells[place])
    return tuple(cells)


def unix_time(fetched_at: str) -> float:
    """Return a time of an export as Unix seconds.

    >>> unix_time("1970-01-01T00:01:00.500Z")
    60.5
    """
    return datetime.fromisoformat(fetched_at).timestamp()


class StoredTable:
    """Rows of a crawl, read anew on every use.

    Args:
        folder: the crawl.
        query: a query in SQL; empty for fetched URLs with the fields of an export.
        parameters: values of the placeholders in it.
        where: without a query, which of the fetched URLs.
    """

    def __init__(
        self, folder: Path, *, query: str = "", parameters: tuple[object, ...] = (), where: str = "true"
    ) -> None:
        self.folder = folder
        self.query = query
        self.parameters = parameters
        self.where = where

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        if not self.query:
            return FIELDS
        with closing(self._open()) as db, self._query_errors():
            return tuple(column[0] for column in db.execute(self.query, self.parameters).description or ())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary."""
        with closing(self._open()) as db, self._query_errors():
            if not self.query:
                for rows in batches(db, self.where):
                    yield from (dict(zip(FIELDS, row, strict=True)) for row in rows)
                return
            cursor = db.execute(self.query, self.parameters)
            names = [column[0] for column in cursor.description or ()]
            yield from (dict(zip(names, row, strict=True)) for row in cursor)

    def __len__(self) -> int:
        rows = self.query or f"SELECT id FROM fetched WHERE {_ASKED} AND {self.where}"  # noqa: S608
        counted = f"SELECT count(*) FROM ({rows})"  # noqa: S608
        with closing(self._open()) as db, self._query_errors():
            (count,) = db.execute(counted, self.parameters).fetchone()
        return int(count)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Table({str(self.folder)!r}, {self.query or 'every fetched page'})"

    def _repr_html_(self) -> str:
        rows = list(islice(self, _SHOWN))
        names = [name for name in self.columns if name != "text"]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        cells = ("".join(f"<td>{html.escape(str(row[name])[:120])}</td>" for name in names) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><tr>{head}</tr>{body}</table><p>{len(self):,} rows, the first {len(rows)} shown</p>"

    def rows(self) -> list[tuple[Any, ...]]:
        """Return all rows as plain tuples."""
        return [tuple(row.values()) for row in self] if not self.query else self._answer()

    def _answer(self) -> list[tuple[Any, ...]]:
        with closing(self._open()) as db, self._query_errors():
            return db.execute(self.query, self.parameters).fetchall()

    def sql(self, query: str, *parameters: object) -> "StoredTable":
        """Return the result of a query about the same crawl; docs/schema.md describes tables and views."""
        return StoredTable(self.folder, query=query, parameters=parameters)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a data frame; times of pages are real times."""
        pandas = import_optional("pandas", "pandas")
        frame: pd.DataFrame = pandas.DataFrame.from_records(list(self), columns=list(self.columns))
        if not self.query:
            frame["fetched_at"] = pandas.to_datetime(frame["fetched_at"], utc=True, format="ISO8601")
        return frame

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """Return an Arrow table."""
        arrow = import_optional("pyarrow", "parquet")
        table = arrow.Table.from_pylist(list(self))
        if self.query or not table.num_rows:
            return table
        place = table.column_names.index("fetched_at")
        times = table.column(place).cast(arrow.timestamp("ms", tz="UTC"))
        return table.set_column(place, "fetched_at", times)

    @contextmanager
    def _query_errors(self) -> Iterator[None]:
        with store_errors(self.folder / DATABASE):
            try:
                yield
            except sqlite3.Error as error:
                if not self.query or getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_THE_QUERY:
                    raise
                msg = (
                    f"SQLite cannot run this query: {error}; tables and views are described in docs/schema.md"
                )
                raise ConfigError(msg) from None

    def _open(self) -> sqlite3.Connection:
        db = open_reader(self.folder)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # a query may read this database only
        return db


def import_optional(module: str, extra: str) -> Any:  # noqa: ANN401 - a module
    """Import a library that is not always installed, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        msg = f"{module} is not installed; get it with: {install_command(extra)}"
        raise ConfigError(msg) from None
