"""Attributes of links for the policy `layout`: link text, position on the page, and host."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Area, Ids, Links, Outcome

Columns = NDArray[np.float32]

TEXT, PAGE, WHERE, HOST = "link text", "source page", "position", "host"
PARTS = (TEXT, PAGE, WHERE, HOST)
"""The parts of a score that attributes belong to, as `clew why` shows them."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A numeric attribute of links; `low` and `high` are the words for "at most" and "above" a limit.

    `{sign}` is replaced by what a link text with a signal does, `{at}` by the limit.
    """

    name: str
    part: str
    low: str
    high: str

    def describe(self, *, above: bool, limit: float, sign: str) -> str:
        """Return in words on which side of a limit a link is."""
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
        "host", HOST, "at most {at} of its host's pages relevant", "over {at} of its host's pages relevant"
    ),
    Attribute("verdict", PAGE, "its page was judged {value} or less", "its page was judged over {value}"),
    Attribute(
        "names", HOST, "at most {at} relevant on other hosts with such a name",
        "over {at} relevant on other hosts with such a name",
    ),
)  # fmt: skip
"""All attributes: a1 to a4 as in the paper, then those of rendered pages and of hosts."""

NUMBER = {attribute.name: at for at, attribute in enumerate(ATTRIBUTES)}

AttributeSet = Literal["a1a2", "+a3", "+a4", "all", "+css", "+host", "+names", "wide", "wider"]
"""Names of sets of attributes."""

_PAPER = ("a1", "a2", "a3", "a4")
_SHOWN = ("x", "y", "header", "nav", "main", "aside", "footer", "same")
SETS: dict[AttributeSet, tuple[str, ...]] = {
    "a1a2": _PAPER[:2],
    "+a3": _PAPER[:3],
    "+a4": ("a1", "a2", "a4"),
    "all": _PAPER,
    "+css": (*_PAPER, *_SHOWN),
    "+host": (*_PAPER, "same", "host"),
    "+names": (*_PAPER, "same", "names"),
    "wide": (*_PAPER, *_SHOWN, "host"),
    "wider": (*_PAPER, *_SHOWN, "host", "verdict"),
}
"""Sets of attributes by name: the paper's four; with those of rendered pages; with hosts, or
the words of their names; all but the last."""

OF_HOSTS = frozenset({"same", "host", "verdict", "names"})
"""Attributes that may separate hosts: they hold for unknown hosts as well."""

SMOOTHING = 4.0
"""Pages that the share of relevant ones in the whole crawl counts for in that of a host."""

_SCALE = 1000  # coordinates and verdicts are stored in thousandths
_SIGNAL, _PAGE_SIGNAL, _SAME = 1, 2, 4


class HostCounts:
    """Count the pages of hosts and estimate which share is relevant; an unknown host has that of all."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self._origins: dict[str, int] = {}
        self.relevant = np.empty(0, np.float32)
        self.seen = np.empty(0, np.float32)
        self._words: list[tuple[str, ...]] = []  # of the names, by number
        self._of_words: dict[str, tuple[float, float]] = {}  # relevant and all pages on hosts with a word

    def number(self, name: str) -> int:
        """Return the number of a host."""
        number = self.names.setdefault(name, len(self.names))
        if number == len(self._words):
            self._words.append(name_words(name))
        self.relevant, self.seen = grown(self.relevant, number + 1), grown(self.seen, number + 1)
        return number

    def of_origin(self, origin: str) -> int:
        """Return the number of the host of an origin; http and https are one host."""
        number = self._origins.get(origin)
        if number is None:
            number = self._origins[origin] = self.number(urls.host(origin))
        return number

    def count(self, name: str, relevant: float, seen: float = 1.0) -> None:
        """Count pages of a host."""
        number = self.number(name)
        self.relevant[number] += relevant
        self.seen[number] += seen
        for word in self._words[number]:
            before = self._of_words.get(word, (0.0, 0.0))
            self._of_words[word] = before[0] + relevant, before[1] + seen

    def name_shares(self, numbers: Ids) -> Columns:
        """Return the share of relevant pages on other hosts whose names have the same words, in tenths.

        The pages of a host itself do not count: its name would then only stand for it.

        >>> hosts = HostCounts()
        >>> hosts.count("www.city.mito.lg.jp", 6, 6), hosts.count("blog.shop.example", 0, 6)
        (None, None)
        >>> numbers = np.array([hosts.number("www.city.iwaki.lg.jp"), hosts.number("shop.test")])
        >>> hosts.name_shares(numbers).astype(float).round(1).tolist()
        [0.9, 0.2]
        """
        overall = (self.relevant.sum() + 1) / (self.seen.sum() + 2)
        hosts, at = np.unique(numbers, return_inverse=True)
        shares = np.empty(len(hosts), np.float32)
        for row, number in enumerate(hosts.tolist()):
            relevant, seen = float(SMOOTHING * overall), SMOOTHING
            for word in self._words[number]:
                counted = self._of_words.get(word, (0.0, 0.0))
                relevant += max(0.0, counted[0] - float(self.relevant[number]))
                seen += max(0.0, counted[1] - float(self.seen[number]))
            shares[row] = relevant / seen
        tenths: Columns = (shares[at] * np.float32(10)).round() / np.float32(10)
        return tenths

    def shares(self, numbers: Ids) -> Columns:
        """Return the share of relevant pages of hosts in tenths, smoothed towards that of all.

        Finer ones change with every page: a tree would then learn when a link was followed, not where to.
        """
        overall = (self.relevant.sum() + 1) / (self.seen.sum() + 2)
        shares = (self.relevant[numbers] + SMOOTHING * overall) / (self.seen[numbers] + SMOOTHING)
        tenths: Columns = (shares * 10).round().astype(np.float32) / 10
        return tenths


