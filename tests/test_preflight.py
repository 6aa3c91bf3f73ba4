"""Looking before the walk: verdicts on seeds, rules counted, times estimated, all of it politely."""

import asyncio
import json
import time
from contextlib import ExitStack
from itertools import pairwise

import pytest

from clew import Crawl
from clew.cli import opening
from clew.cli.opening import OpeningProgress
from clew.config import build
from clew.insight.preflight import CrawlPlan, HostPlan, check_seeds, make_plan, rulings
from clew.insight.preflight.crawl_plan import TimeEstimate
from clew.insight.preflight.estimate import estimate_time
from clew.insight.preflight.findings import describe_error, describe_status, mask_passwords
from clew.insight.preflight.seed_check import MOST
from clew.types import Kind
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_cli import clew


def config(**tables):
    fetch = {"allow": ["127.0.0.1/32"], "delay": 0, **tables.pop("fetch", {})}
    return build({"crawl": {"contact": CONTACT, "seeds": ["http://x.org/"]}, "fetch": fetch, **tables}, "x")


def check(seeds, **tables):
    return asyncio.run(check_seeds(config(**tables), seeds))


def robots(*lines):
    return (200, {"Content-Type": "text/plain"}, "\n".join(("User-agent: *", *lines)).encode())


# ---- seeds -------------------------------------------------------------------------------------


def test_every_seed_gets_a_verdict_in_words():
    with ExitStack() as webs:
        web = [webs.enter_context(serving({})) for _ in range(7)]
        good, moved, shut, gone, paper, mute, login = web
        good.pages |= {"/": linked(title="Wind\x1b[2J permits"), "/robots.txt": robots("Disallow: /x")}
        moved.pages["/"] = (301, {"Location": f"{good.origin}/"}, b"")
        shut.pages["/robots.txt"] = robots("Allow: /a", "Disallow: /secret")
        paper.pages["/"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4")
        mute.pages["/robots.txt"] = (503, {}, b"")
        login.pages["/"] = (302, {"Location": "/account/login?next=/"}, b"")
        login.pages["/account/login?next=/"] = linked()
        seeds = [f"{each.origin}/" for each in (good, moved, gone, paper, mute, login)]
        seeds += [f"{shut.origin}/secret/a", "http://127.0.0.1:1/", "http://127.0.0.2/", "http://no.invalid/"]
        found = {each.url: each for each in check(seeds)}
        assert [each.url for each in found.values()] == seeds
    states = [found[seed].state for seed in seeds]
    assert states == ["answers", "moved", "failed", "odd", "failed", "failed", "refused", *["failed"] * 3]
    descriptions = [found[seed].words for seed in seeds]
    assert descriptions[1] == f"redirects to {good.origin}/"
    assert "404" in descriptions[2]
    assert "application/pdf" in descriptions[3]
    assert "robots.txt cannot be read (status 503)" in descriptions[4]
    assert "requires a login" in descriptions[5]
    assert "CLEW_AUTH" in found[seeds[5]].cure
    assert descriptions[6] == f"robots.txt forbids it ({shut.origin}/robots.txt: Disallow: /secret)"
    assert "refuses the connection" in descriptions[7]
    assert "private address 127.0.0.2" in descriptions[8]
    assert found["http://127.0.0.2/"].cure.endswith("fetch.allow=127.0.0.0/8")
    assert "no such host: no.invalid" in descriptions[9]
    assert all(each.cure for each in found.values() if not each.usable)
    assert shut.asked == ["/robots.txt"]
    assert good.asked[0] == "/robots.txt"
    assert mute.asked == ["/robots.txt"]
    assert [CONTACT in agent for agent in good.agents] == [True]


def test_a_host_is_asked_once_a_second_whatever_the_delay():
    times = []

    def answer(request):
        times.append(time.monotonic())
        return (404, {}, b"")

    with serving({"/robots.txt": answer, "/": answer, "/a": answer}) as web:
        check([f"{web.origin}/", f"{web.origin}/a"])
    gaps = [later - before for before, later in pairwise(times)]
    assert len(gaps) == 2
    assert min(gaps) >= 0.5  # one second between requests; the server may notice one late


def test_of_many_seeds_some_of_every_host_are_asked():
    seeds = [f"http://127.0.0.2/{n}" for n in range(40)] + ["http://127.0.0.3/", "http://127.0.0.4/"]
    found = check(seeds)
    assert len(found) == 42
    assert sum(each.state != "unchecked" for each in found) == MOST
    assert [each.state for each in found[-2:]] == ["failed", "failed"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("tls: certificate expired", "certificate expired"),
        ("timeout", "in time"),
        ("refused address fd00::1", "private address fd00::1"),
        ("host unreachable", "cannot be reached"),
        ("something new", "something new"),
    ],
)
def test_faults_have_words_and_a_cure(error, words):
    description, cure = describe_error(error, "https://a.org/", config())
    assert words in description
    assert cure


