"""What a notebook needs: a plain loop over results, progress, and something to look at."""

import sys
import types

import pytest

import clew
from clew.insight.notebook import as_table
from tests.small_web import CONTACT, QUICK, linked, serving

PAGES = {"/": linked(*(f"/{n}" for n in range(30)), text="words")} | {
    f"/{n}": linked(text=f"words and number {n} " * 5) for n in range(30)
}


def crawl_of(folder, web):
    return clew.Crawl(folder, "words", [web.origin], CONTACT, settings=QUICK)


def test_a_plain_loop_gets_every_result_and_may_be_left(tmp_path):
    with serving(PAGES) as web:
        first = []
        for result in crawl_of(tmp_path / "c", web).stream():
            first.append(result.page.url)
            if len(first) == 5:
                break
        rest = [result.page.url for result in crawl_of(tmp_path / "c", web).stream()]
        asked = {path for path in web.asked if path != "/robots.txt"}
    assert len(asked) == 31  # nothing is lost by leaving
    assert len(crawl_of(tmp_path / "c", web).pages) == 31
    assert not set(first) & set(rest)


def test_errors_of_a_run_reach_the_loop(tmp_path):
    with serving(PAGES) as web:
        crawl = crawl_of(tmp_path / "c", web)
        crawl.settings["rank.policy"] = "nonesuch"
        with pytest.raises(clew.errors.ConfigError, match="nonesuch"):
            list(crawl.stream())


def test_everything_has_something_to_look_at(tmp_path):
    with serving(PAGES) as web:
        crawl = crawl_of(tmp_path / "c", web)
        summary = crawl.run(pages=3)
        answer = crawl.label(f"{web.origin}/", True)
    assert answer.known
    assert "its verdict was" in answer.effect()
    for thing, word in ((crawl, "3 read"), (summary, "3 pages read"), (crawl.pages, "<table>"), (crawl.records(), "table"),
                        (crawl.why(web.origin), "monospace"), (crawl.status(), "labels")):  # fmt: skip
        assert word in thing._repr_html_()
    assert "&lt;b&gt;" in as_table(["<b>"], [["<script>"]])
    assert "<script>" not in as_table(["<b>"], [["<script>"]])


def test_progress_is_shown_in_a_notebook_and_where_it_is_wanted(tmp_path, monkeypatch, capsys):
    shown = []

    class Cell:
        def update(self, line):
            shown.append(repr(line))

    def display(line, display_id):
        shown.append(repr(line))
        return Cell()

    python = types.ModuleType("IPython")
    python.get_ipython = type("ZMQInteractiveShell", (), {})
    screen = types.ModuleType("IPython.display")
    screen.display = display
    with serving(PAGES) as web:
        crawl_of(tmp_path / "a", web).run(pages=3)
        crawl_of(tmp_path / "b", web).run(pages=3, progress=True)
        assert "3 of 3 pages" in capsys.readouterr().err
        monkeypatch.setitem(sys.modules, "IPython", python)
        monkeypatch.setitem(sys.modules, "IPython.display", screen)
        crawl_of(tmp_path / "c", web).run(pages=3)
    assert shown[0] == "starting …"
    assert shown[-1].startswith("3 of 3 pages, 3 relevant")
