"""Topic terms: proposed from examples, edited by the user, reloaded by a running crawl."""

import json
import re
import threading

import pytest

import clew
from clew.judge.term_list import read_terms
from clew.services.labels.training_pages import term_list_path
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_label import objects_until, running, verdicts
from tests.test_screen import on_terminal
from tests.test_usage_errors import run_here

PAGES = (
    "The keeper climbs the lighthouse and trims the lamp; the foghorn sounds.",
    "A lighthouse has a lamp, a lens and a keeper who hears the foghorn.",
    "Keepers of the lighthouse polish the lens of the lamp every morning.",
)


@pytest.fixture
def crawl_folder(tmp_path):
    """A crawl that never ran, with three saved pages as its examples."""
    (tmp_path / "saved").mkdir()
    for number, text in enumerate(PAGES):
        (tmp_path / "saved" / f"{number}.html").write_text(f"<title>Page {number}</title><p>{text}</p>")
    made(tmp_path / "c", ["https://a.org/"], [str(tmp_path / "saved"), "https://a.org/good"])
    return tmp_path


def made(folder, seeds, good, about=""):
    folder.mkdir()
    (folder / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = {json.dumps(seeds)}\n[goal]\nabout = "{about}"\n'
        f'good = {json.dumps(good)}\njudge = "examples"\n'
        '[rank]\npolicy = "breadth"\n[fetch]\ndelay = 0.05\nallow = ["127.0.0.0/8"]\n[store]\nmin_free = 0\n'
    )
    return folder


def terms(folder):
    return {term.term: term for term in read_terms(term_list_path(folder))}


def test_terms_are_proposed_before_anything_is_fetched(crawl_folder, monkeypatch, capsys):
    code, output, _ = run_here(["learn", "c"], crawl_folder, monkeypatch, capsys)
    assert code == 0
    row = next(line for line in output.splitlines() if "lighthouse" in line)
    assert "3 of 3" in row
    assert "climbs the lighthouse and trims" in output or "lighthouse has a lamp" in output
    assert "1 more are used once the crawl has fetched them" in output.replace("\n", " ")
    assert terms(crawl_folder / "c")["lamp"].use == "auto"
    assert not (crawl_folder / "c" / "crawl.db").exists()


def test_struck_and_added_terms_are_kept(crawl_folder, monkeypatch, capsys):
    def typed(*words):
        return run_here(["learn", "c", *words], crawl_folder, monkeypatch, capsys)

    assert typed("--strike", "lamp", "--add", "beacon=8", "--add", "tide=-2,5")[0] == 0
    assert typed()[0] == 0, "proposing again does not undo it"
    stored = terms(crawl_folder / "c")
    assert (stored["lamp"].use, stored["beacon"].use, stored["beacon"].weight, stored["tide"].weight) == (
        "strike", "keep", 8.0, -2.5,
    )  # fmt: skip
    rows = [json.loads(line) for line in typed("--json")[1].splitlines()]
    assert {"term", "word", "weight", "examples", "others", "use", "sample"} == set(rows[0])
    assert {row["term"]: row["use"] for row in rows}["lamp"] == "strike"


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--strike", "lmap"], "did you mean lamp?"),
        (["--strike", "zebra"], "not in the list"),
        (["--add", "beacon=99"], "from -10 to 10"),
        (["--add", "=3"], "write a term"),
        (["--show"], "has no models yet"),
        (["--edit"], "no editor is set"),
    ],
)
def test_usage_errors_of_learn(crawl_folder, monkeypatch, capsys, words, wanted):
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    code, _, wrong = run_here(["learn", "c", *words], crawl_folder, monkeypatch, capsys)
    assert code == 2
    assert wanted in wrong
    assert len(wrong.splitlines()) <= 3


def test_a_crawl_without_examples_is_an_error(tmp_path, monkeypatch, capsys):
    made(tmp_path / "c", ["https://a.org/"], [])
    code, _, wrong = run_here(["learn", "c"], tmp_path, monkeypatch, capsys)
    assert code == 2
    assert "nothing to learn from yet" in wrong
    assert "clew label c --ask" in wrong


