"""Read the state that a crawl resumes from, in one pass, as columns."""

import sqlite3
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.contracts import CrawlState, FetchedPages, HostRows
from clew.domain.forecast import WINDOW
from clew.store.schema import IS_FAILURE, IS_PAGE
from clew.types import Kind

_BATCH = 20_000


_LINK = np.dtype(
    [("id", "i8"), ("hash", "i8"), ("score", "f4"), ("state", "i1"), ("kind", "i1"), ("host", "i4")]
)


def load(db: sqlite3.Connection) -> CrawlState:
    """Read everything inside one snapshot of the database."""
    db.execute("BEGIN")
    try:
        (last,) = db.execute("SELECT ifnull(max(id), 0) FROM links").fetchone()
        ids, hashes, scores, states, kinds, hosts = _links(db, last)
        host_ids, host_rows = _hosts(db)
        pages, failed, relevant, total = db.execute(
            f"SELECT count(*) FILTER (WHERE {IS_PAGE}), count(*) FILTER (WHERE {IS_FAILURE}),"  # noqa: S608
            "  count(*) FILTER (WHERE relevant AND kind = 0 AND redirect IS NULL), ifnull(sum(bytes), 0)"
            " FROM pages JOIN links USING (id)"
        ).fetchone()
        (requests,) = db.execute("SELECT ifnull(sum(tries), 0) FROM links").fetchone()
        return CrawlState(
            ids=ids,
            hashes=hashes,
            scores=scores,
            states=states,
            kinds=kinds,
            hosts=np.searchsorted(host_ids, hosts).astype(np.int32),
            host_rows=host_rows,
            fetched=_done(db),
            trap_state=dict(db.execute("SELECT key, state FROM places")),
            robots_links=_gates(db),
            pages=pages,
            relevant=relevant,
            failed=failed,
            requests=requests,
            bytes=total,
            next_id=last + 1,
        )
    finally:
        db.execute("COMMIT")


def _links(db: sqlite3.Connection, last: int) -> tuple[NDArray[Any], ...]:
    columns = tuple(
        np.empty(last, kind) for kind in (np.int64, np.int64, np.float32, np.int8, np.int8, np.int32)
    )
    cursor = db.execute("SELECT id, hash, score, state, kind, host FROM links")
    count = 0
    while rows := cursor.fetchmany(_BATCH):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column[count : count + len(rows)] = values
        count += len(rows)
    ids, hashes, scores, *rest = (column[:count] for column in columns)
    for rows in _batches(db.execute("SELECT link, score FROM raised ORDER BY rowid")):
        links, raised = zip(*rows, strict=True)
        scores[np.searchsorted(ids, links)] = raised  # of two rows for one link the later wins
    return ids, hashes.view(np.uint64), scores, *rest


def _recent(db: sqlite3.Connection) -> tuple[bool, ...]:
    """Return of the last pages read, oldest first, whether they are relevant."""
    query = f"""SELECT relevant FROM pages JOIN links USING (id) WHERE {IS_PAGE}
        ORDER BY ifnull((SELECT min(fetched_at) FROM versions WHERE page = pages.id), fetched_at) DESC,
        pages.id DESC LIMIT ?"""  # noqa: S608 - ours
    return tuple(bool(relevant) for (relevant,) in db.execute(query, (WINDOW,)))[::-1]


def _gates(db: sqlite3.Connection) -> dict[str, int]:
    return dict(
        db.execute(
            "SELECT origin, links.id FROM links JOIN hosts ON hosts.id = links.host"
            " WHERE kind = ? AND rules_for IS NULL AND url = origin || '/robots.txt' ORDER BY links.id",
            (int(Kind.ROBOTS),),
        ).fetchall()
    )


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def _hosts(db: sqlite3.Connection) -> tuple[NDArray[np.int32], HostRows]:
    rows = db.execute(
        "SELECT id, origin, next_at, ifnull(robots_status, -1), ifnull(robots_text, ''), ifnull(robots_at, 0)"
        " FROM hosts ORDER BY id"
    ).fetchall()
    ids, origins, next_at, status, texts, at = zip(*rows, strict=True) if rows else ((),) * 6
    return np.array(ids, np.int32), HostRows(
        origins=list(origins),
        next_at=np.array(next_at, np.float64),
        robots_status=np.array(status, np.int16),
        robots_texts=list(texts),
        robots_at=np.array(at, np.float64),
    )


def _done(db: sqlite3.Connection) -> FetchedPages:
    cursor = db.execute(
        f"SELECT id, url, ifnull(parent, 0), fingerprint, status, relevant, kind, {IS_PAGE}, {IS_FAILURE}"  # noqa: S608
        " FROM pages JOIN links USING (id) ORDER BY id"
    )
    columns: list[list[Any]] = [[] for _ in range(9)]
    for rows in _batches(cursor):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.append(values)
    ids, page_urls, parents, prints, status, relevant, kinds, read, failed = (
        list(chain.from_iterable(c)) for c in columns
    )
    return FetchedPages(
        ids=np.array(ids, np.int64),
        urls=page_urls,
        parents=np.array(parents, np.int64),
        fingerprints=np.array(prints, np.int64).view(np.uint64),
        status=np.array(status, np.int16),
        relevant=np.array(relevant, np.bool_),
        kinds=np.array(kinds, np.int8),
        read=np.array(read, np.bool_),
        failed=np.array(failed, np.bool_),
        recent=_recent(db),
    )


def link_sources(db: sqlite3.Connection) -> NDArray[np.int64]:
    """Return by link id the page that each was found on, past redirects and feeds; 0 if there is none."""
    (last,) = db.execute("SELECT ifnull(max(id), 0) FROM links").fetchone()
    sources = np.zeros(last + 1, np.int64)
    lists: dict[int, Kind] = {}  # sitemaps, feeds and robots.txt: no pages
    cursor = db.execute("SELECT id, ifnull(parent, 0), hops, kind FROM links ORDER BY id")
    while rows := cursor.fetchmany(_BATCH):
        for id, parent, hops, kind in rows:
            if kind != Kind.PAGE:
                lists[id] = Kind(kind)
            if hops or lists.get(parent) is Kind.FEED:
                sources[id] = sources[parent]
            elif parent not in lists:
                sources[id] = parent
    return sources
