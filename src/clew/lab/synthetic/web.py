"""The made-up web: an answer for every address, made from seed, size and address alone."""

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from clew.errors import ConfigError
from clew.lab.synthetic import files
from clew.lab.synthetic.graph import LinkGraph
from clew.lab.synthetic.hosts import WebPlan
from clew.lab.synthetic.listings import feed, robots, sitemap
from clew.lab.synthetic.page_frame import PageFrame, make_skin
from clew.lab.synthetic.pages import Part, write
from clew.lab.synthetic.records import SyntheticRecord
from clew.lab.synthetic.site import Site, menu_words
from clew.lab.synthetic.tasks import SyntheticTask, example_rows, examples, question, seeds
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, find, path

SMALLEST = 500
"""Pages below which there are too few hosts to make a web of."""

LARGEST = 50_000_000


class SyntheticResponse(NamedTuple):
    """What a server says: status, headers and body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Web:
    """A web of about `size` pages on many hosts. The same seed, size and address give the same bytes.

    >>> web = Web(2_000, seed=7)
    >>> web.answer(web.homes()[0]).status
    200
    """

    def __init__(self, size: int = 20_000, seed: int = 1) -> None:
        self.size = size
        self.seed = seed

    @cached_property
    def plan(self) -> WebPlan:
        """The columns of hosts and sections."""
        if not SMALLEST <= self.size <= LARGEST:
            msg = f"a made-up web of {self.size} pages cannot be made; ask for {SMALLEST} to {LARGEST:,}"
            raise ConfigError(msg)
        return WebPlan(self.size, self.seed)

    @cached_property
    def graph(self) -> LinkGraph:
        """Who links to whom."""
        return LinkGraph(self.plan)

    @cached_property
    def _skin(self) -> Callable[[Site], PageFrame]:
        return lru_cache(maxsize=4_000)(partial(make_skin, self.graph))

    @property
    def pages(self) -> int:
        """How many pages there are, exactly; files, print versions and other orders are not counted."""
        return self.plan.pages

    def homes(self) -> list[str]:
        """Return the addresses of all home pages."""
        return [f"http://{name}/" for name in self.graph.names]

    def question(self, topic: str, lang: str = "en") -> SyntheticTask:
        """Return what a person would type to find pages on a topic."""
        return question(topic, lang)

    def seeds(self, topic: str, many: int = 5, lang: str = "en") -> list[str]:
        """Return addresses to begin with: general portals and lists of links, none of them on the topic."""
        return seeds(self.graph, question(topic, lang), many)

    def examples(self, topic: str, many: int = 5, lang: str = "en") -> tuple[list[str], list[str]]:
        """Return addresses of good and of bad examples."""
        return examples(self.graph, question(topic, lang), many)

    def example_rows(self, topic: str, many: int = 5, lang: str = "en") -> list[SyntheticRecord]:
        """Return records on a topic that a person might know; none where no host lists such records."""
        return example_rows(self.graph, question(topic, lang), many)

    def site(self, host: str) -> Site | None:
        """Return the host of this name."""
        number = self.graph.numbers.get(host)
        return None if number is None else self.graph.site(number)

    def locate(self, url: str) -> tuple[Site, UrlTarget] | None:
        """Return host and page of an address, None where there is no page."""
        scheme, _, rest = url.partition("://")
        host, slash, asked = rest.partition("/")
        site = self.site(host) if scheme == "http" else None
        spot = find(site, f"/{asked}") if site and (slash or not asked) else None
        return (site, spot) if site and spot else None

    def answer(self, url: str) -> SyntheticResponse:
        """Answer a request for an address."""
        scheme, _, rest = url.partition("://")
        host, _, asked = rest.partition("/")
        asked = f"/{asked}"
        site = self.site(host)
        if scheme != "http" or site is None:
            return self._elsewhere(host, asked)
        if site.is_closed and asked != "/robots.txt":
            return _plain(403, "Forbidden")
        spot = find(site, asked)
        if spot is None:
            return self._missing(site, asked)
        kind = spot.kind
        if kind == PageKind.FILE:
            return SyntheticResponse(
                200, (("Content-Type", files.TYPES[spot.other]),), files.body(site, spot)
            )
        if kind >= PageKind.ROBOTS:
            return self._listing(site, kind)
        return self._page(
            site, write(self.graph, site, spot), bare=kind == PageKind.CONTENT and is_bare(site, spot)
        )

    def _page(self, site: Site, part: Part, status: int = 200, *, bare: bool = False) -> SyntheticResponse:
        skin = self._skin(site)
        one, two, three, four, five = skin.pieces
        if bare:
            html = f"<html><head><title>{part.title}</title></head><body>{part.main}</body></html>\n"
        else:
            html = f"{one}{part.title}{two}{part.trail}{three}{part.main}{four}{part.beside}{five}"
        body = html.encode(skin.encoding, "xmlcharrefreplace")
        return SyntheticResponse(status, (("Content-Type", skin.content_type),), body)

    def _listing(self, site: Site, kind: PageKind) -> SyntheticResponse:
        if kind == PageKind.ROBOTS:
            said = robots(site)
            return _plain(200, said) if said is not None else _plain(404, "Not Found")
        made = sitemap(site) if kind == PageKind.SITEMAP else feed(site)
        if made is None:
            return self._missing(site, path(site, UrlTarget(kind)))
        mime = "application/xml" if kind == PageKind.SITEMAP else "application/rss+xml"
        return SyntheticResponse(200, (("Content-Type", f"{mime}; charset=utf-8"),), made.encode())

    def _missing(self, site: Site, asked: str) -> SyntheticResponse:
        """Answer for a page that is not there: moved, spelled otherwise, or gone."""
        if find(site, f"{asked}/"):
            return _moved(f"http://{site.name}{asked}/")
        if asked.startswith("/old/"):
            number = asked[5:].removesuffix(".html")
            if number.isdigit() and int(number) < site.count:
                section = next(s for s in reversed(site.sections) if s.start <= int(number))
                spot = UrlTarget(PageKind.CONTENT, section.number, int(number) - section.start)
                return _moved(f"http://{site.name}{path(site, spot)}")
        if asked.endswith(("/index.html", "/index.htm")) and find(site, asked.rpartition("/")[0] + "/"):
            return _moved(f"http://{site.name}{asked.rpartition('/')[0]}/")
        title = site.menu("lost")
        sorry = menu_words(site.lang, "sorry")[0]
        part = Part(title, "", f"<h1>{title}</h1>\n<p>{sorry}</p>\n")
        return self._page(site, part, 200 if site.holds_to(50, 7) else 404)

    def _elsewhere(self, host: str, asked: str) -> SyntheticResponse:
        other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
        if other in self.graph.numbers:
            return _moved(f"http://{other}{asked}")
        return _plain(502, f"there is no host {host} in this web")


def is_bare(site: Site, spot: UrlTarget) -> bool:
    """Tell whether a page has neither menu nor foot: a text that somebody just put there."""
    return site.sections[spot.section].page_key(spot.place) >> 57 == 0 or spot.other == "print"


def _plain(status: int, text: str) -> SyntheticResponse:
    return SyntheticResponse(status, (("Content-Type", "text/plain; charset=utf-8"),), text.encode())


def _moved(url: str) -> SyntheticResponse:
    return SyntheticResponse(301, (("Location", url), ("Content-Type", "text/html")), b"<h1>Moved</h1>")
