"""Crawls over many sites on real sockets: dead ones, moved ones, single pages, a kill, and the user's labels."""

import asyncio
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout

import pytest

import clew
from clew.builder import open_crawl
from clew.cli import main
from clew.config import load
from clew.config.template import write_new
from clew.rank.sites.policy import Sites
from clew.store import add_rules, read_sql
from clew.types import Rule
from tests.small_web import CONTACT, QUICK, linked, serving

CLEW = [sys.executable, "-m", "clew"]
GOAL = "statistics permits"


def site(pages, good, seed):
    """Return a site of some pages; every second one of a good site holds it."""
    dice = random.Random(seed)
    paths = [f"/p{number}" for number in range(pages)]

    def text(number):
        words = " ".join("".join(dice.choices("abcdefghijklmnop", k=6)) for _ in range(30))
        return f"{words} statistics permits statistics" if good and number % 2 == 0 else words

    made = {"/": linked(*paths[:10], text=text(0), title=f"{seed}")}
    for number, path in enumerate(paths):
        made[path] = linked(*paths[number + 1 : number + 6], text=text(number), title=f"{seed} {number}")
    return made


@pytest.fixture
def webs():
    with ExitStack() as open:
        yield [open.enter_context(serving(site(25, number % 3 == 0, number))) for number in range(6)]


def crawl_of(tmp_path, webs, **settings):
    seeds = [web if isinstance(web, str) else web.origin for web in webs]
    keys = {**QUICK, "rank.policy": "sites", "scope.hosts": ["seeds"], **settings}
    write_new(tmp_path / "c", contact=CONTACT, seeds=seeds, about=GOAL, settings=keys)
    return clew.Crawl(tmp_path / "c")


def pages_of(crawl):
    rows = read_sql(crawl.folder, "SELECT host, count(*) FROM fetched WHERE kind = 'page' GROUP BY 1")
    return dict(rows)


def read_by(web):
    return len([path for path in web.asked if path != "/robots.txt"])


