"""The terms that tell a topic: proposed from examples, changed by a person, heard by a crawl that runs."""

import json
import time

import pytest

import clew
from clew.judge.term_list import read_terms
from clew.services.labels.training_pages import list_of
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_label import running, story, verdicts
from tests.test_screen import seated
from tests.test_usage_errors import said as spoken

PAGES = (
    "The keeper climbs the lighthouse and trims the lamp; the foghorn sounds.",
    "A lighthouse has a lamp, a lens and a keeper who hears the foghorn.",
    "Keepers of the lighthouse polish the lens of the lamp every morning.",
)


@pytest.fixture
def place(tmp_path):
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
    return {term.term: term for term in read_terms(list_of(folder))}


def test_terms_are_proposed_before_anything_is_fetched(place, monkeypatch, capsys):
    code, said, _ = spoken(["learn", "c"], place, monkeypatch, capsys)
    assert code == 0
    row = next(line for line in said.splitlines() if "lighthouse" in line)
    assert "3 of 3" in row
    assert "climbs the lighthouse and trims" in said or "lighthouse has a lamp" in said
    assert "1 more will be learned when the crawl has read them" in said
    assert terms(place / "c")["lamp"].use == "auto"
    assert not (place / "c" / "crawl.db").exists()


def test_what_was_struck_and_added_stays(place, monkeypatch, capsys):
    def typed(*words):
        return spoken(["learn", "c", *words], place, monkeypatch, capsys)

    assert typed("--strike", "lamp", "--add", "beacon=8", "--add", "tide=-2,5")[0] == 0
    assert typed()[0] == 0, "proposing again does not undo it"
    kept = terms(place / "c")
    assert (kept["lamp"].use, kept["beacon"].use, kept["beacon"].weight, kept["tide"].weight) == (
        "strike", "keep", 8.0, -2.5,
    )  # fmt: skip
    rows = [json.loads(line) for line in typed("--json")[1].splitlines()]
    assert {"term", "word", "weight", "examples", "others", "use", "sample"} == set(rows[0])
    assert {row["term"]: row["use"] for row in rows}["lamp"] == "strike"


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--strike", "lmap"], "did you mean lamp?"),
        (["--strike", "zebra"], "no term of the list"),
        (["--add", "beacon=99"], "from -10 to 10"),
        (["--add", "=3"], "write a word"),
        (["--show"], "learned nothing yet"),
        (["--edit"], "no editor is known"),
    ],
)
def test_wrong_words_are_answered(place, monkeypatch, capsys, words, wanted):
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    code, _, wrong = spoken(["learn", "c", *words], place, monkeypatch, capsys)
    assert code == 2
    assert wanted in wrong
    assert len(wrong.splitlines()) <= 3


def test_nothing_to_learn_from_is_said(tmp_path, monkeypatch, capsys):
    made(tmp_path / "c", ["https://a.org/"], [])
    code, _, wrong = spoken(["learn", "c"], tmp_path, monkeypatch, capsys)
    assert code == 2
    assert "nothing to learn from yet" in wrong
    assert "clew label c --ask" in wrong


def test_an_editor_changes_the_list_and_its_slips_are_named(place, monkeypatch, capsys):
    editor = place / "editor.sh"
    for change, code, wanted in (
        ("s/^auto\\tlamp/strike\\tlamp/", 0, "terms.tsv"),
        ("s/^strike\\tlamp/stroke\\tlamp/", 2, "auto, keep or strike"),
    ):
        editor.write_text(f"#!/bin/sh\nsed -i '{change}' \"$1\"\n")
        editor.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(editor))
        monkeypatch.delenv("VISUAL", raising=False)
        left, said, wrong = spoken(["learn", "c", "--edit"], place, monkeypatch, capsys)
        assert left == code, wrong
        assert wanted in said + wrong
        if not code:
            assert terms(place / "c")["lamp"].use == "strike"


def test_a_person_talks_about_the_list_on_a_terminal(place):
    with seated("learn", place / "c", columns=70, rows=40) as seat:
        seat.wait_for("done: Enter")
        seat.press("1 99\n")
        seat.wait_for("the terms have the numbers 1 to")
        seat.press("1-2 beacon=8\n")
        seat.wait_for(r"› +\+8.0 +beacon")
        seat.press("\n")
        code, picture = seat.leave()
        assert code == 0
        assert "the next run applies it" in picture
    uses = [term.use for term in terms(place / "c").values()]
    assert uses[:2] == ["strike", "strike"]
    assert terms(place / "c")["beacon"].weight == 8.0


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


def test_a_running_crawl_hears_the_list(place, monkeypatch, capsys):
    def slow(request):
        time.sleep(15)
        return 200, {}, b"late"

    pages = {**WEB, "/lamp0": linked("/late", "/later", text=PAGES[0] * 3), "/late": slow, "/later": slow}
    with serving(pages) as web:
        folder = made(place / "run", [f"{web.origin}/"], [str(place / "saved")])
        with running(folder) as process:
            story(process, lambda event: event.get("pages") == 19)
            before = {name for name, row in verdicts(folder).items() if row[1]}
            assert before >= {f"lamp{n}" for n in range(1, 6)}
            began = time.monotonic()
            words = [word for term in ("soup", "onion", "bread") for word in ("--add", f"{term}=10")]
            words += [
                word
                for term in ("lamp", "lighthouse", "keeper", "foghorn", "lens")
                for word in ("--add", f"{term}=-10")
            ]
            assert spoken(["learn", str(folder), *words], place, monkeypatch, capsys)[0] == 0
            story(process, lambda event: "your list of terms has changed" in event.get("note", ""))
            assert time.monotonic() - began < 5
            now = {name for name, row in verdicts(folder).items() if row[1]}
            assert not now & before, "what counted counts no longer"


def test_labels_teach_and_unteach_a_judge_that_lasts(tmp_path, monkeypatch, capsys):
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
        code, said, _ = spoken(["learn", "c", "--show", "--terms", "3"], tmp_path, monkeypatch, capsys)
        assert code == 0
        assert "judge.tsv: model examples" in said
        crawl.label(f"{web.origin}/soup0", good=None)
        crawl.run()
        assert {name for name, row in verdicts(crawl.folder).items() if row[1]} == before
        kept = (crawl.folder / "models" / "judge.tsv").read_text()
        assert f"{web.origin}/soup0\tgood" not in kept
    assert read_sql(crawl.folder, "SELECT count(*) FROM labels") == [(0,)]
