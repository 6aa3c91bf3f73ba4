"""The two connections of the process that crawls: one for the store's thread to write, one to read."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from clew.store.database import open_reader, open_writer, store_errors
from clew.store.fence import StoreFence
from clew.store.folder import DATABASE


class Connections:
    """Hold the connections to crawl.db. `open` first.

    `reader` belongs to the thread that opened it; `writer` may be used by any thread, one at a time.

    Args:
        folder: the crawl.
        fence: for a shard: keeps everybody but the owner of its lease from writing.
    """

    writer: sqlite3.Connection
    reader: sqlite3.Connection

    def __init__(self, folder: Path, fence: StoreFence | None = None) -> None:
        self.folder = folder
        self.fence = fence

    @property
    def path(self) -> Path:
        """The file of the database."""
        return self.folder / DATABASE

    def open(self, software: str) -> None:
        """Open the database, creating it if need be."""
        self.writer = open_writer(self.folder, software)
        if self.fence:
            with self.errors():
                self.fence.enter(self.writer)
        self.reader = open_reader(self.folder)

    def close(self) -> None:
        """Close what is open; the last connection folds the log into the database."""
        for name in ("reader", "writer"):
            connection = getattr(self, name, None)
            if connection is not None:
                connection.close()

    def check_fence(self) -> None:
        """Raise an error if this process may not write any more."""
        if self.fence:
            self.fence.check()

    def check_epoch(self) -> None:
        """The same by what the database says, within a transaction."""
        if self.fence:
            self.fence.check_epoch(self.writer)

    def errors(self) -> AbstractContextManager[None]:
        """Turn errors of SQLite into a StoreError that names cause and remedy."""
        return store_errors(self.path)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, rolled back on any exception; only while no batch is being written."""
        with self.errors():
            self.writer.execute("BEGIN IMMEDIATE")
            try:
                yield self.writer
                self.writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.writer.execute("ROLLBACK")
                raise
