"""The synthetic web: a response for every URL, generated from seed, size and URL alone."""

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from clew.errors import ConfigError
from clew.lab.synthetic import files
from clew.lab.synthetic.graph import LinkGraph
from clew.lab.synthetic.hosts import WebPlan
from clew.lab.synthetic.listings import feed, robots, sitemap
from clew.lab.synthetic.page_frame import PageFrame, make_frame
from clew.lab.synthetic.pages import PageBody, write
from clew.lab.synthetic.records import SyntheticRecord
from clew.lab.synthetic.site import Site, menu_words
from clew.lab.synthetic.tasks import SyntheticTask, example_rows, examples, make_task, seeds
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path, resolve

SMALLEST = 500
"""The smallest number of pages: below it there are too few hosts."""

LARGEST = 50_000_000


class SyntheticResponse(NamedTuple):
    """The response of a server: status, headers and body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Web:
    """A web of about `size` pages on count hosts. The same seed, size and URL give the same bytes.

    >>> web = Web(2_000, seed=7)
    >>> web.respond(web.home_urls()[0]).status
    200
    """

    def __init__(self, size: int = 20_000, seed: int = 1) -> None:
        self.size = size
        self.seed = seed

    @cached_property
    def plan(self) -> WebPlan:
        """The columns of hosts and sections."""
        if not SMALLEST <= self.size <= LARGEST:
            msg = f"a synthetic web cannot have {self.size} pages; choose {SMALLEST} to {LARGEST:,}"
            raise ConfigError(msg)
        return WebPlan(self.size, self.seed)

    @cached_property
    def graph(self) -> LinkGraph:
        """The link graph."""
        return LinkGraph(self.plan)

    @cached_property
    def _frame(self) -> Callable[[Site], PageFrame]:
        return lru_cache(maxsize=4_000)(partial(make_frame, self.graph))

    def encoding(self, site: Site) -> str:
        """Return the character encoding of a host's pages."""
        return self._frame(site).encoding

    @property
    def pages(self) -> int:
        """The exact number of pages; files, print versions and other orders are not counted."""
        return self.plan.pages

    def home_urls(self) -> list[str]:
        """Return the URLs of all home pages."""
        return [f"http://{name}/" for name in self.graph.names]

    def task(self, topic: str, lang: str = "en") -> SyntheticTask:
        """Return the task of finding pages on a topic, with the words a person would type."""
        return make_task(topic, lang)

    def seeds(self, topic: str, count: int = 5, lang: str = "en") -> list[str]:
        """Return seed URLs: general portals and hub pages, none of them on the topic."""
        return seeds(self.graph, make_task(topic, lang), count)

    def examples(self, topic: str, count: int = 5, lang: str = "en") -> tuple[list[str], list[str]]:
        """Return URLs of relevant and of irrelevant example pages."""
        return examples(self.graph, make_task(topic, lang), count)

    def example_rows(self, topic: str, count: int = 5, lang: str = "en") -> list[SyntheticRecord]:
        """Return records on a topic that a person might know; none where no host lists such records."""
        return example_rows(self.graph, make_task(topic, lang), count)

    def site(self, host: str) -> Site | None:
        """Return the host of this name."""
        number = self.graph.numbers.get(host)
        return None if number is None else self.graph.site(number)

    def locate(self, url: str) -> tuple[Site, UrlTarget] | None:
        """Return host and page of a URL, None where there is no page."""
        scheme, _, rest = url.partition("://")
        host, slash, url_path = rest.partition("/")
        site = self.site(host) if scheme == "http" else None
        target = resolve(site, f"/{url_path}") if site and (slash or not url_path) else None
        return (site, target) if site and target else None

    def respond(self, url: str) -> SyntheticResponse:
        """Return the response to a request for a URL."""
        scheme, _, rest = url.partition("://")
        host, _, url_path = rest.partition("/")
        url_path = f"/{url_path}"
        site = self.site(host)
        if scheme != "http" or site is None:
            return self._unknown_host(host, url_path)
        if site.is_closed and url_path != "/robots.txt":
            return _plain(403, "Forbidden")
        target = resolve(site, url_path)
        if target is None:
            return self._not_found(site, url_path)
        kind = target.kind
        if kind == PageKind.FILE:
            return SyntheticResponse(
                200, (("Content-Type", files.TYPES[target.variant]),), files.body(site, target)
            )
        if kind >= PageKind.ROBOTS:
            return self._listing(site, kind)
        return self._page(
            site, write(self.graph, site, target), bare=kind == PageKind.CONTENT and is_bare(site, target)
        )

    def _page(
        self, site: Site, page: PageBody, status: int = 200, *, bare: bool = False
    ) -> SyntheticResponse:
        frame = self._frame(site)
        one, two, three, four, five = frame.pieces
        if bare:
            html = f"<html><head><title>{page.title}</title></head><body>{page.main}</body></html>\n"
        else:
            html = f"{one}{page.title}{two}{page.breadcrumbs}{three}{page.main}{four}{page.sidebar}{five}"
        body = html.encode(frame.encoding, "xmlcharrefreplace")
        return SyntheticResponse(status, (("Content-Type", frame.content_type),), body)

    def _listing(self, site: Site, kind: PageKind) -> SyntheticResponse:
        if kind == PageKind.ROBOTS:
            rules = robots(site)
            return _plain(200, rules) if rules is not None else _plain(404, "Not Found")
        xml = sitemap(site) if kind == PageKind.SITEMAP else feed(site)
        if xml is None:
            return self._not_found(site, path(site, UrlTarget(kind)))
        mime = "application/xml" if kind == PageKind.SITEMAP else "application/rss+xml"
        return SyntheticResponse(200, (("Content-Type", f"{mime}; charset=utf-8"),), xml.encode())

    def _not_found(self, site: Site, url_path: str) -> SyntheticResponse:
        """Respond for a page that does not exist: redirect to its other spelling or new URL, or an error."""
        if resolve(site, f"{url_path}/"):
            return _redirect(f"http://{site.name}{url_path}/")
        if url_path.startswith("/old/"):
            number = url_path[5:].removesuffix(".html")
            if number.isdigit() and int(number) < site.count:
                section = next(s for s in reversed(site.sections) if s.start <= int(number))
                target = UrlTarget(PageKind.CONTENT, section.number, int(number) - section.start)
                return _redirect(f"http://{site.name}{path(site, target)}")
        if url_path.endswith(("/index.html", "/index.htm")) and resolve(
            site, url_path.rpartition("/")[0] + "/"
        ):
            return _redirect(f"http://{site.name}{url_path.rpartition('/')[0]}/")
        title = site.menu("lost")
        sorry = menu_words(site.lang, "sorry")[0]
        body = PageBody(title, "", f"<h1>{title}</h1>\n<p>{sorry}</p>\n")
        return self._page(site, body, 200 if site.has_trait(50, 7) else 404)

    def _unknown_host(self, host: str, url_path: str) -> SyntheticResponse:
        other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
        if other in self.graph.numbers:
            return _redirect(f"http://{other}{url_path}")
        return _plain(502, f"there is no host {host} in this web")


def is_bare(site: Site, target: UrlTarget) -> bool:
    """Tell whether a page has no frame: a text without menu and footer."""
    return site.sections[target.section].page_key(target.position) >> 57 == 0 or target.variant == "print"


def _plain(status: int, text: str) -> SyntheticResponse:
    return SyntheticResponse(status, (("Content-Type", "text/plain; charset=utf-8"),), text.encode())


def _redirect(url: str) -> SyntheticResponse:
    return SyntheticResponse(301, (("Location", url), ("Content-Type", "text/html")), b"<h1>Moved</h1>")
