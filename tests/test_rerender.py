"""Pages without text can be queued once more, to be read in a browser."""

import clew
from clew.store import read_sql
from clew.store.reopening import reopen_thin_pages
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_cli import clew as command

FULL = "words that a script has filled in " * 20


def test_thin_pages_are_read_again_and_others_are_not(tmp_path):
    filled = set()

    def page(path):
        def answer(_request):
            return 200, {}, linked(text=FULL if path in filled else "").encode()

        return answer

    pages = {
        "/": linked("/a", "/b", "/c", text=FULL),
        "/a": page("/a"),
        "/b": page("/b"),
        "/c": linked(text=FULL),
    }
    with serving(pages) as web:
        crawl = clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=QUICK)
        assert crawl.run().relevant == 2
        filled.add("/a")
        assert reopen_thin_pages(crawl.folder, 200) == 2
        assert crawl.summary().open == 2
        summary = crawl.run()
        asked = [path for path in web.asked if path != "/robots.txt"]
    assert (summary.pages, summary.relevant, summary.open) == (4, 3, 0)
    assert sorted(asked) == ["/", "/a", "/a", "/b", "/b", "/c"]
    rows = read_sql(
        crawl.folder,
        "SELECT count(*), count(DISTINCT url), sum(duplicate_of IS NOT NULL) FROM fetched WHERE kind = 'page'",
    )
    assert rows[0][:2] == (4, 4)


def test_rerender_says_what_is_missing(tmp_path):
    crawl = clew.Crawl(tmp_path / "c", "words", ["https://a.org"], CONTACT)
    crawl.save()
    ran = command("run", crawl.folder, "--rerender")
    assert ran.returncode == 2
    assert "has read no page yet" in ran.stderr
