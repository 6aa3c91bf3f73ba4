"""The life of a fetcher: many at once, cancelled, closed, with few files."""

import asyncio
import gc
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

import clew.fetch
from clew.contracts import Fetcher
from clew.errors import ClewError
from clew.fetch import CurlFetcher

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_it_is_a_fetcher():
    assert isinstance(CurlFetcher(), Fetcher)
    assert clew.fetch.__all__ == ["AddressGuard", "CurlFetcher"]


def test_many_at_once_and_never_more_than_asked_for(lab):
    server = lab.serve(lab.say(OK, then="keep"))

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, concurrency=64, timeout=20)
        visits = await asyncio.gather(*(fetcher.fetch(lab.link(server.url(f"/{n}"))) for n in range(500)))
        await fetcher.aclose()
        return visits

    visits = asyncio.run(scene())
    assert [v.link.url for v in visits] == [server.url(f"/{n}") for n in range(500)]
    assert {(v.status, v.body, v.error) for v in visits} == {(200, b"hi", "")}
    assert server.most_open <= 64
    assert len(server.requests) == 500


def test_kept_connections_to_many_hosts_are_bounded(lab):
    server = lab.serve(lab.say(OK, then="keep"))
    hosts = [f"h{n}.example" for n in range(60)]
    names = [f"{host}:{server.port}:127.0.0.1" for host in hosts]

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, concurrency=8, resolve=names, timeout=20)
        links = [lab.link(f"http://{host}:{server.port}/") for host in hosts * 2]
        visits = await asyncio.gather(*map(fetcher.fetch, links))
        await lab.until(lambda: server.open <= 8)  # the server sees a close a little late
        await fetcher.aclose()
        return visits

    assert all(v.status == 200 for v in asyncio.run(scene()))
    assert server.most_open <= 16  # the server sees a close a little late


def test_few_files_are_enough(lab):
    server = lab.serve(lab.say(OK, then="keep"))
    program = f"""
import asyncio, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from ipaddress import ip_network
from clew.fetch import CurlFetcher
from clew.types import Link
async def main():
    names = [f"h{{n}}.example:{server.port}:127.0.0.1" for n in range(300)]
    fetcher = CurlFetcher(allow=[ip_network("127.0.0.0/8")], concurrency=1000, resolve=names, timeout=20)
    links = [Link(id=n, url=f"http://h{{n}}.example:{server.port}/", origin="") for n in range(300)]
    visits = await asyncio.gather(*map(fetcher.fetch, links))
    await fetcher.aclose()
    print(sum(v.status == 200 for v in visits), sum(v.error == "too many open files" for v in visits))
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=250, check=True
    )
    assert (done.stdout.split(), done.stderr) == (["300", "0"], "")


def test_cancelling_aborts_the_transfer(lab):
    left = threading.Event()

    def talk(connection, number):
        if number:
            return lab.say(OK, then="keep")(connection, 0)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        if not connection.recv(1):
            left.set()
        return False

    server = lab.serve(talk)

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, concurrency=1, timeout=20)
        first = asyncio.create_task(fetcher.fetch(lab.link(server.url("/1"))))
        await lab.until(lambda: server.requests)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await asyncio.to_thread(left.wait, 15), "the connection was held"
        visit = await fetcher.fetch(lab.link(server.url("/2")))  # the only lane is free again
        await fetcher.aclose()
        return visit

    visit = asyncio.run(scene())
    assert (visit.status, visit.body) == (200, b"hi")


def test_cancelling_while_waiting_for_a_lane(lab):
    server = lab.serve(lab.say(b"", then="hold"))

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, concurrency=1, timeout=0.6)
        first = asyncio.create_task(fetcher.fetch(lab.link(server.url("/1"))))
        second = asyncio.create_task(fetcher.fetch(lab.link(server.url("/2"))))
        await lab.until(lambda: server.requests)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        visit = await first
        await fetcher.aclose()
        return visit

    assert asyncio.run(scene()).error == "timeout"
    assert len(server.requests) == 1


def test_closing_stops_what_is_under_way(lab):
    server = lab.serve(lab.say(b"HTTP/1.1 200 OK\r\n\r\nhalf", then="hold"))

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, concurrency=4, timeout=20)
        tasks = [asyncio.create_task(fetcher.fetch(lab.link(server.url(f"/{n}")))) for n in range(10)]
        await lab.until(lambda: len(server.requests) == 4)
        await asyncio.sleep(0.3)  # for what they say to arrive
        started = time.monotonic()
        await fetcher.aclose()
        visits = await asyncio.wait_for(asyncio.gather(*tasks), 15)
        with pytest.raises(ClewError, match="make a new one"):
            await fetcher.fetch(lab.link(server.url("/late")))
        await fetcher.aclose()  # twice is fine
        return visits, time.monotonic() - started

    visits, seconds = asyncio.run(scene())
    assert {v.error for v in visits} == {"stopped"}
    assert sorted(v.body for v in visits) == [b""] * 6 + [b"half"] * 4
    assert seconds < 15
    assert len(server.requests) == 4


def test_closing_what_was_never_used():
    asyncio.run(CurlFetcher().aclose())


def test_nothing_is_left_behind(lab):
    server = lab.serve(lab.say(OK, then="keep"))
    lab.get(server.url("/"))
    before = open_files() - server.open
    for _ in range(5):
        lab.get(*[server.url(f"/{n}") for n in range(3)])
    deadline = time.monotonic() + 30
    while server.open and time.monotonic() < deadline:
        time.sleep(0.01)
    assert open_files() <= before


def test_a_resting_fetcher_holds_no_page(lab):
    size = 4_000_000
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()
    server = lab.serve(lab.say(head + b"x" * size, then="keep"))

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, max_bytes=2 * size)
        tracemalloc.start()
        try:
            response = await fetcher.fetch(lab.link(server.url("/")))
            assert len(response.body) == size
            used, _ = tracemalloc.get_traced_memory()
            assert used >= size, "the page is traced while somebody has it"
            del response
            gc.collect()
            left, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            await fetcher.aclose()
        return left

    assert asyncio.run(scene()) < size / 4


def test_one_hostile_server_does_not_hold_up_the_others(lab):
    endless = lab.serve(
        lab.flood(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 5_000)
    )
    honest = lab.serve(lab.say(OK, then="keep"))

    async def scene():
        fetcher = CurlFetcher(allow=lab.allow, timeout=10)
        floods = [asyncio.create_task(fetcher.fetch(lab.link(endless.url("/")))) for _ in range(3)]
        slowest = 0.0
        for n in range(20):
            started = time.monotonic()
            await fetcher.fetch(lab.link(honest.url(f"/{n}")))
            slowest = max(slowest, time.monotonic() - started)
        await asyncio.gather(*floods)
        await fetcher.aclose()
        return slowest

    assert asyncio.run(scene()) < 5
