"""Check the folder of a crawl without changing it: lock, database, archive, last run."""

import fcntl
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from clew.errors import ClewError, ConfigError
from clew.insight.preflight.findings import Check
from clew.store import inspection
from clew.store.crawl_stats import size_on_disk
from clew.store.database import open_reader
from clew.store.folder import DAMAGED, DATABASE, LOCK, PAGES
from clew.store.outbox import shard_folders
from clew.store.schema import VERSION
from clew.store.warc import read_record

CHECK_SECONDS = 60.0
"""Time limit of the integrity check; 64 MB take 0.1 s."""


def check_folder(folder: Path) -> list[Check]:
    """Return a check for each part of the folder; it changes nothing, and a crawl may be running."""
    holder = lock_holder(folder)
    checks = [_lock(holder)]
    if shards := shard_folders(folder):
        inside = [(path.name, check) for path in shards for check in check_folder(path)]
        return checks + [replace(check, words=f"shard {name}: {check.words}") for name, check in inside]
    if not (folder / DATABASE).exists():
        strays = any((folder / PAGES).glob("*.warc.gz"))
        if not strays:
            return [*checks, Check("✓", "database", "none yet: the crawl has not started")]
        cure = f"restore {DATABASE}, or move {PAGES}/ away to start again"
        return [
            *checks,
            Check("✗", "database", f"{DATABASE} is missing, but {PAGES}/ has an archive", cure, 5),
        ]
    try:
        with closing(open_reader(folder)) as db:
            checks += _database(folder, db)
            checks += _archive(folder, db)
            checks += _runs(db, holder)
    except ConfigError:
        checks.append(Check("✓", "database", "created, still empty"))
    except ClewError as error:
        words, _, cure = str(error).partition("; ")
        checks.append(Check("✗", "database", words, cure, error.exit_code))
    except sqlite3.Error as error:
        checks.append(Check("✗", "database", f"{DATABASE} is damaged ({error})", DAMAGED, 5))
    return checks


def lock_holder(folder: Path) -> str:
    """Return the id of the process that holds the lock of a folder, or an empty string."""
    try:
        file = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(file, 32, 0).decode("ascii", "replace").strip() or "unknown"
    finally:
        os.close(file)
    return ""


def _lock(holder: str) -> Check:
    return Check("✓", "lock", f"held by process {holder}" if holder else "free")


def _database(folder: Path, db: sqlite3.Connection) -> Iterator[Check]:
    version = inspection.schema_version(db)
    software = inspection.created_by(db) or "an unknown version"
    if version < VERSION:
        cure = "clew run upgrades it"
        yield Check("!", "database", f"schema {version}, this clew writes {VERSION}", cure)
    else:
        yield Check("✓", "database", f"schema {version}, created by {software}")
    damage = inspection.find_damage(db, CHECK_SECONDS)
    if damage is None:
        cure = f"check it yourself: sqlite3 {folder / DATABASE} 'PRAGMA quick_check'"
        yield Check("!", "integrity", f"not finished in {CHECK_SECONDS:.0f} s", cure)
    elif damage:
        yield Check("✗", "integrity", f"damaged: {damage}", DAMAGED, 5)
    else:
        yield Check("✓", "integrity", "ok (quick_check)")
    log = folder / f"{DATABASE}-wal"
    sizes = {
        DATABASE: (folder / DATABASE).stat().st_size,
        "log": log.stat().st_size if log.exists() else 0,
        f"{PAGES}/": sum(path.stat().st_size for path in (folder / PAGES).glob("*.warc.gz")),
    }
    words = ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in sizes.items() if size)
    rows = inspection.count_rows(db)
    mean_size = f", {size_on_disk(folder) / rows.pages / 1e3:,.0f} KB a page" if rows.pages else ""
    yield Check("✓", "sizes", words + mean_size)
    counts = (
        f"{rows.pages:,} pages, {rows.relevant:,.0f} relevant, {rows.open_links:,} links open,"
        f" {rows.hosts:,} hosts, {rows.labels:,} labels"
    )
    yield Check("✓", "counts", counts)


def _archive(folder: Path, db: sqlite3.Connection) -> Iterator[Check]:
    """Compare the archive with the database, and read its last record."""
    rows = inspection.archive_lengths(db)
    sizes = {name: _size(folder / PAGES / name) for name, _ in rows}
    tails = 0
    for name, length in rows:
        size = sizes[name]
        if size is None:
            cure = "its pages cannot be exported as WARC; restore it if you need that"
            yield Check("!", "archive", f"{PAGES}/{name} is missing", cure)
        elif size < length:
            cure = "restore the whole file, or move it out of the folder to continue without it"
            yield Check("✗", "archive", f"{PAGES}/{name} is truncated: {size:,} of {length:,} bytes", cure, 5)
        else:
            tails += size - length
    last = inspection.last_record(db)
    if last and (sizes.get(last[0]) or 0) > last[1] and (fault := _unreadable(folder, last)):
        yield Check("✗", "archive", f"{PAGES}/{last[0]} is damaged at byte {last[1]:,}: {fault}", DAMAGED, 5)
        return
    tail = f"; {tails:,} uncommitted bytes are removed by the next run" if tails else ""
    yield Check("✓", "archive", f"{len(rows)} WARC file{'s' * (len(rows) != 1)}, last record ok{tail}")


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.exists() else None


def _unreadable(folder: Path, last: tuple[str, int]) -> str:
    try:
        with (folder / PAGES / last[0]).open("rb") as file:
            read_record(file, last[1])
    except (OSError, ValueError, EOFError, zlib.error) as error:
        return str(error) or type(error).__name__
    return ""


def _runs(db: sqlite3.Connection, holder: str) -> Iterator[Check]:
    newest = inspection.count_rows(db).newest
    if newest > time.time() + 3_600:
        cure = "the clock was set back: correct it, or hosts wait too long"
        yield Check("!", "clock", f"the newest page is from {_when(newest)}, in the future", cure)
    run = inspection.last_run(db)
    if run is None:
        return
    words = f"started {_when(run.started_at)} with {run.software}, policy {run.policy}, judge {run.judge}"
    if run.ended_at is not None:
        yield Check("✓", "last run", f"{words}; ended {_when(run.ended_at)}: {run.ended}")
    elif holder:
        yield Check("✓", "last run", f"{words}; it is running")
    else:
        cure = "no committed data is lost; clew run continues"
        yield Check("!", "last run", f"{words}; it was killed or lost power after {_when(newest)}", cure)


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
