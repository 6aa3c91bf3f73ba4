"""The whole house on a few pages: order, redirects, rules, budgets, going on."""

import asyncio

import pytest

import clew
from clew.builder import open_crawl
from clew.errors import ConfigError, FolderBusy
from tests.small_web import CONTACT, QUICK, linked, serving


def crawl(folder, web, about="", **settings):
    seeds = [f"{web.origin}/"]
    return clew.Crawl(folder, about=about, seeds=seeds, contact=CONTACT, settings=QUICK | settings)


def paths(web):
    return [path for path in web.asked if path != "/robots.txt"]


def test_breadth_reads_the_oldest_first(tmp_path):
    pages = {
        "/": linked("/a", "/b"),
        "/a": linked("/a1", "/a2"),
        "/b": linked("/b1"),
        "/a1": linked(),
        "/a2": linked(),
        "/b1": linked(),
    }
    with serving(pages) as web:
        summary = crawl(tmp_path, web, **{"rank.policy": "breadth", "fetch.concurrency": 1}).run()
    assert paths(web) == ["/", "/a", "/b", "/a1", "/a2", "/b1"]
    assert web.asked[0] == "/robots.txt"
    assert summary.ended == "nothing is left to fetch"
    assert summary.pages == 6


def dead_ends(alive=20, dead=30):
    """A web whose first page lists dead links before live ones; some answers are empty, one is late."""
    pages = {f"/live/{n}": linked(text=f"page {n}") for n in range(alive)}
    links = [f"/dead/{n}" for n in range(dead)] + list(pages)
    return pages | {
        "/": linked(*links),
        "/dead/0": "",
        "/dead/1": (204, {}, b""),
        "/dead/2": (500, {}, b"no"),
    }


def test_a_page_budget_buys_pages_and_failures_are_counted_beside(tmp_path):
    settings = {"rank.policy": "breadth", "fetch.tries": 2, "fetch.concurrency": 4, "fetch.per_host": 4}
    with serving(dead_ends()) as web:
        job = crawl(tmp_path, web, **settings)
        first = job.run(pages=1)
        second = job.run(pages=12)
        third = job.run(pages=12)
        whole = job.run()
    assert (first.pages, first.failed, second.pages) == (1, 0, 12)
    assert second.failed >= 3, "dead links come first in the order of breadth"
    assert second.relevant == 12, "an empty answer is no page"
    assert (third.pages, third.failed, third.ended) == (12, second.failed, "the budget of 12 pages is spent")
    assert (whole.pages, whole.failed) == (21, 30)
    assert whole.sentence().startswith("21 pages read, 30 failed requests, ")


def test_a_request_budget_counts_every_request(tmp_path):
    settings = {"rank.policy": "breadth", "fetch.tries": 2, "fetch.concurrency": 4, "fetch.per_host": 4}
    with serving(dead_ends()) as web:
        job = crawl(tmp_path, web, **settings)
        summary = job.run(requests=10)
        assert len(web.asked) == 10
        assert summary.ended == "the budget of 10 requests is spent"
        job.run(requests=30)
        assert len(web.asked) == 30, "a restart goes on counting"
        job.run(requests=30)
        assert len(web.asked) == 30


def test_totals_of_a_resumed_crawl_are_those_of_the_first(tmp_path):
    with serving({**dead_ends(), "/moved": (302, {"Location": "/live/1"}, b"")}) as web:
        web.pages["/"] = linked(
            "/moved", *(f"/live/{n}" for n in range(5)), *(f"/dead/{n}" for n in range(9))
        )
        job = crawl(tmp_path, web, **{"fetch.tries": 2})

        async def totals():
            async with open_crawl(job.folder, job.save()) as run:
                async for _ in run.results():
                    pass
                return run.engine.totals

        end = asyncio.run(totals())
        assert asyncio.run(totals()) == end
    assert end.pages == 6
    assert end.failed == 9
    assert end.requests == len(web.asked)