def command(*words):
    """Type a command in this process; return the exit code and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with (
        typed(["clew", *words]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        main()
    return int(left.value.code or 0), out.getvalue(), err.getvalue()


@contextmanager
def typed(words):
    before, sys.argv = sys.argv, words
    try:
        yield
    finally:
        sys.argv = before


def sites_of(folder):
    return json.loads(command("sites", str(folder), "--json")[1])


def test_it_explores_then_collects_from_sites_that_hold_it(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 24})
    summary = crawl.run()
    assert [read_by(web) for web in webs[::3]] == [26, 26]  # all of them
    assert all(read_by(web) <= 14 for number, web in enumerate(webs) if number % 3)
    assert any("exploring is over after 24 pages" in hint for hint in summary.hints)
    assert sum("not known whether it holds it" in why for why in summary.held.values()) == 4
    summary = sites_of(crawl.folder)
    assert summary["phase"] == "collect"
    assert (summary["yes"], summary["no"], summary["unknown"]) == (2, 0, 4), "a few pages prove nothing"
    assert 2 <= summary["fewest"] <= summary["most"] <= 6
    best = summary["list"][0]
    assert best["verdict"] == "yes"
    assert best["found"] > 5
    assert (best["low"], best["high"], best["open"]) == (1.0, 1.0, 0)
    assert {row["state"] for row in summary["list"]} == {"finished", "dropped"}


def test_a_budget_smaller_than_the_number_of_sites(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 2, "fetch.concurrency": 1})
    crawl.run()
    summary = sites_of(crawl.folder)
    assert summary["explored"] == 2
    assert summary["unknown"] >= 4
    assert sum(read_by(web) == 0 for web in webs) == 4


def test_with_more_pages_exploring_goes_on(tmp_path, webs):
    crawl_of(tmp_path, webs, **{"rank.explore": 2, "fetch.concurrency": 1}).run()
    code, said, wrong = command("run", str(tmp_path / "c"), "--explore", "24", "--plain")
    assert code == 0, wrong
    assert "its 24 pages are spent" in said
    assert all(row["pages"] for row in sites_of(tmp_path / "c")["list"])


def test_dead_moved_and_lonely_sites_end_well(tmp_path, webs):
    with (
        serving({"/": linked(text="all there is, statistics permits statistics")}) as one,
        serving({}) as gone,
    ):
        moved = {"/": (302, {"Location": f"{webs[0].origin}/"}, b"")}
        with serving(moved) as away, serving({}) as there, serving({}) as back:
            there.pages["/"] = (302, {"Location": f"{back.origin}/"}, b"")
            back.pages["/"] = (302, {"Location": f"{there.origin}/"}, b"")
            dead = "http://127.0.0.1:9/"
            places = [dead, away, there, back, gone, one, *webs[:2]]
            crawl = crawl_of(tmp_path, places, **{"rank.explore": 30, "fetch.tries": 1})
            crawl.run()
            states = {row["site"]: row for row in sites_of(crawl.folder)["list"]}
            counts = sites_of(crawl.folder)
            moved = [row for row in counts["list"] if row["state"].startswith("moved to ")]
            assert counts["sites"] == len(counts["list"]) - len(moved), "each is counted where it is now"
        name = one.origin.partition("://")[2]
        assert states[name]["verdict"] == "yes"
        assert states[name]["state"] == "finished"
        assert states["127.0.0.1:9"]["verdict"] == "unknown"
        assert states["127.0.0.1:9"]["state"].startswith("no response: ")
        assert (
            states[away.origin.partition("://")[2]]["state"]
            == f"moved to {webs[0].origin.partition('://')[2]}"
        )
        assert states[gone.origin.partition("://")[2]]["state"] == "all requests failed"
        assert states[webs[0].origin.partition("://")[2]]["verdict"] == "yes"


def test_the_user_overrules_a_site_while_the_crawl_runs(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 12, "fetch.concurrency": 2})
    wrong, right = (web.origin.partition("://")[2] for web in (webs[1], webs[0]))

    async def run():
        async with open_crawl(crawl.folder, crawl.config()) as walk:
            said = 0
            async for _ in walk.results():
                if not said and walk.engine.scoring.host_policy.collecting:
                    rules = [Rule(wrong, "yes", time.time()), Rule(right, "no", time.time())]
                    await asyncio.to_thread(add_rules, crawl.folder, rules)
                    said = read_by(webs[0])
            return said

    said = asyncio.run(run())
    assert read_by(webs[1]) == 26
    assert said <= read_by(webs[0]) < 26
    rows = {row["site"]: row for row in sites_of(crawl.folder)["list"]}
    assert rows[wrong]["said"] is True
    assert rows[right]["said"] is False


def test_kill_9_and_go_on(tmp_path, webs):
    for web in webs:
        slow = dict(web.pages)
        web.pages.update({path: _slowly(page) for path, page in slow.items()})
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 30})
    command = [*CLEW, "run", str(crawl.folder), "--json"]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    for _, line in zip(range(18), run.stdout, strict=False):
        assert line
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    stored = sum(pages_of(crawl).values())
    guide = Sites()
    assert stored
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    notes = [json.loads(line) for line in done.stdout.splitlines() if '"note"' in line]
    switched = [note for note in notes if note.get("phase") == "collect"]
    assert switched
    assert 6 <= switched[0]["explored"] <= 30 + 6
    assert (switched[-1]["yes"], switched[-1]["no"] + switched[-1]["unknown"]) == (2, 4)
    assert (crawl.folder / "models" / "sites.tsv").exists()
    guide.load(crawl.folder / "models")
    assert guide.collecting


def _slowly(page):
    def answer(_):
        time.sleep(0.05)
        return 200, {}, page.encode()

    return answer


def test_the_command_shows_overrules_and_answers_wrong_words(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 24})
    crawl.run()
    name, folder = webs[1].origin.partition("://")[2], str(crawl.folder)

    def said(*words):
        return command("sites", folder, *words)

    code, shown, wrong = said()
    assert code == 0, wrong
    assert "2 of 6 sites hold it, 0 do not, 4 are not known yet (" in shown
    assert shown.count("  not known yet  ") == 4
    assert shown.count(" dropped") == 4
    assert f"{name} is marked as relevant" in said("--yes", webs[1].origin)[1]
    assert "holds it, marked" in said()[1]
    crawl.run()
    assert read_by(webs[1]) == 26
    assert f"{name} is estimated from its pages again" in said("--undo", name)[1]
    code, _, wrong = said("--no", f"{name}0")
    assert code == 2
    assert "is not a site of this crawl; did you mean" in wrong


def test_sites_that_are_known_are_taken_from_a_file_and_learned_from(tmp_path):
    with ExitStack() as open:
        words = ("tables figures percent", "recipes holidays gossip")
        pages = [{"/": linked("/a", text=words[at % 2]), "/a": linked(text=words[at % 2])} for at in range(6)]
        webs = [open.enter_context(serving(site)) for site in pages]
        crawl = crawl_of(tmp_path, webs)
        crawl.run(pages=12)
    known = tmp_path / "known.tsv"
    names = [web.origin.partition("://")[2] for web in webs]
    lines = [f"{name}\t{'no' if number % 2 else 'yes'}\n" for number, name in enumerate(names)]
    known.write_text("".join([*lines, "nonsense\n", "elsewhere.test\tno\n"]), "utf-8")
    code, labelled, wrong = command("sites", str(crawl.folder), "--labels", str(known))
    assert code == 0, wrong
    assert "on sites it was not trained on: accuracy 1.00, precision 1.00, recall 1.00" in labelled
    assert "6 sites are marked: 3 relevant, 3 not relevant" in labelled
    assert "line 7: nonsense is not a site with yes or no; skipped" in labelled
    assert "1 other is not in this crawl" in labelled
    assert "trained the classifier on " in labelled
    terms = labelled.partition("strongest terms: ")[2].split()
    assert {"figures", "tables", "recipes", "holidays"} <= set(terms), "whole words, not stems"
    assert (crawl.folder / "models" / "site-reader.tsv").exists()
    assert sites_of(crawl.folder)["yes"] == 3
    known.write_text("elsewhere.test\tno\n", "utf-8")
    code, _, wrong = command("sites", str(crawl.folder), "--labels", str(known))
    assert code == 2
    assert "none of the 1 hosts in" in wrong


def test_why_shows_the_numbers_of_a_site_and_delta_says_that_it_has_no_classifier(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs, **{"rank.explore": 12, "rank.explorer": "delta"})
    summary = crawl.run(pages=6)
    assert any("delta has no classifier of sites yet" in hint for hint in summary.hints)
    code, shown, wrong = command("why", str(crawl.folder), f"{webs[1].origin}/")
    assert code == 0, wrong
    name = webs[1].origin.partition("://")[2]
    assert re.search(
        rf"  site    {name}: theta 0\.\d\d of 1 page, delta 0\.\d{{4}}, value of one more", shown
    ), shown
    site = json.loads(command("why", str(crawl.folder), f"{webs[1].origin}/", "--json")[1])["site"]
    assert (site["pages"], site["explorer"], site["phase"]) == (1, "delta", "exploring")


def test_words_that_tell_nothing_give_no_classifier_and_it_is_said(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs)
    crawl.run(pages=12)
    known = tmp_path / "known.tsv"
    names = [web.origin.partition("://")[2] for web in webs]
    known.write_text("".join(f"{name}\t{'yes' if at % 2 else 'no'}\n" for at, name in enumerate(names)))
    code, labelled, wrong = command("sites", str(crawl.folder), "--labels", str(known))
    assert code == 0, wrong
    assert "not trained: the words of these pages do not tell relevant sites from others" in labelled
    assert not (crawl.folder / "models" / "site-reader.tsv").exists()


def test_a_site_read_to_its_end_does_not_hold_it_and_one_without_index_is_named(tmp_path):
    small = {"/": linked("/a", text="nothing here"), "/a": linked(text="nor here")}
    hidden = {"/": (200, {"X-Robots-Tag": "noindex"}, linked(text=GOAL).encode())}
    with serving(small) as one, serving(hidden) as two:
        crawl = crawl_of(tmp_path, [one, two])
        crawl.run()
        rows = {row["site"]: row for row in sites_of(crawl.folder)["list"]}
        names = [web.origin.partition("://")[2] for web in (one, two)]
        assert crawl.run().relevant == 0
        again = {row["site"]: row for row in sites_of(crawl.folder)["list"]}
    assert (rows[names[0]]["verdict"], rows[names[0]]["state"]) == ("no", "finished")
    assert rows[names[1]]["state"] == "1 page not to be indexed (robots directives)"
    assert (rows[names[1]]["verdict"], rows[names[1]]["found"]) == ("yes", 1), (
        "it is no result, but it is known"
    )
    assert again == rows


def test_a_host_with_and_without_www_is_one_site():
    names = {Sites().table.name(origin) for origin in ("http://www.a.test", "https://a.test")}
    assert names == {"a.test"}


def test_new_takes_a_file_of_sites(tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("a.example.org\nfoo bar\nhttps://b.example.org/x\na.example.org\n", "utf-8")
    words = ["--about", GOAL, "--sites", str(listed), "--contact", CONTACT, "--no-check"]
    code, said, wrong = command("new", str(tmp_path / "d"), *words)
    assert code == 0, wrong
    assert "2 sites in" in said
    assert "line 2: foo bar is not a site; skipped" in said
    assert "line 4: a.example.org is a duplicate" in said
    kept = (tmp_path / "d" / "sites.txt").read_text("utf-8")
    assert kept == "http://a.example.org/\nhttps://b.example.org/x\n"
    config = load(tmp_path / "d" / "clew.toml")
    assert (config.rank.policy, config.scope.hosts, config.crawl.seeds) == ("sites", ["seeds"], ["sites.txt"])
    listed.write_text("nothing here\n", "utf-8")
    code, _, wrong = command("new", str(tmp_path / "e"), *words)
    assert code == 2
    assert "names no site, line 1 is 'nothing here'; write one host" in wrong


def test_a_site_of_very_many_links_is_one_turn(tmp_path):
    many = linked(*[f"/x{number}" for number in range(5_000)], text="words")
    with serving({"/": many}) as huge, serving(site(10, True, 3)) as good:
        crawl = crawl_of(tmp_path, [huge, good], **{"rank.explore": 12})
        crawl.run(pages=40)
        rows = {row["site"]: row for row in sites_of(crawl.folder)["list"]}
    assert rows[good.origin.partition("://")[2]]["state"] == "finished"
    assert rows[huge.origin.partition("://")[2]]["open"] > 4_000


def test_a_crawl_like_another_explores_its_own_sites_from_the_first_page(tmp_path, webs):
    crawl = crawl_of(tmp_path, webs[:3], **{"rank.explore": 9})
    crawl.run(pages=9)
    assert (crawl.folder / "models" / "sites.tsv").exists()
    listed = tmp_path / "others.txt"
    listed.write_text("".join(f"{web.origin}/\n" for web in webs[3:]), "utf-8")
    words = ("--like", str(crawl.folder), "--sites", str(listed), "--no-check")
    code, _, wrong = command("new", str(tmp_path / "d"), *words)
    assert code == 0, wrong
    clew.Crawl(tmp_path / "d").run(pages=6)
    status = json.loads(command("sites", str(tmp_path / "d"), "--json")[1])
    assert (status["explored"], status["sites"]) == (6, 3)
