"""Keep everybody but the owner of a lease from writing to the database of a shard."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from clew.errors import StoreError
from clew.store.outbox import INDEX

_EPOCH = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch'"
_TAKE = "REPLACE INTO meta (key, value) VALUES ('epoch', ?)"


@dataclass(frozen=True, slots=True)
class StoreFence:
    """Admit one owner at a time: the one with the largest epoch that has come so far.

    `check` is called before anything is written; it waits until the lease is fresh, or raises `StoreError`.
    """

    epoch: int
    check: Callable[[], None]

    def enter(self, db: sqlite3.Connection) -> None:
        """Let nobody with a smaller epoch write from now on."""
        self.check()
        db.execute("BEGIN IMMEDIATE")
        try:
            (last,) = db.execute(_EPOCH).fetchone() or (0,)
            self._compare(last, max(last, self.epoch))
            db.execute(_TAKE, (str(self.epoch),))
            db.execute(INDEX)
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # of a full disk SQLite has rolled back by itself
                db.execute("ROLLBACK")
            raise

    def check_epoch(self, db: sqlite3.Connection) -> None:
        """Raise `StoreError` if a later owner has come; inside the transaction that writes."""
        (last,) = db.execute(_EPOCH).fetchone()
        self._compare(last, last)

    def _compare(self, last: int, largest: int) -> None:
        if largest != self.epoch:
            msg = f"this shard was taken over (lease {last}); nothing is lost, its new owner goes on"
            raise StoreError(msg)
