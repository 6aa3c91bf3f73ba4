"""Links that other shards of a crawl should fetch: committed with their page, read by whom they concern.

The table `links` is the outbox. A receiver asks for what came after the last link that it has seen and
commits that number together with the links it takes in, so that a repeated read changes nothing.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
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

_SENT = "state = 3 AND reason >= 'host of shard ' AND reason < 'host of shard!'"
INDEX = f"CREATE INDEX IF NOT EXISTS links_for_shards ON links (reason, id) WHERE {_SENT}"
"""What shards have beyond the tables of a crawl: their outbox in the order of receivers."""

_LINKS = f"""
SELECT parent, id, url, hash, kind, anchor, context, path, position, place, score, depth, hops
FROM links WHERE {_SENT} AND reason = ? AND id > ? ORDER BY id LIMIT ?"""  # noqa: S608 - ours
_LAST = "SELECT ifnull(max(id), 0) FROM links"
_PAGE = f"{PAGES} AND pages.id = ?"
_SOURCE = "SELECT url FROM links WHERE id = ?"
_BATCH = 5_000


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


def shard_folders(folder: Path) -> list[Path]:
    """Return the folders of the shards of a crawl, in their order; none if it is not divided.

    >>> shard_folders(Path("/nowhere"))
    []
    """
    found = [path for path in folder.glob(f"{SHARDS}/*") if path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name))


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
        """Return some links after a number, and up to which number there are no more."""
        with store_errors(self.folder / DATABASE):
            try:
                db = self._db = self._db or open_reader(self.folder)
            except ConfigError:  # not created yet, or still empty
                return [], after
            db.execute("BEGIN")
            try:
                rows = db.execute(_LINKS, (elsewhere(self.shard), after, _BATCH)).fetchall()
                upto = rows[-1][1] if len(rows) == _BATCH else db.execute(_LAST).fetchone()[0]
                return _by_page(db, rows), max(after, upto)
            finally:
                db.execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        if self._db:
            self._db.close()
            self._db = None


def _by_page(db: sqlite3.Connection, rows: Sequence[Row]) -> list[SentLinks]:
    sent = []
    for (parent, depth, hops), some in groupby(rows, itemgetter(0, 11, 12)):
        links = list(some)
        source = db.execute(_PAGE, (parent,)).fetchone() if parent and not hops else None
        (page,) = db.execute(_SOURCE, (parent,)).fetchone() if parent else ("",)
        sent.append(
            SentLinks(
                source=_outcome(source) if source else None, page=page, links=to_links(links),
                scores=np.array([row[10] for row in links], np.float32), depth=depth, hops=hops,
            )
        )  # fmt: skip
    return sent


def _outcome(row: Row) -> Outcome:
    verdict, relevant, why = row[17:]
    return Outcome(to_page(row), Verdict(verdict, tuple(why.split("; ")) if why else ()), bool(relevant))
