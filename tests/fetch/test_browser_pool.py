"""Pages rendered by browsers on other machines: real Chromium processes behind their debugging ports."""

import asyncio
import importlib.util
import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.errors import ConfigError
from clew.fetch.browser import BrowserFetcher
from clew.fetch.browser_pool import BrowserPool, find_chromium
from clew.fetch.curl import CurlFetcher
from tests.test_browser import site, visits

needs_browser = pytest.mark.skipif(
    find_chromium() is None or importlib.util.find_spec("playwright") is None, reason="no Chromium here"
)
PATIENCE = 120.0


@contextmanager
def remote_browser():
    """Start a browser as one would on another machine; give its process and its address."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [
            find_chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
        ]  # fmt: skip
        log = Path(folder) / "log"
        with log.open("w") as output:
            process = subprocess.Popen(command, stderr=output, stdout=output, start_new_session=True)
        try:
            until = time.monotonic() + PATIENCE
            while not (found := re.search(r"DevTools listening on ws://([\d.:]+)/", log.read_text())):
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
            yield process, f"http://{found[1]}"
        finally:
            stop(process)


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


@needs_browser
def test_a_page_is_rendered_elsewhere_and_its_scripts_are_fetched_here():
    with remote_browser() as (process, address), site() as (origin, requested):
        (shell, plain), (page, _) = visits(origin, "/", "/plain.html", browsers=[address], timeout=60.0)
        assert process.poll() is None, "the browser is not ours to end"
    assert page.text.startswith("Leuchttürme")
    assert page.links.urls == [f"{origin}/next.html"]
    assert shell.rendered
    assert not plain.rendered
    assert [path for _, path in requested] == ["/", "/app.js", "/data.json", "/plain.html"]


@needs_browser
def test_a_browser_elsewhere_reaches_no_more_than_one_here():
    with remote_browser() as (_, address), site() as (origin, requested):
        _, (page,) = visits(origin, "/inside.html", browsers=[address], timeout=60.0)
    assert page.text.split() == ["refused"] * 4
    assert [path for _, path in requested] == ["/inside.html"]


@needs_browser
def test_when_a_browser_dies_its_page_and_the_next_ones_go_to_another():
    with remote_browser() as (first, dying), remote_browser() as (_, living), site() as (origin, requested):

        def refusal(url):
            """Kill the browser that has the page when it asks for its script."""
            if first.poll() is None:
                stop(first)
            return ""

        settings = {"browsers": [dying, living], "timeout": 60.0}
        (one, two), (page, _) = visits(origin, "/", "/", refusal=refusal, **settings)
        assert first.poll() is not None
    assert one.rendered
    assert two.rendered
    assert page.text.startswith("Leuchttürme")
    assert [path for _, path in requested if path == "/"] == ["/", "/"], "a page is requested once"


@needs_browser
def test_without_any_browser_pages_stay_as_they_were_fetched():
    with remote_browser() as (process, address), site() as (origin, _):
        stop(process)
        (shell,), _ = visits(origin, "/", browsers=[address], timeout=30.0)
    assert (shell.status, shell.rendered) == (200, b"")


def test_browsers_that_do_not_answer_are_named_before_the_crawl():
    fetcher = BrowserFetcher(fetcher=CurlFetcher(), browsers=["http://127.0.0.1:1", "http://127.0.0.1:2"])
    with pytest.raises(ConfigError, match=r"none of them answers \(http://127\.0\.0\.1:1.*127\.0\.0\.1:2"):
        fetcher.prepare()


def test_pages_go_to_the_browser_with_the_fewest_that_does_not_rest():
    async def run():
        pool = BrowserPool(["http://a", "http://b"])
        pool._workers[0].rests_until = time.monotonic() + 60
        async with pool.worker() as first, pool.worker() as second, pool.worker() as third:
            return [worker.address for worker in (first, second, third)]

    assert asyncio.run(run()) == ["http://b", "http://b", "http://a"]
