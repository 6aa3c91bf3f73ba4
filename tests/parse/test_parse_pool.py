"""The pool on hostile markup, with workers that hang, die and are orphaned: real processes, real kills."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest
from parse_visits import CANON, visit

from clew.errors import ClewError
from clew.parse import ParsePool, read
from clew.parse.options import ParseOptions
from clew.types import Kind

ATTRIBUTES = b"<p " + b" ".join(b"a%d" % n for n in range(100_000)) + b">"


def with_pool(work, **settings):
    async def run():
        pool = ParsePool(**{"workers": 1, **settings})
        try:
            return await work(pool)
        finally:
            await pool.aclose()

    return asyncio.run(run())


def gone(pid):
    """Tell whether a process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def until(condition, seconds=100.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.01)


def fields(page):
    links = page.links
    return (
        replace(page, links=type(links)()).__repr__(), links.urls, links.origins, links.hashes.tolist(), links.anchors,
        links.contexts, links.paths, links.rels, links.positions.tolist(), links.kinds,
    )  # fmt: skip


def test_the_pool_reads_as_read_does():
    visits = [
        visit("<title>Ä</title><p>Text <a href=/a rel=nofollow>one</a> <a href=/b>two</a>"),
        visit("<rss><item><title>x</title><link>/a</link></item></rss>", "text/xml", kind=Kind.FEED),
        visit(
            "User-agent: *\nSitemap: /s.xml",
            "text/plain",
            kind=Kind.ROBOTS,
            url="https://site.org/robots.txt",
        ),
        visit("<meta name=robots content=none><p>日本語", error="short", truncated=True),
        visit(b"\xff\x00\x01", "application/octet-stream"),
    ]

    async def work(pool):
        return await asyncio.gather(*map(pool, visits))

    for made, given in zip(with_pool(work), visits, strict=True):
        assert made.response is given
        assert fields(made) == fields(read(given, canon=CANON, max_bytes=8_000_000))


def test_visits_without_a_body_need_no_worker():
    async def work(pool):
        pages = [
            await pool(visit(b"", None, status=0, error="timeout")),
            await pool(visit(b"moved", status=301, headers=(("Location", "/new"),))),
            await pool(visit(b"\x89PNG", "image/png")),
        ]
        assert pool.pids == []
        return [(page.error, page.redirect, page.mime) for page in pages]

    assert with_pool(work) == [
        ("timeout", "", ""), ("", "https://site.org/new", "text/html"), ("", "", "image/png")
    ]  # fmt: skip


def test_many_at_once_each_get_their_own():
    async def work(pool):
        pages = await asyncio.gather(
            *(pool(visit(f"<title>{n}</title>" + "x" * (n * 997 % 400_000))) for n in range(120))
        )
        assert len(pool.pids) == 2
        return [page.title for page in pages]

    assert with_pool(work, workers=2) == [str(n) for n in range(120)]


def test_a_tag_with_100_000_attributes_is_given_up_and_costs_no_other_page():
    async def work(pool):
        await pool(visit("<p>warm"))
        bad = asyncio.ensure_future(pool(visit(ATTRIBUTES)))
        good = [asyncio.ensure_future(pool(visit(f"<title>{n}</title>"))) for n in range(5)]
        started = time.monotonic()
        page = await bad
        assert time.monotonic() - started < 20
        assert [(await task).title for task in good] == ["0", "1", "2", "3", "4"]
        return page

    page = with_pool(work, timeout=2.0)
    assert (page.error, page.text, len(page.links)) == ("parse timeout", "", 0)


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 1_000_000,
        b"<b>" * 1_000_000,
        b"<a href=/x>" * 500_000,
        b"<" * 8_000_000,
        b"<table>" + b"<tr><td><a href=/x>x</a>" * 300_000,
        b"<select><option>" * 300_000,
        b"<p>" + b"x " * 4_000_000,
        b"<!--" * 2_000_000,
        b"&amp" * 2_000_000,
        b"<svg>" * 300_000,
        b"<div class=nav>x" * 300_000,
    ],
    ids=lambda body: body[:12].decode(),
)
def test_hostile_markup_is_read_or_given_up_in_time(body):
    async def work(pool):
        await pool(visit("<p>warm"))
        started = time.monotonic()
        page = await pool(visit(body))
        assert time.monotonic() - started < 20
        assert page.error in {"", "parse timeout", "parser out of memory", "parser died (signal 11)"}
        assert (await pool(visit("<title>alive</title>"))).title == "alive"

    with_pool(work, timeout=1.0)


def test_a_worker_is_limited_in_memory():
    async def work(pool):
        await pool(visit("<p>warm"))
        page = await pool(visit(b"<i>" * 2_600_000))
        assert (await pool(visit("<title>alive</title>"))).title == "alive"
        return page.error

    # A small limit: the tree alone needs more.
    assert with_pool(work, memory=64, timeout=20.0) in {"parser out of memory", "parser died (signal 11)"}


def test_a_killed_worker_costs_the_page_it_was_reading():
    async def work(pool):
        await pool(visit("<p>warm"))
        (pid,) = pool.pids
        doomed = asyncio.ensure_future(pool(visit(ATTRIBUTES)))
        innocent = asyncio.ensure_future(pool(visit("<title>innocent</title>")))
        await asyncio.sleep(0.2)
        os.kill(pid, signal.SIGKILL)
        page = await doomed
        assert (await innocent).title == "innocent"
        assert pool.pids != [pid]
        return page.error

    assert with_pool(work, timeout=30.0) == "parser died (signal 9)"