def test_a_dead_proxy_is_blamed_itself_and_keeps_its_password():
    description, cure = describe_error(
        "connection refused", "http://a.org/", config(fetch={"proxy": "http://me:s3cret@10.0.0.1:3128"})
    )
    assert "http://***@10.0.0.1:3128" in description
    assert "s3cret" not in description + cure
    assert mask_passwords("https://a:b@c.org and http://d.org/@e") == "https://***@c.org and http://d.org/@e"


def test_every_status_has_words():
    assert all(all(describe_status(status)) for status in range(100, 600))


# ---- the plan ----------------------------------------------------------------------------------


def sitemap(*addresses, root="urlset", item="url"):
    rows = "".join(f"<{item}><loc>{each}</loc></{item}>" for each in addresses)
    return (
        200,
        {"Content-Type": "application/xml"},
        f"<?xml version='1.0'?><{root}>{rows}</{root}>".encode(),
    )


def planned(folder, seeds, *, offline=False, **tables):
    kinds = dict.fromkeys(seeds, Kind.PAGE)
    return asyncio.run(make_plan(folder, config(**tables), kinds, offline=offline))


def test_a_plan_counts_addresses_by_rule_and_fetches_no_page(tmp_path):
    with serving({}) as web:
        there = [f"{web.origin}{path}" for path in ("/a", "/b", "/login/1", "/login/2", "/private/x", "/")]
        web.pages |= {
            "/robots.txt": robots("Disallow: /private", "Crawl-delay: 1.5", f"Sitemap: {web.origin}/s.xml"),
            "/s.xml": sitemap(*there, "http://other.org/"),
        }
        plan = planned(tmp_path, [f"{web.origin}/"], scope={"exclude": ["*/login*"], "hosts": ["seeds"]})
        assert web.asked == ["/robots.txt", "/s.xml"]
    assert plan.in_scope == 3
    assert plan.dropped == {'scope.exclude "*/login*"': 2, "robots Disallow: /private": 1, "scope.hosts": 1}
    host = next(each for each in plan.hosts if each.origin == web.origin)
    assert (host.may, host.delay, host.crawl_delay, host.offered) == ("in part", 1.5, 1.5, 6)
    assert plan.time.at_least > 3 * 1.5 - 0.1
    assert not plan.nothing_to_fetch
    json.dumps({"dropped": plan.dropped})


def test_sitemaps_of_sitemaps_are_read_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr("clew.insight.preflight.plan.SITEMAPS", 3)
    with serving({}) as web:
        children = [f"{web.origin}/{n}.xml" for n in range(9)]
        web.pages |= {
            "/robots.txt": robots(f"Sitemap: {web.origin}/all.xml"),
            "/all.xml": sitemap(*children, root="sitemapindex", item="sitemap"),
            "/0.xml": sitemap(f"{web.origin}/p", f"{web.origin}/p"),
            "/1.xml": sitemap(f"{web.origin}/p", f"{web.origin}/q"),
        }
        (tmp_path / "crawl.db").touch()  # a crawl that was killed at once left this
        plan = planned(tmp_path, [f"{web.origin}/"])
    (host,) = plan.hosts
    assert (host.sitemaps_read, host.sitemaps_left, host.offered, plan.in_scope) == (3, 7, 2, 3)


def test_a_begun_crawl_plans_from_what_it_knows_and_offline_asks_nobody(tmp_path):
    pages = {"/": linked("/a", "/b", "/login", "/secret/z"), "/robots.txt": robots("Disallow: /secret")}
    with serving(pages | {"/a": linked(), "/b": linked(), "/login": linked()}) as web:
        Crawl(tmp_path / "j", seeds=[web.origin], contact=CONTACT, settings=QUICK).run(pages=1)
        web.asked.clear()
        plan = planned(tmp_path / "j", [f"{web.origin}/"], offline=True, scope={"exclude": ["*/login*"]})
        shown = clew("plan", tmp_path / "j", "--offline", "--set", "scope.exclude=*/login*")
        known = clew(
            "plan", tmp_path / "j", "--offline", "--url", f"{web.origin}/secret/z", "--url", web.origin
        )
        assert web.asked == []
    assert plan.pages == 1
    assert plan.in_scope == 2
    assert plan.dropped == {'scope.exclude "*/login*"': 1, "robots Disallow: /secret": 1}
    assert plan.disk.page_bytes > 0
    assert plan.time.measured_seconds
    assert 'scope.exclude "*/login*": 1' in shown.stdout
    assert "no budget" in shown.stdout
    assert f"✗ {web.origin}/secret/z: not fetched: {web.origin}/robots.txt: Disallow: /secret" in known.stdout
    assert f"✓ {web.origin}/, a seed: would be fetched (in this crawl: done)" in known.stdout


