"""Addresses: how each host spells the path of a page, and which page a path means.

Every style of path can be read backwards, so that no table of addresses is needed. A path is first taken
apart, then put together again: only the one right spelling is a page.
"""

import re
from bisect import bisect_right
from enum import IntEnum
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from clew.madeup.hosts import Holds
from clew.madeup.names import SLUG_WORDS
from clew.madeup.prose import slugs
from clew.madeup.site import Section, Site, Style


class Kind(IntEnum):
    """Kinds of pages."""

    HOME = 0
    ABOUT = 1
    CONTACT = 2
    OVERVIEW = 3
    SEARCH = 4
    LOGIN = 5
    HUB = 6
    LIST = 7
    CONTENT = 8
    FILE = 9
    ROBOTS = 10
    SITEMAP = 11
    FEED = 12


class Spot(NamedTuple):
    """One page of a host: its kind, its section, its place there; `other` names a variant of it."""

    kind: Kind
    section: int = 0
    place: int = 0
    other: str = ""


_PAIR, _TRIPLE = 128**2, 128**3
_WORD_AT = {word: place for place, word in enumerate(SLUG_WORDS)}
_FRONT = {
    "en": ("about", "contact", "sitemap", "search", "login"),
    "de": ("ueber-uns", "impressum", "uebersicht", "suche", "anmelden"),
    "ja": ("about", "access", "sitemap", "search", "member"),
    "fr": ("a-propos", "contact", "plan", "recherche", "connexion"),
}
_SUFFIX = (".html", ".html", ".htm", ".php", "/", "", ".htm", ".html")
FILES = ("csv", "xls", "pdf")
"""The kinds of files that pages offer."""

_FIXED = {
    Kind.HOME: "/", Kind.ROBOTS: "/robots.txt", Kind.SITEMAP: "/sitemap.xml", Kind.FEED: "/feed.xml",
}  # fmt: skip
_NEXT = {
    Style.TELLING: "page{}.html", Style.WORDS: "?page={}", Style.IDS: "index{}.html", Style.DATES: "page/{}/",
    Style.TILDE: "list{}.htm",
}  # fmt: skip
_FLAT = {Style.QUERY: "/view.php?id=", Style.NODE: "/node/", Style.CGI: "/cgi-bin/show.cgi?no="}
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,11})(?:\.[a-z]+)?/?\Z", re.ASCII)
_VARIANTS = {"print=1": "print", "sort=name": "name", "sort=year": "year", "sort=place": "place"}


@lru_cache(maxsize=8192)
def _numbers(site: Site) -> tuple[int, int, int, int, int]:
    """Return how a host numbers its pages: first, step; and how it shuffles words: range, factor, shift."""
    words = _TRIPLE if site.count > _PAIR // 2 else _PAIR
    factor = (site.key >> 17) % words | 1
    return (site.key >> 30) % 4000, (1, 1, 3, 7)[(site.key >> 6) % 4], words, factor, (site.key >> 25) % words


def _words(site: Site, place: int) -> str:
    _, _, many, factor, shift = _numbers(site)
    number = (place * factor + shift) % many
    made = f"{SLUG_WORDS[number >> 7 & 127]}-{SLUG_WORDS[number & 127]}"
    return made if many == _PAIR else f"{SLUG_WORDS[number >> 14]}-{made}"


def _unworded(site: Site, slug: str) -> int:
    _, _, many, factor, shift = _numbers(site)
    number = 0
    for word in slug.split("-"):
        number = number * 128 + _WORD_AT.get(word, 0)
    return (number - shift) * pow(factor, -1, many) % many


def path(site: Site, spot: Spot) -> str:
    """Return the path of a page, with its query."""
    if spot.kind == Kind.CONTENT:
        made = _content(site, site.sections[spot.section], spot.place)
    elif spot.kind == Kind.LIST:
        made = _list(site, site.sections[spot.section], spot.place)
    else:
        return _single(site, spot)
    if not spot.other:
        return made
    variant = "print=1" if spot.other == "print" else f"sort={spot.other}"
    return f"{made}{'&' if '?' in made else '?'}{variant}"


def _single(site: Site, spot: Spot) -> str:
    """Return the path of what belongs to the host as a whole, and of files."""
    kind, suffix = spot.kind, _SUFFIX[site.style]
    if kind == Kind.FILE:
        return f"/files/{_number(site, site.sections[spot.section].start + spot.place)}.{spot.other}"
    if kind == Kind.HUB:
        return f"/links/{spot.place + 1}{suffix}" if spot.place else f"/links{suffix}"
    return _FIXED.get(kind) or f"/{_FRONT[site.lang][kind - 1]}{suffix}"


def _number(site: Site, place: int) -> int:
    first, step, *_ = _numbers(site)
    return first + step * place


def _content(site: Site, section: Section, place: int) -> str:
    style, slug = site.style, section.slug
    if style == Style.TELLING:
        about = section.page(place)
        known = slugs(site.lang, about.topic)
        said = known[(about.key >> 50) % len(known)] if known else "entry"
        return f"/{slug}/{said}-{_number(site, place)}.html"
    if style == Style.WORDS:
        return f"/{slug}/{_words(site, section.start + place)}"
    if style == Style.IDS:
        return f"/{slug}/{_number(site, place)}.html"
    if style == Style.TILDE:
        return f"/~{slug}/{chr(97 + section.number % 26)}{_number(site, place)}.htm"
    flat = section.start + place
    if style == Style.DATES:
        turn = section.page_key(place) >> 20
        return f"/{2003 + turn % 21}/{1 + (turn >> 8) % 12:02}/{_words(site, flat)}/"
    return f"{_FLAT[style]}{_number(site, flat)}"


