"""Links that other shards of a crawl should fetch: committed with their page, read by whom they concern.

The table `links` is the outbox. A receiver asks for what came after the last link that it has seen and
commits that number together with the links it takes in, so that a repeated read changes nothing.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from clew.domain.partition import elsewhere
from clew.errors import ConfigError
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.page_rows import PAGES, Row, to_links, to_page
from clew.types import Links, Outcome, Scores, Verdict

SHARDS = "shards"
"""The folder with the shards of a crawl, by their numbers."""

RESTORES = "restores"
"""The fact that holds the last link of each copy from which a shard was restored, as JSON."""

_SENT = "state = 3 AND reason >= 'host of shard ' AND reason < 'host of shard!'"
INDEX = f"CREATE INDEX IF NOT EXISTS links_for_shards ON links (reason, id) WHERE {_SENT}"
"""What shards have beyond the tables of a crawl: their outbox in the order of receivers."""

_LINKS = f"""
SELECT parent, id, url, hash, kind, anchor, context, path, position, place, score, depth, hops
FROM links WHERE {_SENT} AND reason = ? AND id > ? ORDER BY id LIMIT ?"""  # noqa: S608 - ours
_LAST = "SELECT ifnull(max(id), 0) FROM links"
_PAGE = f"{PAGES} AND pages.id = ?"
_SOURCE = "SELECT url FROM links WHERE id = ?"
_RESTORES = f"SELECT value FROM meta WHERE key = '{RESTORES}'"  # noqa: S608 - ours
_BATCH = 5_000
_LINK_BITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SentLinks:
    """Links of one page that belong to another shard.

    `source` is that page with its verdict, None if it was not judged (a redirect, a sitemap); `page` is its
    URL, empty for a seed. `scores` are those that the sender gave them.
    """

    source: Outcome | None
    page: str
    links: Links
    scores: Scores
    depth: int
    hops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRows:
    """Rows of links for another shard, as they are in the database of the sender.

    `pages` are the rows of the pages that they were found on and `sources` their URLs, by the id of the page;
    `upto` is the position up to which there are no more.
    """

    upto: int
    links: Sequence[Row] = ()
    pages: Mapping[int, Row] = field(default_factory=dict)
    sources: Mapping[int, str] = field(default_factory=dict)


def shard_folders(folder: Path) -> list[Path]:
    """Return the folders of the shards of a crawl, in their order; none if it is not divided.

    >>> shard_folders(Path("/nowhere"))
    []
    """
    found = [path for path in folder.glob(f"{SHARDS}/*") if path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name))


def position(link: int, restores: int) -> int:
    """Return the position of a link in an outbox that was restored so many times.

    Positions grow also when links are numbered anew, after the shard went on from an older copy.

    >>> position(7, 0), position(7, 1) > position(1_000, 0), link_of(position(7, 1))
    (7, True, 7)
    """
    return restores << _LINK_BITS | link


def link_of(position: int) -> int:
    """Return the link at a position."""
    return position & ((1 << _LINK_BITS) - 1)


def _link_before(after: int, restores: Sequence[int]) -> int:
    """Return the link after which a reader goes on: not after what was numbered anew since it has read.

    >>> _link_before(90, []), _link_before(90, [50]), _link_before(position(90, 1), [50])
    (90, 50, 90)
    """
    return min((link_of(after), *restores[after >> _LINK_BITS :]))


def _restores(db: sqlite3.Connection) -> list[int]:
    (value,) = db.execute(_RESTORES).fetchone() or ("[]",)
    restores: list[int] = json.loads(value)
    return restores


class Outbox:
    """Read what a shard has found for another one. All calls come from one thread.

    Args:
        folder: the folder of the shard that has found the links.
        shard: the shard that they belong to.
    """

    def __init__(self, folder: Path, shard: int) -> None:
        self.folder = folder
        self.shard = shard
        self._db: sqlite3.Connection | None = None

    def read(self, after: int) -> tuple[list[SentLinks], int]:
        """Return some links after a position, and up to which position there are no more."""
        rows = self.rows(after)
        return to_sent(rows), rows.upto

    def rows(self, after: int) -> OutboxRows:
        """Return some links after a position as rows."""
        with store_errors(self.folder / DATABASE):
            try:
                db = self._db = self._db or open_reader(self.folder)
            except ConfigError:  # not created yet, or still empty
                return OutboxRows(upto=after)
            db.execute("BEGIN")
            try:
                restores = _restores(db)
                link = _link_before(after, restores)
                rows = db.execute(_LINKS, (elsewhere(self.shard), link, _BATCH)).fetchall()
                upto = rows[-1][1] if len(rows) == _BATCH else db.execute(_LAST).fetchone()[0]
                return _with_pages(db, rows, position(max(link, upto), len(restores)))
            finally:
                db.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        if self._db:
            self._db.close()
            self._db = None


def _with_pages(db: sqlite3.Connection, links: Sequence[Row], upto: int) -> OutboxRows:
    parents = {row[0] for row in links if row[0]}
    judged = {row[0] for row in links if row[0] and not row[12]}
    pages = ((parent, db.execute(_PAGE, (parent,)).fetchone()) for parent in judged)
    return OutboxRows(
        upto=upto, links=links, pages={parent: row for parent, row in pages if row},
        sources={parent: db.execute(_SOURCE, (parent,)).fetchone()[0] for parent in parents},
    )  # fmt: skip


def to_sent(rows: OutboxRows) -> list[SentLinks]:
    """Return the links of rows by the page they were found on."""
    sent = []
    for (parent, depth, hops), some in groupby(rows.links, itemgetter(0, 11, 12)):
        links = list(some)
        source = rows.pages.get(parent) if not hops else None
        sent.append(
            SentLinks(
                source=_outcome(source) if source else None, page=rows.sources.get(parent, ""),
                links=to_links(links), scores=np.array([row[10] for row in links], np.float32),
                depth=depth, hops=hops,
            )
        )  # fmt: skip
    return sent


def _outcome(row: Row) -> Outcome:
    verdict, relevant, why = row[17:]
    return Outcome(to_page(row), Verdict(verdict, tuple(why.split("; ")) if why else ()), bool(relevant))
