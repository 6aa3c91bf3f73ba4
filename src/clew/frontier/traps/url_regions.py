"""The region of a host that a URL belongs to, and what is known about it.

A *directory* is everything before the last name of a path, with numbers and random names made equal
(`/2026/11/` and `/2027/01/` are one directory); a page with a query has a directory of its own, whatever the
parameters. A *section* is the first name of the path. A URL that ends in a slash or `index.html`
is a name in the directory above: the list is not one of the things listed.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from clew import urls

MAX_REPEATS = 3
"""Occurrences of a name in one path that mark an endless loop: /a/b/a/b/a/b."""

MAX_DEPTH = 20
"""Names in a path; Java documentation, the deepest normal kind, has about 14."""

STALE_COST = 1.5
"""Cost of a repeated text; a new one without evidence costs 1."""

RELINK_CREDIT = 3.0
"""Loose pages that are offset by one URL linked again. A catalogue of 5,000 items with three links each
links one in ten again among its first pages; a generator of random links none."""

RICH_CREDIT = 256.0
"""Loose pages offset beyond twice those read: several times the credit of any region."""

ERRORS_PER_PAGE = 16
"""Errors offset by one page: moved and partly lost sites are worth reading to the end."""

_NUMBER = re.compile(r"\d+")
_RANDOM = re.compile(
    r"(?=[^/]*\d)(?=[^/]*[a-zA-Z])[0-9a-zA-Z_~-]{8,}|[0-9a-fA-F]{12,}|[^/]*[A-Z][a-z]+[A-Z0-9][^/]{12,}"
)
_SCHEME = len("https://")
_INDEX_STARTS = ("i", "d", "h")
_INDEX = re.compile(r"(?:index|default|home)\.[a-z]{2,5}\Z")


@dataclass(frozen=True, slots=True)
class UrlLocation:
    """The regions a URL belongs to: directory, section, host."""

    directory: str
    section: str
    host: str


@dataclass(slots=True)
class UrlRegion:
    """Counts of one region; see `guard` for what the words mean. The field names are stored on disk.

    `lent` is what this region added to the debts of its section and its host; it is given back to them
    (`forgiven`) once the region itself is closed, so that one trap does not close a whole host. `last`
    are the links of the last page, to tell lists, which differ, from menus, which do not; `named` counts
    the lists that had many new URLs of this region. `dead` counts errors, `turned_away` the links refused
    for them, `led` the redirects that led to new pages.
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
        """Return all fields but the last page's links as JSON."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__ if name != "last"})

    @classmethod
    def unpacked(cls, state: str) -> "UrlRegion":
        """Return the region that `packed` wrote; unknown fields are ignored."""
        known = {name: value for name, value in json.loads(state).items() if name in cls.__slots__}
        return cls(**known)

    def debt(self, *, inside: bool) -> float:
        """Return the debt: how many pages were read here without evidence.

        Growth counts only for links from `inside` the region; repetitions count for all links.
        """
        paid = RELINK_CREDIT * self.again
        unpaid = max(0.0, self.loose - paid - self.solid)
        earned = self.solid + min(self.loose, paid)
        repeated = STALE_COST * max(0.0, self.stale - 3.0 * earned)
        return repeated + (unpaid + self.thin if inside else 0.0) - self.forgiven

    @property
    def is_rich(self) -> bool:
        """Whether there is so much evidence for this region that not every page of it is examined."""
        return RELINK_CREDIT * self.again > 2 * self.loose + RICH_CREDIT

    @property
    def branches(self) -> bool:
        """Whether most pages here add many new URLs."""
        return 2 * self.prolific > self.pages + 2


@lru_cache(maxsize=32_768)
def locate(url: str) -> UrlLocation:
    """Return the regions of a canonical URL.

    >>> locate("http://a.example/cal/2026/11/?view=week").directory
    'a.example/cal/#/#/?'
    >>> locate("http://a.example/wiki/Ariadne").directory, locate("http://a.example/wiki/").directory
    ('a.example/wiki/', 'a.example/')
    """
    path, query, _ = url.partition("?")
    if not query:
        last = path.rfind("/", 0, -1) if path.endswith("/") else path.rfind("/")
        if last > _SCHEME and path[last + 1 : last + 2] in _INDEX_STARTS and _INDEX.match(path, last + 1):
            last = max(path.rfind("/", 0, last), path.find("/", _SCHEME))
        if last >= _SCHEME:
            path = path[: last + 1]
    return _location(path, query)


@lru_cache(maxsize=65_536)
def _location(path: str, query: str) -> UrlLocation:
    host = urls.clock_key(urls.origin(path))
    names = [_generalised(name) for name in path[len(urls.origin(path)) + 1 :].split("/")]
    directory = f"{host}/{'/'.join(names)}{query}"
    return UrlLocation(directory, f"{host}/{names[0]}/" if names[1:] else f"{host}/", host)


def _generalised(name: str) -> str:
    return "#" if _RANDOM.fullmatch(name) else _NUMBER.sub("#", name)


def malformed_path(url: str) -> str:
    """Return what is wrong with the path of a URL, or an empty string."""
    if url.count("/") <= 2 + MAX_REPEATS:
        return ""
    names = url.partition("?")[0].split("/")[3:]
    if len(names) > MAX_DEPTH:
        return f"traps: {len(names)} directories deep"
    for name in set(names):
        if name and not name.isdigit() and names.count(name) >= MAX_REPEATS:
            return f'traps: "{name[:40]}" comes {names.count(name)} times in the path'
    return ""


def count_new(new: Iterable[str], own: UrlLocation) -> tuple[int, int, int, str]:
    """Count new links of a page: in its directory, in its section, outside its directory (and where)."""
    directory = section = elsewhere = 0
    place = ""
    for url in new:
        other = locate(url)
        if other.directory == own.directory:
            directory += 1
        else:
            elsewhere += 1
            place = place or other.directory
        section += other.section == own.section
    return directory, section, elsewhere, place


def is_inside(url: str, source: str, here: UrlLocation, there: UrlLocation) -> bool:
    """Return whether a link was found in its own directory; the bare page counts as inside its queries."""
    if not source:
        return True
    return here.directory == there.directory or (
        "?" in url and url.partition("?")[0] == source.partition("?")[0]
    )


def is_home_page(url: str) -> bool:
    """Return whether a URL is the home page of a host: its links are written by people."""
    return url.count("/") == 3 and url.endswith("/")  # noqa: PLR2004 - two of them before the host
