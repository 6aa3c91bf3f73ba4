"""Hints: given for a problem, with numbers and one next step; none for a healthy crawl."""

import asyncio
import random
import socket
import time
from dataclasses import replace

import pytest

from clew.builder import build_engine, open_crawl
from clew.config import build
from clew.engine.budget import Budget
from clew.engine.clock import Clock
from clew.engine.parts import make_parts
from clew.engine.run import CrawlRun
from clew.extract.nothing import NoExtractor
from clew.frontier import Scope
from clew.insight.diagnostics import Advisor, cures
from clew.insight.diagnostics.goal_words import language_of
from clew.insight.summary import Summary, summarise
from clew.judge.words import WordsJudge
from clew.rank.baselines.breadth import Breadth
from clew.store import SqliteStore
from clew.testing import sample_link, sample_links, sample_page
from clew.types import Kind, NewLinks, PageResult, State, Verdict
from tests.small_web import CONTACT, linked, serving

WORDS = "planning permits for offshore wind farms"
GERMAN = (
    "die und der über Stadt Haus Fluss Brücke Bürgermeister Straße Wasser Garten Schule Arbeit Kirche Markt"
)
ENGLISH = "the and of about town house river bridge mayor street water garden school work church market"


def configured(seeds, about, **settings):
    tables = {
        "crawl": {"contact": CONTACT, "seeds": seeds},
        "goal": {"about": about},
        "fetch": {"delay": 0, "per_host": 4, "allow": ["127.0.0.0/8"]},
        "store": {"min_free": 0},
        "parse": {"workers": 2},
    }
    for name, value in settings.items():
        table, key = name.split("__")
        tables.setdefault(table, {})[key] = value
    return build(tables, "clew.toml")


def crawled(folder, config):
    """Run a crawl; return its hints, those of its end and its summary."""

    async def whole():
        advisor, hints = Advisor(config, folder), []
        async with open_crawl(folder, config) as run:
            async for result in run.results():
                hints += advisor.observe(run, result)
            ended, held = run.ended, run.engine.frontier.suspended()
        summary = summarise(folder, ended, held)
        return hints, advisor.finish(run, summary), summary

    return asyncio.run(whole())


def prose(pool, number, more=""):
    """Return a different text for each number: the trap guard recognises repeated pages."""
    rng = random.Random(number)
    return f"{more} {' '.join(rng.choices(pool.split(), k=90))}"


def site(number, pool, lang="en", more=""):
    """A home page that links to so many others, each with a text of its own."""
    pages = {"/": linked(*(f"/{i % 7}/{i}.html" for i in range(number)), text=prose(pool, -1))}
    for i in range(number):
        pages[f"/{i % 7}/{i}.html"] = linked(text=prose(pool, i, more), title=f"Page {i}")
    return {path: page.replace("lang=en", f"lang={lang}") for path, page in pages.items()}


# ---- real crawls -------------------------------------------------------------------------------


def test_pages_in_another_language(tmp_path):
    with serving(site(120, GERMAN, lang="de")) as web:
        hints, end, _ = crawled(tmp_path / "wind", configured([web.origin], WORDS))
    (hint,) = hints
    assert hint.startswith(
        "nothing relevant in 100 pages: 100 of 100 pages are in German, your words look English"
    )
    assert f"Ctrl-C, then clew run {tmp_path}/wind --set goal.about=" in hint
    assert f": clew new {tmp_path}/wind-2 --like {tmp_path}/wind --set goal.about=" in end[0], (
        "nothing is left, and verdicts stay"
    )
    assert len(end) == 1
    assert "nothing relevant in 121 pages" in end[0]


def test_words_that_never_occur(tmp_path):
    with serving(site(120, ENGLISH)) as web:
        hints, end, _ = crawled(tmp_path, configured([web.origin], "lihgthouse bacon"))
    for hint in (*hints, *end):
        assert 'none of your words ("lihgthouse", "bacon") occurs on any page' in hint
        assert "--set goal.good=" in hint
    assert len(hints) == len(end) == 1


