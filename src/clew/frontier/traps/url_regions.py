"""Where an address lies on its host, and what is known about that place.

A *directory* is everything before the last name of a path, with numbers and random names made equal
(`/2026/11/` and `/2027/01/` are one place); a page with a query has a place of its own, whatever the
parameters. A *section* is the first name of the path. An address that ends in a slash or `index.html`
is a name in the directory above: the list is not one of the things listed.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from clew import urls

REPEATS = 3
"""A name so often in one path is a wheel turning: /a/b/a/b/a/b."""

DEEPEST = 20
"""Names in a path; Java documentation, the deepest honest kind, has about 14."""

REPEATED = 1.5
"""What a repeated text costs, beside 1 for a new one that nothing speaks for."""

MET_AGAIN = 3.0
"""Loose pages that one address met again pays for. A catalogue of 5,000 things with three links each
meets one in ten again among its first pages; a generator of random links meets none."""

RICH = 256.0
"""Loose pages paid for beyond twice those read: several times the credit of any place."""

ALIVE = 16
"""Dead answers that one page pays for: moved and half-lost sites are worth reading to the end."""

_NUMBER = re.compile(r"\d+")
_RANDOM = re.compile(
    r"(?=[^/]*\d)(?=[^/]*[a-zA-Z])[0-9a-zA-Z_~-]{8,}|[0-9a-fA-F]{12,}|[^/]*[A-Z][a-z]+[A-Z0-9][^/]{12,}"
)
_SCHEME = len("https://")
_INDEX_STARTS = ("i", "d", "h")
_INDEX = re.compile(r"(?:index|default|home)\.[a-z]{2,5}\Z")


@dataclass(frozen=True, slots=True)
class UrlLocation:
    """The places an address belongs to: directory, section, host."""

    directory: str
    section: str
    host: str


@dataclass(slots=True)
class UrlRegion:
    """What was read in one place; see `traps` for what the words mean.

    `lent` is what this place added to the debts of its section and its host; it is given back to them
    (`forgiven`) once the place itself is closed, so that one trap does not spoil a whole host. `last`
    are the links of the last page, to tell lists, which differ, from menus, which do not; `named` counts
    the lists that had many new addresses of this place. `dead` counts answers without a page, `turned_away`
    the links refused for them, `led` the redirects that led to new pages.
    """

    pages: int = 0
    fresh: int = 0
    prolific: int = 0
    solid: int = 0
    loose: float = 0.0
    thin: float = 0.0
    stale: int = 0
    again: int = 0
    on_trust: int = 0
    named: int = 0
    dead: float = 0.0
    led: int = 0
    turned_away: int = 0
    forgiven: float = 0.0
    lent: dict[str, float] = field(default_factory=dict)
    last: frozenset[int] = frozenset()

    def packed(self) -> str:
        """Return all of this but the last page's links as JSON."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__ if name != "last"})

    @classmethod
    def unpacked(cls, state: str) -> "UrlRegion":
        """Return what `packed` gave; counts that are not known (any more) are left out."""
        known = {name: value for name, value in json.loads(state).items() if name in cls.__slots__}
        return cls(**known)

    def debt(self, *, inside: bool) -> float:
        """Return how many pages were read here that nothing speaks for.

        Links from `inside` the place owe for its growth; all links owe for its repetitions.
        """
        paid = MET_AGAIN * self.again
        unpaid = max(0.0, self.loose - paid - self.solid)
        earned = self.solid + min(self.loose, paid)
        repeated = REPEATED * max(0.0, self.stale - 3.0 * earned)
        return repeated + (unpaid + self.thin if inside else 0.0) - self.forgiven

    @property
    def is_rich(self) -> bool:
        """Whether so much speaks for this place that looking closely at every page of it is idle."""
        return MET_AGAIN * self.again > 2 * self.loose + RICH

    @property
    def branches(self) -> bool:
        """Whether most pages here bring many new addresses."""
        return 2 * self.prolific > self.pages + 2


@lru_cache(maxsize=32_768)
def spot(url: str) -> UrlLocation:
    """Return where a canonical address lies.

    >>> spot("http://a.example/cal/2026/11/?view=week").directory
    'a.example/cal/#/#/?'
    >>> spot("http://a.example/wiki/Ariadne").directory, spot("http://a.example/wiki/").directory
    ('a.example/wiki/', 'a.example/')
    """
    path, query, _ = url.partition("?")
    if not query:
        last = path.rfind("/", 0, -1) if path.endswith("/") else path.rfind("/")
        if last > _SCHEME and path[last + 1 : last + 2] in _INDEX_STARTS and _INDEX.match(path, last + 1):
            last = max(path.rfind("/", 0, last), path.find("/", _SCHEME))
        if last >= _SCHEME:
            path = path[: last + 1]
    return _spot(path, query)


@lru_cache(maxsize=65_536)
def _spot(path: str, query: str) -> UrlLocation:
    host = urls.clock_key(urls.origin(path))
    names = [_generalised(name) for name in path[len(urls.origin(path)) + 1 :].split("/")]
    directory = f"{host}/{'/'.join(names)}{query}"
    return UrlLocation(directory, f"{host}/{names[0]}/" if names[1:] else f"{host}/", host)


def _generalised(name: str) -> str:
    return "#" if _RANDOM.fullmatch(name) else _NUMBER.sub("#", name)


def misshapen(url: str) -> str:
    """Return what is wrong with the shape of an address, or an empty string."""
    if url.count("/") <= 2 + REPEATS:
        return ""
    names = url.partition("?")[0].split("/")[3:]
    if len(names) > DEEPEST:
        return f"traps: {len(names)} directories deep"
    for name in set(names):
        if name and not name.isdigit() and names.count(name) >= REPEATS:
            return f'traps: "{name[:40]}" comes {names.count(name)} times in the path'
    return ""


def count_new(new: Iterable[str], own: UrlLocation) -> tuple[int, int, int, str]:
    """Count new links of a page: in its directory, in its section, outside its directory (and where)."""
    directory = section = elsewhere = 0
    place = ""
    for url in new:
        other = spot(url)
        if other.directory == own.directory:
            directory += 1
        else:
            elsewhere += 1
            place = place or other.directory
        section += other.section == own.section
    return directory, section, elsewhere, place


def is_inside(url: str, source: str, here: UrlLocation, there: UrlLocation) -> bool:
    """Tell whether a link was found in its own place; the bare page is inside the place of its queries."""
    if not source:
        return True
    return here.directory == there.directory or (
        "?" in url and url.partition("?")[0] == source.partition("?")[0]
    )


def is_front(url: str) -> bool:
    """Tell the first page of a host: what it names, a person wrote down."""
    return url.count("/") == 3 and url.endswith("/")  # noqa: PLR2004 - two of them before the host
