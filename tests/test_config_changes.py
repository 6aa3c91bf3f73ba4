"""A changed clew.toml is obeyed by what was stored before, too."""

import clew
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving

PAGES = {
    "/": linked("/light", "/soup", "/login/x", text="lighthouse once, and much else " + "word " * 40),
    "/light": linked(text="lighthouse beacon " * 4, title="Lighthouse"),
    "/soup": linked(text="a recipe for onion soup " * 4, title="Soup"),
    "/login/x": linked(text="the lighthouse has a door " * 4),
}


def relevant(folder):
    return {url.rsplit("/", 1)[1] for (url,) in read_sql(folder, "SELECT url FROM good_pages")}


def test_another_goal_judges_stored_pages_again(tmp_path):
    with serving(PAGES) as web:
        folder = tmp_path / "c"
        clew.Crawl(folder, "lighthouse beacon", [web.origin], CONTACT, settings=QUICK).run()
        assert relevant(folder) == {"light", "x"}
        requests = len(web.asked)
        other = clew.Crawl(folder, "onion soup", [web.origin], CONTACT, settings=QUICK)
        summary = other.run()
        assert relevant(folder) == {"soup"}
        assert len(web.asked) == requests, "nothing is fetched again"
        assert (
            "the goal has changed: 4 stored pages were judged again, 1 are relevant now" in summary.hints[0]
        )
        assert '"onion"' in other.why(f"{web.origin}/soup").page.why
        assert not [hint for hint in other.run().hints if "has changed" in hint]


def test_a_lower_threshold_counts_for_stored_pages(tmp_path):
    with serving(PAGES) as web:
        folder = tmp_path / "c"
        clew.Crawl(
            folder, "lighthouse beacon", [web.origin], CONTACT, settings={**QUICK, "goal.keep": 0.9}
        ).run()
        before = relevant(folder)
        clew.Crawl(
            folder, "lighthouse beacon", [web.origin], CONTACT, settings={**QUICK, "goal.keep": 0.05}
        ).run()
        assert before < relevant(folder) == {"", "light", "x"}


def test_another_scope_opens_and_shuts_links(tmp_path):
    with serving(PAGES) as web:
        folder = tmp_path / "c"
        strict = {**QUICK, "scope.exclude": ["*/login/*"]}
        clew.Crawl(folder, "lighthouse", [web.origin], CONTACT, settings=strict).run(pages=1)
        assert "/login/x" not in web.asked
        shut = {**QUICK, "scope.exclude": ["*/soup"]}
        summary = clew.Crawl(folder, "lighthouse", [web.origin], CONTACT, settings=shut).run()
        assert "1 links it refused are open again, 1 open ones are refused now" in summary.hints[0]
        assert "/login/x" in web.asked
        assert "/soup" not in web.asked


def test_examples_teach_the_judge_again_after_a_restart(tmp_path):
    pages = {
        "/": linked("/good", "/next", text="start " * 30),
        "/next": linked("/like", text="on the way " * 30),
        "/good": linked(text="fresnel lens optics prism lantern " * 6),
        "/like": linked(text="prism optics fresnel lantern lens glass " * 6),
    }
    with serving(pages) as web:
        crawl = clew.Crawl(
            tmp_path / "c", "", [web.origin], CONTACT, good=[f"{web.origin}/good"], settings=QUICK
        )
        crawl.run(pages=3)
        read = {row["url"] for row in crawl.pages}
        assert f"{web.origin}/good" in read
        assert f"{web.origin}/like" not in read
        crawl.run()
        verdict = crawl.why(f"{web.origin}/like")
        assert verdict.page.relevant, verdict.lines()
        assert "fresnel" in verdict.page.why or "prism" in verdict.page.why
