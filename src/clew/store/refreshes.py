"""Read what refreshes have found: visits, earlier versions, new pages. Works while a refresh runs."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.inspection import schema_version
from clew.store.reading import read_sql
from clew.store.schema import IS_PAGE
from clew.types import Change

HISTORY_VERSION = 7
"""The first version of the schema that has versions of pages."""

_VISITS = "SELECT at, change, status, coalesce(redirect, reason) FROM visits WHERE page = ? ORDER BY id"
_FOUND_BY = "SELECT round FROM runs WHERE first_link <= ? ORDER BY id DESC LIMIT 1"
_LAST = "SELECT iif(ended_at IS NULL, 0, started_at) FROM rounds ORDER BY id DESC LIMIT 1"
_ROUND = """SELECT id, started_at, ended_at FROM rounds ORDER BY id DESC LIMIT 1"""
_COUNTS = "SELECT change, count(*) FROM visits WHERE round = ? GROUP BY change"
_FIRST = "ifnull((SELECT min(fetched_at) FROM versions WHERE page = pages.id), pages.fetched_at)"
_NEW = f"""SELECT pages.id, links.url, ifnull(title, ''), verdict, relevant, why, {_FIRST} AS first,
    ifnull(texts.text, ''), lang, parent.url
FROM pages JOIN links ON links.id = pages.id LEFT JOIN texts ON texts.page = pages.id
LEFT JOIN links AS parent ON parent.id = links.parent
WHERE {IS_PAGE.replace("kind", "links.kind").replace("state", "links.state")} AND first >= ?
ORDER BY first, pages.id"""  # noqa: S608 - ours
_TOLD = f"""SELECT visits.page, links.url, ifnull(title, ''), verdict, relevant, why, max(visits.at),
    ifnull(texts.text, ''), lang, visits.redirect, bytes_now, digest_now, group_concat(change)
FROM (SELECT visits.*, pages.bytes AS bytes_now, pages.digest AS digest_now, title, verdict, relevant, why,
        lang
      FROM visits JOIN pages ON pages.id = visits.page
      WHERE visits.at >= ?1 AND change NOT IN ('failed', 'refused') AND {_FIRST} < ?1
      ORDER BY visits.id) AS visits
JOIN links ON links.id = visits.page LEFT JOIN texts ON texts.page = visits.page
WHERE links.kind = 0 GROUP BY visits.page ORDER BY max(visits.at), visits.page"""  # noqa: S608 - ours
_BEFORE = """SELECT ifnull(title, ''), text, verdict, relevant, bytes, digest, records FROM versions
WHERE page = ? AND replaced_at >= ? ORDER BY id"""
_RECORDS = "SELECT columns, cells FROM records WHERE page = ? ORDER BY id"
_LAST_BEFORE = """SELECT change FROM visits WHERE page = ? AND at < ? AND change NOT IN ('failed', 'refused')
ORDER BY id DESC LIMIT 1"""
_ROWS = """SELECT cells, confidence, found_at FROM table_rows
WHERE NOT given AND found_at >= strftime('%Y-%m-%dT%H:%M:%fZ', ?, 'unixepoch') ORDER BY id"""
_NAMES = "SELECT value FROM meta WHERE key = 'columns'"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshCounts:
    """The last refresh: when it began, when it ended (None: unfinished), and its visits by their change."""

    id: int
    started_at: float
    ended_at: float | None
    changes: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState:
    """A page as it is stored now; `at` is its first visit or the last that told something."""

    id: int
    url: str
    title: str
    verdict: float | None
    relevant: bool
    why: str
    at: float
    text: str
    lang: str
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierVersion:
    """A page as it was at a date; `records` is JSON, None without rows."""

    title: str
    text: str
    verdict: float | None
    relevant: bool
    bytes: int
    digest: str | None
    records: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitedPage:
    """A page that was known before a date and visited since; `changes` are in the order of the visits.

    `was_lost` says that it was not found on the last visit before. `before` is None if it is the same.
    """

    now: PageState
    changes: tuple[Change, ...]
    was_lost: bool
    redirect: str | None
    bytes: int
    digest: str | None
    before: EarlierVersion | None
    records: tuple[tuple[str, str], ...]


def has_history(folder: Path) -> bool:
    """Return whether the database can hold versions of pages."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        return schema_version(db) >= HISTORY_VERSION


