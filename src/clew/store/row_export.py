"""Export extracted rows as a table, or as GeoJSON for a map.

Rows of pages marked noindex are left out, like their texts.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from clew.domain.places.coordinates import distance
from clew.store.database import open_reader, store_errors
from clew.store.escaping import safe_json
from clew.store.folder import DATABASE
from clew.store.table_formats import ExportTable

_BATCH = 500
_ROWS = """
SELECT records.id, links.url, coalesce(pages.title, ''), columns, cells, source, confidence
FROM records
JOIN pages ON pages.id = records.page
JOIN links ON links.id = records.page
WHERE records.id > ? AND NOT pages.noindex AND {where} ORDER BY records.id LIMIT {batch}
"""
_PAGE = ("url", "title")
_STOOD = ("source", "confidence")
_KINDS = {"source": "int64", "confidence": "float64", "lat": "float64", "lon": "float64"}


def rows(db: sqlite3.Connection, where: str) -> Iterator[dict[str, Any]]:
    """Yield each row with its page and position; they are read in batches of some hundred."""
    statement = _ROWS.format(where=where, batch=_BATCH)
    last = -1
    while found := db.execute(statement, (last,)).fetchall():
        last = found[-1][0]
        for _, url, title, columns, cells, source, confidence in found:
            row = dict(zip(json.loads(columns), json.loads(cells), strict=True))
            row |= {name: _degrees(row[name]) for name in ("lat", "lon") if name in row}
            yield {"url": url, "title": title, **row, "source": source, "confidence": confidence}


def read_rows_near(folder: Path, point: tuple[float, float], km: float) -> list[dict[str, Any]]:
    """Return the rows with coordinates within a distance of a point, each with its `km`, nearest first.

    Works while a crawl runs in the folder.
    """
    found = []
    with closing(open_reader(folder)) as db, store_errors(folder / DATABASE):
        for row in rows(db, "true"):
            latitude, longitude = row.get("lat"), row.get("lon")
            if latitude is not None and longitude is not None:
                away = distance(latitude, longitude, point)
                if away <= km:
                    found.append({"km": round(away, 3), **row})
    return sorted(found, key=lambda row: row["km"])


def row_table(dbs: Sequence[sqlite3.Connection], where: str) -> ExportTable:
    """Return the extracted rows as a table; its columns are all that any row has."""
    names = dict.fromkeys(
        name
        for db in dbs
        for (columns,) in db.execute("SELECT columns FROM records GROUP BY columns ORDER BY min(id)")
        for name in json.loads(columns)
    )
    header = list(dict.fromkeys((*_PAGE, *names, *_STOOD)))
    cells = ([row.get(name) for name in header] for db in dbs for row in rows(db, where))
    return ExportTable("records", header, [_KINDS.get(name, "string") for name in header], cells)


def rows_as_geojson(dbs: Sequence[sqlite3.Connection], file: BinaryIO, where: str) -> int:
    """Write a FeatureCollection; a row without coordinates is a feature without geometry (RFC 7946, 3.2)."""
    file.write(b'{"type": "FeatureCollection", "features": [')
    count = 0
    for row in chain.from_iterable(rows(db, where) for db in dbs):
        file.write(b",\n" if count else b"\n")
        file.write(safe_json({"type": "Feature", "geometry": _point(row), "properties": row}).encode())
        count += 1
    file.write(b"\n]}\n")
    return count


def _point(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the coordinates of a row, if it has them; longitude comes first."""
    longitude, latitude = row.pop("lon", None), row.pop("lat", None)
    known = longitude is not None and latitude is not None
    return {"type": "Point", "coordinates": [longitude, latitude]} if known else None


def _degrees(cell: str) -> float | None:
    """Return a coordinate as a number, None for anything else."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if abs(value) <= 180 else None  # noqa: PLR2004
