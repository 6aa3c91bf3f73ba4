"""The requests of a spider on disk, so that callbacks, headers and meta survive a kill."""

import logging
import pickle
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

logger = logging.getLogger(__name__)

FILE = "scrapy.db"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS ranked (url_hash INTEGER PRIMARY KEY, request BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS unranked (id INTEGER PRIMARY KEY, request BLOB NOT NULL) STRICT;
"""
_SIGN = 1 << 63


class RequestFile:
    """Requests by the hash of their canonical URL, and those that have no place in the frontier by number.

    Ranked requests are written with `flush`, which must be called before the links they belong to are
    committed: then every open link has its request after a kill. A request that Scrapy cannot serialise
    (its callback is no method of the spider) is kept in memory and is lost with the process.

    Like Scrapy's own job folder the file holds pickles: open only folders that you trust.
    """

    def __init__(self, folder: Path, spider: Spider) -> None:
        self.spider = spider
        self._database = sqlite3.connect(folder / FILE)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(_SCHEMA)
        self._unwritten: dict[int, bytes] = {}
        self._memory: dict[int, Request] = {}
        self._done: list[int] = []
        self._next = int(self._one("SELECT coalesce(max(id), 0) + 1 FROM unranked"))

    def add(self, url_hash: int, request: Request) -> None:
        """Keep the request of a link; the first one of a URL stays."""
        if url_hash in self._unwritten or url_hash in self._memory:
            return
        if (packed := self._packed(request)) is None:
            self._memory[url_hash] = request
        else:
            self._unwritten[url_hash] = packed

    def get(self, url_hash: int) -> Request | None:
        """Return the request of a link."""
        if (request := self._memory.get(url_hash)) is not None:
            return request.copy()
        packed = self._unwritten.get(url_hash) or self._one(
            "SELECT request FROM ranked WHERE url_hash = ?", url_hash - _SIGN
        )
        return self._unpacked(packed) if packed else None

    def remove(self, url_hashes: Iterable[int]) -> None:
        """Forget the requests of links that are done and committed, with the next `flush`."""
        for url_hash in url_hashes:
            self._memory.pop(url_hash, None)
            self._unwritten.pop(url_hash, None)
            self._done.append(url_hash)

    def add_unranked(self, request: Request) -> int:
        """Write a request that is not ranked at once; return its number."""
        number, self._next = self._next, self._next + 1
        if (packed := self._packed(request)) is not None:
            with self._database:
                self._database.execute("INSERT INTO unranked VALUES (?, ?)", (number, packed))
        return number

    def remove_unranked(self, number: int) -> None:
        """Forget a request that was not ranked and is done."""
        with self._database:
            self._database.execute("DELETE FROM unranked WHERE id = ?", (number,))

    def unranked(self) -> list[tuple[int, Request]]:
        """Return the requests that were not ranked and are not done, oldest first."""
        rows = self._database.execute("SELECT id, request FROM unranked ORDER BY id").fetchall()
        return [(number, self._unpacked(packed)) for number, packed in rows]

    def flush(self) -> None:
        """Write what was added and removed."""
        if self._unwritten or self._done:
            rows = [(url_hash - _SIGN, packed) for url_hash, packed in self._unwritten.items()]
            done = [(url_hash - _SIGN,) for url_hash in self._done]
            with self._database:
                self._database.executemany("DELETE FROM ranked WHERE url_hash = ?", done)
                self._database.executemany("INSERT OR REPLACE INTO ranked VALUES (?, ?)", rows)
            self._unwritten.clear()
            self._done.clear()

    def close(self) -> None:
        """Write what was added and close the file."""
        self.flush()
        self._database.close()

    def _packed(self, request: Request) -> bytes | None:
        try:
            return pickle.dumps(request.to_dict(spider=self.spider), protocol=4)
        except (ValueError, TypeError, AttributeError, pickle.PicklingError, RecursionError) as error:
            logger.warning(
                "%s cannot be written to disk and is lost if this process ends: %s", request, error
            )
            return None

    def _unpacked(self, packed: bytes) -> Request:
        return request_from_dict(pickle.loads(packed), spider=self.spider)  # noqa: S301 - our own file

    def _one(self, query: str, *values: object) -> Any:  # noqa: ANN401 - whatever the column holds
        row = self._database.execute(query, values).fetchone()
        return row[0] if row else None
