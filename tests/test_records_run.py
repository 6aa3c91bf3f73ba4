"""From five books to hundreds: a table that grows beside a real crawl, is marked, killed, and exported."""

import asyncio
import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import clew
from clew.config import template
from clew.errors import ClewError, ConfigError
from clew.lab.synthetic import BookWeb, serving
from clew.lab.synthetic.books import COLUMNS, example_rows
from clew.services.tables import keep_marks, read_marks_file
from clew.store import SqliteStore, add_row_labels, export, read_sql, read_table_rows
from clew.store.export import ExportOptions
from tests.small_web import CONTACT
from tests.test_usage_errors import run_here

CLEW = str(Path(sys.executable).with_name("clew"))
WEB = BookWeb(per_subject=24)
TABLE = "author,title\n" + "".join(f"{author},{title}\n" for author, title in example_rows())


def made(folder, proxy, **more):
    """Make a crawl that begins with five books."""
    settings = {"fetch.proxy": proxy, "fetch.delay": 0, "store.min_free": 0, "parse.workers": 1}
    template.write_new(
        folder, contact=CONTACT, seeds=WEB.seeds()[:1],
        settings={"goal.records": "records.csv", "rank.policy": "breadth", **settings, **more},
    )  # fmt: skip
    (folder / "records.csv").write_text(TABLE)
    return folder


def run(folder, pages):
    """Go on with a crawl, in this process: starting another takes as long as all the rest."""
    return clew.Crawl(folder).run(pages=pages)


