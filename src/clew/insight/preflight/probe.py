"""Fetch a few URLs before a crawl: robots.txt first, one request per second and host, hosts in parallel."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clew import registry, urls
from clew.config import Config
from clew.config.contact import user_agent
from clew.contracts import Fetcher, Parser
from clew.domain.installation import __version__
from clew.fetch.credentials import read_credentials
from clew.frontier import Robots
from clew.parse import ParsePool
from clew.types import Kind, Link, Page

PAUSE = 1.0
"""Seconds between two requests to one host, at least, whatever `fetch.delay` says."""

MAX_HOPS = 5
"""Redirects followed one after another; for a robots.txt this is what RFC 9309 asks."""

NO_TIME = "not checked: out of time"


@dataclass(slots=True, kw_only=True)
class Probe:
    """Fetch single URLs with the crawl's own fetcher, parser and robots.txt rules, without storing anything.

    `until` is the deadline on the event loop's clock. `robots_errors` maps each checked origin to the reason
    why its robots.txt could not be read, empty if it could; `sitemaps` to the sitemaps named there.
    """

    config: Config
    fetcher: Fetcher
    parse: Parser
    robots: Robots
    until: float
    robots_errors: dict[str, str] = field(default_factory=dict)
    sitemaps: dict[str, list[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    _host_locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _last_request: dict[str, float] = field(default_factory=dict)
    _robots_locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def fetch(self, url: str, kind: Kind = Kind.PAGE) -> Page | None:
        """Fetch and parse a URL after the delay of its host; return `None` if the deadline comes first."""
        origin = urls.origin(url)
        clock, loop = urls.clock_key(origin), asyncio.get_running_loop()
        async with self._host_locks.setdefault(clock, asyncio.Lock()):
            start = max(loop.time(), self._last_request.get(clock, 0.0) + self.pause(origin))
            if start >= self.until:
                return None
            await asyncio.sleep(start - loop.time())
            try:
                async with asyncio.timeout_at(self.until):
                    response = await self.fetcher.fetch(Link(id=0, url=url, origin=origin, kind=kind))
                    self.seconds.append(response.ended - response.started)
                    return await self.parse(response)
            except TimeoutError:
                return None
            finally:
                self._last_request[clock] = loop.time()

    def pause(self, origin: str) -> float:
        """Return the seconds between two requests to an origin."""
        return max(PAUSE, self.config.fetch.delay, self.robots.delay(origin) or 0.0)

    async def read_robots(self, origin: str) -> str:
        """Read the robots.txt of an origin once; return why it could not be read, or an empty string."""
        async with self._robots_locks.setdefault(origin, asyncio.Lock()):
            if origin not in self.robots_errors:
                self.robots_errors[origin] = await self._fetch_robots(origin)
            return self.robots_errors[origin]

    async def _fetch_robots(self, origin: str) -> str:
        target = f"{origin}/robots.txt"
        for _ in range(MAX_HOPS + 1):
            page = await self.fetch(target, Kind.ROBOTS)
            if page is None:
                return NO_TIME
            if page.redirect:
                target = page.redirect
                continue
            self.robots.learn(origin, page.response.status, page.error, page.text, time.time())
            self.sitemaps[origin] = list(page.links.urls) if page.response.status < 300 else []  # noqa: PLR2004
            if self.robots.unreachable(origin):
                return page.error or f"status {page.response.status}"
            return ""
        self.robots.learn(origin, 404, "", "", time.time())  # RFC 9309, 2.3.1.2: no rules at all
        return ""

    def restore_robots(self, origin: str, status: int, text: str, at: float, sitemaps: list[str]) -> None:
        """Use a robots.txt that the crawl has stored, unless it is too old."""
        self.robots.learn(origin, status, "", text, at)
        if 200 <= status < 500 and self.robots.is_fresh(origin, time.time()):  # noqa: PLR2004
            self.robots_errors[origin] = ""
            self.sitemaps[origin] = sitemaps


@asynccontextmanager
async def open_probe(
    config: Config, *, seconds: float, patience: float, folder: Path | None = None
) -> AsyncIterator[Probe]:
    """Open a probe for at most `seconds` in all, and `patience` seconds per response."""
    async with AsyncExitStack() as stack:
        fetch = config.fetch
        fetcher = registry.make(
            "fetcher", "curl", agent=user_agent(fetch.agent, __version__, config.crawl.contact),
            timeout=min(patience, fetch.timeout), max_bytes=fetch.max_bytes, proxy=fetch.proxy,
            allow=tuple(fetch.networks()), concurrency=fetch.concurrency,
            credentials=read_credentials(fetch.headers, fetch.cookies, folder or Path()),
        )  # fmt: skip
        stack.push_async_callback(fetcher.aclose)
        parse = ParsePool(
            workers=1, timeout=config.parse.timeout, memory=config.parse.memory, max_bytes=fetch.max_bytes,
            drop=tuple(config.scope.drop_params), agent=fetch.agent,
        )  # fmt: skip
        stack.push_async_callback(parse.aclose)
        yield Probe(
            config=config, fetcher=fetcher, parse=parse, robots=Robots(agent=fetch.agent),
            until=asyncio.get_running_loop().time() + seconds,
        )  # fmt: skip
