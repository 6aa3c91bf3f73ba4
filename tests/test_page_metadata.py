"""What pages say about themselves in exports, and which extractor made each text, across versions."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from backports import zstd

import clew
from clew.domain.content import mime
from clew.domain.extractor_history import EXTRACTORS, ExtractorHistory
from clew.insight.corpus import CorpusOptions, export_corpus
from clew.parse import extractor
from clew.store.queries import read_facts
from tests.parse import sample_documents
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_usage_errors import run_here

ARTICLE = b"""<html lang="en"><head><title>The lamp</title>
<meta name="author" content="Ida Lamb"><meta property="article:published_time" content="2024-05-06T08:00:00Z">
<meta property="article:modified_time" content="2024-06-07"><meta property="og:site_name" content="Lights">
<meta name="description" content="On lamps."><meta property="og:type" content="article">
<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"></head>
<body><article><p>The keeper of the lighthouse trims the lamp every evening, and the ships at sea can see it from
far away, in the rain and in the fog.</p></article></body></html>"""


def article(*_):
    return 200, {"Content-Type": "text/html"}, ARTICLE


@pytest.fixture
def crawl(tmp_path):
    pages = {"/": linked("/lamp", text="lighthouse start"), "/lamp": article(), "/plain": linked(text="more")}
    with serving(pages) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK)
        crawl.run()
        yield crawl, web.origin, tmp_path


def run(capsys, monkeypatch, *words):
    code, out, err = run_here(list(words), Path.cwd(), monkeypatch, capsys)
    assert not code, err
    return out


def test_exports_have_what_pages_state(crawl, capsys, monkeypatch):
    _, origin, folder = crawl
    run(capsys, monkeypatch, "export", str(folder / "c"), str(folder / "out.jsonl"), "--metadata")
    rows = {
        row["url"]: row for row in map(json.loads, (folder / "out.jsonl").read_text("utf-8").splitlines())
    }
    page = rows[f"{origin}/lamp"]
    assert {name: page[name] for name in ("author", "published", "modified", "site", "description", "type")} == {
        "author": "Ida Lamb", "published": "2024-05-06", "modified": "2024-06-07", "site": "Lights",
        "description": "On lamps.", "type": "article",
    }  # fmt: skip
    assert page["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    assert page["lang_confidence"] > 0.8
    assert page["extractor"] == extractor.EXTRACTOR
    assert rows[f"{origin}/"]["author"] == ""
    assert rows[f"{origin}/robots.txt"]["extractor"] == ""


def test_documents_state_title_author_and_date_too(tmp_path, capsys, monkeypatch):
    pages = {"/": linked("/t.docx"), "/t.docx": (200, {"Content-Type": mime.DOCX}, sample_documents.docx())}
    with serving(pages) as web:
        clew.Crawl(tmp_path / "c", seeds=[f"{web.origin}/"], contact=CONTACT, settings=QUICK).run()
    run(capsys, monkeypatch, "export", str(tmp_path / "c"), str(tmp_path / "out.jsonl"), "--metadata")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    lines = [json.loads(line) for line in run(capsys, monkeypatch, "text", str(tmp_path / "c")).splitlines()]
    export_corpus(tmp_path / "c", tmp_path / "corpus", CorpusOptions(min_words=1))
    (shard,) = (tmp_path / "corpus/data").glob("*.zst")
    texts = [json.loads(line) for line in zstd.decompress(shard.read_bytes()).splitlines()]
    for found in (rows, lines, texts):
        (row,) = (row for row in found if row["url"].endswith(".docx"))
        assert (row["title"], row["author"], row["published"]) == ("Tides", "A. Moon", "2024-05-06")
    assert {*lines[0], "pages"} == set(lines[1])


def test_what_took_a_parse_worker_down_is_not_read_again(tmp_path, capsys, monkeypatch):
    with serving({"/": linked("/lamp", text="lighthouse start"), "/lamp": article()}) as web:
        clew.Crawl(tmp_path / "c", seeds=[f"{web.origin}/"], contact=CONTACT, settings=QUICK).run()
    with closing(sqlite3.connect(tmp_path / "c/crawl.db")) as db, db:
        db.execute("UPDATE pages SET error = 'truncated; parse timeout' WHERE title = 'The lamp'")
    lines = [json.loads(line) for line in run(capsys, monkeypatch, "text", str(tmp_path / "c")).splitlines()]
    assert [line["url"] for line in lines] == [f"{web.origin}/"]


def test_fields_of_metadata_are_chosen_like_others(crawl, capsys, monkeypatch):
    _, origin, folder = crawl
    words = ("--metadata", "--fields", "author,url", "--only", "relevant")
    run(capsys, monkeypatch, "export", str(folder / "c"), str(folder / "out.csv"), *words)
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["author", "url"]
    assert ["Ida Lamb", f"{origin}/lamp"] in rows


def test_each_text_says_which_version_made_it(crawl, capsys, monkeypatch):
    crawl, origin, folder = crawl
    first = extractor.EXTRACTOR
    monkeypatch.setattr(extractor, "EXTRACTOR", "clew-text/99")
    later = clew.Crawl(folder / "c", settings={"crawl.seeds": [origin, f"{origin}/plain"]})
    later.run()
    later.run()
    history = ExtractorHistory.of(read_facts(folder / "c", [EXTRACTORS]))
    assert [name for _, name in history.since] == [first, "clew-text/99"]
    run(
        capsys,
        monkeypatch,
        "export",
        str(folder / "c"),
        str(folder / "o.jsonl"),
        "--metadata",
        "--fields",
        "url,extractor",
    )
    made = dict(json.loads(line).values() for line in (folder / "o.jsonl").read_text("utf-8").splitlines())
    assert made[f"{origin}/lamp"] == first
    assert made[f"{origin}/plain"] == "clew-text/99"
    lines = [json.loads(line) for line in run(capsys, monkeypatch, "text", str(folder / "c")).splitlines()]
    assert {line["url"]: line["stored_extractor"] for line in lines}[f"{origin}/lamp"] == first


HEADED = b"""<html lang="en"><head><title>Tides</title></head><body><article><h1>Tides</h1>
<p>The tide turns twice a day, and the <a href="/harbour">harbour</a> is dry for some hours in the afternoon.</p>
<h2>Hours</h2><p>Noon.</p><h2>Months</h2><p>June.</p><h2>Days</h2><p>Friday.</p>
<ul><li>The ebb begins at noon on the western shore.</li><li>The flood returns before it is dark.</li></ul>
</article></body></html>"""


@pytest.fixture
def mixed(tmp_path):
    pages = {
        "/": linked("/tides", "/notes", text="lighthouse start"),
        "/tides": (200, {"Content-Type": "text/html"}, HEADED),
        "/notes": (200, {"Content-Type": "text/plain"}, b"First line\n\n  second <b> line\n"),
    }
    with serving(pages) as web:
        clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK).run()
        yield tmp_path, web.origin


@pytest.mark.parametrize("more", [(), ("--metadata",)])
@pytest.mark.parametrize("form", ["markdown", "markdown-no-links"])
def test_texts_are_exported_as_markdown(mixed, capsys, monkeypatch, more, form):
    folder, origin = mixed
    run(capsys, monkeypatch, "export", str(folder / "c"), str(folder / "out.jsonl"), "--text", form, *more)
    rows = {
        row["url"]: row for row in map(json.loads, (folder / "out.jsonl").read_text("utf-8").splitlines())
    }
    text = rows[f"{origin}/tides"]["text"]
    assert text.startswith("# Tides\n")
    assert "\n- The ebb begins" in text
    assert (f"[harbour]({origin}/harbour)" in text) == (form == "markdown")
    assert rows[f"{origin}/notes"]["text"] == "First line\nsecond <b> line"
    assert ("author" in rows[f"{origin}/tides"]) == bool(more)


def test_a_form_that_does_not_exist_is_refused(mixed, capsys, monkeypatch):
    folder, _ = mixed
    for words in (["export", str(folder / "c"), "out.jsonl"], ["text", str(folder / "c")]):
        code, _, err = run_here([*words, "--text", "html"], Path.cwd(), monkeypatch, capsys)
        assert code == 2
        assert "plain, markdown or markdown-no-links" in err


def test_a_corpus_in_markdown_says_so(mixed, capsys, monkeypatch):
    folder, origin = mixed
    words = ("--corpus", "--min-words", "5", "--text", "markdown")
    run(capsys, monkeypatch, "export", str(folder / "c"), str(folder / "corpus"), *words)
    (path,) = (folder / "corpus/data").glob("*.zst")
    rows = {row["url"]: row for row in map(json.loads, zstd.decompress(path.read_bytes()).splitlines())}
    assert rows[f"{origin}/tides"]["text"].startswith("# Tides\n")
    assert rows[f"{origin}/tides"]["extractor"] == extractor.EXTRACTOR
    run(capsys, monkeypatch, "export", str(folder / "c"), str(folder / "plain"), *words[:3])
    (path,) = (folder / "plain/data").glob("*.zst")
    assert [json.loads(line)["url"] for line in zstd.decompress(path.read_bytes()).splitlines()] == list(rows)
    assert "| form of the texts | markdown |" in (folder / "corpus/README.md").read_text("utf-8")


def test_plain_texts_are_extracted_again_line_by_line(mixed, capsys, monkeypatch):
    folder, origin = mixed
    found = [json.loads(line) for line in run(capsys, monkeypatch, "text", str(folder / "c")).splitlines()]
    assert {row["url"]: row["text"] for row in found}[f"{origin}/notes"] == "First line\nsecond <b> line"
    (folder / "a.txt").write_text("x < y\n\n<b>is</b> kept\n")
    assert run(capsys, monkeypatch, "text", str(folder / "a.txt")) == "x < y\n<b>is</b> kept\n"
    (folder / "a").write_text("Some <b>bold</b> words")
    assert run(capsys, monkeypatch, "text", str(folder / "a")) == "Some bold words\n"