def test_an_editor_changes_the_list_and_errors_are_reported(crawl_folder, monkeypatch, capsys):
    editor = crawl_folder / "editor.sh"
    for change, code, wanted in (
        ("s/^auto\\tlamp/strike\\tlamp/", 0, "terms.tsv"),
        ("s/^strike\\tlamp/stroke\\tlamp/", 2, "auto, keep or strike"),
    ):
        editor.write_text(f"#!/bin/sh\nsed -i '{change}' \"$1\"\n")
        editor.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(editor))
        monkeypatch.delenv("VISUAL", raising=False)
        left, output, wrong = run_here(["learn", "c", "--edit"], crawl_folder, monkeypatch, capsys)
        assert left == code, wrong
        assert wanted in output + wrong
        if not code:
            assert terms(crawl_folder / "c")["lamp"].use == "strike"


def test_the_list_is_edited_on_a_terminal(crawl_folder):
    with on_terminal("learn", crawl_folder / "c", columns=70, rows=40) as terminal:
        terminal.wait_for("done: Enter")
        terminal.press("1 99\n")
        terminal.wait_for("the terms are numbered 1 to")
        terminal.press("1-2 beacon=8\n")
        terminal.wait_for(r"› +\+8.0 +beacon")
        terminal.press("\n")
        code, picture = terminal.leave()
        assert code == 0
        assert "the next run applies it" in picture
    uses = [term.use for term in terms(crawl_folder / "c").values()]
    assert uses[:2] == ["strike", "strike"]
    assert terms(crawl_folder / "c")["beacon"].weight == 8.0


WEB = {
    "/": linked(
        *(f"/lamp{n}" for n in range(6)), *(f"/soup{n}" for n in range(12)), text="a harbour with ships " * 6
    ),
    **{
        f"/lamp{n}": linked(text=f"{PAGES[n % 3]} House {n} is old. " * 3, title=f"Lamp {n}")
        for n in range(6)
    },
    **{
        f"/soup{n}": linked(text=f"onion soup with bread, salt and butter; pot {n} is hot " * 4)
        for n in range(12)
    },
}


def test_a_running_crawl_reloads_the_list(crawl_folder, monkeypatch, capsys):
    released = threading.Event()

    def slow(request):
        released.wait()
        return 200, {}, b"late"

    pages = {**WEB, "/lamp0": linked("/late", "/later", text=PAGES[0] * 3), "/late": slow, "/later": slow}
    with serving(pages) as web:
        folder = made(crawl_folder / "run", [f"{web.origin}/"], [str(crawl_folder / "saved")])
        with running(folder) as process:
            objects_until(process, lambda event: event.get("pages") == 19)
            before = {name for name, row in verdicts(folder).items() if row[1]}
            assert before >= {f"lamp{n}" for n in range(1, 6)}
            words = [word for term in ("soup", "onion", "bread") for word in ("--add", f"{term}=10")]
            words += [
                word
                for term in ("lamp", "lighthouse", "keeper", "foghorn", "lens")
                for word in ("--add", f"{term}=-10")
            ]
            assert run_here(["learn", str(folder), *words], crawl_folder, monkeypatch, capsys)[0] == 0
            objects_until(process, lambda event: "term list changed" in event.get("note", ""))
            released.set()
            now = {name for name, row in verdicts(folder).items() if row[1]}
            assert not now & before, "what counted counts no longer"


def test_a_persistent_judge_learns_and_unlearns_labels(tmp_path, monkeypatch, capsys):
    with serving(WEB) as web:
        crawl = clew.Crawl(
            tmp_path / "c",
            "",
            [web.origin],
            CONTACT,
            good=[f"{web.origin}/lamp0"],
            settings=QUICK,
            judge="examples",
        )
        crawl.run()
        before = {name for name, row in verdicts(crawl.folder).items() if row[1]}
        assert "soup0" not in before
        crawl.label(f"{web.origin}/soup0", good=True)
        crawl.run()
        assert "soup0" in {name for name, row in verdicts(crawl.folder).items() if row[1]}
        assert f"{web.origin}/soup0\tgood" in (crawl.folder / "models" / "judge.tsv").read_text()
        code, output, _ = run_here(["learn", "c", "--show", "--terms", "20"], tmp_path, monkeypatch, capsys)
        assert code == 0
        assert "judge.tsv: model examples" in output
        assert {"climbs", "trims", "sounds"} <= set(output.split()), "whole words, not stems"
        crawl.label(f"{web.origin}/soup0", good=None)
        crawl.run()
        assert {name for name, row in verdicts(crawl.folder).items() if row[1]} == before
        stored = (crawl.folder / "models" / "judge.tsv").read_text()
        assert f"{web.origin}/soup0\tgood" not in stored
    assert read_sql(crawl.folder, "SELECT count(*) FROM labels") == [(0,)]


