"""Read what is stored about one link: its row, page, path, scores, runs, and its place among open links."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.store.hashes import url_hash
from clew.store.reading import StoredTable, read_sql
from clew.types import Kind, Scores

StoredColumns: TypeAlias = Mapping[str, Any]
"""A row of the database by the names of its columns."""

_LINK = """
SELECT links.*, origin, next_at,
       (SELECT kind FROM links AS above WHERE above.id = links.parent) AS parent_kind
FROM links JOIN hosts ON hosts.id = links.host WHERE {key} = ? ORDER BY links.id LIMIT 1"""
_STATE = "SELECT state, depth, ifnull(reason, '') FROM links WHERE hash = ? AND kind <> ? LIMIT 1"
_PAGE = "SELECT pages.*, url AS twin FROM pages LEFT JOIN links ON links.id = duplicate_of WHERE pages.id = ?"
_RAISED = "SELECT score, source, parts FROM raised WHERE link = ? ORDER BY rowid DESC LIMIT 1"
_FETCHED = "SELECT url, fetched_at + seconds AS at FROM pages JOIN links USING (id) WHERE id = ?"
_PATH = """SELECT trail.url, trail.anchor, title, verdict, kind
FROM trail JOIN links USING (id) WHERE page = ? ORDER BY step DESC"""
_ROBOTS = "SELECT * FROM hosts WHERE origin = ? AND robots_at NOT NULL"
_RUN_OF_LINK = "SELECT policy, parts FROM runs WHERE first_link <= ? ORDER BY id DESC LIMIT 1"
_RUN_AT = "SELECT policy, parts FROM runs WHERE started_at <= ? ORDER BY id DESC LIMIT 1"
_LAST_RUN = "SELECT policy, judge, settings FROM runs ORDER BY id DESC LIMIT 1"
_SEARCH = """SELECT query, engine, rank, at, searches.why AS why
FROM search_results JOIN searches ON searches.id = search WHERE link = ? ORDER BY search LIMIT 1"""
_ANCHORS = "SELECT anchor FROM links WHERE parent = ? AND anchor NOT NULL"
_OPEN_SCORES = """
WITH better (link, score) AS (
    SELECT link, score FROM raised WHERE rowid IN (SELECT max(rowid) FROM raised GROUP BY link))
SELECT links.id, ifnull(better.score, links.score)
FROM links LEFT JOIN better ON better.link = links.id WHERE links.state = 0 AND links.kind = 0"""

_PLACE = """
WITH better (link, score) AS (
    SELECT link, score FROM raised WHERE rowid IN (SELECT max(rowid) FROM raised GROUP BY link))
SELECT count(*) FILTER (WHERE ifnull(better.score, links.score) > ?1
                        OR (ifnull(better.score, links.score) = ?1 AND links.id < ?2)), count(*)
FROM links LEFT JOIN better ON better.link = links.id WHERE links.state = 0 AND links.kind = 0"""


@dataclass(frozen=True, slots=True)
class LastRun:
    """Policy, judge and configuration (as JSON) of a run."""

    policy: str
    judge: str
    settings: str


def read_link_row(folder: Path, url: str) -> StoredColumns | None:
    """Return the link of a canonical URL with its host and the kind of its parent; None if unknown."""
    return _first(folder, _LINK.format(key="hash"), url_hash(url))


def read_link_by_id(folder: Path, id: int) -> StoredColumns | None:
    """Return the same for the id of a link, without a search."""
    return _first(folder, _LINK.format(key="links.id"), id)


def read_link_state(folder: Path, url: str) -> tuple[int, int, str] | None:
    """Return state, depth and reason of a canonical URL; None if it is unknown."""
    rows = read_sql(folder, _STATE, url_hash(url), Kind.ROBOTS.value)
    return (rows[0][0], rows[0][1], rows[0][2]) if rows else None


def read_page_row(folder: Path, id: int) -> StoredColumns | None:
    """Return the fetched page of a link, with the URL of the page it duplicates; None if not fetched."""
    return _first(folder, _PAGE, id)


def read_raised_score(folder: Path, id: int) -> StoredColumns | None:
    """Return the last score that another page gave a link, with its source and parts."""
    return _first(folder, _RAISED, id)


def read_fetch_time(folder: Path, id: int) -> StoredColumns | None:
    """Return URL and end time (`at`) of a fetched page."""
    return _first(folder, _FETCHED, id)


def read_crawl_path(folder: Path, id: int) -> list[tuple[str, str | None, str | None, float | None, Kind]]:
    """Return URL, anchor, title, verdict and kind of each step from the seed to a link."""
    rows = read_sql(folder, _PATH, id)
    return [(url, anchor, title, verdict, Kind(kind)) for url, anchor, title, verdict, kind in rows]


def read_robots_row(folder: Path, origin: str) -> StoredColumns | None:
    """Return the host of an origin with its robots.txt; None if that was never fetched."""
    return _first(folder, _ROBOTS, origin)


def read_run_of_link(folder: Path, id: int) -> StoredColumns | None:
    """Return policy and names of the score parts of the run that found a link."""
    return _first(folder, _RUN_OF_LINK, id)


def read_run_at(folder: Path, at: float) -> StoredColumns | None:
    """Return policy and names of the score parts of the run that was going on at a time."""
    return _first(folder, _RUN_AT, at)


def read_last_run(folder: Path) -> LastRun | None:
    """Return the last run; None before the first."""
    rows = read_sql(folder, _LAST_RUN)
    return LastRun(*rows[0]) if rows else None


def read_search_of_link(folder: Path, id: int) -> StoredColumns | None:
    """Return the first query that found a link, with its rank among the results; None if none did."""
    return _first(folder, _SEARCH, id)


def read_anchors(folder: Path, page: int) -> list[str]:
    """Return the link texts of a page."""
    return [anchor for (anchor,) in read_sql(folder, _ANCHORS, page)]


def read_open_scores(folder: Path) -> tuple[NDArray[np.int64], Scores]:
    """Return the ids of all open page links, and their last stored scores."""
    rows = read_sql(folder, _OPEN_SCORES)
    return np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float32)


def read_place(folder: Path, id: int, score: float) -> tuple[int, int]:
    """Return how many open page links come before a link with this score, and how many there are."""
    ((before, count),) = read_sql(folder, _PLACE, score, id)
    return before, count


def _first(folder: Path, query: str, *parameters: object) -> StoredColumns | None:
    return next(iter(StoredTable(folder, query=query, parameters=parameters)), None)