def test_a_judge_that_is_too_strict(tmp_path):
    with serving(site(120, ENGLISH, more="One permit for a wind farm.")) as web:
        hints, _, _ = crawled(tmp_path, configured([web.origin], WORDS, goal__judge="words"))
    (hint,) = hints
    assert "the highest verdict is 0." in hint
    assert "goal.keep is 0.5" in hint
    assert '"planning", "offshore" never occur' in hint
    lower = float(hint.rpartition("goal.keep=")[2])
    assert 0.2 <= lower < 0.5


def test_a_goal_without_words(tmp_path):
    with serving(site(120, ENGLISH)) as web:
        hints, end, _ = crawled(tmp_path, configured([web.origin], "", goal__judge="place:jp"))
    for hint in (*hints, *end):
        assert "no page matches the judge place:jp" in hint
        assert "crawl.seeds" in hint
        assert "your words" not in hint
    assert hints


def test_pages_made_by_scripts(tmp_path):
    shell = "<html lang=en><title>App {}</title><div id=root></div><script src=/app.js></script>{}"
    links = "".join(f"<a href=/v/{i}></a>" for i in range(120))
    pages = {"/": shell.format("", links)} | {f"/v/{i}": shell.format(i, "") for i in range(120)}
    with serving(pages) as web:
        hints, end, _ = crawled(tmp_path, configured([web.origin], WORDS))
    assert any("have almost no text" in hint and "--rerender" in hint for hint in hints + end), hints + end


def test_a_host_that_refuses_requests(tmp_path):
    pages = site(40, ENGLISH)
    shut = (403, {}, b"Forbidden")
    pages |= dict.fromkeys(list(pages)[8:], shut)
    with serving(pages) as web:
        in_order = {"fetch__concurrency": 1, "rank__policy": "breadth"}
        hints, _, _ = crawled(tmp_path / "w", configured([web.origin], "river bridge", **in_order))
    blocked = [hint for hint in hints if "refused the last" in hint]
    assert len(blocked) == 1
    assert "refused the last 10 requests (403) after 8 successful responses" in blocked[0]
    assert blocked[0].endswith(f"clew exclude {tmp_path}/w 127.0.0.1")


def test_a_host_that_returns_bot_checks(tmp_path):
    pages = site(30, ENGLISH)
    wall = "<title>Just a moment...</title><p>Checking your browser before accessing the site."
    pages |= dict.fromkeys(list(pages)[8:], wall)
    with serving(pages) as web:
        in_order = {"fetch__concurrency": 1, "rank__policy": "breadth"}
        hints, _, _ = crawled(tmp_path, configured([web.origin], "river bridge", **in_order))
    assert [hint for hint in hints if "returned a bot check 5 times in a row after 8 successful" in hint]


def test_everything_is_relevant(tmp_path):
    with serving(site(130, ENGLISH)) as web:
        hints, end, _ = crawled(tmp_path, configured([web.origin], "river bridge", goal__keep=0.1))
    (hint,) = hints
    assert "100 of 100 pages are relevant" in hint
    assert "nearly all contain “river”" in hint
    assert float(hint.rpartition("goal.keep=")[2]) > 0.1
    assert end == []


@pytest.mark.parametrize(
    ("about", "words"),
    [("", "no topic given"), ("the and of", "has no topic words")],
    ids=["none", "stop words"],
)
def test_no_topic_is_said_once(tmp_path, about, words):
    with serving(site(110, ENGLISH)) as web:
        hints, end, summary = crawled(tmp_path, configured([web.origin], about))
    assert summary.relevant == summary.pages
    (hint,) = hints
    assert words in hint
    assert "every page is relevant" in hint
    assert end == []


