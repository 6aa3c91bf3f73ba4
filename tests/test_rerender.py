"""Pages without text can be queued once more, to be read in a browser."""

from itertools import product
from random import Random

import clew
from clew.frontier import places_around
from clew.store import read_sql
from clew.store.reopening import reopen_thin_pages
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_cli import clew as command

VOCABULARY = ["".join(letters) for letters in product("bdklmnrst", "aeiou", "klmnr", "aeo")]
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
        assert reopen_thin_pages(crawl.folder, 200, places_around) == 2
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


def test_a_whole_site_without_text_is_read_again_although_it_looked_generated(tmp_path):
    filled = False
    names = [f"/app{n}" for n in range(240)]

    def page(path):
        def answer(_request):
            words = Random(path).choices(VOCABULARY, k=80)
            return 200, {}, linked(text=" ".join(["words", *words]) if filled else "").encode()

        return answer

    pages = {"/": linked("/list", text=FULL), "/list": linked(*names, text=FULL)}
    with serving(pages | {name: page(name) for name in names}) as web:
        crawl = clew.Crawl(tmp_path / "c", "words", [web.origin], CONTACT, settings=QUICK)
        read = crawl.run().pages
        assert read < 242, "the rest waits, as after so many pages without text it should"
        filled = True
        assert reopen_thin_pages(crawl.folder, 200, places_around) == read - 2
        assert crawl.run().pages == 242
        assert crawl.run().relevant == 242


def test_rerender_says_what_is_missing(tmp_path):
    crawl = clew.Crawl(tmp_path / "c", "words", ["https://a.org"], CONTACT)
    crawl.save()
    ran = command("run", crawl.folder, "--rerender")
    assert ran.returncode == 2
    assert "has read no page yet" in ran.stderr
