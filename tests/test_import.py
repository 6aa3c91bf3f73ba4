"""`clew import`: archives of other programs as the start of a crawl."""

import gzip
import json
import resource
import zipfile

import pytest
from typer.testing import CliRunner

from clew import store
from clew.api import Crawl
from clew.cli.app import build_app
from clew.parse.extractor import EXTRACTOR
from tests.small_web import CONTACT, QUICK, linked, serving

ABOUT = "lighthouse"


def clew_import(*arguments):
    return CliRunner().invoke(build_app(["import", "why"]), ["import", *map(str, arguments)])


def imported(path, folder, *more):
    result = clew_import(path, "--into", folder, "--about", ABOUT, "--contact", CONTACT, *more)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def warc(records):
    """Return a WARC file of responses, (url, status, type, body) each, one gzip member a record."""
    members = []
    for url, status, mime, body in records:
        block = f"HTTP/1.1 {status} X\r\nContent-Type: {mime}\r\n\r\n".encode() + body
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2021-03-04T05:06:07Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        )
        members.append(gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0))
    return b"".join(members)


PAGES = [
    ("http://a.org/", 200, "text/html", linked("/good", "/poor", "/new", text="A list").encode()),
    ("http://a.org/robots.txt", 200, "text/plain", b"User-agent: *\nDisallow: /"),
    ("http://a.org/style.css", 200, "text/css", b"p {}"),
    ("http://a.org/x.png", 200, "image/png", b"\x89PNG"),
    ("http://a.org/app.js", 200, "application/javascript", b"1"),
    ("http://a.org/good", 200, "text/html", linked("/more", text="The lighthouse. " * 20).encode()),
    ("http://a.org/busy", 503, "text/html", b"busy"),
    ("http://a.org/gone", 404, "text/html", b"gone"),
    ("http://a.org/poor#part", 200, "text/html", linked(text="Bread and rolls. " * 20).encode()),
    ("http://a.org/good", 200, "text/html", b"<p>a later version"),
    ("mailto:x@a.org", 200, "text/html", b"no page"),
]  # fmt: skip


def test_pages_are_judged_and_their_links_open(tmp_path):
    (tmp_path / "old.warc.gz").write_bytes(warc(PAGES))
    said = imported(tmp_path / "old.warc.gz", tmp_path / "c")
    assert "imported 3 pages" in said
    assert "1 of them relevant" in said
    assert "3 images, styles, scripts" in said
    crawl = Crawl(tmp_path / "c")
    pages = {page["url"]: page for page in crawl.pages}
    assert set(pages) == {f"http://a.org/{name}" for name in ("", "good", "poor", "gone")}
    assert pages["http://a.org/good"]["relevant"]
    assert not pages["http://a.org/poor"]["relevant"]
    assert pages["http://a.org/good"]["parent"] == "http://a.org/"
    assert pages["http://a.org/good"]["fetched_at"].startswith("2021-03-04T05:06:07")
    states = {link["url"]: link["state"] for link in crawl.links}
    assert states["http://a.org/new"] == states["http://a.org/more"] == "open"
    assert "http://a.org/style.css" not in states
    assert crawl.config().crawl.seeds == ["http://a.org/"]
    assert "/good" in "\n".join(crawl.why("http://a.org/more").lines())
    made = CliRunner().invoke(build_app(["text", "why"]), ["text", str(tmp_path / "c")]).stdout
    assert {json.loads(line)["stored_extractor"] for line in made.splitlines()} == {EXTRACTOR}


def test_a_crawl_goes_on_from_its_archive(tmp_path):
    """What was exported and imported is not fetched again; what is missing is."""
    pages = {"/": linked("/a", "/b", text="x"), "/a": linked("/c", text="The lighthouse. " * 9)}
    pages |= {"/b": linked(text="bread " * 9), "/c": linked(text="The lighthouse keeper. " * 9)}
    with serving(pages) as web:
        first = Crawl(tmp_path / "first", ABOUT, [f"{web.origin}/"], CONTACT, settings=QUICK)
        first.run(pages=3)
        read = {page["url"]: page["verdict"] for page in first.pages}
        store.export(tmp_path / "first", tmp_path / "first.wacz")
        web.asked.clear()
        settings = [f"--set={key}={value}" for key, value in (("fetch.delay", 0), ("store.min_free", 0))]
        imported(tmp_path / "first.wacz", tmp_path / "second", "--set=fetch.allow=127.0.0.0/8", *settings)
        assert web.asked == []
        second = Crawl(tmp_path / "second")
        assert {page["url"]: page["verdict"] for page in second.pages} == pytest.approx(read)
        second.run()
        assert sorted(set(web.asked) - {"/robots.txt"}) == sorted(
            path for path in pages if f"{web.origin}{path}" not in read
        )
        assert {page["url"] for page in second.pages} == {f"{web.origin}{path}" for path in pages}


