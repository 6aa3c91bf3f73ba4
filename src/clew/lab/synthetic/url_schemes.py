"""URL schemes: how each host builds the path of a page, and which page a path stands for.

Every scheme can be inverted, so that no table of URLs is needed. A path is first parsed, then built again:
only the one canonical spelling is a page.
"""

import re
from bisect import bisect_right
from enum import IntEnum
from functools import cache, lru_cache
from operator import attrgetter
from typing import NamedTuple

from clew.lab.synthetic import names
from clew.lab.synthetic.hosts import SectionContent
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
    """One page of a host; `variant` is "print", a sort order or a file type."""

    kind: PageKind
    section: int = 0
    position: int = 0
    variant: str = ""


_PAIR, _TRIPLE = 128**2, 128**3
_SUFFIX = (".html", ".html", ".htm", ".php", "/", "", ".htm", ".html")
FILES = ("csv", "xls", "pdf")
"""The kinds of files that pages offer."""

_FIXED = {
    PageKind.HOME: "/", PageKind.ROBOTS: "/robots.txt", PageKind.SITEMAP: "/sitemap.xml",
    PageKind.FEED: "/feed.xml",
}  # fmt: skip
_NEXT = {
    SiteStyle.DESCRIPTIVE: "page{}.html", SiteStyle.WORDS: "?page={}", SiteStyle.IDS: "index{}.html",
    SiteStyle.DATES: "page/{}/", SiteStyle.TILDE: "list{}.htm",
}  # fmt: skip
_FLAT = {SiteStyle.QUERY: "/view.php?id=", SiteStyle.NODE: "/node/", SiteStyle.CGI: "/cgi-bin/show.cgi?no="}
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,11})(?:\.[a-z]+)?/?\Z", re.ASCII)
_VARIANTS = {"print=1": "print", "sort=name": "name", "sort=year": "year", "sort=place": "place"}


@lru_cache(maxsize=8192)
def _numbers(site: Site) -> tuple[int, int, int, int, int]:
    """Return how a host numbers its pages (first, step) and permutes slug words (range, factor, shift)."""
    words = _TRIPLE if site.count > _PAIR // 2 else _PAIR
    factor = (site.key >> 17) % words | 1
    return (site.key >> 30) % 4000, (1, 1, 3, 7)[(site.key >> 6) % 4], words, factor, (site.key >> 25) % words


def _words(site: Site, position: int) -> str:
    _, _, size, factor, shift = _numbers(site)
    number, words = (position * factor + shift) % size, names.slug_words()
    slug = f"{words[number >> 7 & 127]}-{words[number & 127]}"
    return slug if size == _PAIR else f"{words[number >> 14]}-{slug}"


@cache
def _word_numbers() -> dict[str, int]:
    return {word: number for number, word in enumerate(names.slug_words())}


def _position_of_words(site: Site, slug: str) -> int:
    _, _, size, factor, shift = _numbers(site)
    number = 0
    for word in slug.split("-"):
        number = number * 128 + _word_numbers().get(word, 0)
    return (number - shift) * pow(factor, -1, size) % size


def path(site: Site, target: UrlTarget) -> str:
    """Return the path of a page, with its query."""
    if target.kind == PageKind.CONTENT:
        url_path = _content(site, site.sections[target.section], target.position)
    elif target.kind == PageKind.LIST:
        url_path = _list(site, site.sections[target.section], target.position)
    else:
        return _single(site, target)
    if not target.variant:
        return url_path
    query = "print=1" if target.variant == "print" else f"sort={target.variant}"
    return f"{url_path}{'&' if '?' in url_path else '?'}{query}"


def _single(site: Site, target: UrlTarget) -> str:
    """Return the path of what belongs to the host as a whole, and of files."""
    kind, suffix = target.kind, _SUFFIX[site.style]
    if kind == PageKind.FILE:
        return (
            f"/files/{_number(site, site.sections[target.section].start + target.position)}.{target.variant}"
        )
    if kind == PageKind.HUB:
        return f"/links/{target.position + 1}{suffix}" if target.position else f"/links{suffix}"
    return _FIXED.get(kind) or f"/{names.front_paths(site.lang)[kind - 1]}{suffix}"


def _number(site: Site, position: int) -> int:
    first, step, *_ = _numbers(site)
    return first + step * position


