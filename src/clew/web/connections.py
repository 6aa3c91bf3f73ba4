"""HTTP connections that end when a client is slow: it may neither hold a place nor a response for ever."""

import asyncio
import resource

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0
"""Seconds in which a whole request must arrive, from the opening of the connection or the last response."""

STALL_SECONDS = 60.0
"""Seconds for which a client may stop to read a response."""

OPEN_FILES = 4_096
"""Files and connections that the process may have open: some systems allow 256 or 1,024 by default."""


class LimitedConnection(H11Protocol):
    """One connection of uvicorn, which has no limits of its own for requests that never become whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._stalled: asyncio.TimerHandle | None = None
        self._slow = self.loop.call_later(REQUEST_SECONDS, self._close_if_waiting)

    def connection_lost(self, exc: Exception | None) -> None:
        self._slow.cancel()
        self.resume_writing()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._slow.cancel()
        self._slow = self.loop.call_later(REQUEST_SECONDS, self._close_if_waiting)
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()

    def _close_if_waiting(self) -> None:
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.close()


def raise_file_limit(wanted: int = OPEN_FILES) -> None:
    """Let this process open as many files as a thousand connections need, where the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
