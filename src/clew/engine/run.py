"""The loop: one walk round the house for every page.

links ──▶ fetch ──▶ parse ──▶ the mind (judge, extract, rank, frontier) ──▶ commit ──▶ steps
  ▲                                          │
  └──────────────────────────────────────────┘   the ring closes through the frontier
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from math import inf

from clew.contracts import Fetcher, LinkSource, Parser
from clew.engine.budget import Budget
from clew.engine.engine import Engine
from clew.engine.streams import amap, gathered
from clew.types import Link, Page, PageResult

COMMIT_SECONDS = 0.25
"""Steps are committed in groups this long: a tenth of the two seconds after which nothing may be lost."""

COMMIT_STEPS = 256

IDLE = 15.0
"""Seconds without anything to fetch after which a policy that has left hosts alone is asked again."""

OUTAGE = 20
"""Requests in a row that do not even reach the proxy before a run ends: the web is not to blame."""


@dataclass(slots=True, kw_only=True)
class CrawlRun:
    """A run of the loop: its parts, its budget, and the bell that ends it.

    `notes` is what a person should know before it begins, `tell` hears what comes up while it runs; `ended`
    says in words why the run is over, and is empty while it runs. `searching` looks for seeds, if it may.
    """

    engine: Engine
    fetcher: Fetcher
    parse: Parser
    concurrency: int = 64
    budget: Budget = field(default_factory=Budget)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    notes: list[str] = field(default_factory=list)
    ended: str = ""
    stopping: bool = False
    paused: bool = False
    unreached: int = 0
    searching: LinkSource | None = None
    tell: Callable[..., None] | None = None

    def stop(self) -> None:
        """Let the stream of links end; what is under way comes home first."""
        self.stopping = True
        self.changed.set()

    def pause(self, paused: bool = True) -> None:
        """Take no more links until told to go on; what is under way comes home and is kept."""
        self.paused = paused
        self.changed.set()

    def notify(self, text: str, **facts: object) -> None:
        """Let a person know: now, or when the run begins; `facts` say the same to a program."""
        if self.tell is None:
            self.notes.append(text)
        else:
            self.tell(text, **facts)

    async def results(self) -> AsyncGenerator[PageResult, None]:
        """Walk round the house; yield what each walk brought home, once it is safe on disk."""
        pages = amap(self._bring, self._links(), self.concurrency)
        async with (
            aclosing(pages),
            aclosing(gathered(self._walked(pages), COMMIT_SECONDS, COMMIT_STEPS)) as groups,
        ):
            async for group in groups:
                await self.engine.commit()
                for step in group:
                    yield step
        await self.engine.commit()

    async def _links(self) -> AsyncGenerator[Link, None]:
        """Yield the best link whenever one may be fetched, until there is nothing left to do."""
        mind, frontier, started = self.engine, self.engine.frontier, self.engine.clock()
        while not self.stopping:
            if ended := self.budget.over(mind.pages, mind.clock() - started):
                self.ended = ended
                return
            self.changed.clear()
            if self.paused:
                await self._wait(None)
                continue
            room = self.budget.room(mind.pages, frontier.in_flight)
            if room and self.searching:
                self.searching.before_fetch()
            if room and (link := mind.next_link()):
                yield link
                continue
            wake = frontier.next_ready_at(mind.clock())
            if not frontier.in_flight and self._opens(wake):
                continue
            if wake in (None, inf) and not frontier.in_flight:
                if not (self.searching and self.searching.may_add_links()):
                    self.ended = "nothing is left to fetch"
                    return
                wake = None
            await self._wait(wake)
        self.ended = self.ended or "stopped"

    def _opens(self, wake: float | None) -> bool:
        """Say whether somebody opens links when there is nothing to fetch, or not for a while."""
        if wake in (None, inf):
            return self.engine.robots_gate.give_up() or self.engine.retry_trapped()
        return wake > self.engine.clock() + IDLE and self.engine.scoring.run_dry()

    async def _wait(self, wake: float | None) -> None:
        """Sleep until something came home, or a host is ready, but never longer than a second."""
        seconds = 1.0 if wake is None else min(1.0, max(0.001, wake - self.engine.clock()))
        timer = asyncio.get_running_loop().call_later(seconds, self.changed.set)
        await self.changed.wait()
        timer.cancel()

    async def _bring(self, link: Link) -> Page:
        return await self.parse(await self.fetcher.fetch(link))

    async def _walked(self, pages: AsyncGenerator[Page, None]) -> AsyncGenerator[PageResult, None]:
        async for page in pages:
            self._watch(page)
            step = self.engine.process_page(page)
            if self.searching:
                self.searching.on_result(step)
            yield step
            self.changed.set()

    def _watch(self, page: Page) -> None:
        """End the run when the proxy is gone: going on would only spoil links."""
        gone = page.response.error.startswith("proxy out of reach")
        self.unreached = self.unreached + 1 if gone else 0
        if self.unreached >= OUTAGE and not self.stopping:
            self.ended = page.response.error
            self.stop()