@contextmanager
def running(folder, pages):
    words = [CLEW, "run", str(folder), "--pages", str(pages)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A crawl that a newcomer has made and that has read eighty pages of the book web, at rest."""
    place = tmp_path_factory.mktemp("books")
    (place / "books.csv").write_text(TABLE)
    with serving(WEB) as proxy:
        words = [
            CLEW,
            "new",
            "shelf",
            "--records",
            "books.csv",
            "--seed",
            WEB.seeds()[0],
            "--contact",
            CONTACT,
        ]
        for setting in (f"fetch.proxy={proxy}", "fetch.delay=0", "store.min_free=0", "rank.policy=breadth"):
            words += ["--set", setting]
        said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=250, cwd=place)
        assert "5 example rows of author, title" in said.stdout
        words = [CLEW, "run", "shelf", "--pages", "80"]
        subprocess.run(words, capture_output=True, text=True, check=True, timeout=250, cwd=place)
        yield place / "shelf"


@pytest.fixture
def copy(shelf, tmp_path):
    """The same crawl, to go on with."""
    return Path(shutil.copytree(shelf, tmp_path / "shelf"))


def values(folder, **more):
    return {row.values: row for row in read_table_rows(folder, **more)[1]}


def test_five_books_become_hundreds_and_nearly_all_are_books(shelf):
    rows = values(shelf)
    true = Counter(WEB.grade_row(row) for row in rows)
    assert len(rows) > 80
    assert true["noise"] <= 0.05 * len(rows), true
    assert true["right"] >= 20, "most of the database books"
    found = [row for row in rows.values() if not row.given]
    assert len(found) == len(rows) - 5
    for row in found:
        assert 0 < row.confidence <= 1
        assert row.pages >= 1
        assert row.url.startswith("http://")
        assert row.found_at > 1e9
        assert "{author}" in row.pattern
        assert "{title}" in row.pattern
    assert any(row.sites > 1 for row in found), "libraries and shops agree"


def test_every_row_stands_where_it_is_said_to(shelf):
    where = """SELECT cells, url FROM stands JOIN rows ON rows.id = row JOIN links ON links.id = page
        WHERE NOT given AND pattern >= 0 AND json_extract(cells, '$[0]') != ''"""
    wrong = [
        (cells, url)
        for cells, url in read_sql(shelf, where)
        if tuple(json.loads(cells)) not in WEB.rows(url)
        and WEB.grade_row(tuple(json.loads(cells))) != "noise"
    ]
    assert not wrong


def test_pages_with_rows_are_relevant_and_others_are_not(shelf):
    judged = read_sql(
        shelf, "SELECT url, relevant, why FROM pages JOIN links USING (id) WHERE kind = 0 AND status = 200"
    )
    with_rows = {url for url, _, _ in judged if len(WEB.rows(url)) > 1}
    assert with_rows
    found = {url for url, relevant, _ in judged if relevant}
    assert len(with_rows & found) >= 0.9 * len(with_rows)
    assert not [url for url in found if "frome-gazette" in url]
    why = next(why for url, relevant, why in judged if relevant and url in with_rows)
    assert "rows of the table: " in why


# ---- what a person sees and says ---------------------------------------------------------------


def test_the_table_is_shown_and_marked_on_a_terminal(shelf, monkeypatch, capsys):
    def typed(*words):
        return run_here(("records", "shelf", *words), shelf.parent, monkeypatch, capsys)

    code, out, _ = typed()
    assert code == 0
    assert "   row  conf  author · title" in out
    assert "clew export shelf rows.csv --records" in out
    _, out, _ = typed("--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows[0]["author"] == example_rows()[0][0]
    assert rows[0]["given"] == 1
    assert rows[9]["page_url"].startswith("http://")
    by = Counter(row["pattern"] for row in rows if not row["given"])
    pattern = min(by, key=by.__getitem__)
    # On one site only: a row that two patterns extract would take both with it.
    noise = next(
        row["id"] for row in rows if row["pattern"] == pattern and not row["given"] and row["sites"] == 1
    )
    before = len(rows)
    _, out, _ = typed("--mark", str(noise), "noise")
    assert f"✓ row {noise}  noise" in out
    assert "removed: noise" in out
    left = {row.id for row in read_table_rows(shelf)[1]}
    assert noise not in left
    assert before - len(left) >= 1
    _, out, _ = typed("--all")
    assert "excluded: noise, you said so" in out
    typed("--undo", str(noise))
    assert len(read_table_rows(shelf)[1]) == before
    _, out, _ = typed("--mark", "7", "8", "right", "--mark", "9", "off-topic")
    assert "✓ row 8  right" in out
    assert "✓ row 9  off-topic" in out
    marks = {row.id: row.mark for row in read_table_rows(shelf)[1] if row.mark}
    assert marks == {7: "right", 8: "right", 9: "off-topic"}
    typed("--undo", "7", "--undo", "8", "--undo", "9")
    assert not [row for row in read_table_rows(shelf)[1] if row.mark]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--mark"], "needs a row and a label"),
        (["--mark", "7"], "row 7 has no label"),
        (["--mark", "noise"], "has no row"),
        (["--mark", "7", "nois"], "did you mean noise?"),
        (["--mark", "7", "wrong"], "did you mean noise?"),
        (["--mark", "99999", "noise"], "there is no row 99999"),
        (["7", "noise"], "7 needs --mark"),
        (["--file", "nowhere.tsv"], "cannot be read"),
        (["--file", "x.tsv", "--undo", "7"], "exclude each other"),
        (["--undo", "x"], "--undo"),
    ],
)
def test_wrong_words_are_answered(shelf, words, wanted, monkeypatch, capsys):
    code, out, wrong = run_here(["records", str(shelf), *words], shelf.parent, monkeypatch, capsys)
    assert (code, out) == (2, "")
    assert wanted in wrong
    assert len(wrong.splitlines()) <= 3


def test_a_crawl_without_a_table_says_so(tmp_path):
    store = SqliteStore(tmp_path, min_free=0)
    store.open()
    asyncio.run(store.aclose())
    with pytest.raises(ConfigError, match="has no table of rows; a crawl begins with one"):
        clew.Crawl(tmp_path).mark(1, "noise")
    assert clew.Crawl(tmp_path).records() == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12\tnoise\n13\tright\n", [(12, "noise"), (13, "right")]),
        ("# mine\n#\n12 off topic\n", [(12, "off-topic")]),
        ("author,title,id,mark\na,b,4,noise\nc,d,5,\n", [(4, "noise")]),
        ('{"row": 3, "mark": "undo"}\n', [(3, "")]),
    ],
)
def test_files_of_marks_are_read_as_people_write_them(text, wanted):
    assert read_marks_file(text.encode(), "x") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12 perhaps", "line 1"),
        ("", "no marks"),
        ("twelve noise", "not a row number"),
        ("12\n", "missing"),
        ("{", "not valid JSON"),
    ],
)
def test_a_file_with_a_mistake_counts_for_nothing(text, wanted):
    with pytest.raises(ConfigError, match=wanted):
        read_marks_file(text.encode(), "marks.tsv")


# ---- taken away --------------------------------------------------------------------------------


def test_every_export_holds_the_same_rows(shelf, tmp_path):
    rows = values(shelf)
    for name in ("rows.csv", "rows.jsonl", "rows.parquet", "rows.db", "rows.sqlite", "rows.jsonl.gz"):
        assert export(shelf, tmp_path / name, ExportOptions(records=True)) == len(rows)
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8-sig") as file:
        sheet = list(csv.DictReader(file))
    assert {(row["author"], row["title"]) for row in sheet} == set(rows)
    assert [row["given"] for row in sheet[:6]] == ["1"] * 5 + ["0"]
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [int(row["id"]) for row in sheet]
    assert set(lines[7]) == {
        "author", "title", "id", "given", "mark", "confidence", "pages", "sites", "page_url", "pattern", "position",
        "found_at",
    }  # fmt: skip
    with closing(sqlite3.connect(tmp_path / "rows.db")) as db:
        assert db.execute("SELECT count(*), sum(given), max(confidence) FROM records").fetchone() == (
            len(rows),
            5,
            1.0,
        )
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.num_rows == len(rows)
    assert str(table.schema.field("confidence").type) == "double"
    export(shelf, tmp_path / "bare.csv", ExportOptions(records=True, provenance=False))
    with (tmp_path / "bare.csv").open(newline="", encoding="utf-8-sig") as file:
        assert next(csv.reader(file)) == list(COLUMNS)
    with pytest.raises(
        ConfigError, match=r"format of extracted rows; use one of .jsonl, .csv, .xlsx, .parquet"
    ):
        export(shelf, tmp_path / "rows.warc.gz", ExportOptions(records=True))


def test_python_gives_rows_as_dictionaries(shelf):
    rows = clew.Crawl(shelf).records()
    assert rows[0]["author"] == example_rows()[0][0]
    assert {"id", "confidence", "page_url", "pattern"} <= rows[6].keys()


# ---- seeds from the rows themselves ------------------------------------------------------------


def test_an_engine_is_asked_for_the_rows_at_the_start_and_when_dry(shelf, tmp_path):
    (tmp_path / "books.csv").write_text(TABLE)
    with serving(WEB) as proxy:
        settings = {"fetch.proxy": proxy, "fetch.delay": 0, "store.min_free": 0, "rank.policy": "breadth"}
        seek = {"seek.search": [f"local={shelf}"], "seek.reseed": True, "seek.results": 2, "seek.window": 5}
        scope = {"scope.depth": 0}
        crawl = clew.Crawl(
            tmp_path / "c", contact=CONTACT, records=tmp_path / "books.csv", settings=settings | seek | scope
        )
        crawl.run(pages=25)
    asked = read_sql(crawl.folder, "SELECT query, why, new FROM searches ORDER BY id")
    assert asked[1][0] == '"An Introduction to Database Systems" "C.J. Date"'
    assert {why for _, why, _ in asked[:5]} == {"where to begin"}
    assert len(asked) > 5, "rows that were found are asked for when nothing is open"
    questions = [query for query, _, _ in asked]
    assert len(set(questions)) == len(questions)
    later = questions[5].split('" "')[0].strip('"')
    assert later in {title for _, title in values(crawl.folder)} | {
        author for author, _ in values(crawl.folder)
    }
    assert len(values(crawl.folder)) > 10
    assert (tmp_path / "c" / "records.csv").read_text() == TABLE


# ---- beside a crawl that runs ------------------------------------------------------------------


def test_a_mark_is_heard_by_a_crawl_that_runs_and_taken_back(tmp_path):
    with serving(WEB, latency=0.05) as proxy:
        folder = made(tmp_path / "shelf", proxy, **{"fetch.concurrency": 4})
        with running(folder, 5000) as child:
            _wait(lambda: _count(folder) and len(values(folder)) > 40)
            noise = list(values(folder).values())[-1]
            keep_marks(folder, [(noise.id, "noise")])
            heard = _line(child, f"row {noise.id} ")
            assert "noise" in heard
            assert "rejected" in heard
            keep_marks(folder, [(noise.id, "")])
            heard = _line(child, f"row {noise.id} ")
            assert "label removed" in heard
            assert "back" in heard
            child.send_signal(signal.SIGINT)
            child.wait(20)
        rows = values(folder)
        assert noise.values in rows
        assert len(rows) > 40


def _count(folder):
    """Count the pages of a crawl that may not have begun."""
    try:
        return len(read_sql(folder, "SELECT 1 FROM pages"))
    except ClewError:
        return 0


def _wait(done, seconds=200):
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.05)


def _line(child, wanted):
    """Return the next line that holds this; the crawl has far more to read than it can before a time-out."""
    told = []
    for line in child.stdout:
        told.append(line)
        if wanted in line:
            return line
    pytest.fail(f"nothing was said of {wanted}: {''.join(told[-20:])}")


# ---- kill -9 -----------------------------------------------------------------------------------


def consistent(folder):
    """See that the stored table is whole: numbers without a gap, each row once, no stand without its row."""
    ids = [id for (id,) in read_sql(folder, "SELECT id FROM rows ORDER BY id")]
    assert ids == list(range(len(ids)))
    cells = [cells for (cells,) in read_sql(folder, "SELECT lower(cells) FROM rows")]
    assert len(set(cells)) == len(cells)
    assert read_sql(folder, "SELECT count(*) FROM stands WHERE row NOT IN (SELECT id FROM rows)") == [(0,)]
    assert read_sql(folder, "SELECT count(*) FROM stands WHERE page NOT IN (SELECT id FROM pages)") == [(0,)]


def test_deaths_lose_no_row_and_double_none(tmp_path, shelf):
    with serving(WEB, latency=0.02) as proxy:
        folder = made(tmp_path / "shelf", proxy, **{"fetch.concurrency": 4})
        marked = None
        for turn in range(2):
            with running(folder, 80) as child:
                _wait(lambda least=20 + 25 * turn: _count(folder) >= least)
                os.kill(child.pid, signal.SIGKILL)
            consistent(folder)
            rows = [row for row in read_table_rows(folder)[1] if not row.given]
            if marked is None and rows:
                marked = rows[0]
                add_row_labels(folder, [(marked.id, "right")])
        run(folder, 80)
        consistent(folder)
        pages = read_sql(folder, "SELECT count(*) FROM pages JOIN links USING (id) WHERE kind = 0")
        assert pages == [(80,)]
        rows = values(folder)
        assert rows[marked.values].mark == "right"
        true = Counter(WEB.grade_row(row) for row in rows)
        assert true["noise"] <= 0.05 * len(rows)
        assert len(rows) >= 0.9 * len(values(shelf)), "as many as without deaths, but for the order of pages"
        stood = read_sql(folder, "SELECT row, page, pattern FROM stands ORDER BY 1, 2, 3")
        run(folder, 80)
        assert read_sql(folder, "SELECT row, page, pattern FROM stands ORDER BY 1, 2, 3") == stood, (
            "rest changes nothing"
        )


def test_noise_stays_struck_in_the_next_run_and_returns_when_taken_back(copy):
    before = values(copy)
    noise = next(row for row in before.values() if not row.given and row.confidence < 1)
    keep_marks(copy, [(noise.id, "noise")])
    left = values(copy)
    assert noise.values not in left
    run(copy, 82)
    assert noise.values not in values(copy)
    assert len(values(copy)) <= len(left) + 30
    keep_marks(copy, [(noise.id, "")])
    run(copy, 83)
    assert set(before) <= set(values(copy)), "every row that left has come back"


def test_another_table_makes_the_rows_anew_and_keeps_what_was_said(copy):
    before = values(copy)
    kept = next(row for row in before.values() if not row.given)
    add_row_labels(copy, [(kept.id, "right")])
    book = WEB.books[20]
    (copy / "records.csv").write_text(f"{TABLE}{book.author},{book.title}\n")
    said = run(copy, 81)
    assert "your example rows have changed: stored pages are rescanned" in said.hints
    after = values(copy)
    consistent(copy)
    assert after[book.author, book.title].given
    assert after[kept.values].mark == "right"
    assert len(set(before) - set(after)) <= 0.1 * len(before)


def test_a_forgotten_site_takes_its_rows_along(copy, monkeypatch, capsys):
    rows_of = Counter(urlsplit(row.url).hostname for row in values(copy).values() if row.url)
    host = min(
        rows_of, key=lambda name: (rows_of[name], name)
    )  # which hosts were read depends on concurrency
    assert any(host in row.url for row in values(copy).values())
    assert run_here(["forget", str(copy), host, "--yes"], copy.parent, monkeypatch, capsys)[0] == 0
    assert not any(host in row.url for row in values(copy).values())
    assert read_sql(copy, "SELECT count(*) FROM patterns") == [(0,)], "they may hold its words"
    run(copy, 82)
    consistent(copy)
    assert not any(host in row.url for row in values(copy).values())
    assert len(values(copy)) > 30
