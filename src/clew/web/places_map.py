"""Map: extracted places as dots over outlines of land."""

import json
from typing import Any

from clew.domain.installation import install_command
from clew.store import read_sql
from clew.store.crawl_stats import has_links
from clew.web.land import Box, draw_land
from clew.web.operations import Call, Operation, WebPage

MAX_POINTS = 20_000
_PLACES = """SELECT records.columns, cells, url, page FROM records JOIN links ON links.id = page
ORDER BY records.id LIMIT ?"""


def places(call: Call) -> dict[str, Any]:
    """Return the places with coordinates, each with its first page and the number of pages that name it."""
    if not has_links(call.folder):
        return {"points": [], "located": 0, "rows": 0}
    rows = read_sql(
        call.folder,
        _PLACES,
        MAX_POINTS,
    )
    points: dict[tuple[float, float, str], dict[str, Any]] = {}
    located = 0
    for names, cells, url, page in rows:
        row = dict(zip(json.loads(names), json.loads(cells), strict=False))
        try:
            lat, lon = float(row["lat"]), float(row["lon"])
        except (KeyError, TypeError, ValueError):
            continue
        if -90 <= lat <= 90 and -180 <= lon <= 180:  # noqa: PLR2004
            text = _text(row)[:200]
            point = {"lat": lat, "lon": lon, "text": text, "url": url, "id": page, "pages": 0}
            points.setdefault((lat, lon, text), point)["pages"] += 1
            located += 1
    return {"points": list(points.values()), "located": located, "rows": len(rows)}


def _text(row: dict[str, Any]) -> str:
    """Return the address as it stands on the page; of rows without one, every value once."""
    if row.get("place"):
        return str(row["place"])
    values = (str(value) for name, value in row.items() if name not in ("lat", "lon") and value)
    return " ".join(dict.fromkeys(values))


def map_page(call: Call) -> dict[str, Any]:
    """Return the map: points, and the land around them."""
    found = places(call)
    box = _box(found["points"])
    return {
        **found,
        **draw_land(box),
        "box": box,
        "lines": _graticule(box),
        "install": install_command("places"),
    }


def _box(points: list[dict[str, Any]]) -> Box:
    """Return the part of the world that is shown: all points with a margin."""
    if not points:
        return Box(-180, -84, 360, 150)
    lons, lats = [each["lon"] for each in points], [each["lat"] for each in points]
    width, height = max(4.0, max(lons) - min(lons)), max(3.0, max(lats) - min(lats))
    side = max(width, 1.8 * height) * 1.25
    middle_x, middle_y = (max(lons) + min(lons)) / 2, (max(lats) + min(lats)) / 2
    tall = side / 1.8
    return Box(middle_x - side / 2, -middle_y - tall / 2, side, tall)


def _graticule(box: Box) -> list[tuple[float, float, float, float]]:
    step = next(each for each in (0.5, 1, 2, 5, 10, 30, 60) if box.width / each <= 8 or each == 60)  # noqa: PLR2004
    right, bottom = box.x + box.width, box.y + box.height
    lines = []
    at = step * (box.x // step + 1)
    while at < right:
        lines.append((at, box.y, at, bottom))
        at += step
    at = step * (box.y // step + 1)
    while at < bottom:
        lines.append((box.x, at, right, at))
        at += step
    return lines


OPERATIONS = (
    Operation(
        method="GET", path="/crawls/{name}/places", summary="Extracted places with coordinates.", run=places
    ),
)
PAGES = (WebPage(path="/crawls/{name}/map", template="map.html", title="Map", run=map_page, of_shards=True),)
