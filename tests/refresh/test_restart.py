"""A refresh that is killed goes on as if nothing had happened, and an older crawl can be refreshed."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import clew
from clew.builder import open_crawl, refresh_options
from clew.store.reading import read_sql
from clew.store.refreshes import last_refresh, read_new_pages, read_visited
from tests.small_web import CONTACT, QUICK, linked, serving

SETTINGS = QUICK | {"fetch.concurrency": 1, "scope.hosts": "seeds", "rank.policy": "keyword"}
TEXT = "The lighthouse on the rocky coast has a lamp. "
REFRESH = """
import json, sys, clew
clew.Crawl(sys.argv[1], settings=json.loads(sys.argv[2])).refresh(requests=70)
"""


def page(*paths, about=""):
    return linked(*paths, text=f"{TEXT}{about}", title=f"Lighthouse {about}")


def site(changed=False):
    """Six lists of ten pages; when changed, every third page is another, and each list has two more."""
    pages = {"/": page(*(f"/list/{n}" for n in range(6)))}
    for n in range(6):
        count = 12 if changed else 10
        pages[f"/list/{n}"] = page(*(f"/page/{n}/{at}" for at in range(count)), about=f"list {n}")
        for at in range(count):
            new = " repainted" if changed and at % 3 == 0 else ""
            pages[f"/page/{n}/{at}"] = page(about=f"{n} of {at}{new}")
    return pages


def age(folder, days=30):
    """Let all pages have been read at once, some time ago: then the plan does not depend on the second."""
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("UPDATE pages SET fetched_at = ?", (time.time() - 86_400 * days,))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A crawl, the changed web, and what one uninterrupted refresh asks for."""
    folder = tmp_path_factory.mktemp("refresh") / "crawl"
    with serving(site()) as web:
        crawl = clew.Crawl(folder, "lighthouse", seeds=[f"{web.origin}/"], contact=CONTACT, settings=SETTINGS)
        crawl.run()
        age(folder)
        web.pages.clear()
        web.pages.update(site(changed=True))
        whole = folder.with_name("whole")
        shutil.copytree(folder, whole)
        web.asked.clear()
        clew.Crawl(whole, settings=SETTINGS).refresh(requests=70)
        yield web, folder, list(web.asked), whole


def found(folder):
    """Return what a refresh has left in the database, whenever it was."""
    versions = "SELECT page, text, verdict, digest FROM versions ORDER BY page, id"
    visits = "SELECT page, round, change, status, digest, first_link, links FROM visits ORDER BY id"
    links = "SELECT id, url, state, score, parent, tries FROM links WHERE kind = 0 ORDER BY id"
    pages = "SELECT id, status, verdict, relevant, digest FROM pages ORDER BY id"
    return {query: read_sql(folder, query) for query in (versions, visits, links, pages)}


def test_the_refresh_finds_changes_and_new_pages(crawled):
    _, _, asked, whole = crawled
    assert len(asked) == 70
    told = last_refresh(whole)
    assert told.ended_at
    assert told.changes["changed"] > 10
    assert sum(each.relevant for each in read_new_pages(whole, told.started_at)) > 5


def test_a_killed_refresh_asks_for_the_same_pages_in_the_same_order(crawled, tmp_path):
    web, folder, asked, _ = crawled
    again = tmp_path / "again"
    shutil.copytree(folder, again)
    web.asked.clear()
    for seen in (8, 25, 50):
        words = [sys.executable, "-c", REFRESH, str(again), json.dumps(SETTINGS)]
        process = subprocess.Popen(words, start_new_session=True)
        while len(set(web.asked)) < seen and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "it should be running"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not last_refresh(again).ended_at
    clew.Crawl(again, settings=SETTINGS).refresh(requests=70)
    assert last_refresh(again).ended_at
    once = list(dict.fromkeys(web.asked))
    assert once == asked  # what was under way at a kill is asked for again
    assert {row[0] for row in read_sql(again, "SELECT count(*) FROM visits GROUP BY page")} == {1}
    assert read_sql(again, "PRAGMA integrity_check") == [("ok",)]


def test_a_stopped_refresh_leaves_what_one_run_leaves(crawled, tmp_path):
    web, folder, asked, whole = crawled
    parts = tmp_path / "parts"
    shutil.copytree(folder, parts)
    web.asked.clear()
    for _ in range(4):
        interrupted(parts, 12)
    clew.Crawl(parts, settings=SETTINGS).refresh(requests=70)
    assert web.asked == asked
    assert found(parts) == found(whole)


def interrupted(folder, results):
    """Refresh, and stop after some results as Ctrl-C does."""

    async def run():
        crawl = clew.Crawl(folder, settings=SETTINGS)
        options = refresh_options(crawl.config(), requests=70)
        async with open_crawl(folder, crawl.config(), refresh=options) as crawl_run:
            seen = 0
            async for _ in crawl_run.results():
                seen += 1
                if seen >= results:
                    crawl_run.stop()

    asyncio.run(run())


def test_a_crawl_of_the_version_before_is_read_and_brought_up_to_date(crawled, tmp_path):
    _, folder, _, _ = crawled
    old = tmp_path / "old"
    shutil.copytree(folder, old)
    with sqlite3.connect(old / "crawl.db") as db:
        for name in ("rounds", "revisits", "visits", "versions"):
            db.execute("DROP VIEW IF EXISTS history")
            db.execute(f"DROP TABLE {name}")
        for table, column in (("pages", "etag"), ("pages", "modified"), ("runs", "round")):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("PRAGMA user_version = 6")
    crawl = clew.Crawl(old, settings=SETTINGS)
    assert len(crawl.pages) == 67
    assert list(read_visited(old, 0.0)) == []
    assert len(list(read_new_pages(old, 0.0))) == 67
    crawl.refresh(requests=20)
    assert read_sql(old, "PRAGMA user_version") == [(7,)]
    assert read_sql(old, "SELECT count(*) > 5 FROM visits") == [(1,)]
