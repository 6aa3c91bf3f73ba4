"""The databases that a coordinator can use: a SQLite file for one machine, PostgreSQL for many."""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from clew.domain.installation import install_command
from clew.errors import ConfigError, StoreError

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]

RETRY_SECONDS = 0.25
"""Pause before a transaction is tried again after a lost connection."""


class Execute(Protocol):
    """Run one statement inside a transaction; return its rows. Values stand at `?`."""

    def __call__(self, statement: str, *values: object) -> Sequence[Row]: ...


class Database(Protocol):
    """Run transactions, one after the other, in any thread.

    `now` is the time of the database in SQL, in seconds; `words` are types that databases name differently.
    A lost connection is opened again and the whole transaction repeated, once.
    """

    now: str
    words: dict[str, str]

    def run(self, work: Callable[[Execute], T]) -> T: ...

    def close(self) -> None: ...


class SqliteDatabase:
    """A coordinator's database in a file: for shards on one machine."""

    now = "(julianday('now') - 2440587.5) * 86400.0"
    words = {"SERIAL": "INTEGER PRIMARY KEY AUTOINCREMENT", "BYTES": "BLOB", "DOUBLE": "REAL"}  # noqa: RUF012

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def run(self, work: Callable[[Execute], T]) -> T:
        """Run one transaction."""
        with self._lock:
            try:
                return self._transact(work)
            except sqlite3.Error as error:
                msg = f"{self.path}: SQLite refused ({error}); check the disk and run again"
                raise StoreError(msg) from error

    def _transact(self, work: Callable[[Execute], T]) -> T:
        db = self._db = self._db or self._open()
        db.execute("BEGIN IMMEDIATE")
        try:
            done = work(lambda statement, *values: db.execute(statement, values).fetchall())
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        return done

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30.0, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        return db

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._db:
                self._db.close()
                self._db = None


class PostgresDatabase:
    """A coordinator's database on a PostgreSQL server: for shards on many machines.

    One advisory lock lets transactions follow one another, so that numbers become visible in their order.
    """

    now = "extract(epoch FROM clock_timestamp())::float8"
    words = {"SERIAL": "BIGSERIAL PRIMARY KEY", "BYTES": "BYTEA", "DOUBLE": "DOUBLE PRECISION"}  # noqa: RUF012

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._db: Any = None
        try:
            self._psycopg = import_module("psycopg")
        except ImportError:
            msg = f"psycopg is not installed; get it with: {install_command('scale')}"
            raise ConfigError(msg) from None

    def run(self, work: Callable[[Execute], T]) -> T:
        """Run one transaction; after a lost connection, once more."""
        with self._lock:
            try:
                return self._transact(work)
            except self._psycopg.OperationalError:
                self._drop()
                time.sleep(RETRY_SECONDS)
            try:
                return self._transact(work)
            except self._psycopg.OperationalError as error:
                self._drop()
                reason = str(error).strip().splitlines()[0] if str(error).strip() else "no connection"
                msg = f"PostgreSQL does not answer ({reason}); start it again, and the crawl goes on"
                raise StoreError(msg) from error

    def _transact(self, work: Callable[[Execute], T]) -> T:
        if self._db is None:
            self._db = self._psycopg.connect(self.address, connect_timeout=5, autocommit=False)
        db = self._db

        def execute(statement: str, *values: object) -> Sequence[Row]:
            cursor = db.execute(statement.replace("?", "%s"), values)
            rows: Sequence[Row] = cursor.fetchall() if cursor.description else []
            return rows

        try:
            execute("SET LOCAL statement_timeout = '10s'")
            execute("SELECT pg_advisory_xact_lock(hashtext(current_schema() || ' clew coordinator'))")
            done = work(execute)
            db.commit()
        except BaseException:
            with suppress(self._psycopg.Error):
                db.rollback()
            raise
        return done

    def _drop(self) -> None:
        if self._db is not None:
            with suppress(self._psycopg.Error):
                self._db.close()
            self._db = None

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()
