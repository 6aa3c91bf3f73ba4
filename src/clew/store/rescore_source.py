"""Read links with the page that gave them their score: enough to score them again."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from clew import urls
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.packed_position import round_positions, unpack_positions
from clew.store.write_batch import CLIP
from clew.store_contracts import RescoreSource
from clew.types import Kind, Link, Links, Outcome, Page, Response, RobotsDirectives, Verdict

Row: TypeAlias = tuple[Any, ...]

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
_PAGE = """
SELECT url, ifnull(parent, 0), coalesce(anchor, ''), depth, hops, tries, pages.score, status, mime, encoding,
       coalesce(title, ''), lang, coalesce(text, ''), fingerprint, noindex, verdict, why,
       coalesce(margin, '')
FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id
WHERE pages.id = ? AND kind = 0 AND verdict NOT NULL"""
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


def last_raised(folder: Path) -> int:
    """Return the number of the last raised score."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        (number,) = db.execute("SELECT ifnull(max(rowid), 0) FROM raised").fetchone()
    return int(number)


def as_stored(links: Links) -> Links:
    """Return links as they will be read back: texts clipped, positions rounded."""
    if not len(links):
        return links
    return replace(
        links,
        anchors=[text[:CLIP] for text in links.anchors],
        contexts=[text[:CLIP] for text in links.contexts],
        paths=[text[:CLIP] for text in links.paths],
        rels=[""] * len(links),
        positions=_positions((links.positions * 1000).astype(np.int64)),
        coordinates=round_positions(links),
        areas=links.areas.astype(np.uint8),
    )


def _read(db: sqlite3.Connection, which: str, values: tuple[int, ...]) -> Iterator[RescoreSource]:
    for source, rows in groupby(_rows(db.execute(_LINKS.format(which), values)), itemgetter(0)):
        page = db.execute(_PAGE, (source,)).fetchone()
        some = list(rows)
        if page is not None:
            yield _outcome(source, page), np.array([row[1] for row in some], np.int64), _links(some)


def _rows(cursor: sqlite3.Cursor) -> Iterator[Row]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows


def _outcome(id: int, row: Row) -> Outcome:
    url, parent, anchor, depth, hops, tries, score, status, mime, encoding, title, lang, text = row[:13]
    link = Link(
        id=id, url=url, origin=urls.origin(url), parent=parent, anchor=anchor, depth=depth, hops=hops,
        tries=tries, score=score,
    )  # fmt: skip
    response = Response(link=link, started=0.0, ended=0.0, status=status)
    page = Page(
        response=response, mime=mime, encoding=encoding, title=title, lang=lang, text=text, margin=row[17],
        fingerprint=row[13] % (1 << 64), directives=RobotsDirectives(noindex=bool(row[14])),
    )  # fmt: skip
    return Outcome(page, Verdict(row[15], tuple(row[16].split("; ")) if row[16] else ()))


def _links(rows: Sequence[Row]) -> Links:
    found = [row[2] for row in rows]
    places, areas = unpack_positions(row[9] for row in rows)
    return Links(
        urls=found,
        origins=[urls.origin(url) for url in found],
        hashes=np.array([row[3] for row in rows], np.int64).view(np.uint64),
        anchors=[row[5] or "" for row in rows],
        contexts=[row[6] or "" for row in rows],
        paths=[row[7] or "" for row in rows],
        rels=[""] * len(rows),
        positions=_positions([row[8] or 0 for row in rows]),
        kinds=[Kind(row[4]) for row in rows],
        coordinates=places,
        areas=areas,
    )


def _positions(thousandths: ArrayLike) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(thousandths, np.float32) / np.float32(1000)
