"""The growing table as users see it: each row with its confidence and its provenance."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from clew import urls
from clew.store.database import open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.table import COLUMNS

Found: TypeAlias = tuple[Any, ...]

_BATCH = 500
_ROWS = """SELECT rows.id, cells, given, found_at, coalesce(word, '')
FROM rows LEFT JOIN marked ON marked.row = rows.id WHERE rows.id > ? ORDER BY rows.id LIMIT ?"""
_OCCURRENCES = """SELECT stands.row, page, pattern, stands.position, stands.confidence, at, links.url,
    coalesce(patterns.confidence, 1.0), coalesce(patterns.words, '')
FROM stands JOIN links ON links.id = stands.page LEFT JOIN patterns ON patterns.id = stands.pattern
WHERE stands.row BETWEEN ? AND ? ORDER BY stands.row, stands.at, stands.page, stands.pattern"""
_SURE = ("right", "off-topic")
_KNOWN_VALUES = "met by its values"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row of the growing table.

    `pages` and `sites` count where it occurs; `url`, `pattern`, `position` and `found_at` describe the best
    place: by the surest pattern, and there the first. `out` says in words why a row is left out of the table,
    and is empty for a row in the table.
    """

    id: int
    values: tuple[str, ...]
    confidence: float
    given: bool = False
    mark: str = ""
    pages: int = 0
    sites: int = 0
    url: str = ""
    pattern: str = ""
    position: int = 0
    found_at: float = 0.0
    out: str = ""


def table_columns(db: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of the table's columns; none when the crawl has no table."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (COLUMNS,)).fetchone()
    return tuple(json.loads(row[0])) if row else ()


def table_rows(db: sqlite3.Connection, *, all: bool = False) -> Iterator[TableRow]:
    """Yield the rows of the table in the order of their ids; with `all` also those left out."""
    rejected = {pattern for (pattern,) in db.execute("SELECT pattern FROM struck")}
    last = -1
    while found := db.execute(_ROWS, (last, _BATCH)).fetchall():
        first, last = found[0][0], found[-1][0]
        occurrences: defaultdict[int, list[Found]] = defaultdict(list)
        for row, *rest in db.execute(_OCCURRENCES, (first, last)):
            occurrences[row].append(tuple(rest))
        for each in found:
            row = _row(each, occurrences[each[0]], rejected)
            if all or not row.out:
                yield row


def read_table_rows(folder: Path, *, all: bool = False) -> tuple[tuple[str, ...], list[TableRow]]:
    """Return the columns and rows of a crawl's table; works while a crawl runs in the folder."""
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        return table_columns(db), list(table_rows(db, all=all))


def _row(found: Found, occurrences: list[Found], rejected: set[int]) -> TableRow:
    id, cells, given, found_at, mark = found
    valid = [each for each in occurrences if mark == "right" or each[1] not in rejected]
    best: dict[int, float] = {}
    for _, pattern, _, then, _, _, now, _ in valid:
        if pattern >= 0:
            best[pattern] = max(best.get(pattern, 0.0), min(then, now))
    doubt = 1.0
    for sure in best.values():
        doubt *= 1.0 - sure
    out = ""
    if mark == "noise":
        out = "noise, you said so"
    elif not given and not best:
        out = "only a pattern gave it that also gave noise" if occurrences else "it stands nowhere now"
    shown = max(valid, key=lambda each: best.get(each[1], -1.0), default=None)
    return TableRow(
        id=id,
        values=tuple(json.loads(cells)),
        confidence=0.0 if out else 1.0 if given or mark in _SURE else 1.0 - doubt,
        given=bool(given),
        mark=mark,
        pages=len({each[0] for each in valid}),
        sites=len({urls.site(urls.host(each[5])) for each in valid}),
        url=shown[5] if shown else "",
        pattern="" if shown is None else shown[7] if shown[1] >= 0 else _KNOWN_VALUES,
        position=shown[2] if shown else 0,
        found_at=shown[4] if shown else found_at,
        out=out,
    )
