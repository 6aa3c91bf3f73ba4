"""Known pages are visited again: what has changed is found, and what has not costs nothing."""

import gzip
import sqlite3

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

import clew
from clew.cli.app import full_app
from clew.errors import ConfigError
from clew.store.forget import open_eraser
from clew.store.reading import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving

ABOUT = "lighthouses on rocky coasts"
TEXT = "The lighthouse stands on a rocky coast, and its keeper lights the lamp of the lighthouse at dusk. "


def page(*paths, text=TEXT, title="Lighthouse"):
    return linked(*paths, text=text * 3, title=title)


def conditional(body, etag):
    """Return a page with an ETag, which answers 304 when it is known."""

    def answer(request):
        if request.headers.get("If-None-Match") == etag:
            return 304, {"ETag": etag}, b""
        return 200, {"ETag": etag}, body.encode()

    return answer


def site():
    return {
        "/": page("/list", "/still", "/known", "/gone", "/moved", title="Home"),
        "/list": page("/a", "/b", title="List of lighthouses"),
        "/a": page(title="Lighthouse A"),
        "/b": page(title="Lighthouse B"),
        "/still": page(title="Lighthouse that stays"),
        "/known": conditional(page(title="Lighthouse with a tag"), '"v1"'),
        "/gone": page(title="Lighthouse to be pulled down"),
        "/moved": page(title="Lighthouse to be moved"),
    }


def crawl_of(web, folder, **settings):
    return clew.Crawl(
        folder,
        ABOUT,
        seeds=[f"{web.origin}/"],
        contact=CONTACT,
        settings={**QUICK, "scope.hosts": "seeds", **settings},
    )


def changes(folder):
    """Return the last change of each path."""
    rows = read_sql(folder, "SELECT url, change FROM visits JOIN links ON links.id = page ORDER BY visits.id")
    return {"/" + url.split("/", 3)[3]: change for url, change in rows}


@pytest.fixture
def changed(tmp_path):
    """A crawl, a web that changes, and a refresh."""
    with serving(site()) as web:
        crawl = crawl_of(web, tmp_path / "crawl")
        crawl.run()
        web.asked.clear()
        web.pages |= {
            "/list": page("/a", "/b", "/new", title="List of lighthouses"),
            "/new": page(title="Lighthouse built last week"),
            "/a": page(title="Lighthouse A", text=TEXT + "A new lamp was lit in spring. "),
            "/moved": (301, {"Location": "/there"}, b""),
            "/there": page(title="Lighthouse moved"),
        }
        del web.pages["/gone"]
        crawl.refresh()
        yield web, crawl


def test_every_kind_of_change_is_told(changed):
    _web, crawl = changed
    assert changes(crawl.folder) == {
        "/": "unchanged", "/list": "changed", "/a": "changed", "/b": "unchanged", "/still": "unchanged",
        "/known": "unchanged", "/gone": "gone", "/moved": "moved",
    }  # fmt: skip


def test_new_pages_are_found_where_lists_name_them(changed):
    web, crawl = changed
    assert {"/new", "/there"} <= set(web.asked)
    urls = {row["url"].removeprefix(web.origin) for row in crawl.pages if row["relevant"]}
    assert {"/new", "/there"} <= urls


def test_no_page_is_visited_twice_in_a_refresh(changed):
    web, _crawl = changed
    assert len(web.asked) == len(set(web.asked))


def test_the_newest_version_is_the_page_and_the_one_before_is_kept(changed):
    _web, crawl = changed
    (now,) = [row for row in crawl.pages if row["url"].endswith("/a")]
    assert "new lamp" in now["text"]
    ((text, relevant, fetched, replaced),) = read_sql(
        crawl.folder,
        "SELECT text, relevant, versions.fetched_at, replaced_at FROM versions JOIN links ON links.id = page"
        " WHERE url LIKE '%/a'",
    )
    assert "new lamp" not in text
    assert "rocky coast" in text
    assert relevant
    assert fetched < replaced


def test_a_page_that_is_gone_or_moved_stays_in_the_collection(changed):
    _web, crawl = changed
    texts = {row["url"].rpartition("/")[2]: row["text"] for row in crawl.pages}
    assert "rocky coast" in texts["gone"]
    assert "rocky coast" in texts["moved"]


def test_a_conditional_request_is_made_and_not_modified_costs_no_page(changed):
    web, crawl = changed
    assert web.headers["/known"]["If-None-Match"] == '"v1"'
    assert "If-None-Match" not in web.headers["/still"]
    rows = read_sql(
        crawl.folder,
        "SELECT status, bytes FROM visits JOIN links ON links.id = page WHERE url LIKE '%/known'",
    )
    assert rows == [(304, 0)]


def test_revisit_records_are_read_by_warcio(changed):
    _web, crawl = changed
    found = []
    for path in sorted((crawl.folder / "pages").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "revisit":
                    profile = record.rec_headers.get_header("WARC-Profile").rpartition("/")[2]
                    found.append(
                        (record.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2], profile)
                    )
                    assert record.http_headers.get_statuscode() in ("200", "304")
                    assert record.rec_headers.get_header("WARC-Refers-To-Date")
                    assert record.content_stream().read() == b""
    assert sorted(found) == [
        ("", "identical-payload-digest"),
        ("b", "identical-payload-digest"),
        ("known", "server-not-modified"),
        ("still", "identical-payload-digest"),
    ]
    with gzip.open(path) as whole:
        assert whole.read()


