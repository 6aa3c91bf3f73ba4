"""Rankers of a growing table: stopping, resuming and marking rows between runs change nothing."""

import asyncio
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import clew
from clew import config as configuration
from clew.builder import open_crawl
from clew.config import template
from clew.engine.budget import Budget
from clew.lab.synthetic import BookWeb, serving
from clew.lab.synthetic.books import example_rows
from clew.services.tables import keep_marks
from clew.store import read_table_rows
from tests.small_web import CONTACT

WEB = BookWeb(per_subject=60)
TABLE = "author,title\n" + "".join(f"{author},{title}\n" for author, title in example_rows())
POLICIES = ["objectrank", "records-text", "records-jaccard", "records-jaccard pagerank"]
MARKED_AT, PAGES = 14, 70


def made(folder, proxy, policy):
    policy, _, follow = policy.partition(" ")
    settings = {
        "goal.records": "records.csv", "rank.policy": policy, **({"rank.options.follow": follow} if follow else {}), "fetch.proxy": proxy, "fetch.delay": 0,
        "store.min_free": 0, "parse.workers": 1, "fetch.concurrency": 1,
    }  # fmt: skip
    template.write_new(folder, contact=CONTACT, seeds=WEB.seeds()[:1], settings=settings)
    (folder / "records.csv").write_text(TABLE)
    return folder


def order(folder):
    query = "SELECT url FROM pages JOIN links USING (id) WHERE kind = 0 ORDER BY fetched_at"
    with closing(sqlite3.connect(folder / "crawl.db")) as db:
        return [url for (url,) in db.execute(query)]


def scores(folder):
    with np.load(folder / "derived" / "ranking.npz") as state:
        return state["graph_ranks" if "graph_ranks" in state else "scores"]


def marks(folder):
    """Call all rows that were found off topic."""
    return [(row.id, "off-topic") for row in read_table_rows(folder)[1] if not row.given]


def run_and_mark_live(folder):
    """Run without a stop; mark rows as soon as a number of pages was read, before the next link is taken."""

    class Marker:
        pages = 0

        async def start(self):
            """Do nothing."""

        async def close(self):
            """Do nothing."""

        def on_result(self, result):
            self.pages += result.is_page
            if self.pages == MARKED_AT and result.is_page:
                run.pause()
                self.task = asyncio.create_task(self.mark())

        async def mark(self):
            await run.engine.commit()
            keep_marks(folder, marks(folder))

    async def crawl():
        nonlocal run
        config = configuration.load(folder / "clew.toml")
        async with open_crawl(folder, config, budget=Budget(PAGES)) as run:
            run.services = [*run.services, Marker()]
            run.subscribe(lambda text, **_: run.pause(False) if "rows marked" in text else None)
            async for _ in run.results():
                pass

    run = None
    asyncio.run(asyncio.wait_for(crawl(), 100))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_crawl_in_many_runs_reads_the_same_pages_in_the_same_order(tmp_path, policy):
    with serving(WEB) as proxy:
        whole, stopped = made(tmp_path / "whole", proxy, policy), made(tmp_path / "stopped", proxy, policy)
        clew.Crawl(whole).run(pages=PAGES)
        for pages in (7, 22, 51, PAGES):
            clew.Crawl(stopped).run(pages=pages)
    assert order(stopped) == order(whole)


@pytest.mark.parametrize("policy", POLICIES)
def test_rows_marked_between_two_runs_count_as_if_marked_while_it_ran(tmp_path, policy):
    with serving(WEB) as proxy:
        live, between = made(tmp_path / "live", proxy, policy), made(tmp_path / "between", proxy, policy)
        unmarked = made(tmp_path / "unmarked", proxy, policy)
        run_and_mark_live(live)
        clew.Crawl(between).run(pages=MARKED_AT)
        given = marks(between)
        assert len(given) > 20
        keep_marks(between, given)
        clew.Crawl(between).run(pages=PAGES)
        clew.Crawl(unmarked).run(pages=PAGES)
    assert order(between) == order(live)
    assert np.array_equal(scores(between), scores(live))
    assert not np.array_equal(scores(between), scores(unmarked)), "the labels should change scores"


def test_a_ranking_that_was_lost_is_rebuilt_from_the_store(tmp_path):
    with serving(WEB) as proxy:
        folder, whole = (
            made(tmp_path / "lost", proxy, "objectrank"),
            made(tmp_path / "whole", proxy, "objectrank"),
        )
        clew.Crawl(folder).run(pages=40)
        (folder / "derived" / "ranking.npz").write_bytes(b"damaged")
        clew.Crawl(folder).run(pages=60)
        clew.Crawl(whole).run(pages=60)
    assert len(set(order(folder)[40:]) & set(order(whole)[40:])) >= 15
