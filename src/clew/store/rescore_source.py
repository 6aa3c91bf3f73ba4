"""Read links with the page that gave them their score: enough to score them again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from clew.contracts import RescoreSource
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.packed_position import round_positions
from clew.store.page_rows import PAGES, Row, to_links, to_page
from clew.store.write_batch import clipped
from clew.types import Links, Outcome, Verdict

# A link whose score was raised belongs to the page that raised it; where no position there is stored, the
# first one holds.
_LINKS = """
WITH better (link, number) AS (SELECT link, max(rowid) FROM raised WHERE source NOT NULL GROUP BY link)
SELECT ifnull(raised.source, links.parent) AS source, links.id, links.url, links.hash, links.kind,
       CASE WHEN raised.path IS NULL THEN links.anchor ELSE raised.anchor END,
       CASE WHEN raised.path IS NULL THEN links.context ELSE raised.context END,
       CASE WHEN raised.path IS NULL THEN links.path ELSE raised.path END,
       CASE WHEN raised.path IS NULL THEN links.position ELSE raised.position END,
       CASE WHEN raised.path IS NULL THEN links.place ELSE raised.place END
FROM links LEFT JOIN better ON better.link = links.id LEFT JOIN raised ON raised.rowid = better.number
WHERE {} AND (links.hops = 0 OR raised.link NOT NULL) AND ifnull(raised.source, links.parent) NOT NULL
ORDER BY source, links.id"""
_OPEN = "links.state = 0 AND (links.id >= ? OR better.number > ?)"
_PAGE = f"{PAGES} AND pages.id = ?"
_BARE_PAGES = PAGES + " AND pages.id NOT IN (SELECT parent FROM links WHERE parent NOT NULL)"  # noqa: S608
_BATCH = 5_000


def read_sources(folder: Path, first: int, raised: int) -> Iterator[RescoreSource]:
    """Yield open links by the page that gave them their score, with that page and its verdict.

    Only links with ids from `first` on, and those whose score was raised after raise number `raised`.
    """
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        yield from _read(db, _OPEN, (first, raised))


def read_source(folder: Path, id: int) -> tuple[Outcome, Links] | None:
    """Return one link with the page that gave it its score; None if no judged page did."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        found = next(_read(db, "links.id = ?", (id,)), None)
    return (found[0], found[2]) if found else None


def read_page_links(folder: Path) -> Iterator[RescoreSource]:
    """Yield every judged page with the links that were first found on it, those without any first."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        none = np.empty(0, np.int64)
        for page in _rows(db.execute(_BARE_PAGES)):
            yield _outcome(page), none, to_links(())
        yield from _read(db, "links.state >= 0", ())


def last_raised(folder: Path) -> int:
    """Return the number of the last raised score."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        (number,) = db.execute("SELECT ifnull(max(rowid), 0) FROM raised").fetchone()
    return int(number)


def as_stored(links: Links, *, layout: bool = True) -> Links:
    """Return links as they will be read back: texts clipped, without rel tokens, positions rounded.

    Positions are rounded only if a ranker needs the `layout`. Most links are the same then.
    """
    if not len(links):
        return links
    anchors, contexts, paths = map(clipped, (links.anchors, links.contexts, links.paths))
    same = anchors is links.anchors and contexts is links.contexts and paths is links.paths
    if same and not layout and not any(links.rels):
        return links
    rounded = (links.positions * 1000).astype(np.int64).astype(np.float32) / np.float32(1000)
    return replace(
        links,
        anchors=anchors,
        contexts=contexts,
        paths=paths,
        rels=[""] * len(links),
        positions=rounded if layout else links.positions,
        coordinates=round_positions(links) if layout else links.coordinates,
    )


def _read(db: sqlite3.Connection, which: str, values: tuple[int, ...]) -> Iterator[RescoreSource]:
    for source, rows in groupby(_rows(db.execute(_LINKS.format(which), values)), itemgetter(0)):
        page = db.execute(_PAGE, (source,)).fetchone()
        links = list(rows)
        if page is not None:
            yield _outcome(page), np.array([row[1] for row in links], np.int64), to_links(links)


def _outcome(row: Row) -> Outcome:
    verdict, _, why = row[17:]
    return Outcome(to_page(row), Verdict(verdict, tuple(why.split("; ")) if why else ()))


def _rows(cursor: sqlite3.Cursor) -> Iterator[Row]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows
