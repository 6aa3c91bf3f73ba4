"""A place: an address found in a text, with its parts, its normal form, and its confidence."""

from dataclasses import dataclass

LANDMARKS = "jp+landmarks"
"""Japan, where stations and public institutions are places, too."""

COUNTRIES = {
    "jp": "Japan",
    "de": "Germany",
    "us": "United States",
    "gb": "United Kingdom",
    "world": "any country",
    LANDMARKS: "Japan, stations and institutions too",
}
"""Supported countries, by the name used in `goal.judge`."""

MOST = 1_000
"""Maximum places of one text: a page with more is a register."""

LOOKS = 5_000
"""Maximum candidates of one text: a town, a code, a state. Real pages have some hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An address in a text: `text` is what is written from `start` to `end`.

    `normal` is one spelling for all ways to write it. `region` is a prefecture, land or state, `town` what
    lies between city and street (in Japan, where there are no streets, all there is), `number` the house or
    block, `postal` the postal code. Parts that are not written and do not follow are empty. Coordinates are
    those that are written, else those of the city, None where the gazetteer does not know it. `confidence` is
    0 to 1.
    """

    start: int
    end: int
    text: str
    normal: str
    country: str
    region: str = ""
    city: str = ""
    town: str = ""
    street: str = ""
    number: str = ""
    postal: str = ""
    latitude: float | None = None
    longitude: float | None = None
    confidence: float = 0.0