def test_an_import_can_be_repeated_and_added_to(tmp_path):
    (tmp_path / "half.warc.gz").write_bytes(warc(PAGES[:6]))
    (tmp_path / "rest.warc.gz").write_bytes(warc(PAGES[6:]))
    (tmp_path / "all.warc.gz").write_bytes(warc(PAGES))
    imported(tmp_path / "half.warc.gz", tmp_path / "parts")
    for name in ("half", "rest"):
        assert clew_import(tmp_path / f"{name}.warc.gz", "--into", tmp_path / "parts").exit_code == 0
    imported(tmp_path / "all.warc.gz", tmp_path / "whole")

    def found(name):
        crawl = Crawl(tmp_path / name)
        pages = [(page["url"], page["verdict"], page["parent"]) for page in crawl.pages]
        return pages, [(link["url"], link["state"], link["score"]) for link in crawl.links]

    assert found("parts") == found("whole")


def wacz(path, members, **options):
    with zipfile.ZipFile(path, "w", options.pop("compression", zipfile.ZIP_STORED)) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_names_in_a_wacz_lead_nowhere(tmp_path):
    good = warc(PAGES)
    evil = warc([("http://evil.org/", 200, "text/html", b"<p>evil")])
    names = ("../evil.warc.gz", "/evil.warc.gz", "archive/../../evil.warc.gz", "other/evil.warc.gz")
    path = wacz(tmp_path / "x.wacz", {**dict.fromkeys(names, evil), "archive/data.warc.gz": good})
    before = set(tmp_path.parent.rglob("*evil*"))
    imported(path, tmp_path / "c")
    assert set(tmp_path.parent.rglob("*evil*")) == before
    assert len(Crawl(tmp_path / "c").pages) >= 4


def test_a_bomb_takes_little_memory(tmp_path):
    """Much blank space, packed twice, between two good files."""
    piece = gzip.compress(b" " * (1 << 24), 9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    members = {
        "archive/a.warc.gz": warc(PAGES[:1]),
        "archive/b.warc.gz": piece * 24,
        "archive/c.warc.gz": warc(PAGES[5:6]),
    }
    path = wacz(tmp_path / "bomb.wacz", members, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    assert "imported 2 pages" in imported(path, tmp_path / "c")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB


@pytest.mark.parametrize("cut", [10, 700, -40])
def test_damaged_archives_give_what_is_whole(tmp_path, cut):
    data = bytearray(warc(PAGES))
    del data[cut : cut + 30]
    (tmp_path / "x.warc.gz").write_bytes(data)
    said = imported(tmp_path / "x.warc.gz", tmp_path / "c")
    assert "skipped" in said
    assert len(Crawl(tmp_path / "c").pages) >= 1


def test_a_damaged_member_does_not_hide_the_next(tmp_path):
    path = wacz(
        tmp_path / "x.wacz", {"archive/a.warc.gz": warc(PAGES[:3]), "archive/b.warc.gz": warc(PAGES[5:])}
    )
    data = path.read_bytes().replace(warc(PAGES[:3])[40:60], b"\0" * 20)
    path.write_bytes(data)
    assert "skipped" in imported(path, tmp_path / "c")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("x.wacz", b"no zip", "is no WACZ"),
        ("x.wacz", None, "holds no WARC file"),
        ("x.warc.gz", b"<html>", "is no WARC file"),
        ("x.warc.gz", b"", "no page was found"),
        ("x.har", b"{}", "an archive ends in"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, name, data, says):
    path = tmp_path / name
    wacz(path, {"readme.txt": b"x"}) if data is None else path.write_bytes(data)
    result = clew_import(path, "--into", tmp_path / "c", "--contact", CONTACT)
    assert says in str(result.exception)
    assert not (tmp_path / "c" / "clew.toml").exists()


def test_a_new_crawl_needs_a_contact(tmp_path):
    (tmp_path / "x.warc.gz").write_bytes(warc(PAGES))
    result = clew_import(tmp_path / "x.warc.gz", "--into", tmp_path / "c")
    assert "--contact" in str(result.exception)
    imported(tmp_path / "x.warc.gz", tmp_path / "c")
    result = clew_import(tmp_path / "x.warc.gz", "--into", tmp_path / "c", "--about", "other")
    assert "is a crawl already" in str(result.exception)
