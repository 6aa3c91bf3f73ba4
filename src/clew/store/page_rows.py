"""Turn rows of the database into pages and links, as judge and ranker need them to work on stored data."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from clew import urls
from clew.store.packed_position import unpack_positions
from clew.types import Kind, Link, Links, Page, Response, RobotsDirectives

Row: TypeAlias = tuple[Any, ...]

PAGES = """
SELECT pages.id, url, ifnull(parent, 0), coalesce(anchor, ''), depth, hops, tries, pages.score, status, mime,
       encoding, coalesce(title, ''), lang, coalesce(text, ''), coalesce(margin, ''), fingerprint, noindex,
       verdict, relevant, why
FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id
WHERE kind = 0 AND verdict NOT NULL"""
"""The columns that `to_page` reads, then verdict, relevance and reasons; of judged pages."""


def to_page(row: Row) -> Page:
    """Return the page of a row of `PAGES`, without its links."""
    id, url, parent, anchor, depth, hops, tries, score, status, mime, encoding, title, lang, text = row[:14]
    margin, fingerprint, noindex = row[14:17]
    link = Link(
        id=id, url=url, origin=urls.origin(url), parent=parent, anchor=anchor, depth=depth, hops=hops,
        tries=tries, score=score,
    )  # fmt: skip
    return Page(
        response=Response(link=link, started=0.0, ended=0.0, status=status), mime=mime, encoding=encoding,
        title=title, lang=lang, text=text, margin=margin, fingerprint=fingerprint % (1 << 64),
        directives=RobotsDirectives(noindex=bool(noindex)),
    )  # fmt: skip


def to_links(rows: Sequence[Row]) -> Links:
    """Return the links of rows: any column, id, URL, hash, kind, anchor, context, path, position, place."""
    addresses = [row[2] for row in rows]
    coordinates, areas = unpack_positions(row[9] for row in rows)
    return Links(
        urls=addresses,
        origins=[urls.origin(url) for url in addresses],
        hashes=np.array([row[3] for row in rows], np.int64).view(np.uint64),
        anchors=[row[5] or "" for row in rows],
        contexts=[row[6] or "" for row in rows],
        paths=[row[7] or "" for row in rows],
        rels=[""] * len(rows),
        positions=np.array([row[8] or 0 for row in rows], np.float32) / np.float32(1000),
        kinds=[Kind(row[4]) for row in rows],
        coordinates=coordinates,
        areas=areas,
    )