def read_visits(folder: Path, page: int) -> list[tuple[float, Change, int, str]]:
    """Return time, change, status and reason or redirect of each later visit to a page, oldest first."""
    rows = read_sql(folder, _VISITS, page) if has_history(folder) else []
    return [(at, Change(change), status, note or "") for at, change, status, note in rows]


def found_by_refresh(folder: Path, link: int) -> bool:
    """Return whether a refresh has found a link."""
    rows = read_sql(folder, _FOUND_BY, link) if has_history(folder) else []
    return bool(rows and rows[0][0])


def last_refresh_at(folder: Path) -> float:
    """Return when the last refresh began; 0 if there was none, and if it is unfinished."""
    rows = read_sql(folder, _LAST) if has_history(folder) else []
    return float(rows[0][0]) if rows else 0.0


def last_refresh(folder: Path) -> RefreshCounts | None:
    """Return what the last refresh has found; None if there was none."""
    rows = read_sql(folder, _ROUND) if has_history(folder) else []
    if not rows:
        return None
    id, started, ended = rows[0]
    return RefreshCounts(
        id=id, started_at=started, ended_at=ended, changes=dict(read_sql(folder, _COUNTS, id))
    )


def read_new_pages(folder: Path, since: float) -> Iterator[PageState]:
    """Yield the pages that were read for the first time since a date."""
    query = _NEW if has_history(folder) else _NEW.replace(_FIRST, "pages.fetched_at")
    for id, url, title, verdict, relevant, why, at, text, lang, parent in read_sql(folder, query, since):
        yield PageState(
            id=id, url=url, title=title, verdict=verdict, relevant=bool(relevant), why=why, at=at, text=text,
            lang=lang, parent=parent,
        )  # fmt: skip


def read_visited(folder: Path, since: float) -> Iterator[VisitedPage]:
    """Yield the pages that were known before a date and visited since."""
    if not has_history(folder):
        return
    for row in read_sql(folder, _TOLD, since):
        id, url, title, verdict, relevant, why, at, text, lang, redirect, size, digest, changes = row
        now = PageState(
            id=id, url=url, title=title, verdict=verdict, relevant=bool(relevant), why=why, at=at, text=text,
            lang=lang,
        )  # fmt: skip
        earlier = read_sql(folder, _LAST_BEFORE, id, since)
        yield VisitedPage(
            now=now, changes=tuple(Change(word) for word in changes.split(",")),
            was_lost=bool(earlier) and earlier[0][0] in (Change.GONE, Change.MOVED), redirect=redirect,
            bytes=size, digest=digest, before=_version_before(folder, id, since, text),
            records=tuple((str(names), str(cells)) for names, cells in read_sql(folder, _RECORDS, id)),
        )  # fmt: skip


def _version_before(folder: Path, page: int, since: float, text: str) -> EarlierVersion | None:
    """Return a page as it was at a date; without a text of its own it has that of the next version."""
    rows = read_sql(folder, _BEFORE, page, since)
    if not rows:
        return None
    title, _, verdict, relevant, size, digest, records = rows[0]
    texts = (row[1] for row in rows if row[1] is not None)
    return EarlierVersion(
        title=title, text=next(texts, text), verdict=verdict, relevant=bool(relevant), bytes=size,
        digest=digest, records=records,
    )  # fmt: skip


def read_new_rows(folder: Path, since: float) -> tuple[str, list[tuple[str, float, str]]]:
    """Return the names of the columns of the growing table as JSON, and its rows found since a date."""
    names = read_sql(folder, _NAMES)
    return (str(names[0][0]), read_sql(folder, _ROWS, since)) if names else ("[]", [])
