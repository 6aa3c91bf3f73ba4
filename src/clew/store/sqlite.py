"""The store: everything a crawl learned, in one folder, safe at every instant.

A batch of page results becomes durable in a fixed order: WARC records first, then one transaction that
names their offsets. A kill between the two leaves a tail that the next start cuts off.
"""

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.errors import StoreError
from clew.store.archive import Archive, WarcOffset, WarcSettings
from clew.store.batch_queue import BatchQueue
from clew.store.connections import Connections
from clew.store.database import BUSY_WAIT, database_error
from clew.store.fence import StoreFence
from clew.store.folder import DATABASE, PAGES, disk_error, drop_lock, free_space, make_folder, take_lock
from clew.store.forget import finish_erasing
from clew.store.host_ids import HostIds
from clew.store.rounds import SqliteRounds
from clew.store.searches import SqliteSearches
from clew.store.sqlite_control import SqliteControl
from clew.store.sqlite_reader import SqliteReader
from clew.store.sqlite_table import SqliteTable
from clew.store.write_batch import WriteBatch, write
from clew.types import Kind, Link, Links, NewLinks, PageResult, Rule, ScoreParts, Scores, Verdict

_MIB = 1 << 20
_WAL_LIMIT = 64 * _MIB  # a reader can hold the log back; from here on we ask it to let go
_LINK = (
    "SELECT url, kind, ifnull(parent, 0), ifnull(anchor, ''), depth, hops, tries, score,"
    " ifnull(rules_for, '') FROM links WHERE id = ?"
)
_KINDS = tuple(Kind)


