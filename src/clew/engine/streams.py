"""Streams: map many at a time, gather into groups. The end of a stream is the shutdown."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


async def amap(
    function: Callable[[In], Coroutine[Any, Any, Out]], source: AsyncGenerator[In, None], limit: int
) -> AsyncGenerator[Out, None]:
    """Yield `function(item)` for the items of `source`, up to `limit` at a time, as they finish.

    An exception in `function` or `source` ends the stream; leaving it early cancels what is under way.
    """
    finished: deque[asyncio.Task[Out]] = deque()
    under_way: set[asyncio.Task[Out]] = set()
    changed, room = asyncio.Event(), asyncio.Event()

    def note(task: asyncio.Task[Out]) -> None:
        under_way.discard(task)
        finished.append(task)
        changed.set()

    async def pull() -> None:
        async for item in source:
            task = asyncio.create_task(function(item))
            under_way.add(task)
            task.add_done_callback(note)
            while len(under_way) + len(finished) >= limit:
                room.clear()
                await room.wait()

    puller = asyncio.create_task(pull())
    puller.add_done_callback(lambda _: changed.set())
    try:
        while finished or under_way or not puller.done():
            if not finished:
                changed.clear()
                await changed.wait()
            while finished:
                task = finished.popleft()
                room.set()
                yield task.result()
        puller.result()
    finally:
        for left in (puller, *under_way):
            left.cancel()
        await asyncio.gather(puller, *under_way, return_exceptions=True)
        await source.aclose()


async def gathered(source: AsyncIterator[In], seconds: float, most: int) -> AsyncGenerator[list[In], None]:
    """Yield the items of `source` in groups: what came within `seconds` of the first, at most `most`.

    The source is pulled all the time, also while the caller is busy with a group.
    """
    waiting: list[In] = []
    changed = asyncio.Event()

    async def pull() -> None:
        async for item in source:
            waiting.append(item)
            if len(waiting) in (1, most):
                changed.set()

    puller = asyncio.create_task(pull())
    puller.add_done_callback(lambda _: changed.set())
    try:
        while not puller.done() or waiting:
            if not waiting:
                changed.clear()
                await changed.wait()
            if waiting and len(waiting) < most and not puller.done():
                changed.clear()
                await _either(changed, seconds)
            if waiting:
                group, waiting[:] = waiting[:], []
                yield group
        puller.result()
    finally:
        puller.cancel()
        await asyncio.gather(puller, return_exceptions=True)


async def _either(changed: asyncio.Event, seconds: float) -> None:
    """Wait for the event, but not longer than that."""
    timer = asyncio.get_running_loop().call_later(seconds, changed.set)
    try:
        await changed.wait()
    finally:
        timer.cancel()
