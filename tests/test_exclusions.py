"""Excluded hosts: applied during a crawl and afterwards, and undone."""

import asyncio
import random
import re
import time

import pytest

import clew
from clew.builder import open_crawl
from clew.cli.exclude import exclude
from clew.errors import ConfigError
from clew.frontier import Exclusions, read_rule
from clew.frontier.url_patterns import url_matcher
from clew.store import add_rule, read_sql
from clew.types import Rule
from tests.small_web import CONTACT, QUICK, linked, serving


def many(count):
    """Return a home page and that many pages, each with words of its own."""
    rng = random.Random(7)
    texts = {
        f"/p{n}": " ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(40))
        for n in range(count)
    }
    return {"/": linked(*texts, text="words")} | {path: linked(text=text) for path, text in texts.items()}


def crawl_of(tmp_path, first, second):
    seeds = [first.origin, second.origin.replace("127.0.0.1", "localhost")]
    settings = {**QUICK, "fetch.allow": ["127.0.0.0/8", "::1/128"]}
    return clew.Crawl(tmp_path / "c", "words", seeds, CONTACT, settings=settings)


def read_hosts(folder):
    return {host for (host,) in read_sql(folder, "SELECT DISTINCT host FROM fetched WHERE kind = 'page'")}


def test_a_rule_from_another_process_is_applied_and_can_be_undone(tmp_path):
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


def test_excluding_during_a_run_reports_the_number_of_links(tmp_path):
    pages = many(30)
    with serving(dict(pages)) as first, serving(dict(pages)) as second:
        crawl = crawl_of(tmp_path, first, second)

        async def run():
            async with open_crawl(crawl.folder, crawl.config()) as crawl_run:
                concerned = None
                async for _ in crawl_run.results():
                    if concerned is None and crawl_run.engine.totals.pages >= 8:
                        concerned = crawl_run.engine.exclude("localhost")
                return concerned

        concerned = asyncio.run(run())
        requests = len([path for path in second.asked if path.startswith("/p")])
        assert 0 < concerned <= 30
        assert requests <= 30 - concerned + 1  # one may have been under way
    assert read_sql(crawl.folder, "SELECT host, kind FROM rules") == [("localhost", "exclude")]


def test_links_to_a_forgotten_host_are_not_stored(tmp_path):
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


def paths(server):
    return [path for path in server.asked if path != "/robots.txt"]


@pytest.mark.parametrize("pattern", ["{origin}/a/", "*/a/*", "re:/a/[0-9]+$"])
def test_urls_of_a_pattern_wait_until_it_is_undone_also_over_a_restart(tmp_path, pattern, capsys):
    found = {f"/{folder}/{n}": linked(text=f"words {folder} {n} " * 9) for folder in "ab" for n in range(8)}
    with serving({"/": linked(*found, text="words")} | found) as server:
        crawl = clew.Crawl(tmp_path / "c", "words", [server.origin], CONTACT, settings=QUICK)
        crawl.run(pages=1)
        rule = pattern.format(origin=server.origin)
        exclude(crawl.folder, rule)
        assert "are excluded from now on: 8 queued links" in capsys.readouterr().out
        summary = crawl.run()
        assert sorted(paths(server)) == ["/", *sorted(path for path in found if path.startswith("/b/"))]
        assert any("you excluded these URLs (8 met)" in why for why in summary.held.values())
        why = str(crawl.why(f"{server.origin}/a/3"))
        assert "it is excluded: you excluded" in why
        exclude(crawl.folder)
        listed = capsys.readouterr().out
        assert re.search(r"  8 +0\n", listed)
        exclude(crawl.folder, rule, undo=True)
        crawl.run()
        assert sorted(paths(server)) == sorted(["/", *found])
        exclude(crawl.folder)
        assert "nothing is excluded" in capsys.readouterr().out


