"""The growing table in the database: rows, occurrences, patterns, row labels, clean markup."""

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from clew.contracts import Occurrence, StoredMarkup, StoredRow, StoredRowLabel, TableChange
from clew.store.database import open_for_labels, store_errors
from clew.store.folder import DATABASE
from clew.store.reading import read_sql

Put: TypeAlias = Callable[[str, Iterable[tuple[Any, ...]]], int]

COLUMNS = "columns"
"""The key in `meta` of the names of the table's columns, a JSON list."""

_ROW = "REPLACE INTO rows (id, cells, given, confidence, found_at) VALUES (?, ?, ?, ?, ?)"
_OCCURRENCE = "REPLACE INTO stands (row, page, pattern, position, confidence, at) VALUES (?, ?, ?, ?, ?, ?)"
_REMOVED = "DELETE FROM stands WHERE row = ? AND page = ? AND pattern = ?"
_PATTERN = "REPLACE INTO patterns (id, prefix, confidence, words) VALUES (?, ?, ?, ?)"
_MARKUP = "REPLACE INTO markup (page, packed) VALUES (?, ?)"
_MARK = "INSERT INTO marks (row, cells, word, at) VALUES (?, (SELECT cells FROM rows WHERE id = ?), ?, ?)"
_ROWS = "SELECT id, cells, given, confidence, found_at FROM rows ORDER BY id"
_OCCURRENCES = (
    "SELECT row, page, pattern, position, confidence, at FROM stands ORDER BY at, row, page, pattern"
)
_PAGES = """SELECT page, url, fetched_at, packed FROM markup JOIN pages ON pages.id = page
JOIN links ON links.id = page WHERE page IN (SELECT value FROM json_each(?))"""
_URLS = "SELECT page, url FROM markup JOIN links ON links.id = page WHERE markup.id <= ? ORDER BY markup.id"
_AFTER = "SELECT id, page FROM markup WHERE id > ? ORDER BY id LIMIT ?"


def write_table(put: Put, changes: Iterable[TableChange]) -> None:
    """Write changes of the table inside the open transaction, in their order."""
    for change in changes:
        put(_ROW, ((r.id, _json(r.values), int(r.given), r.confidence, r.found_at) for r in change.rows))
        put(_REMOVED, ((s.row, s.page, s.pattern) for s in change.removed))
        put(
            _OCCURRENCE,
            ((s.row, s.page, s.pattern, s.position, s.confidence, s.at) for s in change.occurrences),
        )
        put(_PATTERN, ((p.id, p.prefix, p.confidence, p.words) for p in change.patterns))


def write_markup(put: Put, pages: Iterable[tuple[int, str]]) -> None:
    """Write pages as compressed clean markup: a third of the size, for 0.3 ms a page."""
    put(_MARKUP, ((page, zlib.compress(text.encode("utf-8", "replace"), 1)) for page, text in pages))


def begin_table(db: sqlite3.Connection, rows: Sequence[StoredRow], renamed: Mapping[int, int]) -> None:
    """Replace the table by these rows, without occurrences; labels stay with their rows.

    `renamed` maps the old id of each row that stays to its new one.
    """
    marks = db.execute("SELECT row, cells, word, at FROM marks ORDER BY id").fetchall()
    for name in ("stands", "patterns", "marks", "rows"):
        db.execute(f"DELETE FROM {name}")  # noqa: S608 - names of ours
    write_table(lambda statement, some: db.executemany(statement, some).rowcount, [TableChange(rows=rows)])
    db.executemany(
        "INSERT INTO marks (row, cells, word, at) VALUES (?, ?, ?, ?)",
        [(renamed[row], *rest) for row, *rest in marks if row in renamed],
    )


# ---- read back ---------------------------------------------------------------------------------


def read_rows(folder: Path) -> list[StoredRow]:
    """Return every row, also those without occurrences."""
    return [
        StoredRow(id, tuple(json.loads(cells)), bool(given), confidence, at)
        for id, cells, given, confidence, at in read_sql(folder, _ROWS)
    ]


def read_occurrences(folder: Path) -> list[Occurrence]:
    """Return the occurrences of rows, in the order in which they were found."""
    return [Occurrence(*row) for row in read_sql(folder, _OCCURRENCES)]


def read_rejected_patterns(folder: Path) -> set[int]:
    """Return the patterns that gave a row labelled as noise."""
    return {pattern for (pattern,) in read_sql(folder, "SELECT pattern FROM struck")}


def read_row_labels(db: sqlite3.Connection, after: int = 0) -> list[tuple[int, StoredRowLabel]]:
    """Return the labels on rows with ids above `after`, each with its id, oldest first."""
    rows = db.execute("SELECT id, row, word, at FROM marks WHERE id > ? ORDER BY id", (after,))
    return [(id, StoredRowLabel(row, word, at)) for id, row, word, at in rows]


def table_stamp(db: sqlite3.Connection) -> tuple[int, int]:
    """Return the ids of the last row label and of the last markup: cheap enough for polling."""
    stamp: tuple[int, int] = db.execute(
        "SELECT (SELECT ifnull(max(id), 0) FROM marks), (SELECT ifnull(max(id), 0) FROM markup)"
    ).fetchone()
    return stamp


def add_row_labels(folder: Path, marks: Sequence[tuple[int, str]]) -> None:
    """Write labels on rows to the disk, all of them or none; a running crawl applies them at once."""
    now = time.time()
    with closing(open_for_labels(folder)) as db, store_errors(folder / DATABASE):
        db.execute("BEGIN IMMEDIATE")
        db.executemany(_MARK, [(row, row, word, now) for row, word in marks])
        db.execute("COMMIT")


def read_markup(folder: Path, pages: Sequence[int]) -> list[StoredMarkup]:
    """Return pages as clean markup, in the given order; pages without markup are left out."""
    found = {row[0]: row for row in read_sql(folder, _PAGES, json.dumps(list(pages)))}
    return [
        StoredMarkup(page, url, at, zlib.decompress(packed).decode())
        for page, url, at, packed in (found[page] for page in pages if page in found)
    ]


def read_markup_after(folder: Path, last: int, most: int) -> list[tuple[int, int]]:
    """Return up to `most` stored markups with ids above `last`: the id of each, and its page."""
    return [(id, page) for id, page in read_sql(folder, _AFTER, last, most)]


def read_markup_urls(folder: Path, last: int) -> list[tuple[int, str]]:
    """Return the pages of stored markups up to the id `last`, with their URLs, oldest first."""
    return [(page, url) for page, url in read_sql(folder, _URLS, last)]


def _json(values: Sequence[str]) -> str:
    return json.dumps(values, ensure_ascii=False)
