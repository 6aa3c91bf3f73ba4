"""Where links stand, and what is known of them beside: the attributes that `layout` asks about."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Area, Ids, Links, Outcome

Columns = NDArray[np.float32]

TEXT, PAGE, WHERE, HOST = "its link text", "the page it stands on", "where it stands on the page", "its host"
PARTS = (TEXT, PAGE, WHERE, HOST)
"""What attributes speak of, as `clew why` calls it."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A number known of every link; `low` and `high` say that it is at most, or above, a limit.

    `{sign}` stands for what a link text with a sign does, `{at}` for the limit.
    """

    name: str
    part: str
    low: str
    high: str

    def said(self, *, above: bool, limit: float, sign: str) -> str:
        """Say in words on which side of a limit a link is."""
        at = f"{100 * limit:.3g} %"
        return (self.high if above else self.low).format(sign=sign, at=at, value=f"{limit:.2f}")


def _yes_or_no(name: str, part: str, question: str) -> Attribute:
    return Attribute(name, part, f"{question}: no", f"{question}: yes")


ATTRIBUTES = (
    _yes_or_no("a1", TEXT, "its text {sign}"),
    _yes_or_no("a2", PAGE, "a link text of its page {sign}"),
    Attribute("a3", WHERE, "by its tables left of {at}", "by its tables right of {at}"),
    Attribute("a4", WHERE, "by its tags in the top {at} of the page", "by its tags below the top {at}"),
    Attribute("x", WHERE, "shown left of {at}", "shown right of {at}"),
    Attribute("y", WHERE, "shown in the top {at} of the page", "shown below the top {at} of the page"),
    *(
        _yes_or_no(area.name.lower(), WHERE, f"in the {words}")
        for area, words in {
            Area.HEADER: "header", Area.NAV: "navigation", Area.MAIN: "main part", Area.ASIDE: "side column",
            Area.FOOTER: "footer",
        }.items()
    ),
    _yes_or_no("same", HOST, "leads to its own host"),
    Attribute(
        "host", HOST, "at most {at} of its host's pages were good", "over {at} of its host's pages were good"
    ),
    Attribute("verdict", PAGE, "its page was judged {value} or less", "its page was judged over {value}"),
)  # fmt: skip
"""All attributes: a1 to a4 as in the paper, then those that a browser's eye and the hosts add."""

NUMBER = {attribute.name: at for at, attribute in enumerate(ATTRIBUTES)}

_PAPER = ("a1", "a2", "a3", "a4")
_SHOWN = ("x", "y", "header", "nav", "main", "aside", "footer", "same")
SETS = {
    "a1a2": _PAPER[:2],
    "+a3": _PAPER[:3],
    "+a4": ("a1", "a2", "a4"),
    "all": _PAPER,
    "+css": (*_PAPER, *_SHOWN),
    "+host": (*_PAPER, "same", "host"),
    "wide": (*_PAPER, *_SHOWN, "host"),
    "wider": (*_PAPER, *_SHOWN, "host", "verdict"),
}
"""Sets of attributes by name: the paper's four; with what a browser's eye sees; with hosts; all of them."""

OF_HOSTS = frozenset({"same", "host", "verdict"})
"""Attributes that may tell one host from another: they hold for hosts never met as well."""

STEADY = 4.0
"""Pages that the share of good ones in the whole crawl counts for, where a host is concerned."""

_FINE = 1000  # coordinates and verdicts are kept in thousandths
_SIGN, _BESIDE, _SAME = 1, 2, 4


