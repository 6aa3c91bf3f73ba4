"""Ask a few addresses before a crawl: rules first, at most one request a second to a host, hosts at once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from clew import registry, urls
from clew.config import Config
from clew.config.contact import user_agent
from clew.contracts import Fetcher, Parser
from clew.frontier import Robots
from clew.parse import ParsePool
from clew.types import Kind, Link, Page
from clew.version import __version__

PAUSE = 1.0
"""Seconds between two requests to one host, at least, whatever `fetch.delay` says."""

MAX_HOPS = 5
"""Redirects followed one after another; for a robots.txt this is what RFC 9309 asks."""

NO_TIME = "not asked: the time was up"


@dataclass(slots=True, kw_only=True)
class Probe:
    """The house's own fetcher, parser and robots rules, in the hands of somebody who only looks.

    `until` is the end of its time on the event loop's clock. `troubles` says of each origin that was
    asked why its robots.txt could not be read, empty when it could; `sitemaps` what that file names.
    """

    config: Config
    fetcher: Fetcher
    parse: Parser
    robots: Robots
    until: float
    troubles: dict[str, str] = field(default_factory=dict)
    sitemaps: dict[str, list[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _ended: dict[str, float] = field(default_factory=dict)
    _reading: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def bring(self, url: str, kind: Kind = Kind.PAGE) -> Page | None:
        """Fetch and read an address when its host may be asked; `None` when the time is up before that."""
        origin = urls.origin(url)
        clock, loop = urls.clock_key(origin), asyncio.get_running_loop()
        async with self._turns.setdefault(clock, asyncio.Lock()):
            start = max(loop.time(), self._ended.get(clock, 0.0) + self.pause(origin))
            if start >= self.until:
                return None
            await asyncio.sleep(start - loop.time())
            try:
                async with asyncio.timeout_at(self.until):
                    visit = await self.fetcher.fetch(Link(id=0, url=url, origin=origin, kind=kind))
                    self.seconds.append(visit.ended - visit.started)
                    return await self.parse(visit)
            except TimeoutError:
                return None
            finally:
                self._ended[clock] = loop.time()

    def pause(self, origin: str) -> float:
        """Return the seconds between two requests to an origin."""
        return max(PAUSE, self.config.fetch.delay, self.robots.delay(origin) or 0.0)

    async def rules(self, origin: str) -> str:
        """Read the robots.txt of an origin once; return why it could not be read, or an empty string."""
        async with self._reading.setdefault(origin, asyncio.Lock()):
            if origin not in self.troubles:
                self.troubles[origin] = await self._ask_rules(origin)
            return self.troubles[origin]

    async def _ask_rules(self, origin: str) -> str:
        target = f"{origin}/robots.txt"
        for _ in range(MAX_HOPS + 1):
            page = await self.bring(target, Kind.ROBOTS)
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

    def recall(self, origin: str, status: int, text: str, at: float, sitemaps: list[str]) -> None:
        """Take rules that a crawl has kept, unless they are too old to be used."""
        self.robots.learn(origin, status, "", text, at)
        if 200 <= status < 500 and self.robots.is_fresh(origin, time.time()):  # noqa: PLR2004
            self.troubles[origin] = ""
            self.sitemaps[origin] = sitemaps


@asynccontextmanager
async def scouting(config: Config, *, seconds: float, patience: float) -> AsyncIterator[Probe]:
    """Send somebody out for at most so many seconds in all, and `patience` for one answer."""
    async with AsyncExitStack() as doors:
        fetch = config.fetch
        fetcher = registry.make(
            "fetcher", "curl", agent=user_agent(fetch.agent, __version__, config.crawl.contact),
            timeout=min(patience, fetch.timeout), max_bytes=fetch.max_bytes, proxy=fetch.proxy,
            allow=tuple(fetch.networks()), concurrency=fetch.concurrency,
        )  # fmt: skip
        doors.push_async_callback(fetcher.aclose)
        parse = ParsePool(
            workers=1, timeout=config.parse.timeout, memory=config.parse.memory, max_bytes=fetch.max_bytes,
            drop=tuple(config.scope.drop_params), agent=fetch.agent,
        )  # fmt: skip
        doors.push_async_callback(parse.aclose)
        yield Probe(
            config=config, fetcher=fetcher, parse=parse, robots=Robots(agent=fetch.agent),
            until=asyncio.get_running_loop().time() + seconds,
        )  # fmt: skip