def test_best_first_follows_the_relevant_page_first(tmp_path):
    pages = {
        "/": linked("/hub"),
        "/hub": linked("/start"),
        "/start": linked("/soup", "/light", text="start"),  # further out than links around the seeds
        "/soup": linked("/s1", "/s2", text="onion soup"),
        "/light": linked("/l1", "/l2", text="lighthouse beacon " * 5, title="Lighthouse"),
        **dict.fromkeys(("/s1", "/s2", "/l1", "/l2"), linked(text="x")),
    }
    with serving(pages) as web:
        crawl(tmp_path, web, about="lighthouse beacon", **{"fetch.concurrency": 1}).run()
    assert paths(web) == ["/", "/hub", "/start", "/soup", "/light", "/l1", "/l2", "/s1", "/s2"]


def test_a_link_met_again_on_a_better_page_rises(tmp_path):
    pages = {
        "/": linked("/hub"),
        "/hub": linked("/start"),
        "/start": linked("/dull", "/bright", text="start"),
        "/dull": linked("/late", "/first", text="nothing here"),
        "/bright": linked("/first", text="lighthouse " * 9, title="Lighthouse"),
        **dict.fromkeys(("/late", "/first"), linked(text="x")),
    }
    with serving(pages) as web:
        crawl(tmp_path, web, about="lighthouse", **{"fetch.concurrency": 1}).run()
    assert paths(web) == ["/", "/hub", "/start", "/dull", "/bright", "/first", "/late"]


def test_the_budget_is_a_total_and_running_again_goes_on(tmp_path):
    pages = {"/": linked(*(f"/p{i}" for i in range(30)))} | {
        f"/p{i}": linked(text=f"page {i}") for i in range(30)
    }
    with serving(pages) as web:
        job = crawl(tmp_path, web)
        assert job.run(pages=5).pages == 5
        assert len(paths(web)) == 5
        assert job.run(pages=5).pages == 5
        assert len(paths(web)) == 5
        assert job.run(pages=12).pages == 12
        assert job.run().pages == 31
    assert sorted(paths(web)) == sorted(["/", *(f"/p{i}" for i in range(30))])
    assert web.asked.count("/robots.txt") == 1
    assert len(job.pages) == 31


def test_redirects_are_links_and_loops_end(tmp_path):
    def to(target):
        return (302, {"Location": target}, b"")

    pages = {
        "/": linked("/old", "/loop", "/self", "/far/0"),
        "/old": to("/new"), "/new": linked(text="here it is"),
        "/loop": to("/pool"), "/pool": to("/loop"), "/self": to("/self"),
        **{f"/far/{i}": to(f"/far/{i + 1}") for i in range(40)},
    }  # fmt: skip
    with serving(pages) as web:
        job = crawl(tmp_path, web)
        job.run()
    requested = paths(web)
    assert "/new" in requested
    assert all(requested.count(path) == 1 for path in set(requested))
    assert "/far/10" in requested
    assert "/far/11" not in requested
    new = next(row for row in job.pages if row["url"].endswith("/new"))
    assert new["parent"].endswith("/old")
    assert new["depth"] == 1
    assert new["anchor"] == "to /old"


def test_a_page_that_wants_its_cookie_back_gets_it(tmp_path):
    def door(request):
        if "seen=yes" in request.headers.get("Cookie", ""):
            return linked(text="welcome in")
        return (302, {"Location": "/door", "Set-Cookie": "seen=yes"}, b"")

    with serving({"/": linked("/door"), "/door": door}) as web:
        job = crawl(tmp_path, web)
        job.run()
    assert paths(web) == ["/", "/door", "/door"]
    assert [row["status"] for row in job.pages] == [200, 200]


def test_a_page_that_sends_us_elsewhere_for_a_cookie_is_asked_again(tmp_path):
    def wall(request):
        if "ok=yes" in request.headers.get("Cookie", ""):
            return linked(text="welcome in")
        return (302, {"Location": "/check"}, b"")

    check = (302, {"Location": "/wall", "Set-Cookie": "ok=yes"}, b"")
    with serving({"/": linked("/wall"), "/wall": wall, "/check": check}) as web:
        job = crawl(tmp_path, web)
        job.run()
    assert paths(web) == ["/", "/wall", "/check", "/wall"]
    rows = {row["url"].removeprefix(web.origin): row["status"] for row in job.pages}
    assert rows == {"/": 200, "/wall": 200, "/check": 302}
    with serving(
        {
            "/": linked("/a"),
            "/a": (302, {"Location": "/b"}, b""),
            "/b": (302, {"Location": "/a", "Set-Cookie": "x=1"}, b""),
        }
    ) as web:
        crawl(tmp_path / "ring", web).run()
    assert len(paths(web)) <= 5


