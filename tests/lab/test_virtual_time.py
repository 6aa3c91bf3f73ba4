"""Virtual time, and the store that goes with it."""

import asyncio
import time

import numpy as np
import pytest

from clew.errors import ClewError
from clew.lab.memory_store import MemoryStore
from clew.lab.virtual_time import EPOCH, VirtualLoop, run_virtually
from clew.store import SqliteStore
from clew.testing import check_store, sample_links
from clew.types import Kind, Links, NewLinks


def test_a_day_passes_at_once_and_timers_fire_in_order():
    rung = []

    async def work():
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        for seconds in (7200.0, 86_400.0, 0.5, 7200.0):
            loop.call_later(seconds, lambda s=seconds: rung.append((s, round(loop.time(), 6))))
        await asyncio.gather(*(asyncio.sleep(s) for s in (1.0, 86_400.0)))
        await asyncio.sleep(1)
        return loop.wall() - EPOCH

    began = time.monotonic()
    assert run_virtually(work) == pytest.approx(86_401.0)
    assert rung == [(0.5, 0.5), (7200.0, 7200.0), (7200.0, 7200.0), (86_400.0, 86_400.0)]
    assert time.monotonic() - began < 60


def test_waiting_for_anything_but_a_timer_is_an_error_and_not_a_hang():
    async def work():
        await asyncio.Event().wait()

    with pytest.raises(ClewError, match="not a timer"):
        run_virtually(work)


def test_it_works_inside_a_running_loop():
    async def notebook():
        async def work():
            await asyncio.sleep(3600)
            return "done"

        return run_virtually(work)

    assert asyncio.run(notebook()) == "done"


def test_the_memory_store_passes_the_store_checks():
    store = MemoryStore()
    check_store(lambda: store)


def test_both_stores_return_the_same_links(tmp_path):
    async def compare():
        memory, disk = MemoryStore(), SqliteStore(tmp_path, min_free=0)
        disk.open()
        odd = Links.plain(
            ["http://a.museum-web.org/x?b=1&a=2", "http://a.museum-web.org/ü".replace("ü", "%C3%BC")],
            Kind.FEED,
        )
        odd = Links(
            **{name: getattr(odd, name) for name in Links.__slots__}
            | {"anchors": ["x" * 500, "längere 灯台"]}
        )
        for found in (
            NewLinks(
                first=1,
                links=sample_links(3),
                scores=np.array([0.5, 0.25, 1], np.float32),
                refused=[""] * 3,
                depth=0,
            ),
            NewLinks(
                first=9,
                links=sample_links(1, "http://c.museum-web.org/"),
                scores=np.ones(1, np.float32),
                refused=["scope: out"],
                depth=2,
                hops=3,
            ),
            NewLinks(
                first=4,
                links=odd,
                scores=np.array([0.125, 0], np.float32),
                refused=["", ""],
                depth=7,
                rules_for="http://b.museum-web.org",
            ),
        ):
            memory.add_links(found)
            disk.add_links(found)
        ids = [1, 2, 3, 4, 5, 9]
        before = [disk.link(id) for id in ids]
        assert [memory.link(id) for id in ids] == before
        for missing in (0, 6, 8, 10):
            with pytest.raises(KeyError):
                memory.link(missing)
        await disk.aclose()

    asyncio.run(compare())


def test_a_line_break_in_an_anchor_shifts_no_other():
    store, links = MemoryStore(), sample_links(3)
    links.anchors[:] = ["one\ntwo", "three", ""]
    store.add_links(NewLinks(first=1, links=links, scores=np.ones(3, np.float32), refused=[""] * 3, depth=0))
    assert [store.link(id).anchor for id in (1, 2, 3)] == ["one two", "three", ""]
