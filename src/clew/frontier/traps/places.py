"""The place of a URL: its folder, with numbers and random names made equal; and what its form tells.

`/2026/11/` and `/2027/01/` are one place. A page with a query has a place of its own, whatever the
parameters. A URL that ends in a slash or `index.html` is a name in the folder above: the list is not one of
the things listed. Places lie in one another: folders in folders, in a host, in a registered domain.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from clew import urls
from clew.types import Page

MAX_REPEATS = 4
"""Occurrences of a name without digits in one path that mark an endless loop: /a/b/a/b/a/b/a/b."""

MAX_DEPTH = 20
"""Names in a path; Java documentation, the deepest normal kind, has about 14."""

COUNTER_STEP = 100
"""Numbers at most this far apart are a step of a counter; cross-references reach further."""

MAX_STEPS = 2
"""Steps of a counter, or combinations, that a page of a chain may show: next, and ten further."""

MIN_COMMON = 3
"""Words that two URLs share, beside one that each has alone, to be combinations of the same words."""

_MAX_NEAR = 24  # links that are examined for steps

MAX_PARAMETERS = 1
"""Parameters up to which a URL names a thing; with more it is a combination of filters."""

_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"[^/?&=+,;:._~-]+")
_RANDOM = re.compile(
    r"(?=[^/]*\d)(?=[^/]*[a-zA-Z])[0-9a-zA-Z_~-]{8,}|[0-9a-fA-F]{12,}|[^/]*[A-Z][a-z]+[A-Z0-9][^/]{12,}"
)
_SCHEME = len("https://")
_INDEX_STARTS = ("i", "d", "h")
_INDEX = re.compile(r"(?:index|default|home)\.[a-z]{2,5}\Z")


@lru_cache(maxsize=32_768)
def place_of(url: str) -> str:
    """Return the place of a canonical URL.

    >>> place_of("http://a.example/cal/2026/11/?view=week"), place_of("http://a.example/wiki/Ariadne")
    ('a.example/cal/#/#/?', 'a.example/wiki/')
    >>> place_of("http://a.example/wiki/")
    'a.example/'
    """
    path, query, _ = url.partition("?")
    if not query:
        last = path.rfind("/", 0, -1) if path.endswith("/") else path.rfind("/")
        if last > _SCHEME and path[last + 1 : last + 2] in _INDEX_STARTS and _INDEX.match(path, last + 1):
            last = max(path.rfind("/", 0, last), path.find("/", _SCHEME))
        if last >= _SCHEME:
            path = path[: last + 1]
    return _folder(path, query)


@lru_cache(maxsize=65_536)
def _folder(path: str, query: str) -> str:
    origin = urls.origin(path)
    names = [_generalised(name) for name in path[len(origin) + 1 :].split("/")]
    return f"{urls.clock_key(origin)}/{'/'.join(names)}{query}"


def _generalised(name: str) -> str:
    return "#" if _RANDOM.fullmatch(name) else _NUMBER.sub("#", name)


@lru_cache(maxsize=65_536)
def parent_of(place: str) -> str:
    """Return the place around a place; above a host its registered domain, above that nothing.

    >>> parent_of("a.example/wiki/talk/"), parent_of("www.a.example/"), parent_of("*.a.example")
    ('a.example/wiki/', '*.a.example', '')
    """
    if place.startswith("*."):
        return ""
    end = place.rfind("/", 0, -1)
    if end >= 0:
        return place[: end + 1]
    return f"*.{domain_of(place)}"


def places_around(url: str) -> Iterator[str]:
    """Give the place of a URL and all places around it.

    >>> list(places_around("http://www.a.example/wiki/Ariadne"))
    ['www.a.example/wiki/', 'www.a.example/', '*.a.example']
    """
    place = place_of(url)
    while place:
        yield place
        place = parent_of(place)


@lru_cache(maxsize=65_536)
def domain_of(place: str) -> str:
    """Return the registered domain of a place; an IP address has none, so its ports stand alone."""
    host = place.partition("/")[0]
    name = host.partition(":")[0]
    return host if name.replace(".", "").isdigit() else urls.site(name)


def malformed_path(url: str) -> str:
    """Return what is wrong with the path of a URL, or an empty string."""
    if url.count("/") <= 2 + MAX_REPEATS:
        return ""
    names = url.partition("?")[0].split("/")[3:]
    if len(names) > MAX_DEPTH:
        return f"traps: {len(names)} directories deep"
    for name in set(names):
        if name and names.count(name) >= MAX_REPEATS and not _NUMBER.search(name):
            return f'traps: "{name[:40]}" comes {names.count(name)} times in the path'
    return ""


def names_a_thing(source: str, url: str) -> bool:
    """Return whether a link says something for its target: it is no step of a counter and no combination.

    >>> names_a_thing("http://a.example/p/7", "http://a.example/p/8")
    False
    >>> names_a_thing("http://a.example/tag/a", "http://a.example/tag/a+b")
    False
    >>> names_a_thing("http://a.example/tag/a", "http://a.example/p/8")
    True
    >>> names_a_thing("http://a.example/t/red,fine,small,new", "http://a.example/t/fine,small,new,round")
    False
    """
    if url.count("=") > MAX_PARAMETERS:
        return False
    if urls.origin(source) != urls.origin(url):
        return True
    start = url.find("/", _SCHEME)
    own, other = source[start:], url[start:]
    if _is_combination(set(_WORDS.findall(own)), set(_WORDS.findall(other)), _common_folders(own, other)):
        return False
    form, other_form = _NUMBER.sub("#", own), _NUMBER.sub("#", other)
    if form != other_form:
        shorter, longer = sorted((form.rstrip("/"), other_form.rstrip("/")), key=len)
        return not longer.startswith(shorter) or bool(longer[len(shorter) :].strip("#/"))
    pairs = zip(_NUMBER.findall(own), _NUMBER.findall(other), strict=True)
    steps = [int(b[:18]) - int(a[:18]) for a, b in pairs if a != b]
    return len(steps) == 1 and abs(steps[0]) > COUNTER_STEP


def _common_folders(path: str, other: str) -> int:
    """Count the folders that two paths begin with."""
    pairs = zip(path.split("/")[1:-1], other.split("/")[1:-1], strict=False)
    return sum(1 for _ in takewhile(lambda names: names[0] == names[1], pairs))


def _is_combination(words: set[str], others: set[str], folders: int) -> bool:
    """Return whether two URLs combine the same words: one adds to the other, or replaces one of several.

    The names of common `folders` say nothing.
    """
    shared = len(words & others) - folders
    if words <= others:
        return len(words) > 1
    if others <= words:
        return shared > 1
    return shared >= MIN_COMMON and len(words - others) == len(others - words) == 1


def branches_by_form(source: str, links: Sequence[str]) -> bool:
    """Return whether the URLs on a page are derived from its own in several ways.

    They are when a counter leads on by more steps than back, when the page counts in two directions as the
    tiles of a map do, or when it is one combination of parameters and shows others.

    >>> branches_by_form("http://a.example/r/7", [f"http://a.example/r/{n}" for n in (8, 9, 10)])
    True
    >>> branches_by_form("http://a.example/r/7", [f"http://a.example/r/{n}" for n in (6, 8, 9, 10)])
    False
    >>> branches_by_form("http://a.test/t/7/7", [f"http://a.test/t/{xy}" for xy in ("6/7", "8/7", "7/6")])
    True
    """
    digit = _NUMBER.search(source, source.find("/", _SCHEME))
    if source.count("=") > MAX_PARAMETERS:
        base = source[: source.find("?")]
        kin = {url for url in links if url.startswith(base) and url.count("=") > MAX_PARAMETERS}
        return len(kin - {source}) > MAX_STEPS
    if digit is None:
        return False
    start = source[: digit.start()]
    near = [url for url in links if url.startswith(start)]
    if len(near) <= MAX_STEPS:
        return False
    form, own = _NUMBER.sub("#", source), _NUMBER.findall(source)
    onward: set[str] = set()
    back: set[str] = set()
    counters: set[int] = set()
    in_path = len(_NUMBER.findall(source.partition("?")[0]))
    for url in near[:_MAX_NEAR]:
        if url != source and _NUMBER.sub("#", url) == form:
            others = _NUMBER.findall(url)
            (onward if _values(others) > _values(own) else back).add(url)
            changed = [at for at, number in enumerate(own) if number != others[at]]
            counters.update(changed if len(changed) == 1 and changed[0] < in_path else ())
    return abs(len(onward) - len(back)) > MAX_STEPS or len(counters) > 1


def _values(numbers: list[str]) -> list[int]:
    return [int(number[:18]) for number in numbers]


def is_home_page(url: str) -> bool:
    """Return whether a URL is the home page of a host: its links are written by people."""
    return url.count("/") == 3 and url.endswith("/")  # noqa: PLR2004 - two of them before the host


def path_of(url: str) -> str:
    """Return what comes after the host of a URL."""
    return url[len(urls.origin(url)) :]


def same_host(page: Page, links: Sequence[str], refused: Sequence[str]) -> int:
    """Count the new links of a page that are open and lead to its own host.

    Of a home page count also those to other hosts of its registered domain: a trap may have a host a page.
    """
    own = page.link.origin
    new = [url for url, rule in zip(links, refused, strict=True) if not rule]
    if not is_home_page(page.url):
        return sum(url.startswith(own) for url in new)
    domain = domain_of(place_of(page.url))
    return sum(domain_of(url.split("/", 3)[2]) == domain for url in new)