def test_what_is_crawled_in_spite_of_a_rule_is_listed_below_it(tmp_path, capsys):
    found = {f"/a/{n}": linked(text=f"words {n} " * 9) for n in range(8)}
    with serving({"/": linked(*found, text="words")} | found) as server:
        crawl = clew.Crawl(tmp_path / "c", "words", [server.origin], CONTACT, settings=QUICK)
        crawl.run(pages=1)
    exclude(crawl.folder, f"{server.origin}/a/")
    exclude(crawl.folder, f"{server.origin}/a/3", undo=True)
    exclude(crawl.folder, "*.example")
    exclude(crawl.folder, "good.example", undo=True)
    capsys.readouterr()
    exclude(crawl.folder)
    names = [line.split("  20")[0].strip() for line in capsys.readouterr().out.splitlines()[1:-1]]
    place = server.origin.removeprefix("http://")
    assert names == [f"{place}/a/", "*.example", f"but not {place}/a/3", "but not good.example"]


def test_a_pattern_is_undone_while_the_crawl_runs(tmp_path):
    pages = many(300)
    with serving(dict(pages)) as server:
        crawl = clew.Crawl(tmp_path / "c", "words", [server.origin], CONTACT, settings=QUICK)

        async def run():
            async with open_crawl(crawl.folder, crawl.config()) as crawl_run:
                engine = crawl_run.engine
                engine.exclude("*/p1*")
                before = None
                async for _ in crawl_run.results():
                    if before is None and engine.totals.pages >= 6:
                        before = [path for path in server.asked if path.startswith("/p1")]
                        engine.exclude("*/p1*", undo=True)
                return before

        assert asyncio.run(run()) == []
        assert len([path for path in server.asked if path.startswith("/p")]) == 300
    assert read_sql(crawl.folder, "SELECT host, kind FROM rules") == [
        ("*/p1*", "exclude"), ("*/p1*", "include"),
    ]  # fmt: skip


def test_the_latest_matching_pattern_decides():
    rules = Exclusions()
    rules.add(Rule("a.test/x", "exclude", 1.0, 1))
    rules.add(Rule("a.test/x/good/", "include", 2.0, 2))
    assert rules.refusal("http://a.test/x/1")
    assert not rules.refusal("https://a.test/x/good/1")
    assert not rules.refusal("http://a.test/xyz")
    assert not rules.refusal("http://a.test/")
    rules.add(Rule("a.test", "exclude", 3.0, 3))
    assert "you excluded it" in rules.refusal("https://a.test/x/good/1")


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        ("News.Example", "news.example"), ("https://news.example/", "news.example"),
        ("http://news.example:8080", "news.example"), ("*.example", "*.example"),
        ("https://News.example/Old/", "news.example/Old/"), ("news.example/a?b=1", "news.example/a?b=1"),
        ("http://news.example/*/print", "*://news.example/*/print"), ("*.PDF", "*/*.pdf"),
        ("re:^https", "re:^https"),
    ],
)  # fmt: skip
def test_what_is_typed_becomes_a_rule(typed, rule):
    assert read_rule(typed) == rule


@pytest.mark.parametrize("typed", ["/login", "re:(", "re:", "a b", "", "*", "https://"])
def test_what_is_no_pattern_is_refused_with_a_way_out(typed):
    if typed == "*":
        assert read_rule(typed) == "*"
        return
    with pytest.raises(ConfigError):
        read_rule(typed)


def test_a_url_with_a_path_never_excludes_its_host(tmp_path):
    with serving({"/": linked("/a/1", "/b", text="words"), "/b": linked(text="words")}) as server:
        crawl = clew.Crawl(tmp_path / "c", "words", [server.origin], CONTACT, settings=QUICK)
        crawl.run(pages=1)
        exclude(crawl.folder, f"{server.origin}/a/1")
        crawl.run()
        assert paths(server) == ["/", "/b"]


@pytest.mark.parametrize("typed", ["re:(?=a)b", r"re:(a)\1", "re:(?<!a)b", "re:a{1001}"])
def test_expressions_that_have_no_bound_in_time_are_refused_with_the_reason(typed):
    with pytest.raises(ConfigError, match="look-around"):
        read_rule(typed)


def test_an_expression_that_python_cannot_finish_is_matched_at_once():
    hostile = "https://news.example/" + "a" * 5_000 + "!"
    assert not url_matcher("re:(a+)+$")(hostile)
    assert url_matcher("re:(a|aa)+!$")(hostile)


def test_a_stored_expression_of_an_earlier_version_still_excludes():
    assert url_matcher("re:/(?!new)")("https://news.example/old")
