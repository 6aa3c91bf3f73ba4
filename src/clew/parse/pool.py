"""A small pool of parsing processes that may be killed: a page that hangs or crashes one affects no other.

    pool = ParsePool()
    page = await pool(response)
    await pool.aclose()

Each worker has one page and a second one waiting, so that it is not idle while the main process is
busy. The time of a page starts when the worker is free for it. When a worker dies, the page it was
working on fails and the waiting one is given to another worker.
"""

import asyncio
import os
from collections import deque
from dataclasses import astuple, replace

from clew import urls
from clew.errors import ClewError
from clew.parse.fork_server import ForkServer
from clew.parse.options import DEFAULT_OPTIONS, ParseOptions
from clew.parse.page_builder import without_body
from clew.parse.worker_handle import Job, WorkerHandle
from clew.types import Kind, Page, Response

_MAX_WORKERS = 4
_CORES = os.cpu_count() or 1  # read once: the call takes 9 µs, and is needed several times a page
_JOBS_PER_WORKER = 2  # the one it works on and the next
_MAX_PAUSE = 5.0  # seconds before another worker is started when each one dies at once


class ParsePool:
    """Parse responses in worker processes.

    `workers` 0 means one for each core, at most four. `timeout` are seconds of work on one page,
    `memory` MiB a worker may use beyond its start, `max_bytes` the decoded size that is read,
    `drop` the query parameters removed from URLs, `agent` our name in robots directives, `options`
    what is computed of every page.
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
        options: ParseOptions = DEFAULT_OPTIONS,
    ) -> None:
        self.workers = workers
        self.timeout = timeout
        self.memory = memory
        self.max_bytes = max_bytes
        self.drop = drop
        self.agent = agent
        self.options = options
        self._canon: urls.Canon | None = None
        self._server: ForkServer | None = None
        self._workers: list[WorkerHandle] = []
        self._waiting: deque[Job] = deque()
        self.deaths = 0  # since a page was last read
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def __call__(self, response: Response) -> Page:
        """Parse one response; never raises for bad input."""
        if self._closed:
            msg = "this parse pool was closed; make a new ParsePool"
            raise ClewError(msg)
        if self._canon is None:
            self._canon = urls.Canon(self.drop)
        redirects = 300 <= response.status < 400  # noqa: PLR2004
        if (
            redirects or not response.body or b"text/html" not in response.head
        ):  # most pages skip the check of the headers
            page = without_body(response, canon=self._canon, agent=self.agent)
            if page is not None:
                return page
        job = Job(response, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._dispatch()
        page = await job.page
        lost = page.error != response.error and not page.mime  # the parser hung, crashed or ran out of memory
        if not lost or response.link.kind is not Kind.PAGE:
            return page
        from clew.parse.link_scan import scan_links  # noqa: PLC0415 - loads much, and few pages are lost

        return replace(page, links=scan_links(response, canon=self._canon, max_bytes=self.max_bytes))

    async def aclose(self) -> None:
        """Kill the workers; unfinished pages are cancelled."""
        self._closed = True
        if self._timer:
            self._timer.cancel()
        handles, self._workers = self._workers, []
        jobs = [*self._waiting, *(job for worker in handles for job in worker.jobs)]
        self._waiting.clear()
        for worker in handles:
            worker.close()
        if self._server:
            self._server.close()
        for job in jobs:
            job.page.cancel()

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are ready."""
        return [worker.pid for worker in self._workers if worker.pid]

    def _dispatch(self) -> None:
        """Assign waiting jobs to workers, the least busy first; start workers as needed."""
        while self._waiting:
            if self._waiting[0].page.done():  # cancelled meanwhile
                self._waiting.popleft()
                continue
            worker = min(self._workers, key=lambda worker: len(worker.jobs), default=None)
            if (worker is None or worker.jobs) and len(self._workers) < self._wanted():
                if self._timer is not None:
                    if worker is None:
                        return
                elif self._pause():
                    self._timer = asyncio.get_running_loop().call_later(self._pause(), self._resume)
                    continue
                else:
                    worker = self._start()
            if worker is None or len(worker.jobs) >= _JOBS_PER_WORKER:
                return
            worker.take(self._waiting.popleft())

    def _wanted(self) -> int:
        return self.workers or min(_CORES, _MAX_WORKERS)

    def _pause(self) -> float:
        """Return how long to wait before starting a worker: the more died in a row, the longer."""
        return 0.0 if self.deaths <= self._wanted() else min(_MAX_PAUSE, 0.05 * 2 ** min(10, self.deaths))

    def _resume(self) -> None:
        self._timer = None
        if self._waiting and not self._closed:
            self._start()
            self._dispatch()

    def _start(self) -> WorkerHandle:
        settings = (
            self.memory, self.timeout, self.max_bytes, tuple(self.drop), self.agent, astuple(self.options),
        )  # fmt: skip
        worker = WorkerHandle(
            server=self._fork_server(), settings=settings, timeout=self.timeout,
            done=self._done, lost=self._lost,
        )  # fmt: skip
        worker.start(asyncio.get_running_loop())
        self._workers.append(worker)
        return worker

    def _fork_server(self) -> ForkServer:
        """Return the process that workers are forked from; start one if there is none, or it was killed."""
        if self._server and not self._server.is_alive:
            self._server.close()
            self._server = None
        self._server = self._server or ForkServer()
        return self._server

    def _done(self) -> None:
        self.deaths = 0
        self._dispatch()

    def _lost(self, worker: WorkerHandle, reason: str, *, ready: bool) -> None:
        """Reassign the jobs of a worker that ended."""
        self._workers.remove(worker)
        self.deaths += 1
        jobs = list(worker.jobs)
        if not ready:
            # It never started: no page caused it, and another start will hardly succeed.
            if self.deaths >= 2 * self._wanted():
                self._fail(jobs, reason)
                return
            self._waiting.extendleft(reversed(jobs))
        else:
            if jobs and reason:
                failed = jobs.pop(0)
                response = failed.response
                error = f"{response.error}; {reason}" if response.error else reason
                if not failed.page.done():
                    failed.page.set_result(Page(response=response, truncated=response.truncated, error=error))
            self._waiting.extendleft(reversed(jobs))
        self._dispatch()

    def _fail(self, jobs: list[Job], reason: str) -> None:
        msg = f"parsing processes do not start ({reason}); reinstall clew, or raise parse.memory"
        for job in (*jobs, *self._waiting):
            if not job.page.done():
                job.page.set_exception(ClewError(msg))
        self._waiting.clear()
        self.deaths = 0
