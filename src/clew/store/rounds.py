"""Refreshes in the database: the history they are planned by, their plan, and how far they have come."""

import json
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.contracts import PageHistory, Round, VisitColumns
from clew.domain.digests import text_hash
from clew.errors import StoreError
from clew.store.batch_queue import BatchQueue
from clew.store.connections import Connections
from clew.store.schema import IS_PAGE
from clew.types import Change, Ids, KnownVersion, Scores

_KNOWN = f"({IS_PAGE} OR (kind IN (2, 3) AND state = 1 AND status BETWEEN 200 AND 299))"
_PAGES = f"""SELECT pages.id, url, kind, mime, ifnull(verdict, 0), relevant, fetched_at, ifnull(modified, '')
FROM pages JOIN links USING (id) WHERE {_KNOWN} ORDER BY pages.id"""  # noqa: S608 - ours
_FIRST = "SELECT page, min(fetched_at) FROM versions GROUP BY page"
_VISITS = "SELECT page, at, change, first_link, links FROM visits ORDER BY id"
_REFUSED = "SELECT id FROM links WHERE state = 3 AND id >= ? ORDER BY id"
_CHILDREN = f"""SELECT parent, count(*) FILTER (WHERE state != 3), count(*) FILTER (WHERE {IS_PAGE}),
    count(*) FILTER (WHERE relevant AND {IS_PAGE})
FROM links LEFT JOIN pages USING (id) WHERE kind = 0 AND parent NOT NULL GROUP BY parent"""  # noqa: S608 - ours
_RUNS = "SELECT first_link, round FROM runs ORDER BY id"
_OPEN = "SELECT id, score FROM links WHERE state = 0 AND kind != 1 ORDER BY id"
_UNFINISHED = """SELECT id, started_at, pages, requests, pages_before, requests_before,
    (SELECT count(*) FROM visits WHERE round = rounds.id AND bytes > 0 AND status BETWEEN 200 AND 299)
FROM rounds WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1"""
_BEGIN = f"""INSERT INTO rounds (started_at, pages, requests, pages_before, requests_before)
VALUES (?, ?, ?, (SELECT count(*) FROM pages JOIN links USING (id) WHERE {IS_PAGE}),
    (SELECT ifnull(sum(tries), 0) FROM links))"""  # noqa: S608 - ours
_VERSION = """SELECT ifnull(etag, ''), ifnull(modified, ''), ifnull(digest, ''), ifnull(title, ''),
    ifnull(text, ''), fetched_at, relevant,
    (SELECT change FROM visits WHERE page = pages.id AND change NOT IN ('failed', 'refused')
        ORDER BY id DESC LIMIT 1)
FROM pages LEFT JOIN texts ON texts.page = pages.id WHERE id = ?"""
_LAST_SEEN = f"""SELECT pages.id, ifnull((SELECT max(at) FROM visits
        WHERE page = pages.id AND change NOT IN ('failed', 'refused')), fetched_at),
    iif(relevant, ifnull(verdict, 0.0), 0.0)
FROM pages JOIN links USING (id) WHERE {_KNOWN} AND pages.id IN (SELECT value FROM json_each(?))
ORDER BY pages.id"""  # noqa: S608 - ours


class SqliteRounds:
    """Store refreshes. All but `skip` and `replan` are durable at once; only while no batch is written."""

    def __init__(self, connections: Connections, queue: BatchQueue) -> None:
        self._connections = connections
        self._queue = queue

    def history(self) -> PageHistory:
        """Return everything that could be visited again, with what earlier visits told."""
        with self._connections.errors():
            return read_history(self._connections.reader)

    def unfinished(self) -> Round | None:
        """Return the refresh that was interrupted, if there is one."""
        with self._connections.errors():
            db = self._connections.reader
            row = db.execute(_UNFINISHED).fetchone()
            if row is None:
                return None
            plan = db.execute("SELECT link, score FROM revisits ORDER BY link").fetchall()
            ids, scores = zip(*plan, strict=True) if plan else ((), ())
            parked, found = _open_links(db)
            id, at, pages, requests, pages_before, requests_before, again = row
            return Round(
                id=id, started_at=at, pages=pages, requests=requests, pages_before=pages_before,
                requests_before=requests_before, read_again=again, ids=np.array(ids, np.int64),
                scores=np.array(scores, np.float32), parked=parked[0],
                found=found[0], found_scores=found[1],
            )  # fmt: skip

    def begin(self, *, at: float, pages: int, requests: int, ids: Ids, scores: Scores) -> Round:
        """Begin a refresh that will visit these links again."""
        with self._connections.transaction() as db:
            db.execute("DELETE FROM revisits")
            db.execute(_BEGIN, (at, pages, requests))
            rows = zip(ids.tolist(), scores.tolist(), strict=True)
            db.executemany("INSERT INTO revisits (link, score) VALUES (?, ?)", rows)
        begun = self.unfinished()
        assert begun is not None, "it was just written"
        return replace(begun, read_again=0)

    def end(self, at: float) -> None:
        """End the refresh that is under way."""
        with self._connections.transaction() as db:
            db.execute("UPDATE rounds SET ended_at = ? WHERE ended_at IS NULL", (at,))
            db.execute("DELETE FROM revisits")

    def known_version(self, id: int) -> KnownVersion:
        """Return what is stored of a page that is visited again."""
        with self._connections.errors():
            row = self._connections.reader.execute(_VERSION, (id,)).fetchone()
        if row is None:
            msg = f"there is no page {id} to visit again; the database was changed by another program"
            raise StoreError(msg)
        etag, modified, digest, title, text, at, relevant, change = row
        return KnownVersion(
            etag=etag, modified=modified, digest=digest, text_hash=text_hash(title, text), fetched_at=at,
            relevant=bool(relevant), lost=change in (Change.GONE, Change.MOVED),
        )  # fmt: skip

    def skip(self, id: int, at: float, reason: str) -> None:
        """Collect that a page may not be visited again, and why."""
        self._queue.current.plan.skipped.append((id, at, reason))

    def last_seen(self, ids: Sequence[int]) -> list[tuple[int, float, float]]:
        """Return of known pages the id, the last visit that told something, and the verdict if relevant."""
        with self._connections.errors():
            return self._connections.reader.execute(_LAST_SEEN, (json.dumps(list(ids)),)).fetchall()

    def replan(self, id: int, score: float | None) -> None:
        """Collect that a page has another score in the plan, or is taken out of it (None)."""
        self._queue.current.plan.replanned.append((id, score))


