"""Server-sent events: the state of a crawl whenever it changes, and its notes as they come."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from clew.insight.live_state import LIVE_FILE, NOTES_FILE, read_notes
from clew.web.overview import cures_in, live_values
from clew.web.server_state import ServerState, stamp

TICK = 0.5
"""Seconds between two looks at the files of a crawl: a look takes 30 µs."""

KEEP_ALIVE = 15.0
MAX_STREAMS = 64
"""Streams at once; more are refused, and the pages then ask every few seconds instead."""

_streams = 0


def crawl_events(server: ServerState, folder: Path, request: Request) -> Response:
    """Return a stream of events `state` and `note`."""
    if _streams >= MAX_STREAMS:
        return PlainTextResponse("too many pages are open", 503, {"Retry-After": "10"})
    return StreamingResponse(_stream(server, folder, request), media_type="text/event-stream")


async def _stream(server: ServerState, folder: Path, request: Request) -> AsyncIterator[str]:
    global _streams  # noqa: PLW0603 - a count of open connections
    _streams += 1
    seen: object = None
    noted, said = time.time(), time.monotonic()
    try:
        yield "retry: 2000\n\n"
        while not (server.closing.is_set() or await request.is_disconnected()):
            current = _stamp(folder)
            if current != seen:
                seen = current
                state = await run_in_threadpool(live_values, server, folder)
                yield _event("state", state)
                for note in read_notes(folder, noted):
                    noted = max(noted, note["at"])
                    yield _event("note", {**note, "cures": cures_in(str(note["note"]))})
                said = time.monotonic()
            elif time.monotonic() - said > KEEP_ALIVE:
                said = time.monotonic()
                yield ": still here\n\n"
            await asyncio.sleep(TICK)
    finally:
        _streams -= 1


def _event(name: str, values: object) -> str:
    return f"event: {name}\ndata: {json.dumps(values, default=str)}\n\n"


def _stamp(folder: Path) -> tuple[object, ...]:
    times: list[int] = []
    for name in (LIVE_FILE, NOTES_FILE):
        try:
            times.append((folder / name).stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return (*times, *stamp(folder), int(time.time() / 5))
