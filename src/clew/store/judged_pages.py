"""Read judged pages from the store: their texts, their verdicts, and the open links on them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.contracts import JudgedPage
from clew.store.hashes import url_hash
from clew.store.page_rows import PAGES, Row, to_links, to_page
from clew.store.reading import read_sql

_INDEXABLE = f"{PAGES} AND NOT noindex AND"
_BY_URL = f"{_INDEXABLE} hash IN (SELECT value FROM json_each(?))"  # noqa: S608 - both are ours
_AFTER = f"{_INDEXABLE} pages.id > ? ORDER BY pages.id LIMIT ?"
_BY_ID = f"{_INDEXABLE} pages.id IN (SELECT value FROM json_each(?))"  # noqa: S608 - both are ours
_LINKS = """
SELECT parent, id, url, hash, kind, anchor, context, path, position, place
FROM links WHERE state = 0 AND parent IN (SELECT value FROM json_each(?)) ORDER BY id"""
_RAISED = "SELECT link, source FROM raised WHERE link IN (SELECT value FROM json_each(?)) ORDER BY rowid"


def read_by_url(folder: Path, page_urls: Sequence[str]) -> list[JudgedPage]:
    """Return the judged pages of these canonical URLs, with the open links on them."""
    hashes = json.dumps([url_hash(url) for url in page_urls])
    pages = [_judged(row) for row in read_sql(folder, _BY_URL, hashes)]
    by_page: defaultdict[int, list[Row]] = defaultdict(list)
    rows = read_sql(folder, _LINKS, json.dumps([each.page.link.id for each in pages]))
    for row in rows:
        by_page[row[0]].append(row)
    raised = dict(read_sql(folder, _RAISED, json.dumps([row[1] for row in rows])))
    with_links = []
    for each in pages:
        id = each.page.link.id
        own = [row for row in by_page[id] if raised.get(row[1], id) == id]
        page = replace(each.page, links=to_links(own))
        with_links.append(replace(each, page=page, link_ids=np.array([row[1] for row in own], np.int64)))
    return with_links


def read_after(folder: Path, last: int, most: int) -> list[JudgedPage]:
    """Return up to `most` judged pages with ids above `last`, in their order, without their links."""
    return [_judged(row) for row in read_sql(folder, _AFTER, last, most)]


def read_by_id(folder: Path, ids: Sequence[int]) -> list[JudgedPage]:
    """Return the judged pages of these links, without the links on them."""
    return [_judged(row) for row in read_sql(folder, _BY_ID, json.dumps(list(ids)))]


def _judged(row: Row) -> JudgedPage:
    verdict, relevant, why = row[17:]
    return JudgedPage(
        page=to_page(row), verdict=verdict, relevant=bool(relevant), why=why, link_ids=np.empty(0, np.int64)
    )