def read_history(db: sqlite3.Connection) -> PageHistory:
    """Read the history of all pages, sitemaps and feeds."""
    rows = db.execute(_PAGES).fetchall()
    columns = zip(*rows, strict=True) if rows else ((),) * 8
    ids, urls, kinds, types, verdicts, relevant, fetched, modified = columns
    numbers = np.array(ids, np.int64)
    visited = _with_allowed_links(db, db.execute(_VISITS).fetchall())
    places = {id: place for place, id in enumerate(ids)}
    first = dict(db.execute(_FIRST).fetchall())
    seen = np.array([first.get(id, at) for id, at in zip(ids, fetched, strict=True)], np.float64)
    lost = np.zeros(len(ids), np.bool_)
    visits = _visit_columns([each for each in visited if each[0] in places], places, seen, lost)
    children, read_children, hits = _children(db, places)
    return PageHistory(
        ids=numbers, urls=list(urls), kinds=np.array(kinds, np.int8), types=list(types),
        verdicts=np.array(verdicts, np.float64), relevant=np.array(relevant, np.bool_), seen_at=seen,
        stable_at=np.array([_seconds(text) for text in modified], np.float64), lost=lost,
        first_children=children - _sums(visits.rows, visits.links, len(ids)),
        read=read_children, hits=hits, visits=visits,
    )  # fmt: skip


def _visit_columns(
    visited: list[tuple[int, float, str, int]],
    places: dict[int, int],
    seen: NDArray[np.float64],
    lost: NDArray[np.bool_],
) -> VisitColumns:
    """Return the visits that told something; `seen` and `lost` are brought up to the last of them."""
    columns: list[tuple[int, float, bool, int]] = []
    for page, at, change, links in visited:
        if change in (Change.FAILED, Change.REFUSED):
            continue
        place = places[page]
        lost[place] = change in (Change.GONE, Change.MOVED)
        columns.append((place, at - seen[place], change != Change.UNCHANGED, links))
        seen[place] = at
    rows, seconds, changed, counts = zip(*columns, strict=True) if columns else ((),) * 4
    return VisitColumns(
        rows=np.array(rows, np.int64), seconds=np.array(seconds, np.float64),
        changed=np.array(changed, np.bool_), links=np.array(counts, np.int64),
    )  # fmt: skip


def _with_allowed_links(
    db: sqlite3.Connection, visited: list[tuple[int, float, str, int, int]]
) -> list[tuple[int, float, str, int]]:
    """Return visits with the new links that may be followed: links out of scope bring nothing."""
    first = min((first for *_, first, links in visited if links), default=np.iinfo(np.int64).max)
    refused = [id for (id,) in db.execute(_REFUSED, (first,))]
    return [
        (page, at, change, links - bisect_left(refused, first + links) + bisect_left(refused, first))
        for page, at, change, first, links in visited
    ]


def _children(db: sqlite3.Connection, places: dict[int, int]) -> NDArray[np.int64]:
    """Return by page the links that were first found on it, those that were read, and the relevant ones."""
    counts = np.zeros((3, len(places)), np.int64)
    for parent, *numbers in db.execute(_CHILDREN):
        if parent in places:
            counts[:, places[parent]] = numbers
    return counts


def _sums(rows: Ids, values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.bincount(rows, values, size).astype(np.int64)


def _refresh_ranges(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the ids of links that refreshes have found, as ranges."""
    runs = [*db.execute(_RUNS), (np.iinfo(np.int64).max, None)]
    return [(first, following) for (first, round), (following, _) in pairwise(runs) if round]


def _within(id: int, ranges: list[tuple[int, int]]) -> bool:
    place = bisect_right(ranges, (id, np.iinfo(np.int64).max)) - 1
    return place >= 0 and id < ranges[place][1]


def _open_links(db: sqlite3.Connection) -> list[tuple[Ids, Scores]]:
    """Return the open links that no refresh has found, and those that one has, with their scores."""
    ranges, links = _refresh_ranges(db), db.execute(_OPEN).fetchall()
    return [
        (np.array([id for id, _ in some], np.int64), np.array([score for _, score in some], np.float32))
        for some in ([row for row in links if _within(row[0], ranges) is later] for later in (False, True))
    ]


def _seconds(date: str) -> float:
    """Return a date of HTTP as Unix seconds, NaN if it is none."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return float("nan")
