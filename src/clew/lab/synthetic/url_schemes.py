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

from clew.lab.synthetic.hosts import Holds
from clew.lab.synthetic.names import SLUG_WORDS
from clew.lab.synthetic.prose import slugs
from clew.lab.synthetic.site import Section, Site, SiteStyle


class PageKind(IntEnum):
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


class UrlTarget(NamedTuple):
    """One page of a host: its kind, its section, its place there; `other` names a variant of it."""

    kind: PageKind
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
    PageKind.HOME: "/", PageKind.ROBOTS: "/robots.txt", PageKind.SITEMAP: "/sitemap.xml",
    PageKind.FEED: "/feed.xml",
}  # fmt: skip
_NEXT = {
    SiteStyle.TELLING: "page{}.html", SiteStyle.WORDS: "?page={}", SiteStyle.IDS: "index{}.html",
    SiteStyle.DATES: "page/{}/", SiteStyle.TILDE: "list{}.htm",
}  # fmt: skip
_FLAT = {SiteStyle.QUERY: "/view.php?id=", SiteStyle.NODE: "/node/", SiteStyle.CGI: "/cgi-bin/show.cgi?no="}
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


def path(site: Site, spot: UrlTarget) -> str:
    """Return the path of a page, with its query."""
    if spot.kind == PageKind.CONTENT:
        made = _content(site, site.sections[spot.section], spot.place)
    elif spot.kind == PageKind.LIST:
        made = _list(site, site.sections[spot.section], spot.place)
    else:
        return _single(site, spot)
    if not spot.other:
        return made
    variant = "print=1" if spot.other == "print" else f"sort={spot.other}"
    return f"{made}{'&' if '?' in made else '?'}{variant}"


def _single(site: Site, spot: UrlTarget) -> str:
    """Return the path of what belongs to the host as a whole, and of files."""
    kind, suffix = spot.kind, _SUFFIX[site.style]
    if kind == PageKind.FILE:
        return f"/files/{_number(site, site.sections[spot.section].start + spot.place)}.{spot.other}"
    if kind == PageKind.HUB:
        return f"/links/{spot.place + 1}{suffix}" if spot.place else f"/links{suffix}"
    return _FIXED.get(kind) or f"/{_FRONT[site.lang][kind - 1]}{suffix}"


def _number(site: Site, place: int) -> int:
    first, step, *_ = _numbers(site)
    return first + step * place


def _content(site: Site, section: Section, place: int) -> str:
    style, slug = site.style, section.slug
    if style == SiteStyle.TELLING:
        about = section.page(place)
        known = slugs(site.lang, about.topic)
        said = known[(about.key >> 50) % len(known)] if known else "entry"
        return f"/{slug}/{said}-{_number(site, place)}.html"
    if style == SiteStyle.WORDS:
        return f"/{slug}/{_words(site, section.start + place)}"
    if style == SiteStyle.IDS:
        return f"/{slug}/{_number(site, place)}.html"
    if style == SiteStyle.TILDE:
        return f"/~{slug}/{chr(97 + section.number % 26)}{_number(site, place)}.htm"
    flat = section.start + place
    if style == SiteStyle.DATES:
        turn = section.page_key(place) >> 20
        return f"/{2003 + turn % 21}/{1 + (turn >> 8) % 12:02}/{_words(site, flat)}/"
    return f"{_FLAT[style]}{_number(site, flat)}"


def _list(site: Site, section: Section, page: int) -> str:
    style, slug = site.style, section.slug
    if style == SiteStyle.QUERY:
        return f"/list.php?cat={section.number + 1}" + (f"&p={page + 1}" if page else "")
    if style == SiteStyle.NODE:
        return f"/taxonomy/term/{section.number + 1}" + (f"?page={page}" if page else "")
    if style == SiteStyle.CGI:
        return f"/cgi-bin/list.cgi?b={section.number + 1}" + (f"&p={page + 1}" if page else "")
    top = {SiteStyle.DATES: f"/category/{slug}/", SiteStyle.TILDE: f"/~{slug}/"}.get(style, f"/{slug}/")
    return top + _NEXT[style].format(page + 1) if page else top


def find(site: Site, asked: str) -> UrlTarget | None:
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
    listed = spot.kind == PageKind.LIST and site.sections[spot.section].holds == Holds.RECORDS
    fits = spot.kind == PageKind.CONTENT if other == "print" else listed
    return spot._replace(other=other) if fits else None


def _pages_like(site: Site, asked: str) -> list[UrlTarget]:
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
    if site.style == SiteStyle.DATES:
        if parts[0] == "category":
            return _list_like(site, parts[1:], query)
        return _flat(site, _unworded(site, parts[-1]))
    section = _slugs(site).get(parts[0].removeprefix("~"))
    return _in_folder(site, site.sections[section], parts, number) if section is not None else []


def _in_folder(site: Site, section: Section, parts: list[str], number: int) -> list[UrlTarget]:
    """Return the lists and the page that a path in a section's own folder might mean."""
    spots = [UrlTarget(PageKind.LIST, section.number)]
    if 1 < number <= section.lists:
        spots.append(UrlTarget(PageKind.LIST, section.number, number - 1))
    if len(parts) > 1:
        words = site.style == SiteStyle.WORDS
        place = _unworded(site, parts[-1]) - section.start if words else _place(site, number)
        if 0 <= place < section.count:
            spots.append(UrlTarget(PageKind.CONTENT, section.number, place))
    return spots


def _file_like(site: Site, number: int, name: str) -> list[UrlTarget]:
    ending = name.rpartition(".")[2]
    if ending not in FILES:
        return []
    return [
        UrlTarget(PageKind.FILE, spot.section, spot.place, ending)
        for spot in _flat(site, _place(site, number))
    ]


def _list_like(site: Site, parts: list[str], query: str) -> list[UrlTarget]:
    numbers = [int(n) for n in re.findall(r"[0-9]{1,9}", f"{'/'.join(parts)}?{query}")]
    if site.style == SiteStyle.DATES:
        section = _slugs(site).get(parts[0], -1) if parts else -1
        page = numbers[-1] - 1 if len(parts) > 1 and numbers else 0
    else:
        section = numbers[0] - 1 if numbers else -1
        page = numbers[1] - (site.style != SiteStyle.NODE) if len(numbers) > 1 else 0
    if not 0 <= section < len(site.sections) or not 0 <= page < site.sections[section].lists:
        return []
    return [UrlTarget(PageKind.LIST, section, page)]


def _place(site: Site, number: int) -> int:
    first, step, *_ = _numbers(site)
    place, rest = divmod(number - first, step)
    return -1 if rest else place


def _flat(site: Site, place: int) -> list[UrlTarget]:
    """Return the page at a place counted over all sections."""
    if not 0 <= place < site.count:
        return []
    number = bisect_right(site.sections, place, key=attrgetter("start")) - 1
    return [UrlTarget(PageKind.CONTENT, number, place - site.sections[number].start)]


@lru_cache(maxsize=4096)
def _slugs(site: Site) -> dict[str, int]:
    return {section.slug: section.number for section in site.sections}


@lru_cache(maxsize=4096)
def _front_spots(site: Site) -> dict[str, UrlTarget]:
    """Return the pages that a host has whatever its style: front pages, lists of links, robots.txt."""
    spots = [UrlTarget(PageKind(number)) for number in range(site.front)]
    spots += [UrlTarget(PageKind.HUB, 0, place) for place in range(site.hubs)]
    spots += [UrlTarget(PageKind.ROBOTS), UrlTarget(PageKind.SITEMAP), UrlTarget(PageKind.FEED)]
    return {path(site, spot): spot for spot in spots}
