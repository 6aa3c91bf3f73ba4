"""One parsing process seen from the main process: its socket, its jobs, its deadline.

Everything happens in callbacks of the event loop: a page that fits the socket's buffer is sent and
its reply read without another task or lock.
"""

import asyncio
import signal
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from clew.parse import ipc
from clew.parse.fork_server import ForkServer
from clew.types import Page, Response

_START_TIME = 60.0  # seconds for a worker to start; imports take 0.3 on an idle machine
_CHUNK = 1 << 18


@dataclass(slots=True, eq=False)
class Job:
    """A response to parse and the future of its page."""

    response: Response
    page: asyncio.Future[Page]


class WorkerLost(Protocol):
    """Callback for a worker that ended: which, why (empty if no page caused it), whether it had started."""

    def __call__(self, worker: "WorkerHandle", reason: str, *, ready: bool) -> None: ...


class WorkerHandle:
    """A worker process with its jobs; the first of `jobs` is the one it works on."""

    def __init__(
        self,
        *,
        server: ForkServer,
        settings: tuple[Any, ...],
        timeout: float,
        done: Callable[[], None],
        lost: WorkerLost,
    ) -> None:
        self.server = server
        self.settings = settings
        self.timeout = timeout
        self.done = done
        self.lost = lost
        self.jobs: deque[Job] = deque()
        self.pid = 0  # until it is ready
        self._ready = False
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._unsent: deque[memoryview] = deque()
        self._blocked = False  # the socket buffer is full; the loop calls `_writable` when it is not
        self._received = bytearray()
        self._buffer = memoryview(bytearray(_CHUNK))  # a new one for each reply would cost page faults

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the process; jobs may be sent to it at once."""
        self._loop = loop
        self._sock, theirs = socket.socketpair()
        with theirs:
            self.server.fork(theirs)
        self._sock.setblocking(False)
        loop.add_reader(self._sock, self._readable)
        self._send(ipc.pack(self.settings))
        self._deadline = loop.time() + _START_TIME
        self._timer = loop.call_at(self._deadline, self._expired)

    def take(self, job: Job) -> None:
        """Send a job, after those it already has."""
        self.jobs.append(job)
        self._send(ipc.task(job.response))
        if self._ready and len(self.jobs) == 1:
            self._set_deadline()

    def close(self) -> int | None:
        """Kill the process, and release its socket and timer; return its exit status, if that is known."""
        if self._timer:
            self._timer.cancel()
        self._loop.remove_reader(self._sock)
        self._loop.remove_writer(self._sock)
        self._sock.close()
        return (
            self.server.end(self.pid) if self.pid else None
        )  # before it is ready, it finds its socket closed

    def _set_deadline(self) -> None:
        """Set the deadline of the job that is now the first.

        The timer is left as it is and checks the deadline when it fires: one timer every few seconds
        instead of one for each page.
        """
        now = self._loop.time()
        self._deadline = now + self.timeout
        if self._timer is None or self._timer.when() > self._deadline:
            if self._timer:
                self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline, self._expired)

    def _expired(self) -> None:
        """End the process after its deadline, unless its reply is in the socket: then we were slow."""
        self._timer = None
        if self._ready and not self.jobs:
            return
        if self._loop.time() >= self._deadline:
            before = self.jobs[0] if self.jobs else None
            if not (self._readable() and self._ready and (not self.jobs or self.jobs[0] is not before)):
                if self._sock.fileno() >= 0:
                    self._end("parse timeout")
                return
        if self.jobs and self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._expired)

    def _end(self, reason: str) -> None:
        self.close()
        self.lost(self, reason, ready=self._ready)

    def _send(self, pieces: list[bytes]) -> None:
        self._unsent.extend(map(memoryview, pieces))
        if not self._blocked:
            self._writable()

    def _writable(self) -> None:
        with suppress(BlockingIOError):
            while self._unsent:
                try:
                    sent = self._sock.sendmsg(self._unsent)
                except (BrokenPipeError, ConnectionResetError):
                    self._unsent.clear()  # it is dead; `_readable` will report it
                    break
                while self._unsent and sent >= len(self._unsent[0]):
                    sent -= len(self._unsent.popleft())
                if sent:
                    self._unsent[0] = self._unsent[0][sent:]
        if bool(self._unsent) != self._blocked:
            self._blocked = not self._blocked
            if self._blocked:
                self._loop.add_writer(self._sock, self._writable)
            else:
                self._loop.remove_writer(self._sock)

    def _readable(self) -> bool:
        """Read what the worker sent; return whether it is alive."""
        try:
            data = bytes(self._buffer[: self._sock.recv_into(self._buffer)])
        except BlockingIOError:
            return True
        except ConnectionError:
            data = b""
        if not data:
            self._died()
            return False
        if self._received:
            self._received += data
            data = bytes(self._received) if self._is_complete(self._received) else b""
        while len(data) >= ipc.HEADER.size:
            size, _ = ipc.HEADER.unpack_from(data)
            if size > ipc.MAX_REPLY:
                self._end("parser sent an invalid reply")
                return False
            end = ipc.HEADER.size + size
            if len(data) < end:
                break
            self._received.clear()
            self._handle_reply(memoryview(data)[ipc.HEADER.size : end])
            if self._sock.fileno() < 0:
                return False
            data = data[end:]
        if data and not self._received:
            self._received += data
        return True

    @staticmethod
    def _is_complete(received: bytearray) -> bool:
        """Return whether at least one message is complete: long replies arrive in many pieces."""
        if len(received) < ipc.HEADER.size:
            return False
        size: int = ipc.HEADER.unpack_from(received)[0]
        return size > ipc.MAX_REPLY or len(received) >= ipc.HEADER.size + size

    def _handle_reply(self, packed: memoryview) -> None:
        if not self._ready:
            self._ready = True
            (self.pid,) = ipc.values_of(packed)
            self._set_deadline()  # for the page that was sent meanwhile
            return
        job = self.jobs.popleft()
        page = ipc.page_of(packed, job.response)
        if not job.page.done():
            job.page.set_result(page)
        if page.error == ipc.OUT_OF_MEMORY:
            self._end("")  # its heap cannot be trusted any more
            return
        if self.jobs:
            self._set_deadline()
        self.done()

    def _died(self) -> None:
        """Find out how the process ended, and report it."""
        if not self._ready:
            self._end(self.server.error())
            return
        status = self.close()
        reason = f"parser died (signal {-status})" if status and status < 0 else "parser died"
        if status == -signal.SIGALRM:
            reason = "parse timeout"
        elif status == -signal.SIGABRT:  # what a library does that is refused memory
            reason = ipc.OUT_OF_MEMORY
        self.lost(self, reason, ready=True)
