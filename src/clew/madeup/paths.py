"""Addresses: how each host spells the path of a page, and which page a path means.

Every style of path can be read backwards, so that no table of addresses is needed. A path is first taken
apart, then put together again: only the one right spelling is a page.
"""

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from clew.madeup.names import SLUG_WORDS
from clew.madeup.prose import bank
from clew.madeup.site import Section, Site


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
    """One page of a host: its kind, its section and its place there; `other` is a variant of the same page."""

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
_FILES = ("csv", "xls", "pdf")
_LAST_NUMBER = re.compile(r"(\d+)(?:\.[a-z]+)?/?\Z")
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
    kind = spot.kind
    if kind == Kind.CONTENT:
        made = _content(site, site.sections[spot.section], spot.place)
    elif kind == Kind.LIST:
        made = _list(site, site.sections[spot.section], spot.place)
    elif kind == Kind.HOME:
        return "/"
    elif kind < Kind.HUB:
        return f"/{_FRONT[site.lang][kind - 1]}{_SUFFIX[site.style]}"
    elif kind == Kind.HUB:
        return (
            f"/links/{spot.place + 1}{_SUFFIX[site.style]}" if spot.place else f"/links{_SUFFIX[site.style]}"
        )
    elif kind == Kind.FILE:
        section = site.sections[spot.section]
        return f"/files/{_number(site, section.start + spot.place)}.{spot.other}"
    else:
        return {Kind.ROBOTS: "/robots.txt", Kind.SITEMAP: "/sitemap.xml", Kind.FEED: "/feed.xml"}[kind]
    if not spot.other:
        return made
    variant = "print=1" if spot.other == "print" else f"sort={spot.other}"
    return f"{made}{'&' if '?' in made else '?'}{variant}"


def _number(site: Site, place: int) -> int:
    first, step, *_ = _numbers(site)
    return first + step * place


def _content(site: Site, section: Section, place: int) -> str:
    style = site.style
    if style == 0:
        about = section.page(place)
        slugs = bank(site.lang, about.topic).slugs
        slug = slugs[(about.key >> 50) % len(slugs)] if slugs else "entry"
        return f"/{section.slug}/{slug}-{_number(site, place)}.html"
    if style == 1:
        return f"/{section.slug}/{_words(site, section.start + place)}"
    if style == 2:
        return f"/{section.slug}/{_number(site, place)}.html"
    flat = section.start + place
    if style == 3:
        return f"/view.php?id={_number(site, flat)}"
    if style == 4:
        turn = section.page_key(place) >> 20
        return f"/{2003 + turn % 21}/{1 + (turn >> 8) % 12:02}/{_words(site, flat)}/"
    if style == 5:
        return f"/node/{_number(site, flat)}"
    if style == 6:
        return f"/~{section.slug}/{chr(97 + section.number)}{_number(site, place)}.htm"
    return f"/cgi-bin/show.cgi?no={_number(site, flat)}"


def _list(site: Site, section: Section, page: int) -> str:
    style, slug = site.style, section.slug
    if style == 3:
        return f"/list.php?cat={section.number + 1}" + (f"&p={page + 1}" if page else "")
    if style == 5:
        return f"/taxonomy/term/{section.number + 1}" + (f"?page={page}" if page else "")
    if style == 7:
        return f"/cgi-bin/list.cgi?b={section.number + 1}" + (f"&p={page + 1}" if page else "")
    top = {4: f"/category/{slug}/", 6: f"/~{slug}/"}.get(style, f"/{slug}/")
    if not page:
        return top
    return top + (f"page{page + 1}.html", f"?page={page + 1}", f"index{page + 1}.html", "", f"page/{page + 1}/", "",
                  f"list{page + 1}.htm")[style]  # fmt: skip


def find(site: Site, asked: str) -> Spot | None:
    """Return the page that a path (with query) means on a host, None where there is none."""
    spot = _front_spots(site).get(asked)
    if spot is not None:
        return spot
    other = ""
    bare, mark, query = asked.partition("?")
    if mark:
        before, _, last = query.rpartition("&")
        if last in _VARIANTS:
            other = _VARIANTS[last]
            asked = f"{bare}?{before}" if before else bare
    spot = _find(site, asked)
    if spot is None:
        return None
    if other:
        if (other == "print") != (spot.kind == Kind.CONTENT):
            return None
        spot = spot._replace(other=other)
    return spot


def _find(site: Site, asked: str) -> Spot | None:
    for page in _pages_like(site, asked):
        if path(site, page) == asked:
            return page
    return None


def _pages_like(site: Site, asked: str) -> list[Spot]:
    """Return pages that this path might mean, if it is spelled right."""
    bare, _, query = asked.partition("?")
    parts = bare.strip("/").split("/")
    found = _LAST_NUMBER.search(query or parts[-1])
    number = int(found[1]) if found and len(found[1]) < 12 else 0
    if parts[0] == "files" and len(parts) == 2:
        at = _flat(site, _place(site, number))
        return [Spot(Kind.FILE, at[0], at[1], parts[-1].rpartition(".")[2])] if at else []
    if site.style in (3, 5, 7):
        if parts[-1] in ("list.php", "list.cgi") or parts[0] == "taxonomy":
            return _list_like(site, parts, query)
        at = _flat(site, _place(site, number))
    elif site.style == 4:
        if parts[0] == "category":
            return _list_like(site, parts[1:], query)
        at = _flat(site, _unworded(site, parts[-1]))
    else:
        section = _slugs(site).get(parts[0].removeprefix("~"))
        if section is None:
            return []
        if len(parts) == 1:
            return [Spot(Kind.LIST, section), Spot(Kind.LIST, section, max(0, number - 1))]
        start = site.sections[section].start
        place = _unworded(site, parts[-1]) - start if site.style == 1 else _place(site, number)
        at = (section, place) if 0 <= place < site.sections[section].count else None
        lists = [Spot(Kind.LIST, section, number - 1)] if 1 < number <= site.sections[section].lists else []
        return lists + ([Spot(Kind.CONTENT, *at)] if at else [])
    return [Spot(Kind.CONTENT, *at)] if at else []


def _list_like(site: Site, parts: list[str], query: str) -> list[Spot]:
    numbers = [int(n) for n in re.findall(r"\d{1,9}", f"{'/'.join(parts)}?{query}")]
    if site.style == 4:
        section = _slugs(site).get(parts[0], -1) if parts else -1
        page = numbers[-1] - 1 if len(parts) > 1 and numbers else 0
    else:
        section = numbers[0] - 1 if numbers else -1
        page = numbers[1] - (site.style != 5) if len(numbers) > 1 else 0
    if not 0 <= section < len(site.sections) or not 0 <= page < site.sections[section].lists:
        return []
    return [Spot(Kind.LIST, section, page)]


def _place(site: Site, number: int) -> int:
    first, step, *_ = _numbers(site)
    place, rest = divmod(number - first, step)
    return -1 if rest else place


def _flat(site: Site, place: int) -> tuple[int, int] | None:
    if not 0 <= place < site.count:
        return None
    for section in reversed(site.sections):
        if place >= section.start:
            return section.number, place - section.start
    return None


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
