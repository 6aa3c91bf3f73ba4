"""`clew recall`: the results of an engine, looked up in a crawl."""

import json
import sys

import pytest
from servers import running, searxng

from clew import Crawl
from clew.cli import main
from clew.insight.recall import Found, measure_recall
from clew.urls import Canon
from tests.small_web import CONTACT, linked, serving

PAGES = {
    "/": linked("/wind", "/cats", "/later", "/moved", text="a list", title="list"),
    "/wind": linked(text="offshore wind farms and wind permits " * 5, title="Wind farms"),
    "/cats": linked(text="cats sleep all day " * 5, title="Cats"),
    "/moved": (301, {"Location": "/wind"}, b""),
    "/later": (404, {}, b"no"),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recall") / "wind"
    with serving(PAGES) as web:
        crawl = Crawl(folder, "wind farms", contact=CONTACT, seeds=[web.origin], settings={
            "fetch.delay": 0, "fetch.allow": ["127.0.0.0/8"], "store.min_free": 0, "goal.judge": "words",
        })  # fmt: skip
        crawl.run(pages=20)
        yield folder, web.origin


def test_each_result_is_looked_up(crawled):
    folder, origin = crawled
    names = ["wind", "cats", "later", "moved", "never", "wind/"]
    recall = measure_recall(folder, [f"{origin}/{name}" for name in names], Canon())
    assert [kind for _, kind in recall.pages] == [
        Found.RELEVANT, Found.READ, Found.KNOWN, Found.RELEVANT, Found.UNKNOWN, Found.RELEVANT,
    ]  # fmt: skip
    assert recall.share(Found.RELEVANT) == 0.5
    assert measure_recall(folder, [], Canon()).share(Found.RELEVANT) == 0


def typed(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["clew", "recall", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, capsys.readouterr()


def test_the_command_compares_with_an_engine(crawled, monkeypatch, capsys):
    folder, _ = crawled
    with running(searxng()) as server:
        code, said = typed(monkeypatch, capsys, folder, f"searxng={server.url}", "--count", 5)
        assert code == 0
        assert "5 results for «wind farms»" in said.out
        assert "never met" in said.out
        code, said = typed(monkeypatch, capsys, folder, f"searxng={server.url}", "cats", "--json")
    answer = json.loads(said.out)
    assert (answer["query"], answer["recall"]) == ("cats", 0)
    assert answer["unknown"] == len(answer["results"]) > 0


def test_an_engine_that_does_not_respond_says_so(crawled, monkeypatch, capsys):
    folder, _ = crawled
    code, said = typed(monkeypatch, capsys, folder, "searxng=http://127.0.0.1:9")
    assert code == 4
    assert said.err
