"""The index of one's own: any language, only data, up to date, and forgetful when it must be."""

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from search_kit import asked, crawl

from clew.config.tables import SeekTable
from clew.contracts import SearchEngine, SearchQuery
from clew.errors import ConfigError
from clew.search import Index, IndexEntry, LocalEngine, index_of_crawl, open_engine, serve
from clew.search.local_engine import open_local
from clew.store.forget import open_eraser

PAGES = [
    IndexEntry("http://tea.test/1", "お茶の本", "日本のお茶。茶道について書かれた本です。", "ja"),
    IndexEntry("http://wind.test/2", "風力発電", "海の風力発電所と灯台の話。", "ja"),
    IndexEntry(
        "http://light.test/3", "Lighthouses", "The keepers of the light, their fog signal and the sea.", "en"
    ),
    IndexEntry(
        "http://light.test/4", "Keeping bees", "One keeper of bees wrote to the lighthouse board.", "en"
    ),
    IndexEntry(
        "http://turm.test/5",
        "Leuchttürme",
        "Der Leuchtturmwärter zündet das Feuer an; Straße zum Turm.",
        "de",
    ),
    IndexEntry("http://sub.light.test/6", "Board", "About the board of lights.", "en"),
    IndexEntry("http://zh.test/7", "灯塔", "中国的灯塔很高。", "zh"),
    IndexEntry("http://th.test/8", "ประภาคาร", "ประภาคารเก่าแก่ริมทะเล", "th"),
]


@pytest.fixture(scope="module")
def engine():
    index = Index()
    assert index.add(PAGES) == len(PAGES)
    yield LocalEngine("local=here", index)
    index.close()


def found(engine, query, count=10, lang=""):
    return [int(r.url[-1]) for r in asyncio.run(engine.search(query, count, lang)).results]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("茶", [1]), ("お茶", [1]), ("道", [1]), ("本", [1]), ("灯台", [2]), ("風力発電", [2]), ("風力発電所", [2]),
        ("発電所と灯台", [2]), ("風力 灯台", [2]), ("所", [2]), ("灯塔", [7]), ("灯", [2, 7]), ("話", [2]),
        ("お茶 風力", [1, 2]), ("ﾌｳﾘｮｸ", []), ("ประภาคาร", [8]), ("lighthouse", [3, 4]), ("LIGHTHOUSES", [3, 4]),
        ("lighthouse keeper", [4, 3]), ('"fog signal"', [3]), ('"signal fog"', []), ("Leuchtturm", []),
        ("leuchttürme", [5]), ("strasse", [5]), ("light site:light.test", [3, 6]), ("site:sub.light.test", [6]),
        ("nowhere", []), ("bees AND board", [4]),
    ],
)  # fmt: skip
def test_words_of_any_language_are_found(engine, query, pages):
    assert sorted(found(engine, query)) == sorted(pages)


def test_a_title_counts_for_more_than_text(engine):
    assert found(engine, "lighthouse") == [3, 4]
    assert found(engine, "keeper")[0] == 4


def test_all_words_must_be_there_when_somebody_insists(engine):
    assert found(engine, SearchQuery(text="lighthouse", also=("fog signal",))) == [3]
    assert found(engine, SearchQuery(text="lighthouse", also=("volcano",))) == []
    answer = asyncio.run(engine.search("lighthouse volcano", 10))
    assert len(answer.results) == 2
    assert "some of them" in answer.notes[0]


def test_languages_are_kept_apart(engine):
    assert sorted(found(engine, "灯", lang="ja")) == [2]
    assert sorted(found(engine, "灯", lang="zh-TW")) == [7]


@pytest.mark.parametrize(
    "query",
    ['"', "*", "a*", "NEAR(light, 2)", "light OR", "AND", "NOT light", "title:x", "{title text}: x", "^light", "'; --",
     "light)", "\x00", "😀", "-light", "+", "x" * 5000, "( ( (", 'a"b"c"', "🗼 light", "\ud800"],
)  # fmt: skip
def test_a_question_is_data_never_syntax(engine, query):
    answer = asyncio.run(engine.search(query, 5))
    assert answer.error == ""


def test_it_is_an_engine_and_shows_a_passage(engine):
    assert isinstance(engine, SearchEngine)
    answer = asyncio.run(engine.search("signal", 5))
    assert "fog signal" in answer.results[0].snippet
    assert answer.total == 1


def test_an_address_is_indexed_once(tmp_path):
    index = Index(tmp_path / "search.db")
    assert index.add(PAGES) == len(PAGES)
    assert index.add(PAGES[:3]) == 0
    index.close()
    again = open_local("local=x", tmp_path / "search.db")
    assert len(again.index) == len(PAGES)
    again.index.close()


def test_a_build_that_fails_leaves_the_index_as_it_was():
    index = Index()
    index.add(PAGES[:2])

    def broken():
        yield PAGES[3]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.add(broken())
    assert len(index) == 2
    assert index.add(PAGES[2:]) == len(PAGES) - 2
    index.close()


