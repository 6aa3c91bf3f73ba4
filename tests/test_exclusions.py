"""A person's word on a host: obeyed while a crawl runs, after it, and taken back."""

import asyncio
import random
import time

import clew
from clew.builder import open_crawl
from clew.store import add_rule, read_sql
from clew.types import Rule
from tests.small_web import CONTACT, QUICK, linked, serving


def many(count):
    """Return a home page and that many pages, each with words of its own."""
    dice = random.Random(7)
    texts = {
        f"/p{n}": " ".join("".join(dice.choices("abcdefghijklmnop", k=6)) for _ in range(40))
        for n in range(count)
    }
    return {"/": linked(*texts, text="words")} | {path: linked(text=text) for path, text in texts.items()}


def crawl_of(tmp_path, first, second):
    seeds = [first.origin, second.origin.replace("127.0.0.1", "localhost")]
    settings = {**QUICK, "fetch.allow": ["127.0.0.0/8", "::1/128"]}
    return clew.Crawl(tmp_path / "c", "words", seeds, CONTACT, settings=settings)


def read_hosts(folder):
    return {host for (host,) in read_sql(folder, "SELECT DISTINCT host FROM fetched WHERE kind = 'page'")}


def test_a_rule_given_from_another_process_is_obeyed_and_can_be_taken_back(tmp_path):
    pages = many(40)
    with serving(dict(pages)) as first, serving(dict(pages)) as second:
        crawl = crawl_of(tmp_path, first, second)
        crawl.run(pages=4)
        add_rule(crawl.folder, Rule("localhost", "exclude", time.time()))
        before = len(second.asked)
        summary = crawl.run()
        assert len(second.asked) == before
        assert len([path for path in first.asked if path.startswith("/p")]) == 40
        assert any("you excluded it" in why for why in summary.held.values())
        add_rule(crawl.folder, Rule("localhost", "include", time.time()))
        crawl.run()
        assert len([path for path in second.asked if path.startswith("/p")]) == 40


def test_excluding_while_it_runs_says_how_many_links_that_concerns(tmp_path):
    pages = many(30)
    with serving(dict(pages)) as first, serving(dict(pages)) as second:
        crawl = crawl_of(tmp_path, first, second)

        async def run():
            async with open_crawl(crawl.folder, crawl.config()) as walk:
                concerned = None
                async for _ in walk.results():
                    if concerned is None and walk.engine.totals.pages >= 8:
                        concerned = walk.engine.exclude("localhost")
                return concerned

        concerned = asyncio.run(run())
        asked = len([path for path in second.asked if path.startswith("/p")])
        assert 0 < concerned <= 30
        assert asked <= 30 - concerned + 1  # one may have been under way
    assert read_sql(crawl.folder, "SELECT host, kind FROM rules") == [("localhost", "exclude")]


def test_links_to_a_forgotten_host_are_not_even_kept(tmp_path):
    with serving({"/": linked(text="words")}) as second:
        there = second.origin.replace("127.0.0.1", "localhost")
        pages = {
            "/": linked(f"{there}/", "/jump", "/b"),
            "/b": linked(),
            "/jump": (302, {"Location": f"{there}/x"}, b""),
        }
        with serving(pages) as first:
            crawl = clew.Crawl(tmp_path / "c", "words", [first.origin], CONTACT, settings=QUICK)
            crawl.run(pages=1)
            with_them = {row["url"] for row in crawl.links}
            assert f"{there}/" in with_them
            other = clew.Crawl(tmp_path / "d", "words", [f"{first.origin}/b"], CONTACT, settings=QUICK)
            other.run(pages=1)
            add_rule(other.folder, Rule("localhost", "forget", time.time()))
            again = clew.Crawl(tmp_path / "d", "words", [first.origin, f"{there}/"], CONTACT, settings=QUICK)
            again.run()
            assert f"{first.origin}/jump" in {row["url"] for row in again.links}
            assert not [row["url"] for row in again.links if "localhost" in row["url"]]
        assert second.asked == []
