"""Forget a site: delete everything of it from the folder.

The order is fixed. New WARC files without its records are written and synced; one transaction deletes its
rows and points all other pages at the new files; then the old files are removed and the database is
vacuumed, because deleted rows remain in its free pages and in its log. A kill before the transaction
changes nothing: the new files are registered with length 0, and are removed like every uncommitted file.
A kill after it leaves a flag in `meta`, and the next program that opens the folder finishes the work
(`finish_erasing`).
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew import urls
from clew.errors import ConfigError, StoreError
from clew.store.archive import cut
from clew.store.database import BUSY_WAIT, open_reader, open_writer, store_errors
from clew.store.folder import DATABASE, PAGES, drop_lock, free_space, sync_folder, take_lock
from clew.store.rewrite import RecordFilter, RemovedRecords, new_name, write_remaining
from clew.store.teacher_answers import TeacherAnswers
from clew.store.teacher_log import TeacherLog

LEARNED = (
    "judge.tsv", "pages.tsv", "clew.tsv", "links.tsv", "tree.tsv", "records.tsv", "sites.tsv",
    "site-reader.tsv",
)  # fmt: skip
"""Models that contain words and URLs of pages: they are deleted and learned again."""

_UNFINISHED = "forgetting"
_MIB = 1 << 20

_MARKS = (
    "CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)",  # links on the site, and redirects of its robots.txt
    "CREATE TEMP TABLE linked (id INTEGER PRIMARY KEY)",  # links elsewhere with text of its pages
    "CREATE TEMP TABLE parents (link INTEGER PRIMARY KEY, source INTEGER)",  # other sources of those links
)
_GONE = """INSERT INTO gone SELECT id FROM links WHERE host IN (SELECT value FROM json_each(?1))
    OR rules_for IN (SELECT origin FROM hosts WHERE id IN (SELECT value FROM json_each(?1)))"""
_LINKED = "INSERT INTO linked SELECT id FROM links WHERE parent IN gone AND id NOT IN gone"
_REDIRECTED = """INSERT INTO linked SELECT id FROM links
    WHERE hops > 0 AND parent IN linked AND id NOT IN linked AND id NOT IN gone"""
# Only pages that were found earlier: a crawl path leads back in time and has no cycles.
_PARENTS = """INSERT INTO parents SELECT link, min(source) FROM raised
    WHERE link IN linked AND source < link AND source NOT IN gone GROUP BY link"""
_COUNTS = """SELECT count(*), (SELECT count(*) FROM records WHERE page IN gone)
    + (SELECT count(DISTINCT row) FROM stands WHERE page IN gone) FROM gone"""
_ARCHIVED = ("pages", "visits", "versions")
"""Tables whose rows name records of the WARC files."""

_DELETE = (
    "DELETE FROM texts WHERE page IN gone",
    "DELETE FROM revisits WHERE link IN gone",
    "DELETE FROM visits WHERE page IN gone",
    "DELETE FROM versions WHERE page IN gone",
    "DELETE FROM records WHERE page IN gone",
    # Rows found only on the site are deleted; patterns are learned again from the remaining pages.
    "DELETE FROM stands WHERE page IN gone",
    "DELETE FROM markup WHERE page IN gone",
    "DELETE FROM rows WHERE NOT given AND id NOT IN (SELECT row FROM stands)",
    "DELETE FROM marks WHERE row NOT IN (SELECT id FROM rows)",
    "DELETE FROM patterns",
    "DELETE FROM meta WHERE key = 'harvested'",
    "DELETE FROM pages WHERE id IN gone",
    "UPDATE pages SET duplicate_of = NULL WHERE duplicate_of IN gone",
    "DELETE FROM raised WHERE link IN gone",
    """UPDATE raised SET source = NULL, position = NULL, place = NULL, anchor = NULL, path = NULL,
       context = NULL WHERE source IN gone""",
    """UPDATE links SET anchor = NULL, path = NULL, context = NULL, position = NULL, place = NULL,
       parent = iif(parent IN gone, (SELECT source FROM parents WHERE link = links.id), parent)
       WHERE id IN linked""",
    # A robots.txt that was redirected to the site is deleted and fetched again.
    """UPDATE hosts SET robots_status = NULL, robots_text = NULL, robots_at = NULL
       WHERE origin IN (SELECT rules_for FROM links WHERE id IN gone)""",
    "DELETE FROM links WHERE id IN gone",
    # The last ids may be reused: a later run must not seem to begin before an earlier one.
    "UPDATE runs SET first_link = min(first_link, (SELECT ifnull(max(id), 0) + 1 FROM links))",
)


def parse_host(text: str) -> str:
    """Return the host named by a host name, `*.name` or a URL, in the form used in URLs.

    >>> parse_host("https://News.example:8080/today"), parse_host("*.bücher.example")
    ('news.example', '*.xn--bcher-kva.example')
    """
    star = "*." if text.startswith("*.") else ""
    rest = text.strip().removeprefix(star)
    url = urls.Canon()(rest if "://" in rest else f"http://{rest}")
    if not url or "*" in urls.host(url):
        msg = f"{text!r} is not a host; write news.example, *.example for all below it, or a URL there"
        raise ConfigError(msg)
    return star + urls.host(url)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteShare:
    """What a crawl holds of a site. `hosts` are the matching host names, with their pages.

    `missing` are WARC files that were moved out of the folder, `strange` those not written by the crawl:
    neither can be searched.
    """

    hosts: dict[str, int]
    links: int
    records: int
    labels: int
    cuts: tuple[RemovedRecords, ...]
    missing: tuple[str, ...]
    strange: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.hosts or self.labels or self.cuts)

    @property
    def pages(self) -> int:
        """Pages to be removed."""
        return sum(self.hosts.values())

    @property
    def bytes(self) -> int:
        """Bytes of WARC records to be removed."""
        return sum(found.bytes for found in self.cuts)


@contextmanager
def open_eraser(folder: Path, name: str) -> Iterator["Eraser"]:
    """Lock an existing crawl and finish interrupted work: nothing is half-written or half-erased."""
    open_reader(folder).close()
    lock = take_lock(folder)
    try:
        with closing(open_writer(folder, "clew")) as db, store_errors(folder / DATABASE):
            db.execute("PRAGMA secure_delete = ON")
            for file, length in db.execute("SELECT name, length FROM warcs").fetchall():
                cut(folder / PAGES, file, length)
            db.execute("DELETE FROM warcs WHERE length = 0")
            finish_erasing(db, folder)
            for statement in _MARKS:
                db.execute(statement)
            yield Eraser(folder, name, db)
    finally:
        drop_lock(lock)


class Eraser:
    """Measure what a crawl holds of a site, and erase it; made by `open_eraser`.

    `name` is a host or `*.name`, as `parse_host` gives it.
    """

    def __init__(self, folder: Path, name: str, db: sqlite3.Connection) -> None:
        self.folder = folder
        self.pages = folder / PAGES
        self.name = name
        self.db = db

    def is_on_site(self, url: str) -> bool:
        """Return whether a canonical URL belongs to the site."""
        host = urls.host(url)
        return host == self.name or (self.name.startswith("*.") and f".{host}".endswith(self.name[1:]))

    def hosts(self) -> dict[str, int]:
        """Return every host that the crawl knows, with the number of its pages."""
        pages = dict(
            self.db.execute(
                "SELECT host, count(*) FROM links JOIN pages USING (id) WHERE kind = 0 GROUP BY host"
            )
        )
        found: dict[str, int] = {}
        for id, origin in self.db.execute("SELECT id, origin FROM hosts"):
            found[urls.host(origin)] = found.get(urls.host(origin), 0) + pages.get(id, 0)
        return found

    def was_forgotten(self) -> bool:
        """Return whether the last rule for this name was to forget it."""
        row = self.db.execute(
            "SELECT kind FROM rules WHERE host = ? ORDER BY id DESC", (self.name,)
        ).fetchone()
        return bool(row == ("forget",))

    def measure(self) -> SiteShare:
        """Find everything the crawl holds of the site; nothing is changed."""
        self.db.execute(_GONE, (json.dumps(self._origins()),))
        links, records = self.db.execute(_COUNTS).fetchone()
        sieve = RecordFilter(self.pages, self.is_on_site)
        cuts, missing = [], []
        for name, length in self.db.execute("SELECT name, length FROM warcs ORDER BY name").fetchall():
            if not (self.pages / name).exists():
                missing.append(name)
                continue
            found = sieve.find_removed(name, length, self._known_lengths(name))
            if found.spans:
                cuts.append(found)
        ours = {name for (name,) in self.db.execute("SELECT name FROM warcs")}
        return SiteShare(
            hosts={name: count for name, count in self.hosts().items() if self.is_on_site(f"http://{name}")},
            links=links,
            records=records,
            labels=len(self._labels()),
            cuts=tuple(cuts),
            missing=tuple(missing),
            strange=tuple(sorted(p.name for p in self.pages.glob("*") if p.name not in ours)),
        )

    def _known_lengths(self, name: str) -> dict[int, int]:
        """Return the lengths of records in a WARC file by their offsets, as far as they are stored."""
        query = " UNION ".join(
            f"SELECT warc_offset, warc_length FROM {table} WHERE warc_file = ?1"  # noqa: S608 - ours
            for table in _ARCHIVED
        )
        return dict(self.db.execute(query, (name,)).fetchall())

    def erase(self, share: SiteShare) -> None:
        """Erase everything that `measure` found, and keep the site from being fetched again."""
        self._check_space(share)
        names = {found.name: new_name(self.pages, found.name) if found.rest else "" for found in share.cuts}
        fresh = [(name,) for name in names.values() if name]
        try:
            self.db.executemany("INSERT INTO warcs (name, length) VALUES (?, 0)", fresh)
            lengths = {
                names[found.name]: write_remaining(self.pages, found, names[found.name])
                for found in share.cuts
                if found.rest
            }
            if lengths:
                sync_folder(self.pages)
            TeacherAnswers(TeacherLog(self.folder)).forget(self.is_on_site)
            self._transact(share, names, lengths)
        except BaseException:
            self._remove_new([name for (name,) in fresh])
            raise
        finish_erasing(self.db, self.folder)

    def _remove_new(self, names: list[str]) -> None:
        """Remove uncommitted WARC files; those that cannot be removed now are removed at the next start."""
        with suppress(sqlite3.Error, StoreError):
            for name in names:
                row = self.db.execute("SELECT 1 FROM warcs WHERE name = ? AND length = 0", (name,))
                if row.fetchone():
                    cut(self.pages, name, 0)
                    self.db.execute("DELETE FROM warcs WHERE name = ?", (name,))

    def _check_space(self, share: SiteShare) -> None:
        # VACUUM writes a copy of the database, and then writes it into the log.
        database = (self.folder / DATABASE).stat().st_size
        required = 2 * database + sum(found.length - found.bytes for found in share.cuts)
        free = free_space(self.folder)
        if free < required:
            msg = (
                f"{self.folder}: rewriting its files needs {required / _MIB:,.0f} MiB of free space, but "
                f"{free / _MIB:,.0f} are available; nothing was changed. Free some space and run again"
            )
            raise StoreError(msg)

    def _transact(self, share: SiteShare, names: dict[str, str], lengths: dict[str, int]) -> None:
        db = self.db
        db.execute("BEGIN IMMEDIATE")
        try:
            self._delete_rows()
            for found in share.cuts:
                self._switch(found, names[found.name] or None)
            db.executemany(
                "UPDATE warcs SET length = ? WHERE name = ?", [(n, name) for name, n in lengths.items()]
            )
            # Rules for single names take precedence over the pattern.
            ruled = {
                host
                for (host,) in db.execute("SELECT DISTINCT host FROM rules")
                if self.is_on_site(f"http://{host}")
            }
            now = time.time()
            db.executemany(
                "INSERT INTO rules (at, host, kind) VALUES (?, ?, 'forget')",
                [(now, host) for host in sorted({self.name, *share.hosts, *ruled})],
            )
            db.execute("REPLACE INTO meta (key, value) VALUES (?, 'files and free pages')", (_UNFINISHED,))
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise

    def _switch(self, found: RemovedRecords, new: str | None) -> None:
        """Point the rows of a WARC file at its new file, None if nothing is left of it."""
        for table in _ARCHIVED:
            rows = self.db.execute(
                f"SELECT id, warc_offset FROM {table} WHERE warc_file = ?",  # noqa: S608 - ours
                (found.name,),
            ).fetchall()
            moved = found.new_offsets(offset for _, offset in rows)
            updates = [
                (new if at is not None else None, at, at, id) for (id, _), at in zip(rows, moved, strict=True)
            ]
            self.db.executemany(
                f"UPDATE {table} SET warc_file = ?, warc_offset = ?,"  # noqa: S608 - ours
                " warc_length = iif(? IS NULL, NULL, warc_length) WHERE id = ?",
                updates,
            )
        self.db.execute("UPDATE warcs SET length = 0 WHERE name = ?", (found.name,))

    def _delete_rows(self) -> None:
        db = self.db
        added = db.execute(_LINKED).rowcount
        while added:  # a redirect target has the anchor of its link
            added = db.execute(_REDIRECTED).rowcount
        db.execute(_PARENTS)
        for statement in _DELETE:
            db.execute(statement)
        for table in ("pages", "visits"):
            redirects = db.execute(f"SELECT id, redirect FROM {table} WHERE redirect > ''")  # noqa: S608
            db.executemany(
                f"UPDATE {table} SET redirect = '' WHERE id = ?",  # noqa: S608 - ours
                [(id,) for id, url in redirects if self.is_on_site(url)],
            )
        db.executemany("DELETE FROM hosts WHERE id = ?", [(id,) for id in self._origins()])
        db.executemany("DELETE FROM labels WHERE id = ?", [(id,) for id in self._labels()])
        self._delete_searches()
        keys = [
            (key,) for (key,) in db.execute("SELECT key FROM places") if self.is_on_site(_region_url(key))
        ]
        db.executemany("DELETE FROM places WHERE key = ?", keys)
        for id, settings in db.execute("SELECT id, settings FROM runs").fetchall():
            stored = json.loads(settings)
            if (cleaned := self._without(stored)) != stored:
                text = json.dumps(cleaned, ensure_ascii=False)
                db.execute("UPDATE runs SET settings = ? WHERE id = ?", (text, id))

    def _delete_searches(self) -> None:
        """Delete search results on the site, and queries that name it."""
        db = self.db
        results = db.execute("SELECT search, rank, url FROM search_results").fetchall()
        rows = [(search, rank) for search, rank, url in results if self.is_on_site(url)]
        db.executemany("DELETE FROM search_results WHERE search = ? AND rank = ?", rows)
        queries = db.execute("SELECT id, query FROM searches").fetchall()
        ids = [(id,) for id, query in queries if f"site:{self.name.removeprefix('*.')}" in query]
        db.executemany("DELETE FROM search_results WHERE search = ?", ids)
        db.executemany("DELETE FROM searches WHERE id = ?", ids)

    def _origins(self) -> list[int]:
        return [
            id for id, origin in self.db.execute("SELECT id, origin FROM hosts") if self.is_on_site(origin)
        ]

    def _labels(self) -> list[int]:
        return [id for id, url in self.db.execute("SELECT id, url FROM labels") if self._names_site(url)]

    def _names_site(self, text: str) -> bool:
        """Return whether a text that a user wrote is a URL on the site."""
        address = text if "://" in text else f"http://{text}"
        return self.is_on_site(urls.Canon()(address) or address)

    def _without(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return settings without the URLs of the site: seeds and examples."""
        if isinstance(value, dict):
            return {key: self._without(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [each for each in value if not (isinstance(each, str) and self._names_site(each))]
        return value


def _region_url(key: str) -> str:
    """Return the URL of a place of the trap guard: `host/folder/`, `*.domain` or `domain pages`."""
    return f"http://{key.partition(' ')[0].removeprefix('*.')}"


def finish_erasing(db: sqlite3.Connection, folder: Path) -> None:
    """Finish after the transaction: remove old files, and vacuum old rows out of the database."""
    if not db.execute("SELECT 1 FROM meta WHERE key = ?", (_UNFINISHED,)).fetchone():
        return
    for (name,) in db.execute("SELECT name FROM warcs WHERE length = 0").fetchall():
        cut(folder / PAGES, name, 0)
    db.execute("DELETE FROM warcs WHERE length = 0")
    for index in folder.glob("derived/*"):  # contains text of every page; rebuilt on demand
        index.unlink(missing_ok=True)
    for name in LEARNED:
        (folder / "models" / name).unlink(missing_ok=True)
    here = str(folder.absolute()).replace("'", "''")
    db.execute(f"PRAGMA temp_store_directory = '{here}'")  # the disk whose space was checked, not /tmp
    try:
        db.execute("VACUUM")
    finally:
        db.execute("PRAGMA temp_store_directory = ''")
    busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        msg = (
            f"{folder / DATABASE}: another program has been reading it for {BUSY_WAIT:.0f} s, so what was "
            "deleted is still in its log; close that program and run the same command again"
        )
        raise StoreError(msg)
    db.execute("DELETE FROM meta WHERE key = ?", (_UNFINISHED,))