class SqliteStore:
    """Keep a crawl in a folder: crawl.db, pages/*.warc.gz, crawl.lock.

    `open` first. The methods that write only collect; `commit` writes in a thread of its own, one batch
    after the other, while the next is being collected. After a failed commit the store takes no more:
    what was committed before is safe, the rest is fetched again.

    Args:
        folder: where the crawl lives; made if need be.
        warc_size: MiB after which a new WARC file is begun.
        min_free: MiB that must stay free on the disk.
        software: our name in the warcinfo records, for example `clew/1.0`.
        contact: who is responsible, for the same records.
        robots: whether robots.txt is obeyed, for the same records.
        growing_table: whether records go into the growing table (`table`) instead of being stored by page.
        fence: for a shard: keeps everybody but the owner of its lease from writing.
    """

    def __init__(
        self,
        folder: Path,
        *,
        warc_size: int = 1024,
        min_free: int = 1024,
        software: str = "clew",
        contact: str = "",
        robots: bool = True,
        growing_table: bool = False,
        fence: StoreFence | None = None,
    ) -> None:
        self.folder = folder
        self.min_free = min_free
        self.growing_table = growing_table
        self.warc = WarcSettings(size=warc_size, software=software, contact=contact, robots=robots)
        self._connections = Connections(folder, fence)
        self._queue = BatchQueue()
        self.reader = SqliteReader(self._connections)
        self.control = SqliteControl(self._connections, self._queue, software)
        self.table = SqliteTable(self._connections, self._queue)
        self.searches = SqliteSearches(folder)
        self.rounds = SqliteRounds(self._connections, self._queue)
        self._broken: StoreError | None = None
        self._lock: int | None = None

    def open(self) -> None:
        """Lock the folder, open or make the database, and cut what was never committed."""
        make_folder(self.folder)
        self._lock = take_lock(self.folder)
        try:
            self._check_space()
            self._connections.open(self.warc.software)
            self._recover()
        except BaseException:
            self._release()
            raise
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="clew-store")

    def _recover(self) -> None:
        self._archive = Archive(
            self.folder / PAGES,
            announce=self._announce,
            limit=self.warc.size * _MIB,
            software=self.warc.software,
            contact=self.warc.contact,
            robots="obey" if self.warc.robots else "ignore",
        )
        writer = self._connections.writer
        with self._connections.errors():
            self._archive.resume(writer.execute("SELECT name, length FROM warcs").fetchall())
            writer.execute("DELETE FROM warcs WHERE length = 0")
            finish_erasing(writer, self.folder)
            self._hosts = HostIds({name: row for row, name in writer.execute("SELECT id, origin FROM hosts")})

    def link(self, id: int) -> Link:
        """Return a link, also one that is not committed yet; raise `KeyError` when there is none."""
        found, tried = self._queue.find_link(id)
        if found:
            return found
        try:
            row = self._connections.reader.execute(_LINK, (id,)).fetchone()
        except sqlite3.Error as error:
            raise database_error(error, self.folder / DATABASE) from error
        if row is None:
            raise KeyError(id)
        url, kind, parent, anchor, depth, hops, tries, score, rules_for = row
        return Link(
            id=id,
            url=url,
            origin=urls.origin(url),
            kind=_KINDS[kind],
            parent=parent,
            anchor=anchor,
            depth=depth,
            hops=hops,
            tries=tries if tried is None else tried,
            score=score,
            rules_for=rules_for,
        )

    def add_links(self, found: NewLinks, parent: int = 0) -> None:
        """Collect links that no page of this crawl named: seeds, robots.txt of a new host, other shards'."""
        self._queue.current.add_links(found, parent)

    def add(self, result: PageResult) -> None:
        """Collect the result of one page."""
        self._queue.current.add(replace(result, records=()) if self.growing_table else result)

    def refuse(self, id: int, reason: str) -> None:
        """Close a link that will not be fetched after all."""
        self._queue.current.refuse(id, reason)

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None:
        """Replace the verdict on a stored page."""
        self._queue.current.revise(id, verdict, relevant)

    def reopen(self, ids: Sequence[int] | NDArray[np.int64]) -> None:
        """Open links again that were closed."""
        for id in np.asarray(ids).tolist():
            self._queue.current.reopen(id)

    def raise_scores(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        scores: Scores,
        source: int = 0,
        parts: ScoreParts | None = None,
        links: Links | None = None,
    ) -> None:
        """Collect better scores of known links for the next restart; `link` shows the first score."""
        self._queue.current.raise_scores(ids, scores, source, parts, links)

    def name_score_parts(self, names: Sequence[str]) -> None:
        """Name the parts that the scores of this run add up from."""
        self._queue.current.part_names = json.dumps(list(names), ensure_ascii=False)

    def add_rule(self, rule: Rule) -> None:
        """Collect a user's rule on a host."""
        self._queue.current.rules.append(rule)

    def save_trap_state(self, states: Mapping[str, str]) -> None:
        """Collect what the trap guard has learned about URL regions, by their keys."""
        self._queue.current.trap_state.update(states)

    def set_fact(self, key: str, value: str) -> None:
        """Set a fact about the crawl; `reader.facts` sees it after the next commit."""
        self._queue.current.facts[key] = value

    async def commit(self) -> None:
        """Make everything collected so far durable; raise `StoreError` when that failed."""
        await self._commit()
        self._check_space()

    async def _commit(self) -> None:
        batch = self._queue.close_batch()
        if not batch and not self._queue.waiting and not self._broken:
            return
        # Shielded: a cancelled caller must not take a batch out of the queue half-way.
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._write, batch)
        if error := await asyncio.shield(work):
            raise error

    def _write(self, batch: WriteBatch) -> StoreError | None:
        """Write one batch, in the store's own thread; return what went wrong."""
        if self._broken or not batch:
            return self._broken
        try:
            self._make_durable(batch)
        except sqlite3.Error as error:
            self._broken = database_error(error, self.folder / DATABASE)
        except StoreError as error:
            self._broken = error
        except OSError as error:
            self._broken = disk_error(error, self.folder / PAGES)
        except Exception as error:  # noqa: BLE001 - a fault of ours must stop the crawl like a full disk
            self._broken = StoreError(f"{self.folder}: the store failed: {error!r}; run again to go on")
            self._broken.__cause__ = error
        if self._broken:
            self._archive.undo()
            return self._broken
        self._queue.drop_oldest()
        return None

    def _make_durable(self, batch: WriteBatch) -> None:
        self._connections.check_fence()
        responses = [result.page.response for result in batch.archived_results()]
        offsets = {response.link.id: self._archive.append(response) for response in responses}
        self._archive.sync()
        try:
            self._transact(batch, offsets)
        except UnicodeEncodeError:
            # Half a surrogate pair is no character; only then is every text of the batch looked at.
            self._transact(batch, offsets, clean=True)
        self._archive.settle()
        self._hosts.fresh.clear()
        self._bound_log()

    def _transact(self, batch: WriteBatch, offsets: dict[int, WarcOffset], *, clean: bool = False) -> None:
        self._connections.writer.execute("BEGIN IMMEDIATE")
        try:
            self._connections.check_epoch()
            write(self._connections.writer, batch, self._hosts, offsets, self._archive.written, clean=clean)
            self._connections.writer.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk may have rolled back already; the first error counts
                self._connections.writer.execute("ROLLBACK")
            raise

    def _bound_log(self, limit: int = _WAL_LIMIT) -> None:
        log = self.folder / f"{DATABASE}-wal"
        if log.exists() and log.stat().st_size > limit:
            self._connections.writer.execute("PRAGMA busy_timeout = 200")
            self._connections.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._connections.writer.execute(f"PRAGMA busy_timeout = {BUSY_WAIT * 1000:.0f}")

    def _announce(self, name: str) -> None:
        self._connections.writer.execute("INSERT INTO warcs (name, length) VALUES (?, 0)", (name,))

    def _check_space(self) -> None:
        free = free_space(self.folder) // _MIB
        if free < self.min_free:
            msg = (
                f"disk nearly full: {free} MiB free at {self.folder}, {self.min_free} wanted; "
                "everything so far is safe. Free some space (or lower store.min_free) and run again"
            )
            raise StoreError(msg)

    async def aclose(self) -> None:
        """Commit what is left, fold the log into the database, and unlock the folder."""
        if self._lock is None:
            return
        try:
            if not self._broken:
                await self._commit()
                with self._connections.errors():
                    self._bound_log(0)
        finally:
            self._thread.shutdown(wait=True)
            self._release()

    def _release(self) -> None:
        archive = getattr(self, "_archive", None)
        if archive is not None:
            archive.close()
        self._connections.close()
        if self._lock is not None:
            drop_lock(self._lock)
            self._lock = None
