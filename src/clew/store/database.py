"""Connections to crawl.db: each is checked when opened, and SQLite errors become StoreErrors."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from clew.config.folder_hints import no_crawl
from clew.errors import ConfigError, StoreError
from clew.store.folder import DAMAGED, DATABASE, PAGES
from clew.store.history_schema import HISTORY, UPGRADE
from clew.store.schema import APPLICATION_ID, OLDEST, SCHEMA, VERSION

BUSY_WAIT = 30.0
"""Seconds to wait for another program that writes to the database (a label, a tool)."""

WAL_PAGES = 2_000
"""Pages of 8 KiB in the write-ahead log before it is checkpointed into the database: 16 MiB."""

CHECKED = 64 << 20
"""Databases up to this many bytes are read through for damage at every start (0.1 s)."""


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn SQLite errors about `path` into a StoreError that names cause and remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise database_error(error, path) from error


def database_error(error: sqlite3.Error, path: Path) -> StoreError:
    """Return an SQLite error as a StoreError that names cause and remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    text = {
        sqlite3.SQLITE_FULL: "the disk is full; free some space and run again",
        sqlite3.SQLITE_READONLY: "it is read-only; give yourself write access or choose another folder",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that the folder exists and is writable",
        sqlite3.SQLITE_PERM: "permission denied; give yourself access to the folder",
        sqlite3.SQLITE_IOERR: "the disk failed to read or write (full, or broken?); check it, then run again",
        sqlite3.SQLITE_BUSY: f"another program has locked it for {BUSY_WAIT:.0f} s; close that and run again",
        sqlite3.SQLITE_CORRUPT: f"it is damaged; {DAMAGED}",
        sqlite3.SQLITE_NOTADB: f"it is damaged or not a database; {DAMAGED}",
    }.get(code, "SQLite refused; check the disk and run again")
    return StoreError(f"{path}: {text} ({error})")


def open_writer(folder: Path, software: str) -> sqlite3.Connection:
    """Open the database for the one process that crawls; make it when there is none."""
    path = folder / DATABASE
    with store_errors(path):
        fresh = not path.exists() or path.stat().st_size == 0
        if not fresh:
            # Opened read-only: closing a writer would fold the log into a damaged file.
            with closing(_connect(path, "ro")) as probe:
                fresh = _check(probe, path, deep=True)
        if fresh and any((folder / PAGES).glob("*.warc.gz")):
            msg = (
                f"{path} is gone or empty, but {folder / PAGES} holds the archive of an earlier crawl; "
                f"bring the database back, or move {PAGES}/ away to begin anew"
            )
            raise StoreError(msg)
        writer = _connect(path, "rwc", threads=True)
        try:
            if fresh:
                writer.execute("PRAGMA page_size = 8192")  # 6 KB texts fit a page: 9 % less CPU than 4096
                writer.execute("PRAGMA auto_vacuum = NONE")
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("PRAGMA synchronous = FULL")
            writer.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            if fresh:
                _create(writer, software)
            else:
                _upgrade(writer)
        except BaseException:
            writer.close()
            raise
    return writer


def open_reader(folder: Path) -> sqlite3.Connection:
    """Open the database for reading only, also while a crawl runs or after one was killed."""
    path = folder / DATABASE
    if not path.exists():
        raise no_crawl(folder, DATABASE)
    with store_errors(path):
        try:
            reader = _connect(path, "ro")
            empty = _check(reader, path)
        except sqlite3.OperationalError:
            # On a read-only disk SQLite cannot create its helper files; without a log it needs none.
            log = path.with_name(f"{DATABASE}-wal")
            if log.exists() and log.stat().st_size:
                raise
            reader = _connect(path, "ro&immutable=1")
            empty = _check(reader, path)
        if empty:
            reader.close()
            msg = f"{folder} has no pages yet; start the crawl with: clew run {folder}"
            raise ConfigError(msg)
        reader.execute("PRAGMA query_only = ON")
        reader.execute("PRAGMA cache_size = -16384")  # KiB; a link is then found in 8 instead of 10 µs
    return reader


def open_for_labels(folder: Path) -> sqlite3.Connection:
    """Open an existing database to add single rows, beside a crawl that may be running."""
    open_reader(folder).close()
    path = folder / DATABASE
    with store_errors(path):
        connection = _connect(path, "rw")
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def _connect(path: Path, mode: str, *, threads: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=BUSY_WAIT,
        isolation_level=None,
        check_same_thread=not threads,
    )
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _check(connection: sqlite3.Connection, path: Path, *, deep: bool = False) -> bool:
    """Return whether the database is still empty; raise for one that is not ours, newer or damaged."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if owner == 0 and version == 0 and tables == 0:
        return True
    if owner != APPLICATION_ID:
        msg = f"{path} is not a clew database; move it away or choose another folder"
        raise StoreError(msg)
    if version > VERSION:
        msg = (
            f"{path} was made by a newer clew (schema {version}, this one knows {VERSION}); "
            "upgrade with: pip install -U clew"
        )
        raise StoreError(msg)
    if version < OLDEST:
        msg = (
            f"{path} was made by an early clew (schema {version}, this one needs {OLDEST}); "
            "its pages are safe in pages/*.warc.gz: begin anew in another folder"
        )
        raise StoreError(msg)
    if deep and path.stat().st_size <= CHECKED:
        found = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
        if found != ["ok"]:
            msg = f"{path} is damaged ({'; '.join(found).splitlines()[0]}); {DAMAGED}"
            raise StoreError(msg)
    return False


def _create(writer: sqlite3.Connection, software: str) -> None:
    # One transaction: a kill leaves either an empty database or a whole one.
    facts = [("made_by", software), ("made_at", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))]
    writer.executescript(
        f"BEGIN IMMEDIATE; {SCHEMA} {HISTORY}"
        f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    )
    writer.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts)
    writer.execute("COMMIT")


def _upgrade(writer: sqlite3.Connection) -> None:
    """Bring an older database up to date, in one transaction: a kill leaves the old one or the new one."""
    (version,) = writer.execute("PRAGMA user_version").fetchone()
    if version < VERSION:
        writer.executescript(f"BEGIN IMMEDIATE; {UPGRADE}; PRAGMA user_version = {VERSION}; COMMIT;")