def test_a_page_that_was_gone_can_come_back(changed):
    web, crawl = changed
    web.pages["/gone"] = page(title="Lighthouse to be pulled down")
    crawl.refresh()
    assert changes(crawl.folder)["/gone"] == "back"


def test_links_left_open_by_the_crawl_wait_for_it(tmp_path):
    with serving(site()) as web:
        crawl = crawl_of(web, tmp_path / "crawl")
        crawl.run(pages=2)
        left = read_sql(crawl.folder, "SELECT count(*) FROM links WHERE state = 0")
        web.asked.clear()
        crawl.refresh()
        assert sorted(path for path in web.asked if path != "/robots.txt") == sorted(changes(crawl.folder))
        assert read_sql(crawl.folder, "SELECT count(*) FROM links WHERE state = 0") == left
        crawl.run()
        assert len(crawl.pages) == 8


def test_the_budget_of_a_refresh_is_its_own(tmp_path):
    with serving(site()) as web:
        crawl = crawl_of(web, tmp_path / "crawl", **{"crawl.pages": 8})
        crawl.run()
        web.asked.clear()
        crawl.refresh(requests=3)
        assert len(web.asked) == 3
        web.asked.clear()
        crawl.refresh(pages=2)
        read = [path for path in web.asked if path != "/known"]
        assert len(read) == 2


def test_robots_txt_is_obeyed_by_later_visits(tmp_path):
    with serving(
        {**site(), "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow:")}
    ) as web:
        crawl = crawl_of(web, tmp_path / "crawl")
        crawl.run()
        rules = "User-agent: *\nDisallow: /still"
        web.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules.encode())
        db = sqlite3.connect(crawl.folder / "crawl.db")
        db.execute("UPDATE hosts SET robots_at = robots_at - 90000")
        db.commit()
        db.close()
        web.asked.clear()
        crawl.refresh()
        assert "/still" not in web.asked
        assert changes(crawl.folder)["/still"] == "refused"
        assert read_sql(crawl.folder, "SELECT state FROM links WHERE url LIKE '%/still'") == [(1,)]


def test_a_forgotten_site_leaves_no_visit_no_version_and_no_record(changed):
    web, crawl = changed
    with open_eraser(crawl.folder, "127.0.0.1") as eraser:
        eraser.erase(eraser.measure())
    for table in ("visits", "versions", "revisits", "pages"):
        assert read_sql(crawl.folder, f"SELECT count(*) FROM {table}") == [(0,)], table
    assert web.origin.encode() not in (crawl.folder / "crawl.db").read_bytes()
    assert not list((crawl.folder / "pages").glob("*"))


def test_the_command_refreshes_and_says_what_it_found(changed):
    web, crawl = changed
    web.pages["/b"] = page(title="Lighthouse B", text=TEXT + "It was painted. ")
    shown = CliRunner().invoke(full_app(), ["refresh", str(crawl.folder), "--plain"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert "refresh 2: 10 known pages visited (1 changed" in shown.output
    assert "0 new pages" in shown.output


def test_the_service_waits_until_a_refresh_is_due(changed, monkeypatch):
    _web, crawl = changed
    naps = []

    def nap(seconds):
        naps.append(seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr("clew.cli.refresh.time.sleep", nap)
    words = ["refresh", str(crawl.folder), "--plain", "--every", "7d"]
    shown = CliRunner().invoke(full_app(), words, catch_exceptions=False)
    assert shown.exit_code == 3
    assert len(naps) == 1
    with sqlite3.connect(crawl.folder / "crawl.db") as db:
        db.execute("UPDATE rounds SET started_at = started_at - 700000")
    shown = CliRunner().invoke(full_app(), words, catch_exceptions=False)
    assert shown.exit_code == 3
    assert "refresh 2:" in shown.output  # it was due: done first, then it waits
    assert len(naps) == 2


def test_an_interval_that_is_none_is_said_so(changed):
    _web, crawl = changed
    with pytest.raises(ConfigError, match="is not an interval; write 30m, 12h, 7d or 2w"):
        CliRunner().invoke(
            full_app(), ["refresh", str(crawl.folder), "--every", "weekly"], catch_exceptions=False
        )


def test_why_says_what_became_of_a_page_and_why_a_new_one_was_followed(changed):
    web, crawl = changed
    gone, moved, new = (crawl.why(f"{web.origin}/{name}") for name in ("gone", "moved", "new"))
    assert gone.reason.startswith("gone (HTTP 404), seen ")
    assert gone.page.visits[-1].endswith("gone, HTTP 404")
    assert gone.page.title == "Lighthouse to be pulled down"  # the last version is kept
    assert moved.reason.startswith(f"moved to {web.origin}/there, seen ")
    assert "links around it" in new.ranking.parts[0][0]
    assert sum(value for _, value in new.ranking.parts) == pytest.approx(new.ranking.score)
    assert not crawl.why(f"{web.origin}/there").page.visits
    lines = str(gone).splitlines()
    assert any(line.strip().startswith("again") for line in lines)
