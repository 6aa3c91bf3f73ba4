"""Explore a web from some URLs until there is nothing new, as a crawler without a budget would."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.frontier import Robots
from clew.lab.world import Pages
from clew.parse import ipc, read
from clew.types import Kind, Link, Page, Response


@dataclass(slots=True)
class WebExplorer:
    """The explored part of a web: its pages by number, and the links between them.

    Redirects, feeds and sitemaps are passed through: `links` joins the pages on both sides of them.
    """

    web: Pages
    pages: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    onward: dict[str, list[str]] = field(default_factory=dict)
    robots: Robots = field(default_factory=Robots)
    canon: urls.Canon = field(default_factory=urls.Canon)
    answered: int = 0
    _listed: dict[str, list[str]] = field(default_factory=dict)
    _beyond: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def go(self, start: Iterable[str]) -> None:
        """Read all pages that links lead to."""
        waiting = deque((url, Kind.PAGE, "") for url in sorted(start))
        while waiting:
            url, kind, source = waiting.popleft()
            if url in self.onward:
                continue
            origin = urls.origin(url)
            if origin not in self._listed:
                self._listed[origin] = self._rules(origin)
                waiting += ((listing, Kind.SITEMAP, url) for listing in self._listed[origin])
            if self.robots.refusal(url):
                self.onward[url] = []
                continue
            page = self._page(url, kind)
            found = self._found(page)
            self.onward[url] = [target for target, _ in found]
            if kind is Kind.PAGE and not page.redirect:
                self.numbers[url] = len(self.pages)
                self.pages.append(url)
                self.answered += 200 <= page.response.status < 300  # noqa: PLR2004
                if urls.origin(source or "") != origin:  # a crawl reads the sitemaps of every new host
                    self.onward[url] += self._listed[origin]
            waiting += ((target, what, url) for target, what in found if target not in self.onward)

    def _rules(self, origin: str) -> list[str]:
        """Read a robots.txt; return the sitemaps it names."""
        page = self._page(f"{origin}/robots.txt", Kind.ROBOTS)
        self.robots.learn(origin, page.response.status, page.error, page.text, 0.0)
        return list(page.links.urls) if page.response.status == 200 else []  # noqa: PLR2004

    def _page(self, url: str, kind: Kind) -> Page:
        recorded = self.web.get(self.web.find(url))
        link = Link(id=0, url=url, origin=urls.origin(url), kind=kind)
        response = Response(
            link=link, started=0.0, ended=0.0, status=recorded.status, head=recorded.head, body=recorded.body
        )
        if kind is Kind.PAGE:
            return ipc.page_of(recorded.page, response)
        return read(response, canon=self.canon, max_bytes=8_000_000)

    @staticmethod
    def _found(page: Page) -> list[tuple[str, Kind]]:
        if page.redirect:
            return [(page.redirect, page.link.kind)]
        if not 200 <= page.response.status < 300 or page.nofollow:  # noqa: PLR2004
            return []
        return list(zip(page.links.urls, page.links.kinds, strict=True))

    def links(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the links as numbers of source and target pages."""
        sources, targets = [], []
        for number, url in enumerate(self.pages):
            ends = {end for target in self.onward[url] for end in self._ends(target)}
            sources += [number] * len(ends)
            targets += sorted(ends)
        return np.array(sources, np.int32), np.array(targets, np.int32)

    def final_pages(self) -> dict[int, int]:
        """Return the page that each URL ends at, by the 64-bit hash of the URL."""
        ends = {url: self._ends(url) for url in self.onward}
        return {urls.fingerprint(url): end[0] for url, end in ends.items() if len(end) == 1}

    def _ends(self, url: str) -> tuple[int, ...]:
        """Return the pages behind a URL: itself, or those that a redirect or a listing leads to."""
        number = self.numbers.get(url)
        if number is not None:
            return (number,)
        if url not in self._beyond:
            self._beyond[url] = ()  # listings that name each other end here
            behind = {end for target in self.onward.get(url, ()) for end in self._ends(target)}
            self._beyond[url] = tuple(sorted(behind))
        return self._beyond[url]
