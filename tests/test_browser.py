"""Pages that need JavaScript, with a real Chromium and real sockets."""

import asyncio
import gzip
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path

import numpy as np
import pytest

from clew.domain.content import rendered_positions
from clew.errors import ConfigError
from clew.fetch import browser_pool
from clew.fetch.browser import BrowserFetcher, needs_scripts
from clew.fetch.curl import CurlFetcher
from clew.parse import ParsePool
from clew.parse.html import read_html
from clew.store.warc import pack
from clew.types import Link
from clew.urls import Canon

CHROMIUM = browser_pool.find_chromium()
needs_browser = pytest.mark.skipif(
    CHROMIUM is None or importlib.util.find_spec("playwright") is None, reason="no Chromium here"
)
SHELL = "<html><head><title>shell</title></head><body><div id=root></div><script src=/app.js></script></body></html>"
APP = """fetch('/data.json').then(r => r.json()).then(d => {
  document.getElementById('root').innerHTML = '<h1>' + d.title + '</h1><a href="/next.html">the next page</a>'; })"""
PAGES = {
    "/": ("text/html; charset=utf-8", SHELL),
    "/app.js": ("text/javascript", APP),
    "/data.json": ("application/json", '{"title": "Leuchttürme"}'),
    "/plain.html": ("text/html", "<p>The lamp was lit every night. " * 20 + "<script src=/app.js></script>"),
    "/styled.html": (
        "text/html",
        "<link rel=stylesheet href=/site.css><div class=xq><p><a href=/right.html>one</a></p><p><a href=/left.html>two</a></p></div>"
        + "<p>The lamp was lit every night.</p>" * 40
        + "<a href=/low.html>three</a>",
    ),
    "/site.css": ("text/css", ".xq { display: flex; flex-direction: row-reverse } .xq p { width: 50% }"),
    "/loop.html": ("text/html", "<div id=app></div><script>for (;;) {}</script>"),
    "/inside.html": (
        "text/html",
        """<div id=app></div><script>const say = t => { document.getElementById('app').textContent += t + ' ' };
        fetch('http://169.254.169.254/latest/').then(() => say('reached'), () => say('refused'));
        fetch('http://127.0.0.1:1/').then(() => say('reached'), () => say('refused'));
        fetch('/private/x').then(() => say('reached'), () => say('refused'));
        fetch('/data.json', {method: 'POST'}).then(() => say('reached'), () => say('refused'));
        try { new WebSocket('ws://' + location.host + '/socket') } catch (e) {}
        new Image().src = '/picture.png';</script>""",
    ),
}


@contextmanager
def site():
    requested = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requested.append((time.monotonic(), self.path))
            kind, text = PAGES.get(self.path, ("text/plain", "nothing"))
            body = gzip.compress(text.encode())
            self.send_response(200)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Encoding", "gzip"),
                ("Content-Length", len(body)),
            ):
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - http.server's word

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requested
    finally:
        server.shutdown()
        server.server_close()


def visits(origin, *paths, **settings):
    async def all_of_them():
        fetcher = CurlFetcher(agent="clew-test", allow=[ip_network("127.0.0.0/8")])
        hand = BrowserFetcher(fetcher=fetcher, **({"delay": 0.0, "agent": "clew-test"} | settings))
        if "refusal" not in settings:
            hand.refusal = lambda url: "robots: /private" if "/private" in url else ""
        pool = ParsePool(workers=1)
        try:
            found = [await hand.fetch(Link(id=1, url=origin + path, origin=origin)) for path in paths]
            return found, [await pool(response) for response in found]
        finally:
            await pool.aclose()
            await hand.aclose()

    return asyncio.run(all_of_them())


@needs_browser
def test_a_page_built_by_scripts_is_read_as_built_and_others_are_not_rendered():
    with site() as (origin, requested):
        (shell, plain, again), (page, read, _) = visits(origin, "/", "/plain.html", "/", delay=0.2)
    assert page.text.startswith("Leuchttürme")
    assert page.links.urls == [f"{origin}/next.html"]
    assert gzip.decompress(shell.body).decode() == SHELL
    assert not plain.rendered
    assert read.text.startswith("The lamp")
    assert again.rendered
    paths = [path for _, path in requested]
    assert paths == ["/", "/app.js", "/data.json", "/plain.html", "/"]  # scripts are fetched once
    assert requested[2][0] - requested[1][0] >= 0.2
    conversion = gzip.decompress(pack(shell).request)
    assert b"WARC-Type: conversion" in conversion
    assert "Leuchttürme".encode() in conversion