def test_a_plan_without_hope_leaves_with_four(tmp_path):
    with serving({"/robots.txt": robots("Disallow: /")}) as web:
        clew("new", tmp_path / "j", "--seed", web.origin, "--contact", CONTACT, "--no-check",
             "--set", "fetch.allow=127.0.0.0/8")  # fmt: skip
        ran = clew("plan", tmp_path / "j")
        output = clew("plan", tmp_path / "j", "--json")
    assert ran.returncode == output.returncode == 4, ran.stderr
    assert "no seed can be fetched" in ran.stderr
    assert "Disallow: /" in ran.stderr
    assert json.loads(output.stdout)["hosts"][0]["may"] == "no"
    assert clew("plan", tmp_path / "j", "--url", "htp:/me").returncode == 2


def test_rulings_know_scope_robots_and_seeds(tmp_path):
    with serving({"/robots.txt": robots("Disallow: /no")}) as web:
        ask = [f"{web.origin}/no", f"{web.origin}/yes", "http://else.org/", f"{web.origin}/seed"]
        seeds = {f"{web.origin}/seed": Kind.PAGE}
        scope = {"hosts": ["seeds"], "exclude": ["*/seed"]}
        found = asyncio.run(rulings(tmp_path, config(scope=scope), seeds, ask))
    assert [each.rule for each in found] == [
        f"{web.origin}/robots.txt: Disallow: /no", "", "scope.hosts: else.org is outside", "",
    ]  # fmt: skip


def test_robots_off_is_said_and_nothing_is_dropped_for_it(tmp_path):
    with serving({"/robots.txt": robots("Disallow: /")}) as web:
        plan = planned(tmp_path, [f"{web.origin}/"], fetch={"robots": False})
    assert plan.in_scope == 1
    assert any("fetch.robots" in warning for warning in plan.warnings)
    assert any("fetch.delay" in warning for warning in plan.warnings)


@pytest.mark.parametrize(
    ("pages", "hosts", "least", "most"),
    [
        (0, [(10, 1.0), (100, 2.0)], 100 * 2.1, None),  # the slowest host decides
        (10, [(100, 1.0), (100, 1.0)], 10 * 1.1 / 2, 11.0),  # two side by side
        (110, [(10, 1.0), (500, 1.0)], 100 * 1.1, 121.0),  # the small one is soon empty
        (1000, [(1, 1.0), (1, 1.0)], 1000 * 1.1 / 2, 1100.0),  # most is still to be found
        (5, [], None, None),
    ],
)
def test_the_time_is_that_of_hosts_side_by_side(pages, hosts, least, most):
    lines = [HostPlan(origin=f"http://h{n}.org", delay=d, in_scope=i) for n, (i, d) in enumerate(hosts)]
    total = sum(line.in_scope for line in lines)
    plan = CrawlPlan(
        folder="x",
        hosts=lines,
        in_scope=total,
        budget_pages=pages,
        to_fetch=pages or total,
        time=TimeEstimate(page_seconds=0.1),
    )
    estimate_time(plan, config())
    assert plan.time.at_least == pytest.approx(least) if least else plan.time.at_least is None
    assert plan.time.at_most == pytest.approx(most) if most else plan.time.at_most is None


def test_a_crawl_that_begins_with_a_search_is_planned_without_asking(tmp_path):
    with serving({}) as web:
        settings = f'[crawl]\ncontact = "{CONTACT}"\n[goal]\nabout = "lighthouses"\n'
        (tmp_path / "c").mkdir()
        (tmp_path / "c/clew.toml").write_text(f'{settings}[seek]\nsearch = ["searxng={web.origin}"]\n')
        plan = clew("plan", tmp_path / "c")
        assert (plan.returncode, web.asked) == (0, [])
    assert "begins with a search" in plan.stdout
    assert "«lighthouses»" in plan.stdout
    assert "clew search searxng=" in plan.stdout
    found = json.loads(clew("plan", tmp_path / "c", "--json").stdout)
    assert (found["query"], found["problems"]) == ("lighthouses", {})
    keyed = clew("plan", tmp_path / "c", "--set", 'seek.search=["brave"]')
    assert "! brave: no key for brave" in keyed.stdout


def test_a_slow_opening_is_said_and_a_quick_one_is_not(tmp_path, monkeypatch, capsys):
    with OpeningProgress(tmp_path):
        pass
    assert not capsys.readouterr().err
    monkeypatch.setattr(opening, "PATIENCE", 0.0)
    with OpeningProgress(tmp_path) as progress:
        time.sleep(0.1)
        progress.end()
    assert capsys.readouterr().err.startswith(f"opening {tmp_path}, 0 pages: ")