def name_words(host: str) -> tuple[str, ...]:
    """Return the words of a host's name, without `www` and the top-level domain.

    >>> name_words("www.city-hall.mito.lg.jp")
    ('city', 'hall', 'mito', 'lg')
    """
    labels = host.split(":", maxsplit=1)[0].split(".")[:-1]
    words = (word for label in labels for word in label.split("-"))
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and word != "www"))


class LinkAttributes:
    """Store the attributes of all known links as columns, 48 bytes a link.

    A link found again keeps its attributes until it is found with a better score.
    """

    def __init__(self) -> None:
        self.index = LinkIndex()
        self.hosts = HostCounts()
        self.scores = np.empty(0, np.float32)  # the current score of each link
        self.sources = np.empty(0, np.uint32)
        self._flags = np.empty(0, np.uint8)
        self._areas = np.empty(0, np.uint8)
        self._positions = np.empty((0, 4), np.uint16)
        self._verdicts = np.empty(0, np.uint16)
        self.host_ids = np.empty(0, np.uint32)

    def describe(self, source: Outcome, links: Links, signals: NDArray[np.bool_], on_page: bool) -> Columns:
        """Return the attributes of the links of a page: one row for each, a column for each attribute.

        `on_page` says that some link text of the page has a signal.
        """
        numbers = np.array([self.hosts.of_origin(origin) for origin in links.origins], np.int64)
        same = numbers == self.hosts.of_origin(source.page.link.origin)
        flags = _SIGNAL * signals + _PAGE_SIGNAL * (on_page | signals) + _SAME * same
        positions = np.clip(np.nan_to_num(links.coordinates), 0, 1) * _SCALE
        verdicts = np.full(len(links), source.verdict.value * _SCALE)
        return self._columns(
            flags.astype(np.uint8), links.areas, positions.astype(np.uint16), verdicts, numbers
        )

    def matrix(self, rows: Ids) -> Columns:
        """Return the attributes of known links, with the current shares of their hosts."""
        return self._columns(
            self._flags[rows],
            self._areas[rows],
            self._positions[rows],
            self._verdicts[rows],
            self.host_ids[rows],
        )

    def add(self, source: int, links: Links, columns: Columns, scores: Columns) -> None:
        """Store links; those known already only if their score is better here."""
        before = len(self.index)
        rows = self.index.add(links.hashes)
        self._make_room(len(self.index))
        better = (rows >= before) | ((scores > self.scores[rows]) & ~self.index.fetched[rows])
        rows, stored, at = rows[better], columns[better], NUMBER
        self.scores[rows], self.sources[rows] = scores[better], source
        bits = (
            _SIGNAL * stored[:, at["a1"]] + _PAGE_SIGNAL * stored[:, at["a2"]] + _SAME * stored[:, at["same"]]
        )
        self._flags[rows] = bits.astype(np.uint8)
        self._areas[rows] = links.areas[better]
        self._positions[rows] = np.rint(stored[:, [at["a3"], at["a4"], at["x"], at["y"]]] * _SCALE).astype(
            np.uint16
        )
        self._verdicts[rows] = np.rint(stored[:, at["verdict"]] * _SCALE).astype(np.uint16)
        host_ids = [self.hosts.of_origin(links.origins[i]) for i in np.flatnonzero(better).tolist()]
        self.host_ids[rows] = np.array(host_ids, np.uint32)

    def _columns(
        self,
        flags: NDArray[np.uint8],
        areas: NDArray[np.uint8],
        positions: NDArray[np.uint16],
        verdicts: NDArray[np.generic],
        host_ids: NDArray[np.generic],
    ) -> Columns:
        at = NUMBER
        columns = np.zeros((len(flags), len(ATTRIBUTES)), np.float32)
        for name, bit in (("a1", _SIGNAL), ("a2", _PAGE_SIGNAL), ("same", _SAME)):
            columns[:, at[name]] = (flags & bit) > 0
        columns[:, [at["a3"], at["a4"], at["x"], at["y"]]] = positions / np.float32(_SCALE)
        for area in (Area.HEADER, Area.NAV, Area.MAIN, Area.ASIDE, Area.FOOTER):
            columns[:, at[area.name.lower()]] = areas == area
        columns[:, at["host"]] = self.hosts.shares(host_ids.astype(np.int64))
        columns[:, at["names"]] = self.hosts.name_shares(host_ids.astype(np.int64))
        columns[:, at["verdict"]] = verdicts.astype(np.float32) / _SCALE
        return columns

    def _make_room(self, size: int) -> None:
        self.scores, self.sources = grown(self.scores, size), grown(self.sources, size)
        self._flags, self._areas = grown(self._flags, size), grown(self._areas, size)
        self._verdicts, self.host_ids = grown(self._verdicts, size), grown(self.host_ids, size)
        if len(self._positions) < len(self.scores):
            more = np.zeros((len(self.scores) - len(self._positions), 4), np.uint16)
            self._positions = np.concatenate((self._positions, more))
