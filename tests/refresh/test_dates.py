"""Dates of sitemaps and feeds: read, used to choose what is visited again, and the same after a restart."""

import shutil
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import clew
from clew import urls
from clew.parse import ipc
from clew.parse.feeds import feed, sitemap
from clew.store.reading import read_sql
from clew.store.refreshes import last_refresh
from clew.types import Kind, Link, Links, Page, Response
from tests.refresh.test_restart import SETTINGS, age, found, interrupted, page
from tests.small_web import CONTACT, serving

CANON = urls.Canon()
COUNT = 60
CHANGED = range(20, 50)
XML = {"Content-Type": "application/xml"}


def test_a_sitemap_tells_when_pages_were_modified():
    text = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>http://a.org/1?b=2&amp;c=3</loc><lastmod>2026-11-01</lastmod></url>
    <url><loc>http://a.org/2</loc></url>
    <url><loc> http://a.org/3 </loc><changefreq>daily</changefreq><lastmod>2026-11-01T12:00:00Z</lastmod></url>
    <url><loc>http://a.org/4</loc><lastmod>soon</lastmod></url></urlset>"""
    dates = sitemap(text, url="http://a.org/sitemap.xml", canon=CANON, root="urlset").links.dates
    assert dates == {"http://a.org/1?b=2&c=3": 1793491200.0, "http://a.org/3": 1793534400.0}


def test_an_index_of_sitemaps_dates_no_page():
    text = "<sitemapindex><sitemap><loc>http://a.org/s.xml</loc><lastmod>2026-11-01</lastmod></sitemap></sitemapindex>"
    assert sitemap(text, url="http://a.org/", canon=CANON, root="sitemapindex").links.dates == {}


@pytest.mark.parametrize(
    ("root", "text"),
    [
        ("rss", "<rss><channel><item><link>/x</link><pubDate>Sun, 01 Nov 2026 11:00:00 GMT</pubDate></item></channel></rss>"),
        ("feed", '<feed><updated>2030-01-01</updated><entry><link href="/x"/><published>2026-10-01T00:00:00Z</published><updated>2026-11-01T11:00:00Z</updated></entry></feed>'),
        ("rdf", "<rdf:RDF><item><link>/x</link><dc:date>2026-11-01T12:00:00+01:00</dc:date></item></rdf:RDF>"),
    ],
)  # fmt: skip
def test_a_feed_tells_when_its_entries_were_modified(root, text):
    assert feed(text, url="http://a.org/feed", canon=CANON, root=root).links.dates == {
        "http://a.org/x": 1793530800.0
    }


def test_dates_come_back_from_a_worker():
    link = Link(id=1, url="http://a.org/s.xml", origin="http://a.org")
    response = Response(link=link, started=0, ended=0, status=200, head=b"", body=b"x")
    sent = b"".join(
        ipc.reply(
            Page(
                response=response,
                links=replace(Links.plain(["http://a.org/1"], Kind.PAGE), dates={"http://a.org/1": 5.0}),
            )
        )
    )
    assert ipc.page_of(sent[ipc.HEADER.size :], response).links.dates == {"http://a.org/1": 5.0}


def day(before):
    return datetime.fromtimestamp(time.time() - before * 86_400, UTC).isoformat()


def site(origin, *, changed=False, lying=False):
    """Sixty pages and a sitemap with their dates; when changed, half are others and say so."""
    dates = [day(0) if lying else day(5) if changed and n in CHANGED else day(900) for n in range(COUNT)]
    rows = "".join(
        f"<url><loc>{origin}/page/{n}</loc><lastmod>{date}</lastmod></url>" for n, date in enumerate(dates)
    )
    pages = {f"/page/{n}": page(about=f"{n}{' painted' * (changed and n in CHANGED)}") for n in range(COUNT)}
    return {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, f"Sitemap: {origin}/s.xml\n".encode()),
        "/s.xml": (200, XML, f"<urlset>{rows}</urlset>".encode()),
        "/": page(*pages),
        **pages,
    }


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dates") / "crawl"
    with serving({}) as web:
        web.pages.update(site(web.origin))
        clew.Crawl(folder, "lighthouse", seeds=[f"{web.origin}/"], contact=CONTACT, settings=SETTINGS).run()
        age(folder)
        yield web, folder


def refresh(web, folder, target, requests=70, **now):
    shutil.copytree(folder, target)
    web.pages.update(site(web.origin, **now))
    web.asked.clear()
    clew.Crawl(target, settings=SETTINGS).refresh(requests=requests)
    return [int(path.rpartition("/")[2]) for path in web.asked if path.startswith("/page/")]


def test_what_a_sitemap_says_has_changed_is_visited_and_the_rest_is_not(crawled, tmp_path):
    visited = refresh(*crawled, tmp_path / "dated", changed=True)
    assert sorted(visited) == list(CHANGED)
    assert read_sql(tmp_path / "dated", "SELECT count(*) FROM visits WHERE change = 'changed'")[0][0] >= len(
        CHANGED
    )
    assert read_sql(tmp_path / "dated", "SELECT count(*) FROM revisits") == [(0,)]


def test_a_sitemap_that_says_everything_was_just_modified_says_nothing(crawled, tmp_path):
    visited = refresh(*crawled, tmp_path / "lying", changed=True, lying=True)
    assert len(visited) == COUNT  # as without dates


def test_a_stopped_refresh_goes_on_with_the_plan_that_dates_have_changed(crawled, tmp_path):
    web, folder = crawled
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    refresh(web, folder, whole, changed=True)
    asked = list(web.asked)
    shutil.copytree(folder, parts)
    web.asked.clear()
    interrupted(parts, 1)
    while not last_refresh(parts).ended_at:
        interrupted(parts, 4)
    assert web.asked == asked
    assert found(parts) == found(whole)


def test_the_lines_of_a_refresh_count_what_it_has_done_and_give_no_hints_about_known_pages(crawled, tmp_path):
    web, folder = crawled
    web.pages.update(site(web.origin))
    shutil.copytree(folder, tmp_path / "shown")
    command = [sys.executable, "-m", "clew", "refresh", str(tmp_path / "shown"), "--pages", "40", "--plain"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (status, *_) = [line for line in said.splitlines() if line.startswith("pages ")]
    assert "/40 (0 new)  requests " in status
    assert int(status.split()[1].partition("/")[0]) <= 40
    assert "returned no page" not in said
    assert "brought none" not in said
