"""A fetcher and a parser that serve pages from a world: what a live crawl would see, and nothing more.

Pages come as the product's own objects, made for each fetch. No link, page or verdict leads back to the
world, so a ranker or a judge can learn of a page only by having its link taken.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import thread_time

import numpy as np
import xxhash

from clew import urls
from clew.lab.page_store import Recorded, other_scheme
from clew.lab.world import World
from clew.parse import ipc, read
from clew.parse.page_reader import markup_of
from clew.types import Kind, Link, Page, Response

NOT_HERE = (
    b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n",
    b"<html><title>Not Found</title><p>not in this world</p></html>",
)

_TIMEOUT = 30.0  # seconds that a time-out takes, as in a crawl
_MAX_BYTES = 8_000_000
_UNIT = 2.0**-64


@dataclass(frozen=True, slots=True)
class NetworkModel:
    """How the network behaves: the same for the same URL and attempt.

    `latency` are seconds an answer takes on average; a host has its own latency, between a fifth and five
    times that. `failures` is the share of requests that fail, half of them by time-out, half with status 503.
    """

    latency: float = 0.0
    failures: float = 0.0

    def seconds(self, link: Link) -> float:
        """Return how long the host of a link takes to answer."""
        return self.latency * min(5.0, max(0.2, -math.log1p(-_uniform(f"pace {link.origin}"))))

    def failure(self, link: Link) -> str:
        """Return the failure of this attempt: empty, `timeout` or `busy`."""
        if not self.failures:
            return ""
        number = _uniform(f"{link.tries} {link.url}")
        return "" if number >= self.failures else "timeout" if number < self.failures / 2 else "busy"


def _uniform(text: str) -> float:
    return xxhash.xxh3_64_intdigest(text.encode()) * _UNIT


@dataclass(slots=True, kw_only=True)
class Replay:
    """Fetch from a world, and parse what was fetched. `wall` returns the time of responses.

    `dead_ends` shows links that lead out of the archive; they answer 404. Without them a page shows only the
    links whose targets were recorded, whatever their status: where the others led is unknown.
    `markup` gives every page its clean markup, for extractors that read it.
    `seconds` are the CPU seconds of this thread when each page was asked for, by link id.
    """

    world: World
    wall: Callable[[], float]
    network: NetworkModel = field(default_factory=NetworkModel)
    dead_ends: bool = False
    markup: bool = False
    requested: list[str] = field(default_factory=list)
    rows: dict[int, int] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    _begun: float = field(default_factory=thread_time)
    _canon: urls.Canon = field(default_factory=urls.Canon)
    _waiting: dict[int, tuple[int, Recorded]] = field(default_factory=dict)

    async def fetch(self, link: Link) -> Response:
        """Return the recorded response; a URL that is not in the world gives 404."""
        self.requested.append(link.url)
        self.seconds[link.id] = thread_time() - self._begun
        started, failure = self.wall(), self.network.failure(link)
        wait = (
            _TIMEOUT if failure == "timeout" else self.network.seconds(link) if self.network.latency else 0.0
        )
        if wait:
            await asyncio.sleep(wait)
        if failure == "timeout":
            return Response(link=link, started=started, ended=self.wall(), error="timeout")
        if failure:
            busy = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"
            return Response(link=link, started=started, ended=self.wall(), status=503, head=busy)
        status, head, body, cut = self._respond(link)
        return Response(
            link=link, started=started, ended=self.wall(), status=status, head=head, body=body, truncated=cut
        )

    def _respond(self, link: Link) -> tuple[int, bytes, bytes, bool]:
        pages = self.world.pages
        row = pages.find(link.url)
        if row < 0:
            alternative = pages.find(other_scheme(link.url))
            if alternative < 0:
                return 404, *NOT_HERE, False
            target = pages.url(alternative)
            return 301, f"HTTP/1.1 301 Moved Permanently\r\nLocation: {target}\r\n\r\n".encode(), b"", False
        recorded = self.world.recorded(row)
        self.rows[link.id] = row
        if link.kind is Kind.PAGE and pages.url(row) == link.url:
            self._waiting[link.id] = row, recorded
        return recorded.status, recorded.head, recorded.body, recorded.cut

    async def parse(self, response: Response) -> Page:
        """Return the page that was parsed when the world was opened; parse other spellings and kinds now."""
        row, recorded = self._waiting.pop(response.link.id, (-1, None))
        if recorded is None:
            page = read(response, canon=self._canon, max_bytes=_MAX_BYTES)
        else:
            page = ipc.page_of(recorded.page, response)
        if self.markup and not page.redirect:
            page = replace(page, markup=markup_of(response, canon=self._canon, max_bytes=_MAX_BYTES))
        store = self.world.page_store
        if self.dead_ends or store is None or not len(page.links):
            return page
        targets = store.rows(page.links) if row < 0 else store.ways[store.starts[row] : store.starts[row + 1]]
        inside = np.flatnonzero(targets >= 0)
        return page if len(inside) == len(targets) else replace(page, links=page.links.take(inside.tolist()))

    async def aclose(self) -> None:
        """Do nothing: the world stays open for the next trial."""
