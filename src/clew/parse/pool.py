"""A small pool of parsing processes that may be killed: a page that hangs or crashes one costs itself only.

    pool = ParsePool()
    page = await pool(visit)
    await pool.aclose()

Each worker holds one page and has a second one waiting, so that it need not idle while the main
process is busy. The time of a page runs from the moment the worker was free for it. When a worker
dies, the page it was working on is blamed and the waiting one is given to another.
"""

import asyncio
import os
from collections import deque

from clew import urls
from clew.errors import ClewError
from clew.parse.page_reader import without_body
from clew.parse.worker_handle import Job, WorkerHandle
from clew.types import Page, Response

_MAX_WORKERS = 4
_CORES = os.cpu_count() or 1  # asked once: the answer takes 9 µs, and is wanted several times a page
_HELD = 2  # pages given to one worker: the one it reads and the next
_MAX_PAUSE = 5.0  # seconds before another worker is started when each one dies at once


class ParsePool:
    """Read visits in worker processes.

    `workers` 0 means one for each core, at most four. `timeout` are seconds of work on one page,
    `memory` MiB a worker may use beyond its start, `max_bytes` the decoded size that is read,
    `drop` the query parameters addresses lose, `agent` our name in robots directives; `layout` asks where
    links would stand in a browser, at 80 % more work on a page; `markup` asks for `Page.markup`.
    """

    def __init__(
        self,
        *,
        workers: int = 0,
        timeout: float = 5.0,
        memory: int = 512,
        max_bytes: int = 8_000_000,
        drop: tuple[str, ...] = urls.TRACKING + urls.SESSIONS,
        agent: str = "clew",
        layout: bool = True,
        markup: bool = False,
    ) -> None:
        self.workers = workers
        self.timeout = timeout
        self.memory = memory
        self.max_bytes = max_bytes
        self.drop = drop
        self.agent = agent
        self.layout = layout
        self.markup = markup
        self._canon: urls.Canon | None = None
        self._hands: list[WorkerHandle] = []
        self._waiting: deque[Job] = deque()
        self._deaths = 0  # since a page was last read
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def __call__(self, visit: Response) -> Page:
        """Read one visit; never raises for what the web sent."""
        if self._closed:
            msg = "this parse pool was closed; make a new ParsePool"
            raise ClewError(msg)
        if self._canon is None:
            self._canon = urls.Canon(self.drop)
        redirects = 300 <= visit.status < 400  # noqa: PLR2004
        if (
            redirects or not visit.body or b"text/html" not in visit.head
        ):  # most pages skip a look at the headers
            page = without_body(visit, canon=self._canon, agent=self.agent)
            if page is not None:
                return page
        job = Job(visit, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._give_out()
        return await job.page

    async def aclose(self) -> None:
        """Kill the workers; pages still under way are cancelled."""
        self._closed = True
        if self._timer:
            self._timer.cancel()
        hands, self._hands = self._hands, []
        jobs = [*self._waiting, *(job for hand in hands for job in hand.jobs)]
        self._waiting.clear()
        for hand in hands:
            hand.close()
        for job in jobs:
            job.page.cancel()

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that live."""
        return [hand.process.pid for hand in self._hands]

    def _give_out(self) -> None:
        """Give waiting pages to workers, the least busy first; start workers as they are needed."""
        while self._waiting:
            if self._waiting[0].page.done():  # cancelled meanwhile
                self._waiting.popleft()
                continue
            hand = min(self._hands, key=lambda hand: len(hand.jobs), default=None)
            if (hand is None or hand.jobs) and len(self._hands) < self._wanted():
                if self._timer is not None:
                    if hand is None:
                        return
                elif self._pause():
                    self._timer = asyncio.get_running_loop().call_later(self._pause(), self._resume)
                    continue
                else:
                    hand = self._start()
            if hand is None or len(hand.jobs) >= _HELD:
                return
            hand.take(self._waiting.popleft())

    def _wanted(self) -> int:
        return self.workers or min(_CORES, _MAX_WORKERS)

    def _pause(self) -> float:
        """Return how long to wait before a start: the more workers died in a row, the longer."""
        return 0.0 if self._deaths <= self._wanted() else min(_MAX_PAUSE, 0.05 * 2 ** min(10, self._deaths))

    def _resume(self) -> None:
        self._timer = None
        if self._waiting and not self._closed:
            self._start()
            self._give_out()

    def _start(self) -> WorkerHandle:
        settings = (
            self.memory, self.timeout, self.max_bytes, tuple(self.drop), self.agent, self.layout, self.markup,
        )  # fmt: skip
        hand = WorkerHandle(settings=settings, timeout=self.timeout, done=self._done, lost=self._lost)
        hand.start(asyncio.get_running_loop())
        self._hands.append(hand)
        return hand

    def _done(self) -> None:
        self._deaths = 0
        self._give_out()

    def _lost(self, hand: WorkerHandle, reason: str, *, ready: bool) -> None:
        """Take up the pages of a worker that is gone."""
        self._hands.remove(hand)
        self._deaths += 1
        jobs = list(hand.jobs)
        if not ready:
            # It never came up: no page is to blame, and another start will hardly fare better.
            if self._deaths >= 2 * self._wanted():
                self._fail(jobs, reason)
                return
            self._waiting.extendleft(reversed(jobs))
        else:
            if jobs and reason:
                blamed = jobs.pop(0)
                visit = blamed.visit
                error = f"{visit.error}; {reason}" if visit.error else reason
                if not blamed.page.done():
                    blamed.page.set_result(Page(response=visit, truncated=visit.truncated, error=error))
            self._waiting.extendleft(reversed(jobs))
        self._give_out()

    def _fail(self, jobs: list[Job], reason: str) -> None:
        msg = f"parsing processes do not start ({reason}); reinstall clew, or raise parse.memory"
        for job in (*jobs, *self._waiting):
            if not job.page.done():
                job.page.set_exception(ClewError(msg))
        self._waiting.clear()
        self._deaths = 0
