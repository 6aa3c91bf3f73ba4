"""The loop of a crawl: fetch, parse, process, commit, until the budget is spent or nothing is left.

links ──▶ fetch ──▶ parse ──▶ engine (judge, extract, rank, frontier) ──▶ commit ──▶ results
  ▲                                          │
  └──────────────────────────────────────────┘   the cycle closes through the frontier
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from math import inf

from clew.contracts import Fetcher, LinkSource, Parser, Service
from clew.engine.budget import Budget
from clew.engine.engine import Engine
from clew.engine.events import Events, Listener
from clew.engine.streams import amap, gathered
from clew.types import Link, Page, PageResult

COMMIT_SECONDS = 0.25
"""Results are committed in groups this long: a tenth of the two seconds after which nothing may be lost."""

COMMIT_RESULTS = 256

IDLE = 15.0
"""Seconds without anything to fetch after which a policy that has suspended hosts is asked again."""

SUSPECTS_LEFT = (
    "to places that look generated were not followed; to read them: again, with --set scope.suspect_pages=0"
)

PAUSE = 1.0
"""Seconds without anything to fetch in which links to suspect places are fetched: hosts that rest for longer
than the usual delay are no reason to let all others wait."""

OUTAGE = 20
"""Requests in a row that do not even reach the proxy before a run ends: the web is not to blame."""


@dataclass(slots=True, kw_only=True)
class CrawlRun:
    """One run of the loop: engine, fetcher, parser, services and budget.

    With a budget of pages, `focus` requests are in flight in any case, and more only for links that are worth
    it beside those that come soon; 0 for as many as `concurrency` says. `events` carries notices to whoever
    listens; `ended` says why the run is over, and is empty while it runs.
    """

    engine: Engine
    fetcher: Fetcher
    parse: Parser
    concurrency: int = 64
    focus: int = 0
    budget: Budget = field(default_factory=Budget)
    events: Events = field(default_factory=Events)
    services: Sequence[Service] = ()
    ended: str = ""
    paused: bool = False
    unreached: int = 0
    sources: tuple[LinkSource, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.sources = tuple(service for service in self.services if isinstance(service, LinkSource))

    @property
    def stopping(self) -> bool:
        """Whether the run was asked to end."""
        return self.events.stopping

    @property
    def finished(self) -> bool:
        """Whether the run came to its end: the budget is spent, or nothing is left to fetch."""
        return bool(self.ended) and not self.stopping

    @property
    def is_refresh(self) -> bool:
        """Whether known pages are visited again."""
        return self.engine.choice.revisits.store is not None

    def stop(self) -> None:
        """End the stream of links; fetches under way are finished first."""
        self.events.stop()

    def pause(self, paused: bool = True) -> None:
        """Take no more links until told to go on; fetches under way are finished and stored."""
        self.paused = paused
        self.events.wake()

    def notify(self, text: str, **facts: object) -> None:
        """Tell the user something; `facts` say the same to a program."""
        self.events.notify(text, **facts)

    def subscribe(self, listener: Listener) -> None:
        """Deliver notices to a listener, first those that came before it."""
        for text in self.events.backlog():
            listener(text)
        self.events.subscribe(listener)

    async def results(self) -> AsyncGenerator[PageResult, None]:
        """Run the loop; yield the result of each page once it is committed."""
        pages = amap(self._fetch, self._links(), self.concurrency)
        async with (
            aclosing(pages),
            aclosing(gathered(self._processed(pages), COMMIT_SECONDS, COMMIT_RESULTS)) as groups,
        ):
            async for group in groups:
                await self.engine.commit()
                for result in group:
                    yield result
        await self.engine.commit()

    async def _links(self) -> AsyncGenerator[Link, None]:
        """Yield the best link whenever one may be fetched, until there is nothing left to do."""
        engine, frontier, clock = self.engine, self.engine.frontier, self.engine.clock.monotonic
        started, focus = clock(), self.focus if self.budget.pages or engine.scoring.host_policy else 0
        while not self.stopping:
            if ended := self.budget.over(engine.totals, clock() - started):
                self.ended = ended
                return
            self.events.changed.clear()
            if self.paused:
                await self._wait(None)
                continue
            room = self.budget.room(engine.totals, frontier.in_flight)
            if room and self._sources_hold():
                await self._wait(None)
                continue
            if room and (link := engine.next_link(focus)):
                yield link
                continue
            ready_at = frontier.next_ready_at(clock(), waiting=room and engine.choice.held)
            if not frontier.in_flight and self._reopens(ready_at):
                continue
            if ready_at in (None, inf) and not frontier.in_flight:
                if not any(source.may_add_links() for source in self.sources):
                    self._end_exhausted()
                    return
                ready_at = None
            await self._wait(ready_at)
        self.ended = self.ended or self.events.ending or "stopped"

    def _sources_hold(self) -> bool:
        """Let sources work before a link is taken; return whether one of them has better links under way."""
        for source in self.sources:
            source.before_fetch()
        return any(source.must_wait() for source in self.sources)

    def _end_exhausted(self) -> None:
        """End the run because nothing is left; say what was not read because it looks generated."""
        self.ended = "nothing is left to fetch"
        if left := self.engine.refuse_suspects():
            self.notify(f"{left:,} links {SUSPECTS_LEFT}", suspect_links=left)

    def _reopens(self, ready_at: float | None) -> bool:
        """Return whether links were reopened because there is nothing to fetch, or not for a while."""
        engine = self.engine
        if ready_at in (None, inf):
            return engine.robots_gate.give_up() or engine.release_suspects(others=False)
        idle = ready_at - engine.clock.monotonic()
        if idle > IDLE:
            return engine.release_suspects(others=True)
        suspects, free = engine.rules.suspects, not (self.budget.pages or self.budget.requests)
        return idle > PAUSE and suspects.release_round(others=True, free=free)

    async def _wait(self, ready_at: float | None) -> None:
        """Sleep until something has changed or a host is ready, but never longer than a second."""
        now = self.engine.clock.monotonic()
        seconds = 1.0 if ready_at is None else min(1.0, max(0.001, ready_at - now))
        timer = asyncio.get_running_loop().call_later(seconds, self.events.wake)
        await self.events.changed.wait()
        timer.cancel()

    async def _fetch(self, link: Link) -> Page:
        return await self.parse(await self.fetcher.fetch(link))

    async def _processed(self, pages: AsyncGenerator[Page, None]) -> AsyncGenerator[PageResult, None]:
        async for page in pages:
            self._check_proxy(page)
            result = self.engine.process_page(page)
            for service in self.services:
                service.on_result(result)
            yield result
            self.events.wake()

    def _check_proxy(self, page: Page) -> None:
        """End the run when the proxy is gone: going on would only spoil links."""
        gone = page.response.error.startswith("proxy out of reach")
        self.unreached = self.unreached + 1 if gone else 0
        if self.unreached >= OUTAGE and not self.stopping:
            self.ended = page.response.error
            self.stop()
