"""Inspect the database of a crawl without changing it: schema, damage, archive, counts, last run."""

import sqlite3
import time
from dataclasses import dataclass

_STEPS = 100_000  # SQLite instructions between two checks of the clock: a few milliseconds
_COUNTS = """
SELECT (SELECT count(*) FROM pages JOIN links USING (id) WHERE kind = 0 AND redirect IS NULL),
       (SELECT total(relevant) FROM pages),
       (SELECT count(*) FROM links WHERE kind = 0 AND state = 0),
       (SELECT count(*) FROM hosts),
       (SELECT count(*) FROM labels),
       (SELECT ifnull(max(fetched_at), 0) FROM pages)
"""
_LAST_RUN = "SELECT started_at, ended_at, ended, policy, judge, software FROM runs ORDER BY id DESC LIMIT 1"
_LAST_RECORD = "SELECT warc_file, warc_offset FROM pages WHERE warc_file IS NOT NULL ORDER BY id DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class DatabaseCounts:
    """Rows of the database; `newest` is the time of the newest page, 0 without one."""

    pages: int
    relevant: float
    open_links: int
    hosts: int
    labels: int
    newest: float


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it was recorded; `ended_at` is None while it runs, and after a kill."""

    started_at: float
    ended_at: float | None
    ended: str | None
    policy: str
    judge: str
    software: str


def schema_version(db: sqlite3.Connection) -> int:
    """Return the version of the schema."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def created_by(db: sqlite3.Connection) -> str:
    """Return the software that created the database; empty if it is not recorded."""
    row = db.execute("SELECT value FROM meta WHERE key = 'made_by'").fetchone()
    return str(row[0]) if row else ""


def find_damage(db: sqlite3.Connection, seconds: float) -> str | None:
    """Check the database; return the first damage, an empty string, or `None` if it takes too long."""
    until = time.monotonic() + seconds
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


def count_rows(db: sqlite3.Connection) -> DatabaseCounts:
    """Count pages, links, hosts and labels."""
    return DatabaseCounts(*db.execute(_COUNTS).fetchone())


def archive_lengths(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """Return the WARC files with their committed lengths."""
    return db.execute("SELECT name, length FROM warcs WHERE length > 0 ORDER BY name").fetchall()


def last_record(db: sqlite3.Connection) -> tuple[str, int] | None:
    """Return file and offset of the WARC record of the newest page; None without one."""
    row: tuple[str, int] | None = db.execute(_LAST_RECORD).fetchone()
    return row


def last_run(db: sqlite3.Connection) -> RunRecord | None:
    """Return the last run; None before the first."""
    row = db.execute(_LAST_RUN).fetchone()
    return RunRecord(*row) if row else None
