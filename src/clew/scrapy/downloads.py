"""Fetch links through Scrapy: each is handed to it as the spider's request and comes back as a response."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from time import time
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response as ScrapyResponse

from clew.contracts import Parser
from clew.types import Kind, Link, Links, Page, Response

LINK = "clew_link"
"""Key of `request.meta`: the link that the request fetches."""

GIVE_UP = 60.0
"""Seconds after a request has left the downloader in which its response must reach the spider: a middleware
may drop it without telling anybody."""

CUT_FLAGS = frozenset({"dataloss", "partial"})


@dataclass(slots=True, kw_only=True)
class Download:
    """A link that Scrapy has under way; `urls` are those that the spider asked for on its page."""

    link: Link
    response: asyncio.Future[Response]
    started: float
    urls: list[str] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None

    def stop_timer(self) -> None:
        """Wait for the response as long as it takes."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Downloads:
    """The links that Scrapy has under way: a `Fetcher` for the run, and a parser for the links of the spider.

    `hand_out` gives a link to Scrapy. Each ends by one of `deliver`, `fail` or `redirect`. `take` takes a
    request that the spider made of the page of a link, and returns whether it is new.
    """

    def __init__(self) -> None:
        self.hand_out: Callable[[Link], None] | None = None
        self.take: Callable[[Request, object], bool] | None = None
        self.max_bytes = 8_000_000
        self._under_way: dict[int, Download] = {}
        self._asked: dict[int, Sequence[str]] = {}
        self._moved: set[int] = set()
        self._closed = False

    # ---- for the run ---------------------------------------------------------------------------

    async def fetch(self, link: Link) -> Response:
        """Hand a link to Scrapy; return what came back."""
        download = Download(link=link, response=asyncio.get_running_loop().create_future(), started=time())
        self._under_way[link.id] = download
        if self._closed or self.hand_out is None:
            self.fail(link.id, "stopped")
        else:
            self.hand_out(link)
        return await download.response

    async def aclose(self) -> None:
        """Give up what is under way: those links stay open and are fetched by the next run."""
        self._closed = True
        for id in list(self._under_way):
            self.fail(id, "stopped")

    def parser(self, parse: Parser) -> Parser:
        """Return a parser that keeps those links of a page that the spider has asked for."""

        async def parse_for_spider(response: Response) -> Page:
            page, id = await parse(response), response.link.id
            if id in self._moved:
                self._moved.discard(id)
                return page
            asked = self._asked.get(id, ())
            return replace(page, links=asked_links(page.links, asked), redirect="")

        return parse_for_spider

    def asked(self, id: int) -> Sequence[str]:
        """Return, once, what the spider has asked for on the page of a link."""
        return self._asked.pop(id, ())

    # ---- for Scrapy's side ---------------------------------------------------------------------

    def get(self, id: object) -> Download | None:
        """Return the download of a link, if it is under way."""
        return self._under_way.get(id) if isinstance(id, int) else None

    @property
    def count(self) -> int:
        """The number of links under way."""
        return len(self._under_way)

    def left_downloader(self, id: object) -> None:
        """Fail the link if nothing is heard of it for a while."""
        if (download := self.get(id)) is not None:
            download.stop_timer()
            download.timer = asyncio.get_running_loop().call_later(
                GIVE_UP, self.fail, download.link.id, "dropped by a middleware"
            )

    def deliver(self, id: object, response: ScrapyResponse) -> None:
        """Finish a link with the response that the spider has read."""
        if (download := self.get(id)) is not None:
            self._asked[download.link.id] = list(dict.fromkeys(download.urls))
            self._finish(download, _converted(download, response, self.max_bytes))

    def fail(self, id: object, error: str) -> None:
        """Finish a link without a response."""
        if (download := self.get(id)) is not None:
            self._finish(
                download,
                Response(link=download.link, started=download.started, ended=time(), error=error),
            )

    def redirect(self, id: object, target: str) -> None:
        """Finish a link that leads to another URL."""
        if (download := self.get(id)) is not None:
            self._moved.add(download.link.id)
            head = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
            self._finish(
                download,
                Response(
                    link=download.link, started=download.started, ended=time(), status=HTTPStatus.FOUND,
                    head=head,
                ),
            )  # fmt: skip

    def _finish(self, download: Download, response: Response) -> None:
        del self._under_way[download.link.id]
        download.stop_timer()
        if not download.response.done():
            download.response.set_result(response)


def asked_links(links: Links, asked: Sequence[str]) -> Links:
    """Return the links that were asked for, with what the page says about them; others without."""
    wanted = set(asked)
    rows = [row for row, url in enumerate(links.urls) if url in wanted]
    found = links.take(rows)
    if missing := wanted.difference(found.urls):
        found = found.join(Links.plain([url for url in asked if url in missing], Kind.PAGE))
    return replace(found, kinds=[Kind.PAGE] * len(found))


def _converted(download: Download, response: ScrapyResponse, max_bytes: int) -> Response:
    """Return a response of Scrapy, whose body is decoded already, as one of ours."""
    headers = response.headers.copy()
    for name in ("Content-Length", "Content-Encoding", "Transfer-Encoding"):
        headers.pop(name, None)
    body = response.body[:max_bytes]
    headers["Content-Length"] = str(len(body))
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    return Response(
        link=download.link, started=download.started, ended=time(), status=response.status,
        head=f"HTTP/1.1 {response.status} {phrase}\r\n".encode() + headers.to_string() + b"\r\n\r\n",
        body=body, address=str(response.ip_address or ""),
        truncated=len(body) < len(response.body) or not CUT_FLAGS.isdisjoint(response.flags),
    )  # fmt: skip


_by_crawler: "WeakKeyDictionary[Crawler, Downloads]" = WeakKeyDictionary()


def downloads_of(crawler: Crawler) -> Downloads:
    """Return the downloads that scheduler and middlewares of one crawler share."""
    return _by_crawler.setdefault(crawler, Downloads())