def test_robots_rules_are_asked_first_and_obeyed(tmp_path):
    pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /no\n"),
        "/": linked("/yes", "/no/way", "/hop"), "/yes": "", "/no/way": "", "/hop": (301, {"Location": "/no/hop"}, b""),
    }  # fmt: skip
    with serving(pages) as web:
        job = crawl(tmp_path, web)
        job.run()
    assert web.asked[0] == "/robots.txt"
    assert not [path for path in web.asked if path.startswith("/no")]
    reasons = {row["url"]: row["reason"] for row in job.links}
    assert reasons[f"{web.origin}/no/way"] == "robots: Disallow: /no"
    with serving(pages) as web:
        crawl(tmp_path / "rude", web, **{"fetch.robots": False}).run()
    assert "/no/way" in web.asked
    assert "/robots.txt" not in web.asked


def test_robots_redirects_lead_to_the_rules_of_another_host(tmp_path):
    rules = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /secret\n")
    with serving({"/robots.txt": rules, "/": linked()}) as far:
        pages = {
            "/robots.txt": (301, {"Location": f"{far.origin}/robots.txt"}, b""),
            "/": linked("/secret", "/open", f"{far.origin}/"), "/secret": "", "/open": "",
        }  # fmt: skip
        with serving(pages) as web:
            crawl(tmp_path, web).run()
    assert paths(web) == ["/", "/open"]
    assert far.asked[0] == "/robots.txt"
    assert far.asked.count("/robots.txt") == 1
    assert "/" in far.asked


@pytest.mark.parametrize("ring", ["/robots.txt", "/other.txt"])
def test_robots_that_redirect_in_a_ring_forbid_everything(tmp_path, ring):
    with serving({"/": linked()}) as far:
        pages = {
            "/robots.txt": (302, {"Location": f"{far.origin}{ring}"}, b""),
            "/": linked(f"{far.origin}/"),
        }
        with serving(pages) as web:
            far.pages["/robots.txt"] = (302, {"Location": f"{web.origin}{ring}"}, b"")
            far.pages["/other.txt"] = (302, {"Location": f"{web.origin}{ring}"}, b"")
            pages["/other.txt"] = (302, {"Location": f"{far.origin}{ring}"}, b"")
            summary = crawl(tmp_path, web).run()
    assert "/" not in web.asked + far.asked
    assert summary.pages == 0
    assert len(web.asked) + len(far.asked) <= 12


def test_a_host_without_readable_rules_is_left_alone_but_not_forgotten(tmp_path):
    pages = {"/robots.txt": (500, {}, b""), "/": linked()}
    with serving(pages) as web:
        job = crawl(tmp_path, web, **{"fetch.tries": 1})
        assert job.run().pages == 0
        assert "/" not in web.asked
        pages["/robots.txt"] = (404, {}, b"")
        assert job.run().pages == 1


def test_meta_robots(tmp_path):
    pages = {
        "/": linked("/nofollow", "/noindex", "/header"),
        "/nofollow": '<meta name="robots" content="nofollow">' + linked("/hidden"),
        "/noindex": '<meta name="robots" content="noindex">' + linked("/shown", text="secret words"),
        "/header": (200, {"X-Robots-Tag": "none"}, linked("/hidden").encode()),
        "/shown": linked(text="public words"), "/hidden": "",
    }  # fmt: skip
    with serving(pages) as web:
        job = crawl(tmp_path, web)
        job.run()
    assert "/hidden" not in web.asked
    assert "/shown" in web.asked
    rows = {row["url"].removeprefix(web.origin): row for row in job.pages}
    assert rows["/noindex"]["noindex"]
    assert not rows["/noindex"]["relevant"]
    assert rows["/noindex"]["text"] == ""
    assert "public words" in rows["/shown"]["text"]