class HostCounts:
    """Count what hosts gave, and say which share of it was good; a host never met gives what all give."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self._origins: dict[str, int] = {}
        self.good = np.empty(0, np.float32)
        self.seen = np.empty(0, np.float32)

    def number(self, name: str) -> int:
        """Return the number of a host."""
        number = self.names.setdefault(name, len(self.names))
        self.good, self.seen = grown(self.good, number + 1), grown(self.seen, number + 1)
        return number

    def of_origin(self, origin: str) -> int:
        """Return the number of the host of an origin; http and https are one host."""
        number = self._origins.get(origin)
        if number is None:
            number = self._origins[origin] = self.number(urls.host(origin))
        return number

    def count(self, name: str, good: float, seen: float = 1.0) -> None:
        """Count pages of a host."""
        number = self.number(name)
        self.good[number] += good
        self.seen[number] += seen

    def shares(self, numbers: Ids) -> Columns:
        """Return the share of good pages of hosts in tenths, each leaning on that of all.

        Finer ones change with every page, and a tree then learns when a link was followed, not where to.
        """
        overall = (self.good.sum() + 1) / (self.seen.sum() + 2)
        shares = (self.good[numbers] + STEADY * overall) / (self.seen[numbers] + STEADY)
        tenths: Columns = (shares * 10).round().astype(np.float32) / 10
        return tenths


class LinkAttributes:
    """Keep the attributes of every link met as columns, 48 bytes a link.

    A link met again keeps its place until it is met at a better one.
    """

    def __init__(self) -> None:
        self.met = LinkIndex()
        self.hosts = HostCounts()
        self.told = np.empty(0, np.float32)  # the score that a link has now
        self.sources = np.empty(0, np.uint32)
        self._flags = np.empty(0, np.uint8)
        self._areas = np.empty(0, np.uint8)
        self._places = np.empty((0, 4), np.uint16)
        self._verdicts = np.empty(0, np.uint16)
        self.owners = np.empty(0, np.uint32)

    def described(self, source: Outcome, links: Links, signs: NDArray[np.bool_], beside: bool) -> Columns:
        """Return the attributes of the links of a page: one row for each, a column for each attribute.

        `beside` tells that some link text of the page holds a sign.
        """
        numbers = np.array([self.hosts.of_origin(origin) for origin in links.origins], np.int64)
        same = numbers == self.hosts.of_origin(source.page.link.origin)
        flags = _SIGN * signs + _BESIDE * (beside | signs) + _SAME * same
        places = np.clip(np.nan_to_num(links.coordinates), 0, 1) * _FINE
        verdicts = np.full(len(links), source.verdict.value * _FINE)
        return self._columns(flags.astype(np.uint8), links.areas, places.astype(np.uint16), verdicts, numbers)

    def matrix(self, rows: Ids) -> Columns:
        """Return the attributes of links that were met, with what is known of their hosts now."""
        return self._columns(
            self._flags[rows], self._areas[rows], self._places[rows], self._verdicts[rows], self.owners[rows]
        )

    def enter(self, source: int, links: Links, columns: Columns, scores: Columns) -> None:
        """Remember links; those known already only if they stand better here."""
        before = len(self.met)
        rows = self.met.add(links.hashes)
        self._make_room(len(self.met))
        better = (rows >= before) | ((scores > self.told[rows]) & ~self.met.fetched[rows])
        rows, kept, at = rows[better], columns[better], NUMBER
        self.told[rows], self.sources[rows] = scores[better], source
        bits = _SIGN * kept[:, at["a1"]] + _BESIDE * kept[:, at["a2"]] + _SAME * kept[:, at["same"]]
        self._flags[rows] = bits.astype(np.uint8)
        self._areas[rows] = links.areas[better]
        self._places[rows] = np.rint(kept[:, [at["a3"], at["a4"], at["x"], at["y"]]] * _FINE).astype(
            np.uint16
        )
        self._verdicts[rows] = np.rint(kept[:, at["verdict"]] * _FINE).astype(np.uint16)
        owners = [self.hosts.of_origin(links.origins[i]) for i in np.flatnonzero(better).tolist()]
        self.owners[rows] = np.array(owners, np.uint32)

    def _columns(
        self,
        flags: NDArray[np.uint8],
        areas: NDArray[np.uint8],
        places: NDArray[np.uint16],
        verdicts: NDArray[np.generic],
        owners: NDArray[np.generic],
    ) -> Columns:
        at = NUMBER
        columns = np.zeros((len(flags), len(ATTRIBUTES)), np.float32)
        for name, bit in (("a1", _SIGN), ("a2", _BESIDE), ("same", _SAME)):
            columns[:, at[name]] = (flags & bit) > 0
        columns[:, [at["a3"], at["a4"], at["x"], at["y"]]] = places / np.float32(_FINE)
        for area in (Area.HEADER, Area.NAV, Area.MAIN, Area.ASIDE, Area.FOOTER):
            columns[:, at[area.name.lower()]] = areas == area
        columns[:, at["host"]] = self.hosts.shares(owners.astype(np.int64))
        columns[:, at["verdict"]] = verdicts.astype(np.float32) / _FINE
        return columns

    def _make_room(self, size: int) -> None:
        self.told, self.sources = grown(self.told, size), grown(self.sources, size)
        self._flags, self._areas = grown(self._flags, size), grown(self._areas, size)
        self._verdicts, self.owners = grown(self._verdicts, size), grown(self.owners, size)
        if len(self._places) < len(self.told):
            more = np.zeros((len(self.told) - len(self._places), 4), np.uint16)
            self._places = np.concatenate((self._places, more))