def _list(site: Site, section: Section, page: int) -> str:
    style, slug = site.style, section.slug
    if style == Style.QUERY:
        return f"/list.php?cat={section.number + 1}" + (f"&p={page + 1}" if page else "")
    if style == Style.NODE:
        return f"/taxonomy/term/{section.number + 1}" + (f"?page={page}" if page else "")
    if style == Style.CGI:
        return f"/cgi-bin/list.cgi?b={section.number + 1}" + (f"&p={page + 1}" if page else "")
    top = {Style.DATES: f"/category/{slug}/", Style.TILDE: f"/~{slug}/"}.get(style, f"/{slug}/")
    return top + _NEXT[style].format(page + 1) if page else top


def find(site: Site, asked: str) -> Spot | None:
    """Return the page that a path (with query) means on a host, None where there is none."""
    spot = _front_spots(site).get(asked)
    if spot is not None:
        return spot
    other = ""
    bare, _, query = asked.partition("?")
    before, _, last = query.rpartition("&")
    if last in _VARIANTS:
        other = _VARIANTS[last]
        asked = f"{bare}?{before}" if before else bare
    spot = next((page for page in _pages_like(site, asked) if path(site, page) == asked), None)
    if spot is None or not other:
        return spot
    listed = spot.kind == Kind.LIST and site.sections[spot.section].holds == Holds.RECORDS
    fits = spot.kind == Kind.CONTENT if other == "print" else listed
    return spot._replace(other=other) if fits else None


def _pages_like(site: Site, asked: str) -> list[Spot]:
    """Return pages that this path might mean, if it is spelled right."""
    bare, _, query = asked.partition("?")
    parts = bare.strip("/").split("/")
    found = _LAST_NUMBER.search(query or parts[-1])
    number = int(found[1]) if found else 0
    if parts[0] == "files":
        return _file_like(site, number, parts[-1])
    if site.style in _FLAT:
        if parts[-1].startswith("list.") or parts[0] == "taxonomy":
            return _list_like(site, parts, query)
        return _flat(site, _place(site, number))
    if site.style == Style.DATES:
        if parts[0] == "category":
            return _list_like(site, parts[1:], query)
        return _flat(site, _unworded(site, parts[-1]))
    section = _slugs(site).get(parts[0].removeprefix("~"))
    return _in_folder(site, site.sections[section], parts, number) if section is not None else []


def _in_folder(site: Site, section: Section, parts: list[str], number: int) -> list[Spot]:
    """Return the lists and the page that a path in a section's own folder might mean."""
    spots = [Spot(Kind.LIST, section.number)]
    if 1 < number <= section.lists:
        spots.append(Spot(Kind.LIST, section.number, number - 1))
    if len(parts) > 1:
        words = site.style == Style.WORDS
        place = _unworded(site, parts[-1]) - section.start if words else _place(site, number)
        if 0 <= place < section.count:
            spots.append(Spot(Kind.CONTENT, section.number, place))
    return spots


def _file_like(site: Site, number: int, name: str) -> list[Spot]:
    ending = name.rpartition(".")[2]
    if ending not in FILES:
        return []
    return [Spot(Kind.FILE, spot.section, spot.place, ending) for spot in _flat(site, _place(site, number))]


def _list_like(site: Site, parts: list[str], query: str) -> list[Spot]:
    numbers = [int(n) for n in re.findall(r"[0-9]{1,9}", f"{'/'.join(parts)}?{query}")]
    if site.style == Style.DATES:
        section = _slugs(site).get(parts[0], -1) if parts else -1
        page = numbers[-1] - 1 if len(parts) > 1 and numbers else 0
    else:
        section = numbers[0] - 1 if numbers else -1
        page = numbers[1] - (site.style != Style.NODE) if len(numbers) > 1 else 0
    if not 0 <= section < len(site.sections) or not 0 <= page < site.sections[section].lists:
        return []
    return [Spot(Kind.LIST, section, page)]


def _place(site: Site, number: int) -> int:
    first, step, *_ = _numbers(site)
    place, rest = divmod(number - first, step)
    return -1 if rest else place


def _flat(site: Site, place: int) -> list[Spot]:
    """Return the page at a place counted over all sections."""
    if not 0 <= place < site.count:
        return []
    number = bisect_right(site.sections, place, key=attrgetter("start")) - 1
    return [Spot(Kind.CONTENT, number, place - site.sections[number].start)]


@lru_cache(maxsize=4096)
def _slugs(site: Site) -> dict[str, int]:
    return {section.slug: section.number for section in site.sections}


@lru_cache(maxsize=4096)
def _front_spots(site: Site) -> dict[str, Spot]:
    """Return the pages that a host has whatever its style: front pages, lists of links, robots.txt."""
    spots = [Spot(Kind(number)) for number in range(site.front)]
    spots += [Spot(Kind.HUB, 0, place) for place in range(site.hubs)]
    spots += [Spot(Kind.ROBOTS), Spot(Kind.SITEMAP), Spot(Kind.FEED)]
    return {path(site, spot): spot for spot in spots}
