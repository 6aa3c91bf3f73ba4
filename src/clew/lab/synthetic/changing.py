"""The synthetic web over time: pages appear, change, move and vanish, each at times of its own.

Everything is derived from seed and URL, so the truth about any moment is known. At day 0 a part of every
section is there; the rest appears in the order of its lists, in some sections within weeks, in others
within years.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import log
from urllib.parse import urljoin

from clew.lab.synthetic.hosts import SectionContent
from clew.lab.synthetic.listings import feed
from clew.lab.synthetic.pages import sentences
from clew.lab.synthetic.prose import facts
from clew.lab.synthetic.randomness import UNIT, combine, hash_text, mix, random_stream
from clew.lab.synthetic.site import Section, Site
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path
from clew.lab.synthetic.web import SyntheticResponse, Web

THERE = 0.5
"""Share of a section's pages that are there at day 0."""

FASTEST, SLOWEST = 20.0, 2_000.0
"""Days until all pages of a section are there, in the fastest and in the slowest section."""

GONE, MOVED = 0.10, 0.04
"""Shares of pages that vanish or move within a year."""

EDITS = (2_000.0, 300.0, 60.0, 7.0)
"""Days between two changes of a page, for four kinds of sections."""

OWN_PACE = 0.3
"""Share of pages that change at a pace of their own instead of that of their section."""

YEAR = 365.0
_MOVED = "now=here"  # at the end of the new URL of a page

_ITEM = re.compile(
    r'<li>.*?</li>|<div class="item">.*?</div>\n|<tr>.*?</tr>\n|<dt>.*?</dt><dd>.*?</dd>\n'
    r"|<url>.*?</url>\n|<item>.*?</item>\n",
    re.DOTALL,
)
_ADDRESS = re.compile(r'href="([^"]*)"|<loc>([^<]*)</loc>|<link>([^<]*)</link>')
_ANCHOR = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