def test_sitemaps_and_feeds_are_kinds_of_link(tmp_path):
    pages = {
        "/": '<link rel="alternate" type="application/rss+xml" href="/feed">' + linked(),
        "/feed": (
            200,
            {"Content-Type": "application/rss+xml"},
            b"<rss><channel><item><link>/from-feed</link></item></channel></rss>",
        ),
    }
    with serving(pages) as web:
        pages["/robots.txt"] = (
            200,
            {"Content-Type": "text/plain"},
            f"Sitemap: {web.origin}/map.xml".encode(),
        )
        pages["/map.xml"] = (
            200,
            {"Content-Type": "text/xml"},
            f"<urlset><url><loc>{web.origin}/from-map</loc></url></urlset>".encode(),
        )
        pages["/from-map"] = pages["/from-feed"] = linked(text="here")
        job = crawl(tmp_path / "a", web)
        assert job.run().pages == 3
        assert {"/from-map", "/from-feed", "/map.xml", "/feed"} <= set(web.asked)
        web.asked.clear()
        crawl(tmp_path / "b", web, **{"scope.sitemaps": False, "scope.feeds": False}).run()
        assert set(web.asked) == {"/robots.txt", "/"}


def test_scope(tmp_path):
    with serving({"/": linked(text="elsewhere")}) as far:
        pages = {
            "/": linked("/a", "/login", f"{far.origin}/"),
            "/a": linked("/b"),
            "/b": linked("/c"),
            "/c": "",
            "/login": "",
        }
        with serving(pages) as web:
            host = web.origin.rpartition(":")[0].removeprefix("http://")
            job = crawl(
                tmp_path,
                web,
                **{"scope.hosts": [host], "scope.exclude": ["*/login*", f"{far.origin}/*"], "scope.depth": 2},
            )
            job.run()
    assert set(paths(web)) == {"/", "/a", "/b"}
    assert far.asked == []
    reasons = {row["url"]: row["reason"] for row in job.links}
    assert reasons[f"{web.origin}/login"] == 'scope.exclude "*/login*"'
    assert reasons[f"{web.origin}/c"].startswith("scope.depth")


def test_a_seed_that_has_moved_is_still_a_seed(tmp_path):
    with serving({"/": linked("/more"), "/more": linked()}) as there:
        moved = there.origin.replace("127.0.0.1", "localhost")
        with serving({"/": (301, {"Location": f"{moved}/"}, b"")}) as here:
            settings = {"scope.hosts": ["seeds"]}
            crawl(tmp_path, here, **settings).run(pages=1)
            crawl(tmp_path, here, **settings).run()
    assert paths(there) == ["/", "/more"]


def test_pages_per_host_are_capped(tmp_path):
    pages = {"/": linked(*(f"/p{i}" for i in range(20)))} | {
        f"/p{i}": linked(text=f"{i} words") for i in range(20)
    }
    with serving(pages) as web:
        crawl(tmp_path, web, **{"scope.per_host": 4}).run()
        assert len(paths(web)) == 4
        crawl(tmp_path, web, **{"scope.per_host": 6}).run()
        assert len(paths(web)) == 6


def test_it_runs_inside_a_running_loop_and_again(tmp_path):
    with serving({"/": linked("/a"), "/a": linked()}) as web:

        async def notebook():
            job = crawl(tmp_path, web)
            first = job.run(pages=1)
            second = job.run()
            return first.pages, second.pages, len(job.pages.to_pandas())

        assert asyncio.run(notebook()) == (1, 2, 2)


def test_arun_yields_steps_and_may_be_left_early(tmp_path):
    pages = {"/": linked(*(f"/p{i}" for i in range(20)))} | {
        f"/p{i}": linked(text=f"page {i}") for i in range(20)
    }
    with serving(pages) as web:

        async def program():
            seen = []
            steps = crawl(tmp_path, web).arun()
            async for step in steps:
                if step.page.link.kind == 0:
                    seen.append(step.page.url)
                if len(seen) == 3:
                    break
            await steps.aclose()
            return seen

        assert len(asyncio.run(program())) == 3
        assert crawl(tmp_path, web).run().pages == 21
    assert len(paths(web)) - 21 <= 20  # fetches under way when it was left may have been made twice


def test_only_one_at_a_time(tmp_path):
    with serving({"/": linked()}) as web:

        async def two():
            async for _ in crawl(tmp_path, web).arun():
                with pytest.raises(FolderBusy):
                    async for _ in crawl(tmp_path, web).arun():
                        pass

        asyncio.run(two())


