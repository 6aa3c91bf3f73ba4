"""Check the folder of a crawl without changing it: lock, database, archive, last run."""

import fcntl
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from clew.errors import ClewError, ConfigError
from clew.insight.preflight.findings import Check
from clew.insight.preflight.recorded_state import size_on_disk
from clew.store.database import open_reader
from clew.store.folder import DAMAGED, DATABASE, LOCK, PAGES
from clew.store.schema import VERSION
from clew.store.warc import read_record

CHECK_SECONDS = 60.0
"""Time limit of the integrity check; 64 MB take 0.1 s."""

_STEPS = 100_000  # SQLite instructions between two checks of the clock: a few milliseconds
_COUNTS = """
SELECT (SELECT count(*) FROM pages JOIN links USING (id) WHERE kind = 0 AND redirect IS NULL),
       (SELECT total(relevant) FROM pages),
       (SELECT count(*) FROM links WHERE kind = 0 AND state = 0),
       (SELECT count(*) FROM hosts),
       (SELECT count(*) FROM labels),
       (SELECT ifnull(max(fetched_at), 0) FROM pages)
"""


def check_folder(folder: Path) -> list[Check]:
    """Return a check for each part of the folder; it changes nothing, and a crawl may be running."""
    holder = lock_holder(folder)
    checks = [_lock(holder)]
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
    (version,) = db.execute("PRAGMA user_version").fetchone()
    made = db.execute("SELECT value FROM meta WHERE key = 'made_by'").fetchone()
    if version < VERSION:
        cure = "clew run upgrades it"
        yield Check("!", "database", f"schema {version}, this clew writes {VERSION}", cure)
    else:
        yield Check(
            "✓", "database", f"schema {version}, created by {made[0] if made else 'an unknown version'}"
        )
    found = _damage(db)
    if found is None:
        cure = f"check it yourself: sqlite3 {folder / DATABASE} 'PRAGMA quick_check'"
        yield Check("!", "integrity", f"not finished in {CHECK_SECONDS:.0f} s", cure)
    elif found:
        yield Check("✗", "integrity", f"damaged: {found}", DAMAGED, 5)
    else:
        yield Check("✓", "integrity", "ok (quick_check)")
    log = folder / f"{DATABASE}-wal"
    sizes = {
        DATABASE: (folder / DATABASE).stat().st_size,
        "log": log.stat().st_size if log.exists() else 0,
        f"{PAGES}/": sum(path.stat().st_size for path in (folder / PAGES).glob("*.warc.gz")),
    }
    words = ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in sizes.items() if size)
    pages, relevant, left, hosts, labels, _ = db.execute(_COUNTS).fetchone()
    each = f", {size_on_disk(folder) / pages / 1e3:,.0f} KB a page" if pages else ""
    yield Check("✓", "sizes", words + each)
    many = (
        f"{pages:,} pages, {relevant:,.0f} relevant, {left:,} links open, {hosts:,} hosts, {labels:,} labels"
    )
    yield Check("✓", "counts", many)


def _damage(db: sqlite3.Connection) -> str | None:
    """Check the database; return the first damage, an empty string, or `None` if it takes too long."""
    until = time.monotonic() + CHECK_SECONDS
    db.set_progress_handler(lambda: int(time.monotonic() > until), _STEPS)
    try:
        (report,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    finally:
        db.set_progress_handler(None, 0)
    return "" if report == "ok" else str(report).splitlines()[0]


def _archive(folder: Path, db: sqlite3.Connection) -> Iterator[Check]:
    """Compare the archive with the database, and read its last record."""
    rows = db.execute("SELECT name, length FROM warcs WHERE length > 0 ORDER BY name").fetchall()
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
    last = db.execute(
        "SELECT warc_file, warc_offset FROM pages WHERE warc_file IS NOT NULL ORDER BY id DESC LIMIT 1"
    ).fetchone()
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
    (*_, newest) = db.execute(_COUNTS).fetchone()
    if newest > time.time() + 3_600:
        cure = "the clock was set back: correct it, or hosts wait too long"
        yield Check("!", "clock", f"the newest page is from {_when(newest)}, in the future", cure)
    last: tuple[Any, ...] | None = db.execute(
        "SELECT started_at, ended_at, ended, policy, judge, software FROM runs ORDER BY id DESC LIMIT 1"
    ).fetchone()
    if last is None:
        return
    started, ended_at, ended, policy, judge, software = last
    words = f"started {_when(started)} with {software}, policy {policy}, judge {judge}"
    if ended_at is not None:
        yield Check("✓", "last run", f"{words}; ended {_when(ended_at)}: {ended}")
    elif holder:
        yield Check("✓", "last run", f"{words}; it is running")
    else:
        cure = "no committed data is lost; clew run continues"
        yield Check("!", "last run", f"{words}; it was killed or lost power after {_when(newest)}", cure)


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