class ChangingWeb:
    """A web at a moment: `day` is set by whoever lets time pass.

    >>> web = ChangingWeb(Web(2_000, seed=7))
    >>> web.respond(web.web.home_urls()[0]).status
    200
    """

    def __init__(self, web: Web, day: float = 0.0) -> None:
        self.web = web
        self.day = day

    def born(self, section: Section, position: int) -> float:
        """Return the day on which a page appears; 0 or less for those that were there."""
        first = int(section.count * THERE)
        if position < first:
            return 0.0
        step = self.days_between_pages(section)
        return (position - first + mix(section.page_key(position) ^ 32) * UNIT) * step

    def days_between_pages(self, section: Section) -> float:
        """Return the days between two new pages of a section."""
        pace: float = SLOWEST * (FASTEST / SLOWEST) ** (mix(section.key ^ 31) * UNIT)
        return pace / max(1, section.count - int(section.count * THERE))

    def days_between_edits(self, section: Section, position: int) -> float:
        """Return the mean number of days between two changes of a page."""
        key = section.page_key(position)
        own = mix(key ^ 35) * UNIT < OWN_PACE
        return EDITS[mix((key if own else section.key) ^ 36) % len(EDITS)]

    def ends(self, section: Section, position: int) -> tuple[float, float]:
        """Return the days on which a page vanishes and moves; infinite for most."""
        key, born = section.page_key(position), self.born(section, position)
        when = born + mix(key ^ 33) * UNIT * YEAR
        fate = mix(key ^ 34) * UNIT
        return (when if fate < GONE else float("inf")), (
            when if GONE <= fate < GONE + MOVED else float("inf")
        )

    def edits(self, section: Section, position: int, day: float) -> int:
        """Return how often a page has changed up to a day."""
        key, gap = section.page_key(position), self.days_between_edits(section, position)
        draw, at, count = random_stream(key ^ 37), self.born(section, position), 0
        while (at := at - gap * log(max(draw() * UNIT, 1e-12))) <= day:
            count += 1
        return count

    def is_there(self, site: Site, target: UrlTarget) -> bool:
        """Return whether a page, or a list with any page on it, is there now, at its old or new URL."""
        if target.kind == PageKind.LIST:
            section = site.sections[target.section]
            return self.born(section, min(target.position * site.per_list, section.count - 1)) <= self.day
        if target.kind not in (PageKind.CONTENT, PageKind.FILE):
            return True
        section = site.sections[target.section]
        gone, _ = self.ends(section, target.position)
        return self.born(section, target.position) <= self.day < gone

    def respond(self, url: str) -> SyntheticResponse:
        """Return the response to a request for a URL at this moment."""
        old_url = url.removesuffix(_MOVED)[:-1] if url.endswith(_MOVED) else url
        found = self.web.locate(old_url)
        if found is None:
            return self.web.respond(url)
        there, moved = self.is_there(*found), self._has_moved(*found)
        if there and moved and url == old_url:
            new_url = f"{url}{'&' if '?' in url else '?'}{_MOVED}"
            return SyntheticResponse(301, (("Location", new_url),), b"<h1>Moved</h1>")
        if not there or moved != (url != old_url):
            return SyntheticResponse(404, (("Content-Type", "text/html"),), b"<h1>Not Found</h1>")
        return self._current(*found, old_url)

    def _has_moved(self, site: Site, target: UrlTarget) -> bool:
        if target.kind != PageKind.CONTENT or target.variant:
            return False
        return self.ends(site.sections[target.section], target.position)[1] <= self.day

    def _current(self, site: Site, target: UrlTarget, url: str) -> SyntheticResponse:
        """Return a page without what is not there, with its changes so far and its headers."""
        reply = self.web.respond(url)
        kind = target.kind
        if reply.status != 200 or kind in (PageKind.FILE, PageKind.ROBOTS):  # noqa: PLR2004
            return reply
        charset = "utf-8" if kind > PageKind.ROBOTS else self.web.encoding(site)
        text = reply.body.decode(charset, "replace")
        if kind == PageKind.FEED:
            text = feed(self._site_now(site)) or text
        text = self._without_missing(url, text)
        if kind == PageKind.CONTENT and not target.variant:
            text = self._edited(site, target, text)
        body = text.encode(charset, "xmlcharrefreplace")
        if site.has_trait(71, 15):  # a token that differs with every request
            return reply._replace(
                body=body + f"<!-- {mix(hash_text(url) ^ int(self.day * 1e4))} -->".encode()
            )
        tagged = (("ETag", f'"{hash_text(text):x}"'),) if site.has_trait(72, 60) else ()
        return reply._replace(body=body, headers=(*reply.headers, *tagged))

    def _site_now(self, site: Site) -> Site:
        """Return a host whose first section has only the pages that are there now."""
        first = site.sections[0]
        there = sum(self.born(first, position) <= self.day for position in range(first.count))
        return replace(site, sections=(replace(first, count=max(1, there)), *site.sections[1:]))

    def _edited(self, site: Site, target: UrlTarget, text: str) -> str:
        """Add a paragraph that differs with each change of a page."""
        section = site.sections[target.section]
        count = self.edits(section, target.position, self.day)
        if not count:
            return text
        about = section.page(target.position)
        draw = random_stream(combine(about.key, count, 38))
        said = " ".join(sentences(site.lang, about, draw, 3))
        paragraph = facts(site.lang, mix(about.key ^ count)).fill(f"<p>{count}: {said}</p>\n")
        return text.replace("</h1>\n", f"</h1>\n{paragraph}", 1)

    def _without_missing(self, url: str, text: str) -> str:
        """Leave out items of lists whose page is not there, and links to such pages; follow moved ones."""

        def shown(item: re.Match[str]) -> str:
            links = [next(filter(None, found)) for found in _ADDRESS.findall(item[0]) if any(found)]
            return item[0] if all(self._shown(url, link) for link in links) else ""

        text = _ITEM.sub(shown, text)
        return _ANCHOR.sub(lambda link: link[0] if self._shown(url, link[1]) else link[2], text)

    def _shown(self, base: str, address: str) -> bool:
        found = self.web.locate(urljoin(base, address.replace("&amp;", "&")))
        return found is None or self.is_there(*found)

    def url_of_list(self, site: Site, section: Section, position: int) -> str:
        """Return the URL of the list that shows a page."""
        target = UrlTarget(PageKind.LIST, section.number, position // site.per_list)
        return f"http://{site.name}{path(site, target)}"

    def appeared(self, sites: Sequence[Site], after: float) -> list[tuple[str, str]]:
        """Return the URLs of content pages that appeared after a day and are there now, with their lists."""
        found = []
        for site in sites:
            for section in site.sections:
                if section.content == SectionContent.DATA or section.secluded:
                    continue
                for position in range(int(section.count * THERE), section.count):
                    target = UrlTarget(PageKind.CONTENT, section.number, position)
                    if after < self.born(section, position) <= self.day and self.is_there(site, target):
                        url = f"http://{site.name}{path(site, target)}"
                        found.append((url, self.url_of_list(site, section, position)))
        return found
