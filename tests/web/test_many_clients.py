"""A thousand clients at once on real sockets, many of them slow: the server stays up, and gets rid of the slow ones."""

import asyncio
import contextlib
import threading
import time

import pytest

from clew.web import connections
from clew.web.connections import raise_file_limit
from clew.web.crawls import CrawlFolders
from clew.web.server import ServeOptions, listen, make_runner
from clew.web.server_state import ServerState

pytestmark = pytest.mark.timed
PATIENCE = 120
REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
PATHS = (b"/", b"/crawls/light/pages?q=lighthouse", b"/metrics", b"/crawls/light", b"/static/app.js")


@contextlib.contextmanager
def running(folder):
    """Serve a folder in a thread; yield the port."""
    raise_file_limit()
    runner = make_runner(ServerState(crawls=CrawlFolders([folder])))
    listener = listen(ServeOptions())
    thread = threading.Thread(target=lambda: asyncio.run(runner.serve(sockets=[listener])))
    thread.start()
    try:
        while not runner.started:
            time.sleep(0.01)
        yield listener.getsockname()[1]
    finally:
        runner.should_exit = True
        thread.join(PATIENCE)
        listener.close()


async def fetch(port, path):
    """Return the whole answer to one request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST % path)
    answer = await reader.read()
    writer.close()
    return answer


async def fetch_again(port, path):
    """Ask again while the server is busy, as its answer says; return all answers."""
    answers = [await fetch(port, path)]
    while answers[-1].startswith(b"HTTP/1.1 503"):
        await asyncio.sleep(0.5)
        answers.append(await fetch(port, path))
    return answers


async def until_closed(port, first, drip=b""):
    """Send the beginning of a request, then a byte now and then; return when the server has closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    ended = asyncio.ensure_future(reader.read())
    with contextlib.suppress(ConnectionError):
        while not ended.done():
            await asyncio.wait([ended], timeout=0.3)
            if drip and not ended.done():
                writer.write(drip)
                await writer.drain()
    with contextlib.suppress(ConnectionError):
        await ended
    writer.close()
    return True


def answered(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503")) and bool(body)


def test_a_thousand_clients_at_once(finished, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 3.0)

    async def all_at_once(port):
        silent = [until_closed(port, b"") for _ in range(200)]
        dripping = [until_closed(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"a") for _ in range(200)]
        post = b"POST /api/v1/crawls/light/labels HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
        bodies = [until_closed(port, post, b" ") for _ in range(100)]
        asked = [fetch_again(port, PATHS[n % len(PATHS)]) for n in range(500)]
        found = await asyncio.gather(*silent, *dripping, *bodies, *asked)
        assert all(found[:500])
        assert all(answered(answer) for answers in found[500:] for answer in answers)
        assert all(answers[-1].startswith(b"HTTP/1.1 200") for answers in found[500:])
        assert (await fetch(port, b"/crawls/light")).startswith(b"HTTP/1.1 200")

    with running(finished[0].parent) as port:
        asyncio.run(asyncio.wait_for(all_at_once(port), PATIENCE))


def test_a_client_that_does_not_read_its_response_is_let_go(finished, monkeypatch):
    monkeypatch.setattr(connections, "STALL_SECONDS", 1.0)

    async def stall(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        with contextlib.suppress(ConnectionError):
            while (
                True
            ):  # answers to all of these fill every buffer; nothing is read until the server gives up
                writer.write((REQUEST % b"/static/style.css").replace(b"close", b"keep-alive") * 200)
                await writer.drain()
                if reader.at_eof() or reader.exception():
                    break
                await asyncio.sleep(0.05)
        writer.close()
        assert (await fetch(port, b"/crawls/light")).startswith(b"HTTP/1.1 200")

    with running(finished[0].parent) as port:
        asyncio.run(asyncio.wait_for(stall(port), PATIENCE))


def test_live_streams_end_by_themselves_when_the_server_does(finished, capfd):
    async def watch(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST % b"/api/v1/crawls/light/events")
        await reader.readuntil(b"event: state")
        return reader, writer

    async def whole():
        with running(finished[0].parent) as port:
            reader, writer = await asyncio.wait_for(watch(port), PATIENCE)
        await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()

    asyncio.run(whole())
    assert "Cancel" not in capfd.readouterr().err