@needs_browser
def test_where_a_browser_shows_links_counts_before_what_tags_say():
    with site() as (origin, requested):
        (_, hidden), (page, _) = visits(
            origin, "/styled.html", "/plain.html", mode="always", layout=True, timeout=60.0
        )
        _, (guessed,) = visits(origin, "/styled.html", mode="always")
    at = dict(
        zip((url.rpartition("/")[2] for url in page.links.urls), page.links.coordinates.tolist(), strict=True)
    )
    assert at["right.html"][2] > 0.5
    assert at["left.html"][2] < 0.1
    assert at["low.html"][3] > 0.9
    assert "/site.css" in [path for _, path in requested]
    assert not np.allclose(page.links.coordinates[:, 2:], guessed.links.coordinates[:, 2:], atol=0.05)
    assert np.array_equal(page.links.coordinates[:, :2], guessed.links.coordinates[:, :2])
    assert "browser showed" not in page.text
    assert hidden.rendered


@pytest.mark.parametrize(
    "said", ["", "[[1]]", "[" * 100_000, '[["x", 1e999, "y"]]', '[["http://a.test/b", NaN, 0]]', "{}", "7"]
)
def test_a_page_that_pretends_to_be_rendered_says_no_more_than_it_may(said):
    markup = (
        b'<p><a href="http://a.test/b">b</a>'
        + rendered_positions.MARK
        + said.encode()
        + rendered_positions.END
    )
    plain = read_html(markup, url="http://a.test/", canon=Canon(()), agent="clew").links
    assert (
        rendered_positions.settled(plain, markup, Canon(())).coordinates.tolist()
        == plain.coordinates.tolist()
    )
    far = rendered_positions.written([("http://a.test/b", 7.0, -3.0), ("http://a.test/--><b>", 0.0, 0.0)])
    assert far.count(b"-->") == 1
    assert rendered_positions.settled(plain, markup + far, Canon(())).coordinates[0, 2:].tolist() == [
        1.0,
        0.0,
    ]


@needs_browser
def test_the_browser_reaches_nothing_but_what_the_rules_allow():
    with site() as (origin, requested):
        _, (page,) = visits(origin, "/inside.html")
    assert page.text.split() == ["refused"] * 4
    assert [path for _, path in requested] == ["/inside.html"]


@needs_browser
def test_a_page_without_end_costs_its_time_and_nothing_else():
    started = time.monotonic()
    with site() as (origin, _):
        (loop, after), (page, built) = visits(origin, "/loop.html", "/", timeout=3.0)
    assert not loop.rendered
    assert page.error == ""
    assert built.text.startswith("Leuchttürme")
    assert after.rendered
    assert time.monotonic() - started < 100


@needs_browser
def test_the_browser_dies_with_the_crawl():
    code = f"""
import asyncio, sys
sys.path[:0] = {[str(Path(__file__).parent.parent)]!r}
from tests.test_browser import *
async def wait(origin):
    hand = BrowserFetcher(fetcher=CurlFetcher(allow=[ip_network("127.0.0.0/8")]), delay=0.0)
    await hand.fetch(Link(id=1, url=origin + "/", origin=origin))
    print("ready", flush=True)
    await asyncio.sleep(60)
with site() as (origin, _):
    asyncio.run(wait(origin))
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as crawl:
        assert crawl.stdout.readline() == b"ready\n"
        below = descendants(crawl.pid)
        assert below
        os.kill(crawl.pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while any(alive(pid) for pid in below) and time.monotonic() < until:
        time.sleep(0.1)
    assert [pid for pid in below if alive(pid)] == []


def descendants(pid):
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child), *descendants(child)]
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_missing_is_said_before_the_crawl(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="Chromium") as raised:
        BrowserFetcher(fetcher=CurlFetcher()).prepare()
    assert len(str(raised.value).splitlines()) <= 3


@pytest.mark.parametrize(
    ("markup", "needed"),
    [
        ("<div id='__next'></div><script></script>", True),
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><p>Loading</p><script></script>",
            True,
        ),
        ("<p>short</p><script></script>", False),
        ("<div id=root></div>", False),
        ("<frameset><frame src=a></frameset>", False),
        ("<noscript>" * 50_000 + "<script>", False),
    ],
)
def test_empty_shells_are_told_from_short_pages(markup, needed):
    started = time.process_time()
    assert needs_scripts(markup.encode()) is needed
    assert time.process_time() - started < 2