def test_terms_are_shown_as_whole_words_of_the_examples(tmp_path, monkeypatch, capsys):
    (tmp_path / "saved").mkdir()
    for number in range(6):
        text = f"A bluegrass band plays number {number}; then the blues of the delta, and its chemistry. " * 3
        (tmp_path / "saved" / f"{number}.html").write_text(f"<p>{text}</p>")
    folder = made(tmp_path / "c", ["https://a.org/"], [str(tmp_path / "saved")])
    code, output, _ = run_here(["learn", str(folder)], tmp_path, monkeypatch, capsys)
    assert code == 0
    assert re.search(r"\+[\d.]+  blues  ", output), output
    assert re.search(r"\+[\d.]+  chemistry  ", output), output


def test_example_pages_are_fetched_alone_and_the_crawl_follows_their_links(tmp_path, monkeypatch, capsys):
    pages = {
        "/": linked("/soup", text="start"),
        "/lamp": linked("/lens", text=PAGES[0]),
        "/lens": linked(text=PAGES[1]),
        "/soup": linked(text="soup with onions"),
    }
    with serving(pages) as web:
        good = [f"{web.origin}/lamp", f"{web.origin}/gone"]
        folder = made(tmp_path / "c", [web.origin], good)
        code, output, _ = run_here(["learn", str(folder), "--fetch"], tmp_path, monkeypatch, capsys)
        assert code == 0
        assert "fetched 1 of 2 example pages" in output
        assert f"! {web.origin}/gone: " in output
        assert terms(folder)["lamp"].use == "auto"
        assert sorted(path for path in web.asked if path != "/robots.txt") == ["/gone", "/lamp"]
        again = run_here(["learn", str(folder), "--fetch"], tmp_path, monkeypatch, capsys)
        assert again[0] == 0
        assert len(web.asked) == 3, "nothing is asked for twice"
        clew.Crawl(folder).run()
        read = read_sql(folder, "SELECT url FROM fetched WHERE kind = 'page' AND status = 200")
        assert {url.rpartition("/")[2] for (url,) in read} == {"", "lamp", "lens", "soup"}


def test_a_tree_is_grown_from_all_links_of_a_crawl(tmp_path, monkeypatch, capsys):
    names = [f"/lamp{n}" for n in range(6)], [f"/soup{n}" for n in range(6)]
    menus = "".join(f'<p><a href="{name}">on</a></p>' for some in names for name in some)
    web = {"/": linked(text="start") + menus}
    for lamp, soup in zip(*names, strict=True):
        web[lamp] = linked(text="lamp of the lighthouse " * 3) + menus
        web[soup] = linked(text="soup with onions") + menus
    with serving(web) as site:
        settings = {**QUICK, "rank.policy": "layout", "rank.options": {"leaf": 2, "support": 1}}
        crawl = clew.Crawl(tmp_path / "c", "lamp", [site.origin], CONTACT, settings=settings, judge="words")
        crawl.save()
        code, _, wrong = run_here(["learn", "c", "--tree"], tmp_path, monkeypatch, capsys)
        assert code == 2
        assert "has no pages yet" in wrong
        crawl.run()
    code, output, _ = run_here(["learn", "c", "--tree"], tmp_path, monkeypatch, capsys)
    assert code == 0, output
    assert re.search(r"by its tags in the top [\d.]+ % of the page: 78 of 78", output), output
    assert "from 156 links on 13 pages" in output
    assert (crawl.folder / "models" / "tree.tsv").read_text().count("\ta4\t") == 1