def test_a_scope_that_refuses_most_links(tmp_path):
    outside = [f"https://h{i}.other.org/p{j}" for i in range(20) for j in range(10)]
    with serving({"/": linked("/a", *outside, text=3 * ENGLISH), "/a": linked(text=3 * ENGLISH)}) as web:
        config = configured([web.origin], "lighthouse", scope__hosts=["seeds"], crawl__pages=500)
        _, (hint,), _ = crawled(tmp_path / "a", config)
        assert "scope.hosts refused 200 of 201 links" in hint
        assert hint.endswith("--set scope.hosts=any")
        config = configured([web.origin], "river", scope__hosts=["seeds"], crawl__pages=500)
        _, (hint,), _ = crawled(tmp_path / "b", config)
        assert hint.startswith("no links are left after 2 pages, 498 short of the budget: scope.hosts")


def test_robots_txt_that_forbids_most(tmp_path):
    rules = "User-agent: *\n" + "".join(f"Disallow: /{i}/\n" for i in range(1, 7))
    pages = site(60, ENGLISH, more="a wind farm") | {"/robots.txt": (200, {}, rules.encode())}
    with serving(pages) as web:
        _, (hint,), _ = crawled(tmp_path, configured([web.origin], "wind and lighthouses and fog signals"))
    assert "robots.txt forbids 51 links; 10 pages could be fetched" in hint


