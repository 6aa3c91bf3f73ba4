"""Streams end where they should, give everything once, and leave nothing running."""

import asyncio
from contextlib import aclosing

import pytest

from clew.engine.streams import amap, gathered


async def numbers(n):
    for i in range(n):
        yield i


def test_amap_gives_every_result_and_respects_the_limit():
    under_way = most = 0

    async def work(i):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001 * (i % 3))
        under_way -= 1
        return i * i

    async def whole():
        return [r async for r in amap(work, numbers(50), 7)]

    assert sorted(asyncio.run(whole())) == [i * i for i in range(50)]
    assert 1 < most <= 7


def test_amap_passes_exceptions_on_and_cancels_the_rest():
    cancelled = []

    async def work(i):
        if i == 3:
            raise ZeroDivisionError
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(i)
            raise

    async def whole():
        async for _ in amap(work, numbers(10), 5):
            pass

    with pytest.raises(ZeroDivisionError):
        asyncio.run(whole())
    assert set(cancelled) >= {0, 1, 2}


def test_amap_does_not_run_ahead_of_a_slow_reader():
    started = 0

    async def work(i):
        nonlocal started
        started += 1
        return i

    async def whole():
        async with aclosing(amap(work, numbers(1000), 4)) as results:
            async for _ in results:
                await asyncio.sleep(0.01)
                break
        return started

    assert asyncio.run(whole()) <= 8


def test_a_failing_source_fails_the_stream():
    async def source():
        yield 1
        raise OSError

    async def work(i):
        return i

    async def whole():
        return [r async for r in amap(work, source(), 4)]

    with pytest.raises(OSError):
        asyncio.run(whole())


def test_gathered_groups_by_time_and_number():
    async def source():
        for i in range(10):
            yield i
        await asyncio.sleep(0.15)
        yield 10

    async def whole():
        return [group async for group in gathered(source(), 0.05, 4)]

    groups = asyncio.run(whole())
    assert [i for group in groups for i in group] == list(range(11))
    assert groups[-1] == [10]


def test_gathered_pulls_while_the_reader_is_busy():
    pulled = 0

    async def source():
        nonlocal pulled
        for i in range(20):
            pulled += 1
            yield i
            await asyncio.sleep(0.005)

    async def whole():
        seen = []
        async for group in gathered(source(), 0.01, 1000):
            if not seen:
                async with asyncio.timeout(60):
                    while pulled < 20:  # noqa: ASYNC110 - no event tells of it
                        await asyncio.sleep(0.01)
            seen += group
        return seen

    assert asyncio.run(whole()) == list(range(20))
