"""What is new since a date: pages and passages, and every form in which they are written."""

import email
import json
import sqlite3
import time
from email import policy
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

import clew
from clew.cli.app import full_app
from clew.errors import ConfigError
from clew.insight.changes import FORMATS, parse_date, render
from clew.insight.changes.passages import MOST_LINES, changed_passages
from tests.small_web import CONTACT, QUICK, linked, serving

EVIL = "<script>alert(1)</script> & =cmd()"


def page(*paths, about="", title=""):
    return linked(
        *paths, text=f"The lighthouse stands on a rocky coast. {about}", title=title or f"Lighthouse {about}"
    )


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory):
    """A refreshed crawl, the web, and a date before the refresh."""
    folder = tmp_path_factory.mktemp("changes") / "coasts"
    before = {
        "/": page("/list", "/paint", "/gone", "/moved", "/data.csv"),
        "/list": page("/a", about="list"),
        "/a": page(about="A"),
        "/paint": page(about="red tower"),
        "/gone": page(about="to be pulled down"),
        "/moved": page(about="to be moved"),
        "/data.csv": (200, {"Content-Type": "text/csv"}, b"name,height\nEddystone,49\n"),
    }
    with serving(before) as web:
        settings = QUICK | {"scope.hosts": "seeds", "goal.keep": 0.0}
        crawl = clew.Crawl(folder, "lighthouse", seeds=[f"{web.origin}/"], contact=CONTACT, settings=settings)
        crawl.run()
        with sqlite3.connect(folder / "crawl.db") as db:
            db.execute("UPDATE pages SET fetched_at = fetched_at - 864000")
        web.pages |= {
            "/list": page("/a", "/evil", about="list"),
            "/evil": page(about="evil", title=f"=Lighthouse {EVIL}"),
            "/paint": page(about="green tower"),
            "/moved": (301, {"Location": "/there"}, b""),
            "/there": page(about="moved"),
            "/data.csv": (200, {"Content-Type": "text/csv"}, b"name,height\nEddystone,49\nFastnet,54\n"),
        }
        del web.pages["/gone"]
        crawl.refresh()
        yield crawl, web, time.time() - 86_400


def by_path(report, web):
    return {page.url.removeprefix(web.origin): page for page in report.pages}


def test_each_page_is_listed_once_with_what_became_of_it(refreshed):
    crawl, web, date = refreshed
    found = {path: page.change for path, page in by_path(crawl.changes(date), web).items()}
    assert found == {
        "/evil": "new", "/there": "new", "/list": "changed", "/paint": "changed", "/data.csv": "changed",
        "/gone": "gone", "/moved": "moved",
    }  # fmt: skip
    assert by_path(crawl.changes(date), web)["/moved"].moved_to == f"{web.origin}/there"


def test_the_passages_that_differ_are_shown_word_by_word(refreshed):
    crawl, web, date = refreshed
    (passage,) = by_path(crawl.changes(date), web)["/paint"].passages
    assert str(passage).endswith("rocky coast. [-red-] {+green+} tower")


def test_before_the_crawl_everything_is_new_and_after_it_nothing(refreshed):
    crawl, _, _ = refreshed
    assert {page.change for page in crawl.changes(0.0).pages} == {"new"}
    assert crawl.changes(time.time() + 1).pages == ()
    assert crawl.changes(time.time() + 1).sentence() == "nothing new"


def test_a_change_that_was_taken_back_is_none(refreshed):
    crawl, web, date = refreshed
    kept = web.pages["/paint"]
    web.pages["/paint"] = page(about="red tower")
    with sqlite3.connect(crawl.folder / "crawl.db") as db:
        db.execute("UPDATE visits SET at = at - 3600")
        db.execute("UPDATE versions SET replaced_at = replaced_at - 3600")
    crawl.refresh()
    assert "/paint" not in by_path(crawl.changes(date), web)
    assert "/paint" in by_path(crawl.changes(time.time() - 600), web)
    web.pages["/paint"] = kept
    crawl.refresh()
    assert by_path(crawl.changes(date), web)["/paint"].change == "changed"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_holds_every_page_and_no_markup_of_others(refreshed, format):
    crawl, web, date = refreshed
    text = render(crawl.changes(date), format, "coasts")
    if format == "eml":
        letter = email.message_from_string(text, policy=policy.default)
        assert "coasts" in letter["Subject"]
        plain, html = (letter.get_body((kind,)).get_content() for kind in ("plain", "html"))
        assert f"{web.origin}/gone" in plain
        text = html
    for path in ("/evil", "/paint", "/gone", "/data.csv"):
        assert f"{web.origin}{path}" in text, path
    if format in ("html", "eml", "atom"):
        assert "<script>" not in text


def test_feeds_are_well_formed(refreshed):
    crawl, _, date = refreshed
    report = crawl.changes(date)
    feed = ET.fromstring(render(report, "atom", "coasts"))
    entries = feed.findall("{http://www.w3.org/2005/Atom}entry")
    ids = [entry.findtext("{http://www.w3.org/2005/Atom}id") for entry in entries]
    assert len(set(ids)) == len(entries) == len(report.pages)
    items = json.loads(render(report, "json", "coasts"))["items"]
    assert [item["id"] for item in items] == ids
    assert render(report, "csv", "coasts").count("'=Lighthouse") == 1


def run(*words):
    return CliRunner().invoke(full_app(), [str(word) for word in words], catch_exceptions=False)


def test_the_commands_write_the_same(refreshed, tmp_path):
    crawl, web, _ = refreshed
    shown = run("new-since", crawl.folder, "1d")
    assert shown.exit_code == 0
    assert "Gone (1)" in shown.output
    written = run("export", crawl.folder, tmp_path / "new.txt", "--since", "1d", "--changes")
    assert "1 gone" in written.output
    assert (tmp_path / "new.txt").read_text().splitlines()[1:] == shown.output.splitlines()[1:]
    run("export", crawl.folder, tmp_path / "new.jsonl", "--since", "1d")
    urls = {json.loads(line)["url"] for line in (tmp_path / "new.jsonl").read_text().splitlines()}
    assert f"{web.origin}/evil" in urls
    assert f"{web.origin}/a" not in urls


@pytest.mark.parametrize("wrong", ["yesterday", "", "2026-13-01", "0d"])
def test_what_is_no_date_is_said_so(wrong):
    with pytest.raises(ConfigError, match="is no date; write 2026-11-01"):
        parse_date(wrong)


def test_long_texts_are_compared_by_their_lines_only():
    old = "\n".join(f"line {n}" for n in range(MOST_LINES + 1))
    found = changed_passages(old, old.replace("line 7\n", "another\n"))
    assert [(each.before, each.after) for each in found] == [("line 7", ""), ("", "another")]