def test_a_worker_killed_while_idle_costs_nothing():
    async def work(pool):
        await pool(visit("<p>warm"))
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        await until(lambda: pool.pids == [])
        return (await pool(visit("<title>again</title>"))).title

    assert with_pool(work) == "again"


def test_workers_ignore_what_the_terminal_sends_to_all():
    async def work(pool):
        await pool(visit("<p>warm"))
        (pid,) = pool.pids
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
        assert (await pool(visit("<title>here</title>"))).title == "here"
        assert pool.pids == [pid]

    with_pool(work)


def test_closing_leaves_no_process_and_cancels_what_waits():
    async def run():
        pool = ParsePool(workers=2)
        await pool(visit("<p>warm"))
        tasks = [asyncio.ensure_future(pool(visit(ATTRIBUTES))) for _ in range(5)]
        await until(lambda: len(pool.pids) == 2)
        pids = pool.pids
        await pool.aclose()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in done)
        assert len(pids) == 2
        assert all(map(gone, pids))
        with pytest.raises(ClewError, match="closed"):
            await pool(visit("<p>late"))
        await pool.aclose()

    asyncio.run(run())


def test_a_cancelled_caller_disturbs_nobody():
    async def work(pool):
        await pool(visit("<p>warm"))
        tasks = [
            asyncio.ensure_future(pool(visit(f"<title>{n}</title>" + "<p>x" * 20_000))) for n in range(8)
        ]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        return [(await task).title for task in tasks[1::2]]

    assert with_pool(work) == ["1", "3", "5", "7"]


ORPHAN = """
import asyncio, sys
sys.path[:0] = [{here!r}]
from clew.parse import ParsePool
from parse_visits import visit
async def main():
    pool = ParsePool(workers=2)
    await asyncio.gather(*(pool(visit("<p>warm")) for _ in range(6)))
    busy = asyncio.ensure_future(pool(visit(b"<p " + b" ".join(b"a%d" % n for n in range(100_000)) + b">")))
    await asyncio.sleep(0.1)
    print(*pool.pids, flush=True)
    await busy
asyncio.run(main())  # no __main__ guard: workers must not run this file again
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_die_with_their_parent_even_when_busy(how, tmp_path):
    script = tmp_path / "orphan.py"
    script.write_text(textwrap.dedent(ORPHAN.format(here=str(Path(__file__).parent))))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert not any(map(gone, pids))
        parent.send_signal(how)
    asyncio.run(until(lambda: all(map(gone, pids)), 100.0))


def test_a_worker_that_cannot_start_is_our_fault_and_said_so(monkeypatch):
    monkeypatch.setattr("clew.parse.fork_server._BOOT", "raise ImportError('no module named parser')")
    started = []
    original = subprocess.Popen

    def counted(*args, **kwargs):
        started.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr("clew.parse.fork_server.subprocess.Popen", counted)

    async def work(pool):
        with pytest.raises(ClewError, match="no module named parser"):
            await pool(visit("<p>x"))

    with_pool(work)
    assert 1 <= len(started) <= 4


def test_a_page_that_kills_every_worker_does_not_start_a_storm():
    async def work(pool):
        await pool(visit("<p>warm"))
        pool.deaths = 3  # as if three had died without reading a page
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        await until(lambda: pool.pids == [])
        started = time.monotonic()
        assert (await pool(visit("<title>back</title>"))).title == "back"
        return time.monotonic() - started

    assert with_pool(work) >= 0.5


def test_limits_reach_the_worker():
    async def work(pool):
        page = await pool(
            visit("<meta name=other content=noindex><p>" + "x" * 5_000 + "<a href='/a?keep=1&lose=2'>")
        )
        assert (page.truncated, page.noindex, len(page.text)) == (True, True, 1_964)
        page = await pool(visit("<a href='/a?keep=1&lose=2'>x</a>"))
        assert page.links.urls == ["https://site.org/a?keep=1"]

    with_pool(work, max_bytes=2_000, agent="other", drop=("lose",))


@pytest.mark.parametrize("tags", [b"<div><b><i>", b"<table><tr><td><a href=/in>"])
def test_a_page_that_cannot_be_parsed_in_time_still_leads_to_its_links(tags):
    body = b"<title>bomb</title>" + tags * 100_000 + b"<a class=x HREF='/after?a=1&amp;b=2'>on</a>"

    async def work(pool):
        return await pool(visit(body)), await pool(visit(b"<meta name=robots content=nofollow>" + body))

    page, unwilling = with_pool(work, timeout=0.3)
    assert page.error == unwilling.error == "parse timeout"
    assert "https://site.org/after?a=1&b=2" in page.links.urls
    assert not len(unwilling.links), "a page that asks not to be followed is not"


def test_a_killed_fork_server_is_replaced():
    async def work(pool):
        await pool(visit("<p>warm"))
        (pid,) = pool.pids
        os.kill(pool._server.process.pid, signal.SIGKILL)
        await until(lambda: pool.pids == [])
        await until(lambda: gone(pid))  # workers end with the process that they were forked from
        return (await pool(visit("<title>again</title>"))).title

    assert with_pool(work) == "again"


def test_words_are_reported_by_every_worker():
    async def work(pool):
        pages = [await pool(visit("<p>page <a href=/odd-word>a link</a>")) for _ in range(2)]
        os.kill(pool.pids[0], signal.SIGKILL)
        await until(lambda: pool.pids == [])
        pages.append(await pool(visit("<p>page <a href=/odd-word>a link</a>")))
        return [page.links.tokens.words for page in pages]

    first, second, replaced = with_pool(work, options=ParseOptions(new_words=True))
    assert "odd" in first
    assert not second
    assert replaced == first, "a new worker knows of no word what its predecessor reported"
