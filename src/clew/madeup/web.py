"""The made-up web: an answer for every address, made from seed, size and address alone."""

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from clew.errors import ConfigError
from clew.madeup import files
from clew.madeup.graph import Graph
from clew.madeup.hosts import Plan
from clew.madeup.listings import feed, robots, sitemap
from clew.madeup.pages import Part, write
from clew.madeup.paths import Kind, Spot, find, path
from clew.madeup.records import Row
from clew.madeup.site import Site, menu_words
from clew.madeup.skin import Skin, make_skin
from clew.madeup.tasks import Question, example_rows, examples, question, seeds

SMALLEST = 500
"""Pages below which there are too few hosts to make a web of."""

LARGEST = 50_000_000


class Answer(NamedTuple):
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
    def plan(self) -> Plan:
        """The columns of hosts and sections."""
        if not SMALLEST <= self.size <= LARGEST:
            msg = f"a made-up web of {self.size} pages cannot be made; ask for {SMALLEST} to {LARGEST:,}"
            raise ConfigError(msg)
        return Plan(self.size, self.seed)

    @cached_property
    def graph(self) -> Graph:
        """Who links to whom."""
        return Graph(self.plan)

    @cached_property
    def _skin(self) -> Callable[[Site], Skin]:
        return lru_cache(maxsize=4_000)(partial(make_skin, self.graph))

    @property
    def pages(self) -> int:
        """How many pages there are, exactly; files, print versions and other orders are not counted."""
        return self.plan.pages

    def homes(self) -> list[str]:
        """Return the addresses of all home pages."""
        return [f"http://{name}/" for name in self.graph.names]

    def question(self, topic: str, lang: str = "en") -> Question:
        """Return what a person would type to find pages on a topic."""
        return question(topic, lang)

    def seeds(self, topic: str, many: int = 5, lang: str = "en") -> list[str]:
        """Return addresses to begin with: general portals and lists of links, none of them on the topic."""
        return seeds(self.graph, question(topic, lang), many)

    def examples(self, topic: str, many: int = 5, lang: str = "en") -> tuple[list[str], list[str]]:
        """Return addresses of good and of bad examples."""
        return examples(self.graph, question(topic, lang), many)

    def example_rows(self, topic: str, many: int = 5, lang: str = "en") -> list[Row]:
        """Return records on a topic that a person might know; none where no host lists such records."""
        return example_rows(self.graph, question(topic, lang), many)

    def site(self, host: str) -> Site | None:
        """Return the host of this name."""
        number = self.graph.numbers.get(host)
        return None if number is None else self.graph.site(number)

    def locate(self, url: str) -> tuple[Site, Spot] | None:
        """Return host and page of an address, None where there is no page."""
        scheme, _, rest = url.partition("://")
        host, slash, asked = rest.partition("/")
        site = self.site(host) if scheme == "http" else None
        spot = find(site, f"/{asked}") if site and (slash or not asked) else None
        return (site, spot) if site and spot else None

    def answer(self, url: str) -> Answer:
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
        if kind == Kind.FILE:
            return Answer(200, (("Content-Type", files.TYPES[spot.other]),), files.body(site, spot))
        if kind >= Kind.ROBOTS:
            return self._listing(site, kind)
        return self._page(
            site, write(self.graph, site, spot), bare=kind == Kind.CONTENT and is_bare(site, spot)
        )

    def _page(self, site: Site, part: Part, status: int = 200, *, bare: bool = False) -> Answer:
        skin = self._skin(site)
        one, two, three, four, five = skin.pieces
        if bare:
            html = f"<html><head><title>{part.title}</title></head><body>{part.main}</body></html>\n"
        else:
            html = f"{one}{part.title}{two}{part.trail}{three}{part.main}{four}{part.beside}{five}"
        body = html.encode(skin.encoding, "xmlcharrefreplace")
        return Answer(status, (("Content-Type", skin.content_type),), body)

    def _listing(self, site: Site, kind: Kind) -> Answer:
        if kind == Kind.ROBOTS:
            said = robots(site)
            return _plain(200, said) if said is not None else _plain(404, "Not Found")
        made = sitemap(site) if kind == Kind.SITEMAP else feed(site)
        if made is None:
            return self._missing(site, path(site, Spot(kind)))
        mime = "application/xml" if kind == Kind.SITEMAP else "application/rss+xml"
        return Answer(200, (("Content-Type", f"{mime}; charset=utf-8"),), made.encode())

    def _missing(self, site: Site, asked: str) -> Answer:
        """Answer for a page that is not there: moved, spelled otherwise, or gone."""
        if find(site, f"{asked}/"):
            return _moved(f"http://{site.name}{asked}/")
        if asked.startswith("/old/"):
            number = asked[5:].removesuffix(".html")
            if number.isdigit() and int(number) < site.count:
                section = next(s for s in reversed(site.sections) if s.start <= int(number))
                spot = Spot(Kind.CONTENT, section.number, int(number) - section.start)
                return _moved(f"http://{site.name}{path(site, spot)}")
        if asked.endswith(("/index.html", "/index.htm")) and find(site, asked.rpartition("/")[0] + "/"):
            return _moved(f"http://{site.name}{asked.rpartition('/')[0]}/")
        title = site.menu("lost")
        sorry = menu_words(site.lang, "sorry")[0]
        part = Part(title, "", f"<h1>{title}</h1>\n<p>{sorry}</p>\n")
        return self._page(site, part, 200 if site.holds_to(50, 7) else 404)

    def _elsewhere(self, host: str, asked: str) -> Answer:
        other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
        if other in self.graph.numbers:
            return _moved(f"http://{other}{asked}")
        return _plain(502, f"there is no host {host} in this web")


def is_bare(site: Site, spot: Spot) -> bool:
    """Tell whether a page has neither menu nor foot: a text that somebody just put there."""
    return site.sections[spot.section].page_key(spot.place) >> 57 == 0 or spot.other == "print"


def _plain(status: int, text: str) -> Answer:
    return Answer(status, (("Content-Type", "text/plain; charset=utf-8"),), text.encode())


def _moved(url: str) -> Answer:
    return Answer(301, (("Location", url), ("Content-Type", "text/html")), b"<h1>Moved</h1>")
