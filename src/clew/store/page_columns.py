"""The pages of a crawl as columns in memory: 40 bytes each, so that a million are counted in milliseconds."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.reading import StoredTable, read_sql
from clew.store.schema import IS_PAGE

_COLUMNS = f"""SELECT pages.id, links.host, lang, mime, fetched_at, verdict, relevant
FROM pages JOIN links USING (id) WHERE {IS_PAGE}"""  # noqa: S608 - ours
_ORIGINS = "SELECT id, origin FROM hosts"
_ROWS = """SELECT pages.id AS id, links.url AS url, coalesce(pages.title, '') AS title, verdict,
    relevant, pages.lang AS lang,
    mime, fetched_at, status, bytes, why, depth, coalesce(anchor, '') AS anchor, noindex,
    substr(coalesce(texts.text, ''), 1, {head}) AS text
FROM pages JOIN links USING (id) LEFT JOIN texts ON texts.page = pages.id
WHERE pages.id IN (SELECT value FROM json_each(?))"""
_ARCHIVED = "SELECT warc_file, warc_offset, mime, encoding FROM pages WHERE id = ?"
_BATCH = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageColumns:
    """One element a page that was read, in the order of ids; `by_time` and `by_verdict` are other orders.

    `hosts`, `langs` and `mimes` are positions in the names beside them; `verdicts` is NaN for a page that
    was not judged, `times` are Unix seconds.
    """

    ids: NDArray[np.int64]
    hosts: NDArray[np.int32]
    langs: NDArray[np.int32]
    mimes: NDArray[np.int32]
    times: NDArray[np.float64]
    verdicts: NDArray[np.float32]
    relevant: NDArray[np.bool_]
    by_time: NDArray[np.int64]
    by_verdict: NDArray[np.int64]
    host_names: tuple[str, ...]
    lang_names: tuple[str, ...]
    mime_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)


def read_page_columns(folder: Path) -> PageColumns:
    """Read the columns of all pages, some seconds for a million."""
    langs: dict[str, int] = {}
    mimes: dict[str, int] = {}
    parts: list[tuple[NDArray[Any], ...]] = []
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        origins = dict(db.execute(_ORIGINS).fetchall())
        numbers = {id: place for place, id in enumerate(origins)}
        cursor = db.execute(_COLUMNS)
        while rows := cursor.fetchmany(_BATCH):
            id, host, lang, mime, at, verdict, relevant = zip(*rows, strict=True)
            parts.append((
                np.array(id, np.int64),
                np.array([numbers[each] for each in host], np.int32),
                np.array([langs.setdefault(each, len(langs)) for each in lang], np.int32),
                np.array([mimes.setdefault(each, len(mimes)) for each in mime], np.int32),
                np.array(at, np.float64),
                np.array([np.nan if each is None else each for each in verdict], np.float32),
                np.array(relevant, np.bool_),
            ))  # fmt: skip
    kinds = (np.int64, np.int32, np.int32, np.int32, np.float64, np.float32, np.bool_)
    columns: list[NDArray[Any]] = [
        np.concatenate([part[at] for part in parts]) if parts else np.empty(0, kind)
        for at, kind in enumerate(kinds)
    ]
    order = np.argsort(columns[0], kind="stable")
    ids, hosts, lang_codes, mime_codes, times, verdicts, relevant_flags = (each[order] for each in columns)
    return PageColumns(
        ids=ids,
        hosts=hosts,
        langs=lang_codes,
        mimes=mime_codes,
        times=times,
        verdicts=verdicts,
        relevant=relevant_flags,
        by_time=np.argsort(times, kind="stable"),
        by_verdict=np.argsort(-np.nan_to_num(verdicts, nan=-1.0), kind="stable"),
        host_names=tuple(origins.values()),
        lang_names=tuple(langs),
        mime_names=tuple(mimes),
    )


def read_page_rows(folder: Path, ids: Sequence[int], head: int = 300) -> list[dict[str, Any]]:
    """Return what is shown of some pages, in this order, with the first `head` characters of their text."""
    listed = "[" + ",".join(str(int(id)) for id in ids) + "]"
    found: Mapping[int, dict[str, Any]] = {
        row["id"]: row
        for row in StoredTable(folder, query=_ROWS.format(head=int(head)), parameters=(listed,))
    }
    return [found[id] for id in ids if id in found]


def read_archive_place(folder: Path, id: int) -> tuple[str, int, str, str] | None:
    """Return WARC file, offset, media type and encoding of a page; None if its response was not stored."""
    rows = read_sql(folder, _ARCHIVED, id)
    if not rows or not rows[0][0]:
        return None
    name, offset, mime, encoding = rows[0]
    return str(name), int(offset), str(mime), str(encoding)
