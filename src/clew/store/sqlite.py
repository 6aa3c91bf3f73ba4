"""The store: everything a crawl learned, in one folder, safe at every instant.

A group of steps becomes durable in a fixed order: WARC records first, then one transaction that
names their offsets. A kill between the two leaves a tail that the next start cuts off.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.errors import StoreError
from clew.store import loading
from clew.store.archive import Archive, WarcOffset
from clew.store.database import PATIENCE, database_trouble, open_reader, open_writer, words_for
from clew.store.folder import DATABASE, PAGES, disk_trouble, drop_lock, free_space, make_folder, take_lock
from clew.store.forget import finish
from clew.store.labels import add_label, label_stamp, read_labels, read_rules
from clew.store.loading import CrawlState
from clew.store.rejudge import CLOSED, RevisionCounts, lift, read_judged, rejudge, rekeep, rescope
from clew.store.table import StoredRow, StoredRowLabel, TableChange, begin_table, read_marks, table_stamp
from clew.store.write_batch import HostIds, WriteBatch, write
from clew.types import Kind, Label, Link, Links, NewLinks, Page, PageResult, Rule, ScoreParts, Scores, Verdict

_MIB = 1 << 20
_WAL_LIMIT = 64 * _MIB  # a reader can hold the log back; from here on we ask it to let go
_LINK = (
    "SELECT url, kind, ifnull(parent, 0), ifnull(anchor, ''), depth, hops, tries, score,"
    " ifnull(rules_for, '') FROM links WHERE id = ?"
)
_STANDING = """
SELECT links.id, ifnull(anchor, ''), ifnull(pages.lang, '') FROM links LEFT JOIN pages ON pages.id = parent
WHERE links.id > ? AND parent NOT NULL AND hops = 0 AND kind != 1
AND (state = 0 OR (state = 3 AND reason LIKE 'policy:%')) ORDER BY links.id LIMIT ?"""
_KINDS = tuple(Kind)


class SqliteStore:
    """Keep a crawl in a folder: crawl.db, pages/*.warc.gz, crawl.lock.

    `open` first. `add`, `plant`, `refuse` and `raise_scores` only collect; `commit` writes in a thread
    of its own, one group after the other, while the next is being collected. After a failed
    commit the store takes no more: what was committed before is safe, the rest is fetched again.

    Args:
        folder: where the crawl lives; made if need be.
        warc_size: MiB after which a new WARC file is begun.
        min_free: MiB that must stay free on the disk.
        software: our name in the warcinfo records, for example `clew/1.0`.
        contact: who is responsible, for the same place.
        robots: whether robots.txt is obeyed, for the same place.
        table: whether rows live in a growing table (`keep_table`) instead of standing with each page.
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
        table: bool = False,
    ) -> None:
        self.folder = folder
        self.warc_size = warc_size
        self.min_free = min_free
        self.software = software
        self.contact = contact
        self.robots = robots
        self.table = table
        self._group = WriteBatch()
        self._pending: tuple[WriteBatch, ...] = ()
        self._guard = Lock()
        self._broken: StoreError | None = None
        self._lock: int | None = None

    def open(self) -> None:
        """Lock the folder, open or make the database, and cut what was never committed."""
        make_folder(self.folder)
        self._lock = take_lock(self.folder)
        try:
            self._check_space()
            self._writer = open_writer(self.folder, self.software)
            self._reader = open_reader(self.folder)
            self._recover()
        except BaseException:
            self._release()
            raise
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="clew-store")

    def _recover(self) -> None:
        pages = self.folder / PAGES
        self._archive = Archive(
            pages,
            announce=self._announce,
            limit=self.warc_size * _MIB,
            software=self.software,
            contact=self.contact,
            robots="obey" if self.robots else "ignore",
        )
        with words_for(self.folder / DATABASE):
            self._archive.resume(self._writer.execute("SELECT name, length FROM warcs").fetchall())
            self._writer.execute("DELETE FROM warcs WHERE length = 0")
            finish(self._writer, self.folder)
            self._hosts = HostIds(
                {name: row for row, name in self._writer.execute("SELECT id, origin FROM hosts")}
            )

    def load(self) -> CrawlState:
        """Read the state of the crawl, to go on from it."""
        with words_for(self.folder / DATABASE):
            return loading.load(self._reader)

    def link(self, id: int) -> Link:
        """Return a link, also one that is not committed yet; raise `KeyError` when there is none."""
        groups = (*self._pending, self._group)
        tried = None
        for group in groups:
            tried = group.tries.get(id, tried)
        for group in groups:
            if found := group.link(id, tried or 0):
                return found
        try:
            row = self._reader.execute(_LINK, (id,)).fetchone()
        except sqlite3.Error as error:
            raise database_trouble(error, self.folder / DATABASE) from error
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

    def judged(self, addresses: Sequence[str]) -> list[Page]:
        """Return what is kept of pages that were judged, by their addresses."""
        with words_for(self.folder / DATABASE):
            return [page for pages in read_judged(self._reader, list(addresses)) for page in pages]

    def rejudge(self, judge: Callable[[Page], Verdict], keep: float) -> RevisionCounts:
        """Judge every stored page again; to be called before a crawl goes on."""
        with self._revising():
            return rejudge(self._writer, judge, keep)

    def rekeep(self, keep: float) -> RevisionCounts:
        """Let stored pages count by the verdicts they have; to be called before a crawl goes on."""
        with self._revising():
            return rekeep(self._writer, keep)

    def rescope(self, rule: Callable[[str, int, Kind], str]) -> RevisionCounts:
        """Ask the scope again about stored links; to be called before a crawl goes on."""
        with self._revising():
            return rescope(self._writer, rule)

    def deferred_ids(self) -> list[int]:
        """Return the links that a policy left closed."""
        with words_for(self.folder / DATABASE):
            return [id for (id,) in self._reader.execute(CLOSED)]

    def reopen_deferred(self) -> int:
        """Open every link that a policy left closed; to be called before a crawl goes on with another."""
        with self._revising():
            return lift(self._writer)

    @contextmanager
    def _revising(self) -> Iterator[None]:
        with words_for(self.folder / DATABASE):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                raise

    def begin_run(self, *, policy: str, judge: str, first_link: int, settings: str) -> None:
        """Note that the crawl was started, and how."""
        self._group.runs.append((time.time(), first_link, self.software, policy, judge, settings))

    def end_run(self, why: str) -> None:
        """Note that this run is over."""
        self._group.ends.append((time.time(), why))

    def add_links(self, found: NewLinks) -> None:
        """Take links that no page named: seeds, and robots.txt of a new host."""
        self._group.add_links(found)

    def add(self, step: PageResult) -> None:
        """Take a step into the current group."""
        self._group.add(replace(step, records=()) if self.table else step)

    def refuse(self, id: int, reason: str) -> None:
        """Close a link that will not be fetched after all."""
        self._group.refusals.append((reason, id))

    def reopen(self, ids: Sequence[int] | NDArray[np.int64]) -> None:
        """Open links again that were closed."""
        self._group.reopened += [(id,) for id in np.asarray(ids).tolist()]

    def waiting_links(self, after: int, most: int) -> list[tuple[int, str, str]]:
        """Return committed links that wait or that a policy closed: id, link text, language of their page."""
        with words_for(self.folder / DATABASE):
            return self._reader.execute(_STANDING, (after, most)).fetchall()

    def raise_scores(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        scores: Scores,
        source: int = 0,
        parts: ScoreParts | None = None,
        links: Links | None = None,
    ) -> None:
        """Note better scores of known links, so that a restart begins with them (`link` shows the first)."""
        self._group.raise_scores(ids, scores, source, parts, links)

    def name_score_parts(self, names: Sequence[str]) -> None:
        """Note what the scores of this run are made of."""
        self._group.part_names = json.dumps(list(names), ensure_ascii=False)

    def add_rule(self, rule: Rule) -> None:
        """Take a person's word on a host."""
        self._group.rules.append(rule)

    def save_trap_state(self, states: Mapping[str, str]) -> None:
        """Take what the trap guard has learned about places, by their keys."""
        self._group.trap_state.update(states)

    def keep_table(self, change: TableChange) -> None:
        """Take what has become of the growing table."""
        if change:
            self._group.table.append(change)

    def begin_table(self, rows: Sequence[StoredRow], renamed: Mapping[int, int]) -> None:
        """Begin the growing table anew; to be called before a crawl goes on."""
        with self._revising():
            begin_table(self._writer, rows, renamed)

    async def commit(self) -> None:
        """Make everything taken so far durable; raise `StoreError` when that failed."""
        await self._commit()
        self._check_space()

    async def _commit(self) -> None:
        group, self._group = self._group, WriteBatch()
        if group:
            with self._guard:
                self._pending = (*self._pending, group)
        elif not self._pending and not self._broken:
            return
        # Shielded: a cancelled caller must not take a group out of the queue half-way.
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._write, group)
        if error := await asyncio.shield(work):
            raise error

    def _write(self, group: WriteBatch) -> StoreError | None:
        """Write one group, in the store's own thread; return what went wrong."""
        if self._broken or not group:
            return self._broken
        try:
            self._make_durable(group)
        except sqlite3.Error as error:
            self._broken = database_trouble(error, self.folder / DATABASE)
        except OSError as error:
            self._broken = disk_trouble(error, self.folder / PAGES)
        except Exception as error:  # noqa: BLE001 - a fault of ours must stop the crawl like a full disk
            self._broken = StoreError(f"{self.folder}: the store failed: {error!r}; run again to go on")
            self._broken.__cause__ = error
        if self._broken:
            self._archive.undo()
            return self._broken
        with self._guard:
            self._pending = self._pending[1:]
        return None

    def _make_durable(self, group: WriteBatch) -> None:
        places = {
            step.page.response.link.id: self._archive.append(step.page.response) for step in group.answered()
        }
        self._archive.sync()
        try:
            self._transact(group, places)
        except UnicodeEncodeError:
            # Half a surrogate pair is no character; only then is every text of the group looked at.
            self._transact(group, places, clean=True)
        self._archive.settle()
        self._hosts.fresh.clear()
        self._bound_log()

    def _transact(self, group: WriteBatch, places: dict[int, WarcOffset], *, clean: bool = False) -> None:
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            write(self._writer, group, self._hosts, places, self._archive.written, clean=clean)
            self._writer.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk may have rolled back already; the first error counts
                self._writer.execute("ROLLBACK")
            raise

    def _bound_log(self, limit: int = _WAL_LIMIT) -> None:
        log = self.folder / f"{DATABASE}-wal"
        if log.exists() and log.stat().st_size > limit:
            self._writer.execute("PRAGMA busy_timeout = 200")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._writer.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")

    def _announce(self, name: str) -> None:
        self._writer.execute("INSERT INTO warcs (name, length) VALUES (?, 0)", (name,))

    def _check_space(self) -> None:
        free = free_space(self.folder) // _MIB
        if free < self.min_free:
            msg = (
                f"disk nearly full: {free} MiB free at {self.folder}, {self.min_free} wanted; "
                "everything so far is safe. Free some space (or lower store.min_free) and run again"
            )
            raise StoreError(msg)

    def label(self, label: Label) -> None:
        """Write a label to the disk at once."""
        add_label(self.folder, label)

    def labels(self, since: float) -> list[Label]:
        """Return the labels given after `since`, oldest first."""
        with words_for(self.folder / DATABASE):
            return read_labels(self._reader, since)

    def label_stamp(self) -> tuple[int, float]:
        """Return what changes whenever a label is given or taken back."""
        with words_for(self.folder / DATABASE):
            return label_stamp(self._reader)

    def marks(self, after: int) -> list[tuple[int, StoredRowLabel]]:
        """Return what was said of rows after the mark with this number, oldest first."""
        with words_for(self.folder / DATABASE):
            return read_marks(self._reader, after)

    def table_stamp(self) -> tuple[int, int]:
        """Return the number of the last mark, and the place of the page whose markup was kept last."""
        with words_for(self.folder / DATABASE):
            return table_stamp(self._reader)

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None:
        """Take another verdict on a page that is stored."""
        self._group.revise(id, verdict, relevant)

    def set_fact(self, key: str, fact: str) -> None:
        """Take a fact about the database itself; it counts from the next commit on."""
        self._group.facts[key] = fact

    def rules(self, after: int) -> list[Rule]:
        """Return the rules with ids above `after`, oldest first."""
        with words_for(self.folder / DATABASE):
            return read_rules(self._reader, after)

    async def aclose(self) -> None:
        """Commit what is left, fold the log into the database, and unlock the folder."""
        if self._lock is None:
            return
        try:
            if not self._broken:
                await self._commit()
                with words_for(self.folder / DATABASE):
                    self._bound_log(0)
        finally:
            self._thread.shutdown(wait=True)
            self._release()

    def _release(self) -> None:
        for name in ("_archive", "_reader", "_writer"):
            part = getattr(self, name, None)
            if part is not None:
                part.close()  # the last connection folds the log into the database
        if self._lock is not None:
            drop_lock(self._lock)
            self._lock = None