def test_our_own_parts_can_be_used(tmp_path):
    class Backwards:
        """Newest link first."""

        n = 0

        def score(self, source, links):
            import numpy as np

            self.n += len(links)
            return (np.arange(len(links)) / 1000).astype(np.float32)

        def learn(self, outcome):
            pass

    pages = {"/": linked("/hub"), "/hub": linked("/start"), "/start": linked("/a", "/b", "/c")}
    with serving(pages | dict.fromkeys(("/a", "/b", "/c"), "")) as web:
        job = clew.Crawl(
            tmp_path,
            seeds=[web.origin],
            contact=CONTACT,
            settings=QUICK | {"fetch.concurrency": 1},
            ranker=Backwards(),
        )
        job.run()
    assert paths(web) == ["/", "/hub", "/start", "/c", "/b", "/a"]


def test_wrong_arguments_are_explained(tmp_path):
    with pytest.raises(ConfigError, match="contact"):
        clew.Crawl(tmp_path / "a", seeds=["https://a.org"]).run()
    with pytest.raises(ConfigError, match="no seeds"):
        clew.Crawl(tmp_path / "b", contact=CONTACT).run()
    with pytest.raises(ConfigError, match="neither a URL"):
        clew.Crawl(tmp_path / "c", contact=CONTACT, seeds=["no such thing"]).run()
    with pytest.raises(ConfigError, match="best-first"):
        clew.Crawl(tmp_path / "d", contact=CONTACT, seeds=["https://a.org"], ranker="best-frist").run()


def test_the_user_agent_names_tool_and_owner(tmp_path):
    with serving({"/": linked()}) as web:
        crawl(tmp_path, web).run()
    assert web.agents == {f"clew/{clew.__version__} (+{CONTACT})"}


def test_a_run_in_python_says_what_went_wrong(tmp_path):
    with serving({"/": linked("/a", text="onion soup " * 60), "/a": linked(text="more soup " * 60)}) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK)
        summary = crawl.run()
    assert "nothing relevant in 2 pages" in summary.hints[-1]
    assert "lighthouse" in summary.hints[-1]


def test_a_proxy_that_is_gone_spoils_no_links(tmp_path):
    pages = {"/": linked(*(f"/p{n}" for n in range(60)))} | {f"/p{n}": linked() for n in range(60)}
    with serving(pages) as web:
        clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=QUICK).run(pages=1)
        dead_proxy = {**QUICK, "fetch.proxy": "http://127.0.0.1:1", "fetch.per_host": 8}
        summary = clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=dead_proxy).run()
        assert summary.ended.startswith("proxy out of reach")
        assert (summary.pages, summary.open) == (1, 60)
        assert "/p7" not in web.asked
        clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=QUICK).run()
        assert "/p7" in web.asked


def test_budgets_that_make_no_sense_are_refused(tmp_path):
    crawl = clew.Crawl(tmp_path / "c", seeds=["https://a.org"], contact=CONTACT)
    for wrong in ({"pages": -1}, {"pages": 2.5}, {"pages": "ten"}, {"hours": -1}):
        with pytest.raises(ConfigError, match="no limit"):
            crawl.run(**wrong)


def test_a_page_that_is_always_busy_keeps_no_other_from_being_read(tmp_path):
    pages = {
        "/": linked("/busy"),
        "/busy": (503, {"Retry-After": "315360000"}, b"later"),
        "/good": linked(text="read in the end"),
    }
    with serving(pages) as web:
        job = crawl(tmp_path, web, **{"fetch.max_rest": 0.2, "fetch.tries": 2})
        first = job.run()
        assert (first.pages, first.failed, dict(first.held)) == (1, 1, {})
        assert web.asked.count("/busy") <= 6
        assert first.ended == "nothing is left to fetch"
        more = clew.Crawl(job.folder, seeds=[f"{web.origin}/", f"{web.origin}/good"], settings=job.settings)
        assert more.run().pages == 2


def test_a_robots_txt_that_was_never_asked_for_is_not_in_the_export(tmp_path):
    with serving({"/": linked("http://127.0.0.2:9/x", "http://10.1.2.3/y")}) as web:
        job = crawl(tmp_path, web, **{"fetch.tries": 1})
        job.run()
    fetched = [url for (url,) in job.pages.sql("SELECT url FROM fetched ORDER BY url").rows()]
    assert fetched == [f"{web.origin}/", f"{web.origin}/robots.txt"]
