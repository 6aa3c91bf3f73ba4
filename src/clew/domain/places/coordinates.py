"""Coordinates in a text: degrees, minutes and seconds, decimal pairs, and the Japanese way to write them."""

import math
import re
from collections.abc import Iterator

from clew.domain.places.place import LOOKS, Place

BOXES = {
    "jp": (20.2, 45.7, 122.8, 154.1),
    "de": (47.2, 55.2, 5.8, 15.1),
    "us": (18.8, 71.5, -179.3, -66.8),
    "gb": (49.8, 61.0, -8.8, 1.9),
}
"""South, north, west and east of the countries; in the boxes of some are neighbours, too."""

_SURE, _LABELLED, _BARE = 0.95, 0.9, 0.6
_EARTH = 6371.0  # kilometres

_NUMBER = r"\d{1,3}(?:\.\d+)?"
_BETWEEN = r"[\s,;/、，・]{0,4}"
_SIGNS = (r"\s*[°º˚]\s*", r"\s*['′’]\s*", r"\s*(?:\"|″|”|''|′′)\s*")
_JAPANESE_SIGNS = ("度", "分", "秒")


def _angle(name: str, signs: tuple[str, str, str]) -> str:
    """Return a pattern for degrees, with minutes and seconds or without."""
    degree, minute, second = signs
    seconds = rf"(?:(?P<{name}s>{_NUMBER}){second})?"
    return rf"(?P<{name}d>{_NUMBER}){degree}(?:(?P<{name}m>{_NUMBER}){minute}{seconds})?"


def _decimal(name: str, digits: int) -> str:
    """Return a pattern for a decimal number with at least so many digits behind the point."""
    return rf"(?P<{name}>[-+−]?\d{{1,3}}\.\d{{{digits},10}})"


_NORTH, _EAST = _angle("a", _SIGNS), _angle("b", _SIGNS)
_NORTH_JA = r"(?P<ah>[北南])緯\s*" + _angle("a", _JAPANESE_SIGNS)
_EAST_JA = r"(?P<bh>[東西])経\s*" + _angle("b", _JAPANESE_SIGNS)
_PATTERNS = (
    re.compile(_NORTH + r"(?P<ah>[NS])" + _BETWEEN + _EAST + r"(?P<bh>[EW])\b"),  # 35°41′22″N 139°41′30″E
    re.compile(r"\b(?P<ah>[NS])\s*" + _NORTH + _BETWEEN + r"(?P<bh>[EW])\s*" + _EAST),
    re.compile(_NORTH_JA + _BETWEEN + _EAST_JA),
    re.compile(_EAST_JA + _BETWEEN + _NORTH_JA),
)
_NAMED = re.compile(
    rf"(?i:lat(?:itude)?|緯度)[^\w+−-]{{0,4}}{_decimal('a', 1)}\W{{0,6}}"
    rf"(?i:lon(?:g|gitude)?|lng|経度)[^\w+−-]{{0,4}}{_decimal('b', 1)}"
)
_PAIR = re.compile(rf"(?<![\d.,]){_decimal('a', 4)}\s?[,;/]\s?{_decimal('b', 4)}(?![\d.])")
_SOUTH_OR_WEST = frozenset("SW南西")


def find(text: str, country: str) -> Iterator[Place]:
    """Yield the coordinates in a text that lie in a country (or anywhere, for "world").

    >>> [place.normal for place in find("北緯35度41分22秒 東経139度41分30秒", "jp")]
    ['35.68944, 139.69167']
    >>> [place.normal for place in find("50°58′40″N 11°01′45″E; 35.65860, 139.74540", "world")]
    ['50.97778, 11.02917', '35.65860, 139.74540']
    """
    found: list[tuple[int, int, float, float, float]] = []
    for pattern in _PATTERNS:
        for match, _ in zip(pattern.finditer(text), range(LOOKS), strict=False):
            latitude, longitude = (_degrees(match, angle) for angle in "ab")
            found.append((match.start(), match.end(), latitude, longitude, _SURE))
    for pattern, confidence in ((_NAMED, _LABELLED), (_PAIR, _BARE)):
        for match, _ in zip(pattern.finditer(text), range(LOOKS), strict=False):
            latitude, longitude = (float(match[angle].replace("−", "-")) for angle in "ab")
            found.append((match.start(), match.end(), latitude, longitude, confidence))
    end = 0
    for start, stop, latitude, longitude, confidence in sorted(found):
        if start < end or not _is_in(latitude, longitude, country):
            continue
        end = stop
        yield Place(
            start=start, end=stop, text=text[start:stop], normal=f"{latitude:.5f}, {longitude:.5f}",
            country="" if country == "world" else country, latitude=latitude, longitude=longitude,
            confidence=confidence,
        )  # fmt: skip


def distance(latitude: float, longitude: float, other: tuple[float, float]) -> float:
    """Return the kilometres between two points on the earth.

    >>> round(distance(35.68, 139.77, (34.70, 135.50)))
    403
    """
    south, north = math.radians(latitude), math.radians(other[0])
    across = math.radians(other[1] - longitude)
    half = math.sin((north - south) / 2) ** 2 + math.cos(south) * math.cos(north) * math.sin(across / 2) ** 2
    return 2 * _EARTH * math.asin(math.sqrt(min(1.0, half)))


def parse_point(text: str) -> tuple[float, float]:
    """Return latitude and longitude of a point as people type it; raise a ValueError otherwise.

    >>> parse_point("35.68,139.77"), parse_point("50°58′40″N 11°01′45″E")
    ((35.68, 139.77), (50.97777777777778, 11.029166666666667))
    """
    for place in find(text, "world"):
        if place.latitude is not None and place.longitude is not None and place.confidence == _SURE:
            return place.latitude, place.longitude
    latitude, longitude = map(float, re.split(r"\s*[,;]\s*|\s+", text.strip(), maxsplit=1))
    if not _is_in(latitude, longitude, "world"):
        msg = f"{text} is not on the earth"
        raise ValueError(msg)
    return latitude, longitude


def _degrees(match: re.Match[str], angle: str) -> float:
    whole, minutes, seconds = (float(match[f"{angle}{unit}"] or 0) for unit in "dms")
    value = whole + minutes / 60 + seconds / 3600
    return -value if match[f"{angle}h"] in _SOUTH_OR_WEST else value


def _is_in(latitude: float, longitude: float, country: str) -> bool:
    south, north, west, east = BOXES.get(country.partition("+")[0], (-90.0, 90.0, -180.0, 180.0))
    return south <= latitude <= north and west <= longitude <= east