BUILDER = """
import os, signal, sys
from pathlib import Path
from clew.search.index import IndexEntry, Index

def pages():
    for i in range(10_000):
        if i == 300:
            os.kill(os.getpid(), signal.SIGKILL)
        yield IndexEntry(f"http://late.test/{i}", "Late", "zanzibar " * 500)

Index(Path(sys.argv[1])).add(pages())
"""


def test_a_builder_that_is_killed_leaves_the_index_whole(tmp_path):
    path = tmp_path / "search.db"
    index = Index(path)
    index.add(PAGES)
    index.close()
    killed = subprocess.run([sys.executable, "-c", BUILDER, str(path)], check=False)
    assert killed.returncode == -9
    again = open_local("local=x", path)
    assert len(again.index) == len(PAGES)
    assert found(again, "灯台") == [2]
    assert found(again, "zanzibar") == []
    again.index.close()


# ---- a crawl ------------------------------------------------------------------------------------------


def test_a_crawl_is_searched_and_new_pages_are_added(tmp_path):
    crawl(tmp_path, [("http://one.test/", "lighthouse keepers"), ("http://two.test/", "bees")])
    index = index_of_crawl(tmp_path)
    assert len(index) == 2
    index.close()
    assert (tmp_path / "derived" / "search.db").exists()
    crawl(tmp_path, [("http://three.test/", "lighthouse again")], first=3)
    engine = open_local("local=x", tmp_path)
    assert {r.url for r in asyncio.run(engine.search("lighthouse", 5)).results} == {
        "http://one.test/",
        "http://three.test/",
    }
    asyncio.run(engine.aclose())


def test_what_was_forgotten_cannot_be_found(tmp_path):
    crawl(tmp_path, [("http://one.test/", "lighthouse zanzibar"), ("http://two.test/", "lighthouse")])
    index_of_crawl(tmp_path).close()
    assert b"zanzibar" in (tmp_path / "derived" / "search.db").read_bytes()
    with open_eraser(tmp_path, "one.test") as eraser:
        eraser.erase(eraser.measure())
    assert list((tmp_path / "derived").iterdir()) == []
    index = index_of_crawl(tmp_path)
    assert len(index) == 1
    index.close()


def test_an_index_that_knows_too_much_is_made_anew(tmp_path):
    crawl(tmp_path, [("http://one.test/", "lighthouse")])
    index = index_of_crawl(tmp_path)
    index.add([IndexEntry("http://gone.test/", "Gone", "zanzibar", "en", 99)])
    index.close()
    index = index_of_crawl(tmp_path)
    assert [row.url for row in index.find(SearchQuery(text="zanzibar"), 5)[0]] == []
    index.close()


def test_an_unwritable_crawl_is_searched_in_memory(tmp_path):
    crawl(tmp_path, [("http://one.test/", "lighthouse")])
    (tmp_path / "derived").write_text("in the way")
    index = index_of_crawl(tmp_path)
    assert (len(index), index.path) == (1, None)
    index.close()


def test_places_that_are_no_crawl(tmp_path):
    for name in ("nowhere", "."):
        with pytest.raises(ConfigError, match=r"clew new|does not exist|contains no crawl"):
            open_engine(f"local={name}", SeekTable(), tmp_path)
    (tmp_path / "notes.db").write_text("not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(ConfigError, match="search index"):
        open_engine("local=notes.db", SeekTable(), tmp_path)


# ---- served -------------------------------------------------------------------------------------------


def test_the_small_engine_speaks_searxng(tmp_path):
    crawl(tmp_path, [(f"http://host{i}.test/", f"lighthouse number {i}") for i in range(25)])
    command = [sys.executable, "-m", "clew.search.serve", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            assert "25 pages" in server.stdout.readline()
            answer = asked(f"searxng={address}", "lighthouse", count=23)
            assert len(answer.results) == 23
            assert answer.total == 25
            assert asked(f"searxng={address}", "灯台").results == ()
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(f"{address}/search?q=x")
            for odd in ("&pageno=0", "&pageno=x", "&pageno=99999999999", "&language=all"):
                with urllib.request.urlopen(f"{address}/search?q=lighthouse&format=json{odd}") as reply:
                    assert json.load(reply)["query"] == "lighthouse"
        finally:
            server.terminate()


def test_a_port_that_is_taken_is_told(tmp_path, monkeypatch, capsys):
    crawl(tmp_path, [("http://one.test/", "lighthouse")])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setattr(sys, "argv", ["serve", str(tmp_path), "--port", port])
        assert serve.main() == 1
    assert "take another with --port" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["serve", str(tmp_path / "no")])
    assert serve.main() == 2
    assert "does not exist" in capsys.readouterr().err


def test_indexing_is_fast_enough():
    text = "the keeper of the lighthouse wrote a letter about wind and sea to the board " * 60
    started = time.process_time()
    index = Index()
    index.add(IndexEntry(f"http://a.test/{i}", "Title", f"{text} {i}", "en") for i in range(200))
    assert time.process_time() - started < 4  # 0.6 s measured: 3 ms for a page of 4,600 characters
    index.close()
