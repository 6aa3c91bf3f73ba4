"""Read judged pages from the store: their texts, their verdicts, and the open links on them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from clew import urls
from clew.store.packed_position import unpack_positions
from clew.store.reading import read_sql
from clew.store_contracts import JudgedPage
from clew.types import Kind, Link, Links, Page, Response

Row: TypeAlias = tuple[Any, ...]

_COLUMNS = """
SELECT pages.id, url, ifnull(parent, 0), coalesce(anchor, ''), depth, hops, tries, pages.score, status, mime,
       coalesce(title, ''), lang, coalesce(text, ''), fingerprint, verdict, relevant, why,
       coalesce(margin, '')
FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id
WHERE kind = 0 AND verdict NOT NULL AND NOT noindex AND """
_BY_URL = f"{_COLUMNS} hash IN (SELECT value FROM json_each(?))"  # noqa: S608 - both are ours
_AFTER = f"{_COLUMNS} pages.id > ? ORDER BY pages.id LIMIT ?"
_BY_ID = f"{_COLUMNS} pages.id IN (SELECT value FROM json_each(?))"  # noqa: S608 - both are ours
_LINKS = """
SELECT parent, id, url, hash, coalesce(anchor, ''), coalesce(context, ''), coalesce(path, ''),
       ifnull(position, 0), kind, place
FROM links WHERE state = 0 AND parent IN (SELECT value FROM json_each(?)) ORDER BY id"""
_RAISED = "SELECT link, source FROM raised WHERE link IN (SELECT value FROM json_each(?)) ORDER BY rowid"


def read_by_url(folder: Path, page_urls: Sequence[str]) -> list[JudgedPage]:
    """Return the judged pages of these canonical URLs, with the open links on them."""
    found = [_page(row) for row in read_sql(folder, _BY_URL, json.dumps(_hashes(page_urls)))]
    below: defaultdict[int, list[Row]] = defaultdict(list)
    for row in read_sql(folder, _LINKS, json.dumps([each.page.link.id for each in found])):
        below[row[0]].append(row)
    rows = [row for some in below.values() for row in some]
    raised = dict(read_sql(folder, _RAISED, json.dumps([row[1] for row in rows])))
    made = []
    for each in found:
        id = each.page.link.id
        own = [row for row in below[id] if raised.get(row[1], id) == id]
        links = replace(each.page, links=_links(own))
        made.append(replace(each, page=links, link_ids=np.array([row[1] for row in own], np.int64)))
    return made


def read_after(folder: Path, last: int, most: int) -> list[JudgedPage]:
    """Return up to `most` judged pages with ids above `last`, in their order, without their links."""
    return [_page(row) for row in read_sql(folder, _AFTER, last, most)]


def read_by_id(folder: Path, ids: Sequence[int]) -> list[JudgedPage]:
    """Return the judged pages of these links, without the links on them."""
    return [_page(row) for row in read_sql(folder, _BY_ID, json.dumps(list(ids)))]


def _hashes(page_urls: Sequence[str]) -> list[int]:
    names = (urls.fingerprint(url) for url in page_urls)
    return [name - (1 << 64) if name >> 63 else name for name in names]


def _page(row: Row) -> JudgedPage:
    id, url, parent, anchor, depth, hops, tries, score, status, mime, title, lang, text = row[:13]
    link = Link(
        id=id, url=url, origin=urls.origin(url), parent=parent, anchor=anchor, depth=depth, hops=hops,
        tries=tries, score=score,
    )  # fmt: skip
    response = Response(link=link, started=0.0, ended=0.0, status=status)
    page = Page(
        response=response, mime=mime, title=title, lang=lang, text=text, margin=row[17],
        fingerprint=row[13] % (1 << 64),
    )  # fmt: skip
    return JudgedPage(
        page=page, verdict=row[14], relevant=bool(row[15]), why=row[16], link_ids=np.empty(0, np.int64)
    )


def _links(rows: Sequence[Row]) -> Links:
    found = [row[2] for row in rows]
    places, areas = unpack_positions(row[9] for row in rows)
    return Links(
        urls=found,
        origins=[urls.origin(url) for url in found],
        hashes=np.array([row[3] for row in rows], np.int64).view(np.uint64),
        anchors=[row[4] for row in rows],
        contexts=[row[5] for row in rows],
        paths=[row[6] for row in rows],
        rels=[""] * len(rows),
        positions=np.array([row[7] for row in rows], np.float32) / np.float32(1000),
        kinds=[Kind(row[8]) for row in rows],
        coordinates=places,
        areas=areas,
    )
