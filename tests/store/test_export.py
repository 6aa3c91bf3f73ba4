"""Exports: every fetched address once, whole or not at all, harmless wherever it is opened."""

import asyncio
import codecs
import csv
import gzip
import io
import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_kit import no_answer, rows, some_found, some_link, some_step, strict_records

from clew.domain.installation import install_command
from clew.errors import ConfigError, StoreError
from clew.store.escaping import safe_cell, safe_json
from clew.store.export import ExportOptions, export
from clew.store.reading import FIELDS, read_links, read_pages, read_sql
from clew.store.sqlite import SqliteStore
from clew.types import Kind, RobotsDirectives, State

A, B, C = "http://a.test/", "http://a.test/=cmd|x", "https://c.test/%0D%0Ax"
TITLES = ['=HYPERLINK("http://evil.example","x")', '"=1+1', "+1", "-1", "@x", "\t=1", "\r=1", "＝1+1", "\x1b[31mred\x9b1m",
          'plain, with "quotes"\nand lines', "日本語 \u202egnp.exe", "' =2", "  =2"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A crawl with one of each: relevant and not, failed, cut, noindex, duplicate, robots."""
    place = tmp_path_factory.mktemp("crawl")

    async def go() -> None:
        store = SqliteStore(place, min_free=0)
        store.open()
        store.add_links(some_found(1, [A], depth=0))
        hostile = [f"http://h.test/{i}" for i in range(len(TITLES))]
        store.add(some_step(store.link(1), new_links=some_found(2, [B, C, *hostile])))
        store.add(
            some_step(
                store.link(2),
                State.FAILED,
                visit=no_answer("timeout"),
                relevant=False,
                verdict=None,
                page={"title": "", "text": ""},
            )
        )
        store.add(
            some_step(
                store.link(3),
                duplicate_of=1,
                relevant=False,
                visit={"truncated": True, "error": "body too large"},
                page={"directives": RobotsDirectives(noindex=True)},
            )
        )
        for i, title in enumerate(TITLES):
            store.add(
                some_step(store.link(4 + i), page={"title": title, "text": title * 2}, relevant=i % 2 == 0)
            )
        robots = some_link(99, "http://a.test/robots.txt", kind=Kind.ROBOTS)
        store.add(some_step(robots, visit={"request": b""}, relevant=False, verdict=None))
        await store.aclose()

    asyncio.run(go())
    return place


COUNT = 4 + len(TITLES)
RELEVANT = 1 + (len(TITLES) + 1) // 2


def test_json_lines_hold_every_field_of_every_fetched_address(folder, tmp_path):
    target = tmp_path / "out.jsonl"
    assert export(folder, target) == COUNT
    lines = target.read_bytes().decode().split("\n")
    assert lines.pop() == ""
    assert len(lines) == COUNT
    assert not [
        c for line in lines for c in line if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2028"
    ]
    first, failed, cut, *hostile, robots = map(json.loads, lines)
    assert tuple(first) == FIELDS
    ((file, offset),) = rows(folder, "SELECT warc_file, warc_offset FROM pages WHERE id = 1")
    assert first == {
        "url": A, "kind": "page", "status": 200, "error": "", "truncated": False, "verdict": 0.75, "relevant": True,
        "title": "A title", "text": "Some text", "lang": "", "mime": "text/html",
        "fetched_at": "2023-11-14T22:13:20.250Z", "parent": None, "anchor": "anchor 0", "depth": 0,
        "host": "http://a.test", "bytes": 18, "digest": first["digest"], "duplicate_of": None, "noindex": False,
        "warc_file": file, "warc_offset": offset,
    }  # fmt: skip
    assert (failed["url"], failed["status"], failed["error"], failed["verdict"]) == (B, 0, "timeout", None)
    assert failed["parent"] == A
    assert (cut["truncated"], cut["error"], cut["duplicate_of"], cut["noindex"]) == (
        True,
        "body too large",
        A,
        True,
    )
    assert (cut["title"], cut["text"]) == ("", "")
    assert [row["title"] for row in hostile] == TITLES
    assert (robots["kind"], robots["url"]) == ("robots", "http://a.test/robots.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]


def test_only_relevant(folder, tmp_path):
    for name in ("r.jsonl", "r.csv", "r.parquet", "r.warc.gz"):
        assert export(folder, tmp_path / name, ExportOptions(only_relevant=True)) == RELEVANT
    kinds = [kind for kind, *_ in strict_records(tmp_path / "r.warc.gz")]
    assert kinds == ["warcinfo", *["response", "request"] * RELEVANT]


def test_csv_reads_back_and_is_harmless(folder, tmp_path):
    target = tmp_path / "out.csv"
    assert export(folder, target) == COUNT
    assert target.read_bytes().startswith(codecs.BOM_UTF8)  # else Excel takes it for another encoding
    with target.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == COUNT
    for row in table:
        assert all(cell[:1] not in tuple("=+-@\t\r\n") for cell in row.values()), row
    assert [row["title"] for row in table[3 : 3 + 4]] == ["'" + title for title in TITLES[:4]]
    assert (table[0]["url"], table[0]["relevant"], table[0]["bytes"]) == (A, "True", "18")


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("=+-@\t\r\n\"' ;,＝\x00\x1b\x9b"), st.characters(codec="utf-8")),
        max_size=30,
    )
)
def test_no_text_becomes_a_formula(text):
    sheet = io.StringIO(newline="")
    csv.writer(sheet).writerow([safe_cell(text), "next"])
    ((cell, after),) = csv.reader(io.StringIO(sheet.getvalue(), newline=""))
    assert after == "next"
    bare = cell.lstrip(' \t\n"`\ufeff\u200b')
    assert cell[:1] == "'" or bare[:1] not in tuple("=+-@＝＋－＠")
    assert cell[:1] not in tuple("=+-@\t\r\n")
    assert not [c for c in cell if (ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160]


@given(st.text(max_size=50))
def test_a_json_line_is_one_line_and_says_the_same(text):
    line = safe_json({"title": text})
    assert len(line.splitlines()) == 1
    assert json.loads(line)["title"] == text


def test_packed_forms_hold_the_same(folder, tmp_path):
    for name in ("a.jsonl", "a.csv"):
        export(folder, tmp_path / name)
        assert export(folder, tmp_path / f"{name}.gz") == COUNT
        assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()) == (tmp_path / name).read_bytes()


def test_parquet_has_types(folder, tmp_path):
    assert export(folder, tmp_path / "out.parquet") == COUNT
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == list(FIELDS)
    assert str(table.schema.field("fetched_at").type) == "timestamp[ms, tz=UTC]"
    assert table.column("title").to_pylist()[3:-1] == TITLES
    assert table.column("relevant").to_pylist().count(True) == RELEVANT


def test_excel_gets_typed_cells_and_no_formula(folder, tmp_path):
    assert export(folder, tmp_path / "out.xlsx") == COUNT
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "日本語" in sheet
    assert '<c r="F2"' in sheet


def test_a_database_has_one_table_of_pages(folder, tmp_path):
    assert export(folder, tmp_path / "out.db", ExportOptions(text=False)) == COUNT
    with closing(sqlite3.connect(tmp_path / "out.db")) as db:
        ((count,),) = db.execute("SELECT count(*) FROM pages").fetchall()
        names = [row[1] for row in db.execute("PRAGMA table_info(pages)")]
    assert count == COUNT
    assert names == [name for name in FIELDS if name != "text"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.db"]


def test_fields_are_chosen_and_ordered(folder, tmp_path):
    for suffix in (".csv", ".jsonl", ".parquet", ".xlsx", ".db"):
        chosen = ExportOptions(fields=["title", "url"])
        assert export(folder, tmp_path / f"out{suffix}", chosen) == COUNT
    header = (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()[0]
    assert header == "title,url"
    assert pq.read_table(tmp_path / "out.parquet").column_names == ["title", "url"]
    with pytest.raises(ConfigError, match="there is no field titel; did you mean title"):
        export(folder, tmp_path / "x.csv", ExportOptions(fields=["titel"]))
    with pytest.raises(ConfigError, match="no field text"):
        export(folder, tmp_path / "x.csv", ExportOptions(fields=["text"], text=False))


def test_a_text_too_long_for_a_cell_is_cut_and_said(folder, tmp_path):
    long = tmp_path / "crawl"
    long.mkdir()
    with (
        closing(sqlite3.connect(folder / "crawl.db")) as source,
        closing(sqlite3.connect(long / "crawl.db")) as copy,
    ):
        source.backup(copy)
        copy.execute("UPDATE texts SET text = ? WHERE page = (SELECT min(page) FROM texts)", ("x" * 40_000,))
        copy.commit()
    for suffix in (".csv", ".xlsx"):
        said = []
        export(long, tmp_path / f"out{suffix}", ExportOptions(note=said.append))
        assert len(said) == 1
        assert "1 text was longer" in said[0]
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        assert max(len(row["text"]) for row in csv.DictReader(file)) == 32_767
    said = []
    export(long, tmp_path / "out.jsonl", ExportOptions(note=said.append))
    assert said == []


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "xlsx", "db"])
def test_standard_output_takes_every_format(folder, format):
    ran = subprocess.run(
        [sys.executable, "-m", "clew", "export", folder, "-", "--format", format, "--fields", "url"],
        capture_output=True, check=True,
    )  # fmt: skip
    begin = {"jsonl": b'{"url"', "csv": b"url\r\n", "parquet": b"PAR1", "xlsx": b"PK", "db": b"SQLite"}
    assert ran.stdout.startswith(begin[format])
    assert f"wrote {COUNT} rows to standard output".encode() in ran.stderr


def test_packed_parquet_is_not_renamed_to_something_else(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"write out\.parquet: it is compressed already"):
        export(folder, tmp_path / "out.parquet.gz")


def test_warc_copies_the_records(folder, tmp_path):
    target = tmp_path / "out.warc.gz"
    assert export(folder, target) == COUNT - 1  # one address never answered
    (source,) = (folder / "pages").iterdir()
    copied = [(kind, url, body) for kind, url, body, *_ in strict_records(target)[1:]]
    assert copied == [(kind, url, body) for kind, url, body, *_ in strict_records(source)[1:]]


@pytest.mark.parametrize("name", ["out.xls", "out", "out.gz", "out.warc"])
def test_unknown_suffixes_are_refused_with_the_known_ones(folder, tmp_path, name):
    with pytest.raises(ConfigError, match=r"\.jsonl, \.csv, \.xlsx, \.parquet, \.db"):
        export(folder, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_places_without_a_crawl_or_a_folder(folder, tmp_path):
    with pytest.raises(ConfigError, match="contains no crawl"):
        export(tmp_path, tmp_path / "out.csv")
    with pytest.raises(ConfigError, match="no folder"):
        export(folder, tmp_path / "missing" / "out.csv")
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(ConfigError, match="is a folder"):
        export(folder, tmp_path / "dir.csv")


def test_a_broken_export_leaves_the_old_file_and_no_other(folder, tmp_path):
    broken = tmp_path / "crawl"
    broken.mkdir()
    source = sqlite3.connect(folder / "crawl.db")
    copy = sqlite3.connect(broken / "crawl.db")
    source.backup(copy)
    copy.execute("UPDATE pages SET warc_file = '../../secret' WHERE id = 5")
    copy.commit()
    copy.close()
    source.close()
    (broken / "pages").symlink_to(folder / "pages")
    target = tmp_path / "out.warc.gz"
    target.write_bytes(b"old")
    with pytest.raises(StoreError, match="never makes"):
        export(broken, target)
    assert target.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["crawl", "out.warc.gz"]


def test_export_reads_while_a_crawl_holds_the_folder(folder, tmp_path):
    store = SqliteStore(folder, min_free=0)
    store.open()
    try:
        assert export(folder, tmp_path / "out.jsonl") == COUNT
    finally:
        asyncio.run(store.aclose())


def test_pages_are_a_table(folder):
    pages = read_pages(folder)
    assert len(pages) == COUNT - 1, "a robots.txt is fetched, but no page"
    assert [row["url"] for row in pages][:2] == [A, B]
    frame = pages.to_pandas()
    assert list(frame.columns) == list(FIELDS)
    assert frame["relevant"].sum() == RELEVANT
    assert str(frame["fetched_at"].dt.tz) == "UTC"
    assert pages.to_arrow().num_rows == COUNT - 1
    answer = pages.sql(
        "SELECT host, count(*) AS n FROM fetched WHERE host = ? GROUP BY host", "http://h.test"
    )
    assert list(answer) == [{"host": "http://h.test", "n": len(TITLES)}]
    assert answer.columns == ("host", "n")
    assert answer.to_pandas()["n"].tolist() == [len(TITLES)]
    assert answer.to_arrow().column("n").to_pylist() == [len(TITLES)]
    assert len(answer) == 1
    assert (
        answer.rows() == read_sql(folder, answer.query, "http://h.test") == [("http://h.test", len(TITLES))]
    )
    assert pages.rows()[0][:3] == (A, "page", 200)
    assert [row["state"] for row in read_links(folder)][:3] == ["done", "failed", "done"]
    assert "text" not in read_links(folder).columns


@pytest.mark.parametrize(
    "attack", ["DELETE FROM pages", "ATTACH 'x.db' AS x", "UPDATE links SET url = 1", "CREATE TABLE t (x)"]
)
def test_questions_cannot_change_anything(folder, attack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = (folder / "crawl.db").read_bytes()
    with pytest.raises(ConfigError, match="SQLite cannot run this query"):
        read_sql(folder, attack)
    assert (folder / "crawl.db").read_bytes() == before
    assert list(tmp_path.iterdir()) == []


def test_missing_libraries_are_named_with_the_cure(folder, tmp_path):
    program = (
        "import sys, pathlib; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        "from clew.errors import ConfigError\n"
        "from clew.store.export import export\n"
        "from clew.store.reading import read_pages\n"
        f"folder = pathlib.Path({str(folder)!r})\n"
        "for call in (read_pages(folder).to_pandas, lambda: export(folder, pathlib.Path('x.parquet'))):\n"
        "    try: call()\n"
        "    except ConfigError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert said.stdout.splitlines() == [
        f"pandas is not installed; get it with: {install_command('pandas')}",
        f"pyarrow is not installed; get it with: {install_command('parquet')}",
    ]
    assert list(tmp_path.iterdir()) == []