def test_a_proxy_that_is_down(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    seeds = [f"http://h{i}.net/" for i in range(4)]
    config = configured(seeds, WORDS, fetch__proxy=f"http://me:secret@127.0.0.1:{port}", fetch__tries=1)
    hints, end, summary = crawled(tmp_path, config)
    assert summary.pages == 0
    first = next(hint for hint in hints if "failed with the same error" in hint)
    assert first.startswith("the last 3 requests failed with the same error")
    assert f"is the proxy http://127.0.0.1:{port} running?" in first
    assert "secret" not in "".join(hints + end)
    assert "proxy" in end[0]


def test_a_seed_that_is_gone_and_rules_that_cannot_be_read(tmp_path):
    broken = {"/robots.txt": (500, {}, b"oops"), "/": linked(text=3 * ENGLISH)}
    with serving({"/": linked(text=3 * ENGLISH)}) as web, serving(broken) as dead:
        config = configured([web.origin, f"{web.origin}/gone", dead.origin], "river", fetch__tries=1)
        hints, end, _ = crawled(tmp_path / "w", config)
    assert [hint for hint in hints if f"seed {web.origin}/gone returned no page (status 404)" in hint]
    rules = [hint for hint in hints if "robots.txt could not be read" in hint]
    assert len(rules) == 1
    assert rules[0].startswith(f"{dead.origin} is skipped in this run")
    assert end == []


def dead_folder(number):
    """A home page that answers, a folder of its links that does not, and one that does."""
    links = [f"/old/{n}.html" for n in range(number)]
    fine = {f"/new/{n}.html": linked(text=prose(ENGLISH, n)) for n in range(20)}
    return {"/": linked(*links, *fine, text=prose(ENGLISH, -1)), **fine}


def test_links_that_are_gone_are_not_blamed_on_seeds_that_answered(tmp_path):
    with serving(dead_folder(80)) as web:
        config = configured([web.origin], "zeppelin", rank__policy="breadth")
        hints, end, summary = crawled(tmp_path, config)
    assert (summary.pages, summary.failed) == (21, 80)
    (told,) = end
    assert told.startswith(
        "nothing relevant in 21 pages (80 failed requests): 80 of 101 links to pages were not"
    )
    place = web.origin.partition("://")[2]
    assert f"the seeds answered; 80 of them are under {place}/old/; leave it out: " in told
    assert "check the seeds" not in " ".join(hints + end)
    pattern = told.partition("--set scope.exclude=")[2].strip("'")
    assert Scope(exclude=[pattern]).refusal(f"{web.origin}/old/7.html", 1)
    assert not Scope(exclude=[pattern]).refusal(f"{web.origin}/new/7.html", 1)


def test_a_seed_that_is_gone_is_blamed(tmp_path):
    with serving(dead_folder(150)) as web:
        config = configured([f"{web.origin}/moved", web.origin], "zeppelin", rank__policy="breadth")
        _, end, _ = crawled(tmp_path, config)
    assert end[0].endswith("check the seeds in a browser: they may have moved")


def test_a_crawl_that_spends_most_requests_on_failures_names_the_folder(tmp_path):
    with serving(dead_folder(250)) as web:
        config = configured(
            [web.origin], " ".join(ENGLISH.split()[:3]), rank__policy="breadth", goal__keep=0.01,
            scope__suspect_pages=0,
        )  # fmt: skip
        hints, _, summary = crawled(tmp_path, config)
    assert summary.relevant
    place = web.origin.partition("://")[2]
    named = [hint for hint in hints if f"of them are under {place}/old/; leave it out: " in hint]
    assert len(named) == 1, hints


def test_a_healthy_crawl_gets_no_hints(tmp_path):
    rng = random.Random(3)
    plain = [f"{''.join(rng.choices('abcdefghijklmnop', k=6))}" for _ in range(400)]
    texts = [" ".join(rng.sample(plain, 120)) + " lighthouse keeper beacon" * (n % 2 * 4) for n in range(150)]
    site = {f"/a/{n}": linked(f"/a/{n + 1}", f"/a/{n * 2}", text=text) for n, text in enumerate(texts)}
    with serving({"/": linked(*site), **site}) as web:
        config = configured([web.origin], "lighthouse keeper beacon", crawl__pages=150)
        hints, end, summary = crawled(tmp_path, config)
    assert 0.2 * summary.pages < summary.relevant < 0.95 * summary.pages
    assert hints == []
    assert end == []


# ---- thresholds, with made-up results ---------------------------------------------------------------


def new_run(tmp_path, config, pages=0):
    parts = make_parts(config, {"ranker": Breadth(), "judge": WordsJudge(), "extractor": NoExtractor()})
    engine = build_engine(config, SqliteStore(tmp_path), Clock(), parts, seeds=["https://a.test/"])
    return CrawlRun(engine=engine, fetcher=None, parse=None, budget=Budget(pages))


def result(host="a.test", *, status=200, value=0.0, at=0.0, error="", state=State.DONE, **fields):
    page = sample_page(
        f"https://{host}/p", text=fields.pop("text", 3 * ENGLISH), title=fields.pop("title", "t")
    )
    link = replace(sample_link(f"https://{host}/p"), parent=7, depth=2, kind=fields.pop("kind", Kind.PAGE))
    response = replace(page.response, link=link, status=status, error=error, started=at, ended=at + 0.1)
    page = replace(page, response=response, lang="en")
    verdict = Verdict(value) if status == 200 else None
    return PageResult(
        page=page, state=state, verdict=verdict, relevant=value >= 0.5 and status == 200, **fields
    )


def hints_of(advisor, run, results):
    hints = []
    for each in results:
        run.engine.totals.pages += each.page.link.kind is Kind.PAGE and each.state is not State.OPEN
        run.engine.totals.relevant += each.relevant
        hints += advisor.observe(run, each)
    return hints


@pytest.fixture
def lone(tmp_path):
    config = configured(["https://a.test/"], "river bridge")
    return Advisor(config, tmp_path), new_run(tmp_path, config)


def test_ninety_nine_pages_are_not_enough(lone):
    advisor, run = lone
    assert hints_of(advisor, run, [result(value=0.1)] * 99) == []
    assert len(hints_of(advisor, run, [result(value=0.1)] * 399)) == 1
    assert len(hints_of(advisor, run, [result(value=0.1)] * 100)) == 1  # five times worse: hints again
    assert hints_of(advisor, run, [result(value=0.1)] * 100) == []


def test_one_good_page_is_something(lone):
    advisor, run = lone
    assert hints_of(advisor, run, [result(value=0.9), *[result(value=0.1)] * 400]) == []


def test_single_refusals_do_not_block_a_host(lone):
    advisor, run = lone
    mixed = ([result(status=403)] * 9 + [result(value=0.6), result(value=0.1)]) * 5
    assert hints_of(advisor, run, mixed) == []


def test_a_busy_host_is_named_with_what_clew_does(lone):
    advisor, run = lone
    busy = [result(status=429, state=State.OPEN)] * 6
    (hint,) = hints_of(advisor, run, busy)
    assert "a.test responded 429 (too many requests) 4 times in a row" in hint
    assert "clew backs off longer each time, then suspends it" in hint
    assert "fetch.delay=5" in hint


def test_many_blocked_hosts_are_counted_not_listed(lone):
    advisor, run = lone
    results = [result(value=0.6)] + [result(f"h{i}.test", status=403) for i in range(20) for _ in range(12)]
    hints = hints_of(advisor, run, results)
    assert len([hint for hint in hints if "clew exclude" in hint]) == 5
    assert len([hint for hint in hints if "6 hosts refuse requests" in hint]) == 1
    assert len(hints) == 6


def test_the_same_page_everywhere(lone):
    advisor, run = lone
    hints = hints_of(advisor, run, [result(value=0.6), *[result(duplicate_of=3, title="Sign in")] * 25])
    assert len(hints) == 1
    assert 'the same page ("Sign in") for 20 URLs in a row' in hints[0]


def test_a_falling_yield(lone):
    advisor, run = lone
    fair = [result(value=0.9), *[result()] * 3] * 150  # 25 %
    lean = [result(value=0.9), *[result()] * 19] * 25  # 5 %: a swing, not a drought
    assert hints_of(advisor, run, fair + lean) == []
    dry = [result(value=0.9), *[result()] * 99] * 5
    hints = hints_of(advisor, run, dry)
    assert len(hints) == 1
    assert "of the last 500 pages were relevant, 125 of the best 500" in hints[0]


def test_politeness_makes_a_budget_long(tmp_path):
    config = configured(["https://a.test/"], "river bridge", fetch__delay=1.0)
    slow = [result(value=0.6 if i % 2 else 0.1, at=1.0 + i) for i in range(300)]
    hints = hints_of(Advisor(config, tmp_path), new_run(tmp_path, config, pages=50_000), slow)
    assert len(hints) == 1
    assert "at 1.0 pages/s from 1 host the other 49,900 pages take 14 hours" in hints[0]
    assert hints_of(Advisor(config, tmp_path), new_run(tmp_path, config, pages=20_000), slow) == []
    spread = [result(f"h{i % 9}.test", value=0.6 if i % 2 else 0.1, at=1.0 + i) for i in range(300)]
    assert hints_of(Advisor(config, tmp_path), new_run(tmp_path, config, pages=50_000), spread) == []


def test_links_that_run_out_before_the_budget(tmp_path):
    config = configured(["https://a.test/"], "river bridge")
    advisor, run = Advisor(config, tmp_path), new_run(tmp_path, config, pages=5_000)
    hints = []
    for open in (1, 40, 900, 400, 120, 20):  # small at the beginning is normal, shrinking is not
        run.engine.frontier.open = open
        hints.append(hints_of(advisor, run, [result(value=0.6 if i % 2 else 0.1) for i in range(100)]))
    assert hints[:3] == [[], [], []]
    (hint,) = [hint for each in hints for hint in each]
    assert "only 400 links are left for 4,600 remaining pages of the budget" in hint
    assert "crawl.seeds" in hint


def test_a_disk_that_will_not_hold_it(tmp_path):
    config = configured(["https://a.test/"], "river bridge")
    (tmp_path / "pages").mkdir()
    with (tmp_path / "crawl.db").open("wb") as file:
        file.truncate(500 << 30)  # sparse: a gigabyte a page
    results = [result(value=0.6 if i % 2 else 0.1) for i in range(500)]
    (hint,) = hints_of(Advisor(config, tmp_path), new_run(tmp_path, config, pages=100_000), results)
    assert hint.startswith("the disk has space for about")
    assert "of the 99,500 remaining (1,048,576 KB each" in hint
    with (tmp_path / "crawl.db").open("wb") as file:
        file.truncate(500_000)
    assert hints_of(Advisor(config, tmp_path), new_run(tmp_path, config, pages=1_000), results) == []


def test_offline_needs_several_hosts(tmp_path):
    config = configured(["https://a.test/"], "river")
    dead = [
        result(f"h{i % 4}.test", status=0, error="dns: name not found", state=State.OPEN) for i in range(20)
    ]
    hints = hints_of(Advisor(config, tmp_path), new_run(tmp_path, config), dead)
    assert len(hints) == 1
    assert 'the last 10 requests failed with the same error ("dns: name not found"), at 4 hosts' in hints[0]
    alone = [result(status=0, error="dns: name not found", state=State.OPEN)] * 20
    assert hints_of(Advisor(config, tmp_path), new_run(tmp_path, config), alone) == []
    after = [result(value=0.9), *dead]
    assert hints_of(Advisor(config, tmp_path), new_run(tmp_path, config), after) == []


def test_a_step_costs_little(tmp_path):
    config = configured(["https://a.test/"], WORDS)
    advisor, run = Advisor(config, tmp_path), new_run(tmp_path, config, pages=10**6)
    links = sample_links(50)
    found = NewLinks(first=9, links=links, scores=links.positions, refused=[""] * 50, depth=1)
    results = [
        result(f"h{i % 50}.test", value=(i % 7) / 7, new_links=found, at=float(i)) for i in range(5_000)
    ]
    began = time.process_time()
    hints_of(advisor, run, results)
    assert (time.process_time() - began) / len(results) < 60e-6  # it is 11 µs


def test_a_run_stopped_at_once_gets_no_lecture(lone):
    advisor, run = lone
    hints_of(advisor, run, [result()] * 5)
    assert advisor.finish(run, Summary(ended="stopped", pages=5)) == []
    assert len(advisor.finish(run, Summary(ended="nothing is left to fetch", pages=5))) == 1


def test_a_few_more_pages_of_a_resumed_crawl_explain_nothing(lone):
    advisor, run = lone
    hints_of(advisor, run, [result()] * 5)
    assert advisor.finish(run, Summary(ended="the budget of 305 pages is spent", pages=305)) == []
    hints_of(advisor, run, [result()] * 15)
    assert len(advisor.finish(run, Summary(ended="the budget of 320 pages is spent", pages=320))) == 1


@pytest.mark.parametrize(
    ("reason", "cure"),
    [
        ("https://a.test/: dns: name not found", "spelling"),
        ("refused address 127.0.0.1 (3 ×, e.g. http://127.0.0.1/)", "fetch.allow"),
        ("left alone: https://a.test: robots.txt could not be read: status 500", "not crawled"),
        ("https://a.test/403: HTTP 404", "do not exist"),
        ("https://a.test/x: tls: certificate expired", "expired"),
        ("https://a.test/x: robots: Disallow: /", "robots.txt"),
        ("https://a.test/x: status 429: busy 6 times in a row", "slow down"),
    ],
)
def test_cures(reason, cure):
    (found,) = cures([reason, reason])
    assert cure in found


@pytest.mark.parametrize(
    ("about", "language"),
    [
        (WORDS, "English"),
        ("Genehmigungen für Windparks", "German"),
        ("permis de construire pour éoliennes", "French"),
        ("разрешения на строительство", "Cyrillic"),
        ("洋上風力発電の許可", "Japanese"),
        ("lighthouse beacon", ""),
        ("university department course pages", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_few_words(about, language):
    assert language_of(about)[0] == language
