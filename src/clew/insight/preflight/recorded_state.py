"""The state of a crawl that has started, read from its database."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.frontier import Exclusions
from clew.parse import feeds
from clew.store import crawl_stats
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


def read_state(folder: Path, canon: Canon) -> RecordedState:
    """Read the state of a crawl, also while it runs."""
    if not crawl_stats.has_links(folder):
        return RecordedState()
    counts = crawl_stats.count_pages(folder)
    exclusions = Exclusions()
    for rule in crawl_stats.read_all_rules(folder):
        exclusions.add(rule)
    return RecordedState(
        pages=counts.pages,
        relevant=counts.relevant,
        page_bytes=crawl_stats.size_on_disk(folder) / counts.pages if counts.pages else 0.0,
        page_seconds=counts.seconds,
        by_origin=crawl_stats.count_by_origin(folder),
        read_sitemaps=frozenset(crawl_stats.read_fetched_sitemaps(folder)),
        rules=tuple(_robots_files(folder, canon)),
        exclusions=exclusions,
    )


def _robots_files(folder: Path, canon: Canon) -> Iterator[StoredRobots]:
    for origin, status, text, at in crawl_stats.read_robots_files(folder):
        named = feeds.robots(text, url=f"{origin}/robots.txt", canon=canon)
        yield StoredRobots(origin=origin, status=status, text=text, at=at, sitemaps=named.urls)
