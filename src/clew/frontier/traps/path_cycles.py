"""The places a crawl passed on its way to a page: those that lead to each other and back go round.

Pages of two made-up places that name each other are always found from outside their own place. Whoever looks
at the way that led there sees it come back: from the first place to the second and to the first again.
"""

from functools import lru_cache
from typing import NamedTuple

from clew.frontier.traps.content_dedup import Recent
from clew.urls import fingerprint as name_of

LONGEST = 12
"""Places of a way, and of a round, that are remembered: longer rounds are made of many small places."""


class CrawlPath(NamedTuple):
    """The places passed, each where it was last, and those of them that the way came back to or between."""

    passed: tuple[str, ...] = ()
    round: frozenset[str] = frozenset()

    def round_by(self, place: str) -> frozenset[str]:
        """Return the round that a step to `place` is part of; none if the way leads on."""
        if place in self.round:
            return self.round
        if place in self.passed[:-1]:
            return frozenset(self.passed[self.passed.index(place) :])
        return _NONE


_NONE: frozenset[str] = frozenset()
_BEGIN = CrawlPath()


class PathCycles:
    """Remember by which ways pages were reached; of `size` pages at least, at most twice as many."""

    def __init__(self, *, size: int = 100_000) -> None:
        self._led: Recent[CrawlPath] = Recent(size)

    def round(self, place: str, source: str) -> frozenset[str]:
        """Return the places of the round that a link from `source` to `place` is part of; none if of none."""
        way = self._led.find(name_of(source)) if source else None
        return way.round_by(place) if way else _NONE

    def learn(self, url: str, place: str, source: str) -> None:
        """Remember the way to a page that was read: that of its source, and its own place."""
        way = self._led.find(name_of(source)) if source else None
        self._led.put(name_of(url), _led_on(way or _BEGIN, place))


@lru_cache(maxsize=8_192)
def _led_on(way: CrawlPath, place: str) -> CrawlPath:
    """Return one and the same way for all pages that were reached alike."""
    places = (*(each for each in way.passed if each != place), place)[-LONGEST:]
    joined = way.round | way.round_by(place)
    return CrawlPath(places, joined if len(joined) <= LONGEST else way.round)
