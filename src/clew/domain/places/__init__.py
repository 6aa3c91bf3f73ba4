"""Places: addresses in the text of a page, found by their grammar and checked against gazetteers."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from typing import cast

from clew.domain.places import coordinates
from clew.domain.places.place import COUNTRIES, LANDMARKS, MOST, Place
from clew.errors import ConfigError

__all__ = ["COUNTRIES", "LANDMARKS", "Place", "checked_country", "find"]

_MODULES = {
    "jp": "japan", "de": "germany", "us": "america", "gb": "britain", "world": "world",
    LANDMARKS: "japan_landmarks",
}  # fmt: skip
_SURE = 0.8
"""Minimum confidence of a country's own finder when any country is allowed."""


def find(text: str, country: str) -> list[Place]:
    """Return the addresses and coordinates in a text, in their order; none overlap.

    >>> [place.normal for place in find("〒100-0005 東京都千代田区丸の内一丁目９番１号", "jp")]
    ['東京都千代田区丸の内1-9-1']
    >>> [place.normal for place in find("Musterhaus, Am Markt 3, D-99084 Erfurt", "de")]
    ['Am Markt 3, 99084 Erfurt']
    """
    return list(_found(text, checked_country(country)))


@lru_cache(maxsize=4)
def _found(text: str, country: str) -> tuple[Place, ...]:
    """Find with a small cache: judge and extractor process the same page."""
    points = list(coordinates.find(text, country))
    if country == LANDMARKS:
        return tuple(_apart(sorted([*_finder(country)(text), *points], key=lambda place: -place.confidence)))
    if country != "world":
        found = list(_finder(country)(text))
        return tuple(_apart([*found, *points]) if points else found)
    own = (place for name in coordinates.BOXES for place in _finder(name)(text))
    found = [*(place for place in own if place.confidence >= _SURE), *_finder(country)(text), *points]
    return tuple(_apart(sorted(found, key=lambda place: -place.confidence)))


@cache
def _finder(country: str) -> Callable[[str], Iterator[Place]]:
    """Import the finder of a country on first use: most crawls need one, or none."""
    finder = import_module(f"clew.domain.places.{_MODULES[country]}").find
    return cast("Callable[[str], Iterator[Place]]", finder)


def checked_country(name: str) -> str:
    """Return the name of a supported country, or raise a ConfigError that lists them."""
    wanted = _CALLED.get(name.strip().lower(), name.strip().lower())
    if wanted in COUNTRIES:
        return wanted
    near = get_close_matches(wanted, [*COUNTRIES, *_CALLED], n=1)
    hint = f'did you mean "{_CALLED.get(near[0], near[0])}"?' if near else f"known: {', '.join(COUNTRIES)}"
    msg = f'addresses of "{name}" cannot be found; {hint}'
    raise ConfigError(msg)


_CALLED = {
    "uk": "gb", "japan": "jp", "ja": "jp", "germany": "de", "deutschland": "de", "usa": "us", "america": "us",
    "united states": "us", "britain": "gb", "united kingdom": "gb", "england": "gb", "any": "world",
    "all": "world",
}  # fmt: skip


def _apart(found: list[Place]) -> list[Place]:
    """Select places that do not overlap, by confidence; return them in the order of the text."""
    taken: set[int] = set()
    selected = []
    for place in found[: 4 * MOST]:
        span = range(place.start, place.end)
        if taken.isdisjoint(span):
            taken.update(span)
            selected.append(place)
    return sorted(selected, key=lambda place: place.start)[:MOST]
