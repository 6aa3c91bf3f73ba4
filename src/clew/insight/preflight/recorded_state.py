"""The state of a crawl that has started, read from its database."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import ConfigError
from clew.frontier import Exclusions
from clew.parse import feeds
from clew.store import StoredTable, read_sql
from clew.store.folder import DATABASE, PAGES
from clew.types import Kind, Rule, State
from clew.urls import Canon


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRobots:
    """The stored robots.txt of an origin, with the sitemaps it names."""

    origin: str
    status: int
    text: str
    at: float
    sitemaps: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedState:
    """Counts of a crawl so far; all are zero or empty before it has started.

    `page_bytes` is the mean size of a page on disk, `page_seconds` the mean response time.
    """

    pages: int = 0
    relevant: int = 0
    page_bytes: float = 0.0
    page_seconds: float = 0.0
    by_origin: dict[str, int] = field(default_factory=dict)
    read_sitemaps: frozenset[str] = frozenset()
    rules: tuple[StoredRobots, ...] = ()
    exclusions: Exclusions = field(default_factory=Exclusions)


def has_started(folder: Path) -> bool:
    """Return whether there is a database with links in it."""
    try:
        return (folder / DATABASE).exists() and bool(read_sql(folder, "SELECT 1 FROM links LIMIT 1"))
    except ConfigError:  # created, but still empty
        return False


def read_state(folder: Path, canon: Canon) -> RecordedState:
    """Read the state of a crawl, also while it runs."""
    if not has_started(folder):
        return RecordedState()
    ((pages, relevant, seconds),) = read_sql(
        folder,
        "SELECT count(*) FILTER (WHERE redirect IS NULL), total(relevant), ifnull(avg(seconds), 0)"
        " FROM pages JOIN links USING (id) WHERE kind = ?",
        Kind.PAGE.value,
    )
    by_origin = read_sql(
        folder,
        "SELECT origin, count(*) FROM links JOIN hosts ON hosts.id = links.host"
        " WHERE kind = ? AND state IN (?, ?) GROUP BY origin",
        Kind.PAGE.value, State.DONE.value, State.FAILED.value,
    )  # fmt: skip
    listed = read_sql(
        folder, "SELECT url FROM links WHERE kind = ? AND state <> ?", Kind.SITEMAP.value, State.OPEN.value
    )
    exclusions = Exclusions()
    for id, at, host, kind in read_sql(folder, "SELECT id, at, host, kind FROM rules ORDER BY id"):
        exclusions.add(Rule(host, kind, at, id))
    return RecordedState(
        pages=pages,
        relevant=int(relevant),
        page_bytes=size_on_disk(folder) / pages if pages else 0.0,
        page_seconds=seconds,
        by_origin=dict(by_origin),
        read_sitemaps=frozenset(url for (url,) in listed),
        rules=tuple(_rules(folder, canon)),
        exclusions=exclusions,
    )


def _rules(folder: Path, canon: Canon) -> Iterator[StoredRobots]:
    rows = StoredTable(
        folder,
        query="SELECT origin, robots_status AS status, ifnull(robots_text, '') AS text, robots_at AS at"
        " FROM hosts WHERE robots_status IS NOT NULL",
    )
    for row in rows:
        named = feeds.robots(row["text"], url=f"{row['origin']}/robots.txt", canon=canon)
        yield StoredRobots(**row, sitemaps=named.urls)


def open_links(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield URL and depth of every open page link."""
    query = "SELECT url, depth FROM links WHERE kind = ? AND state = ?"
    for row in StoredTable(folder, query=query, parameters=(Kind.PAGE.value, State.OPEN.value)):
        yield row["url"], row["depth"]


def known_hashes(folder: Path) -> set[int]:
    """Return the 64-bit hashes of all known URLs."""
    return {hash & 0xFFFF_FFFF_FFFF_FFFF for (hash,) in read_sql(folder, "SELECT hash FROM links")}


def size_on_disk(folder: Path) -> int:
    """Return the size of the database and the archive in bytes."""
    files = [*folder.glob(f"{DATABASE}*"), *(folder / PAGES).glob("*.warc.gz")]
    return sum(path.stat().st_size for path in files if path.exists())