def _content(site: Site, section: Section, position: int) -> str:
    style, slug = site.style, section.slug
    if style == SiteStyle.DESCRIPTIVE:
        about = section.page(position)
        words = slugs(site.lang, about.topic)
        word = words[(about.key >> 50) % len(words)] if words else "entry"
        return f"/{slug}/{word}-{_number(site, position)}.html"
    if style == SiteStyle.WORDS:
        return f"/{slug}/{_words(site, section.start + position)}"
    if style == SiteStyle.IDS:
        return f"/{slug}/{_number(site, position)}.html"
    if style == SiteStyle.TILDE:
        return f"/~{slug}/{chr(97 + section.number % 26)}{_number(site, position)}.htm"
    flat = section.start + position
    if style == SiteStyle.DATES:
        bits = section.page_key(position) >> 20
        return f"/{2003 + bits % 21}/{1 + (bits >> 8) % 12:02}/{_words(site, flat)}/"
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


def resolve(site: Site, url_path: str) -> UrlTarget | None:
    """Return the page that a path (with query) stands for on a host, None where there is none."""
    target = _front_targets(site).get(url_path)
    if target is not None:
        return target
    variant = ""
    bare, _, query = url_path.partition("?")
    before, _, last = query.rpartition("&")
    if last in _VARIANTS:
        variant = _VARIANTS[last]
        url_path = f"{bare}?{before}" if before else bare
    target = next((page for page in _candidates(site, url_path) if path(site, page) == url_path), None)
    if target is None or not variant:
        return target
    listed = target.kind == PageKind.LIST and site.sections[target.section].content == SectionContent.RECORDS
    fits = target.kind == PageKind.CONTENT if variant == "print" else listed
    return target._replace(variant=variant) if fits else None


def _candidates(site: Site, url_path: str) -> list[UrlTarget]:
    """Return pages that this path might stand for, if its spelling is canonical."""
    bare, _, query = url_path.partition("?")
    parts = bare.strip("/").split("/")
    found = _LAST_NUMBER.search(query or parts[-1])
    number = int(found[1]) if found else 0
    if parts[0] == "files":
        return _file_candidates(site, number, parts[-1])
    if site.style in _FLAT:
        if parts[-1].startswith("list.") or parts[0] == "taxonomy":
            return _list_candidates(site, parts, query)
        return _flat(site, _position_of_number(site, number))
    if site.style == SiteStyle.DATES:
        if parts[0] == "category":
            return _list_candidates(site, parts[1:], query)
        return _flat(site, _position_of_words(site, parts[-1]))
    section = _slugs(site).get(parts[0].removeprefix("~"))
    return _in_folder(site, site.sections[section], parts, number) if section is not None else []


def _in_folder(site: Site, section: Section, parts: list[str], number: int) -> list[UrlTarget]:
    """Return the lists and the page that a path in a section's own folder might stand for."""
    targets = [UrlTarget(PageKind.LIST, section.number)]
    if 1 < number <= section.lists:
        targets.append(UrlTarget(PageKind.LIST, section.number, number - 1))
    if len(parts) > 1:
        words = site.style == SiteStyle.WORDS
        position = (
            _position_of_words(site, parts[-1]) - section.start
            if words
            else _position_of_number(site, number)
        )
        if 0 <= position < section.count:
            targets.append(UrlTarget(PageKind.CONTENT, section.number, position))
    return targets


def _file_candidates(site: Site, number: int, name: str) -> list[UrlTarget]:
    ending = name.rpartition(".")[2]
    if ending not in FILES:
        return []
    return [
        UrlTarget(PageKind.FILE, target.section, target.position, ending)
        for target in _flat(site, _position_of_number(site, number))
    ]


def _list_candidates(site: Site, parts: list[str], query: str) -> list[UrlTarget]:
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


def _position_of_number(site: Site, number: int) -> int:
    first, step, *_ = _numbers(site)
    position, rest = divmod(number - first, step)
    return -1 if rest else position


def _flat(site: Site, position: int) -> list[UrlTarget]:
    """Return the page at a position counted over all sections."""
    if not 0 <= position < site.count:
        return []
    number = bisect_right(site.sections, position, key=attrgetter("start")) - 1
    return [UrlTarget(PageKind.CONTENT, number, position - site.sections[number].start)]


@lru_cache(maxsize=4096)
def _slugs(site: Site) -> dict[str, int]:
    return {section.slug: section.number for section in site.sections}


@lru_cache(maxsize=4096)
def _front_targets(site: Site) -> dict[str, UrlTarget]:
    """Return the pages that every host has whatever its style: front pages, lists of links, robots.txt."""
    targets = [UrlTarget(PageKind(number)) for number in range(site.front)]
    targets += [UrlTarget(PageKind.HUB, 0, position) for position in range(site.hubs)]
    targets += [UrlTarget(PageKind.ROBOTS), UrlTarget(PageKind.SITEMAP), UrlTarget(PageKind.FEED)]
    return {path(site, target): target for target in targets}
