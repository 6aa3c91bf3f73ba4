"""What a teacher proposes for the goal, and what happens when a person accepts it."""

import json

import pytest

import clew
from clew import config as configuration
from clew.services.teacher.proposals import keep_proposal
from clew.store import read_sql
from clew.store.teacher_answers import StoredAnswer
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.teacher.teacher_server import reply, teaching
from tests.test_usage_errors import run_here

PROPOSED = {
    "add": ["Fresnel", "lighthouse", "fresnel", 7, "x" * 500],
    "strike": ["keepers", "not in the list"],
    "examples": [1, 99, "2", True],
    "criteria": ["The page tells about a lighthouse,\nnot about a hotel.", ""],
}


@pytest.fixture
def folder(tmp_path):
    pages = {
        f"/p{n}": linked(text=f"lighthouse keepers number{n} and lamp{n}", title=f"Lamp {n}")
        for n in range(3)
    }
    with serving({"/": linked(*pages, text="harbour")} | pages) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse keepers", [web.origin], CONTACT, settings=QUICK)
        crawl.save()
        crawl.run()
    return tmp_path / "c"


def with_teacher(folder, server):
    path = folder / "clew.toml"
    path.write_text(f'{path.read_text()}\n[teach]\nurl = "{server.url}"\nmodel = "small"\n')


def test_nothing_changes_until_a_person_accepts(folder, tmp_path, monkeypatch, capsys):
    def typed(*words):
        return run_here(("teach", "c", *words), tmp_path, monkeypatch, capsys)

    with teaching(lambda *_: reply(json.dumps(PROPOSED))) as server:
        with_teacher(folder, server)
        before = (folder / "clew.toml").read_text()
        code, output, _ = typed("--propose")
        assert code == 0
        request = server.asked[0]["messages"]
    lines = [line.split(maxsplit=1)[1] for line in output.splitlines() if line[:3].strip().isdigit()]
    assert lines[0] == "add the word fresnel"
    assert [line for line in lines if "strike" in line] == ["strike the word keepers"]
    assert sum("take as example" in line for line in lines) == 1
    assert lines[-1] == "add the criterion The page tells about a lighthouse, not about a hotel."
    assert "=== DATA" in request[1]["content"]
    assert "Lamp 1" not in request[0]["content"]  # titles of pages are data
    assert (folder / "clew.toml").read_text() == before
    assert not (folder / "models" / "terms.tsv").exists()
    assert read_sql(folder, "SELECT count(*) FROM labels") == [(0,)]

    numbers = {
        name: next(n for n, line in enumerate(lines, 1) if name in line)
        for name in ("fresnel", "keepers", "example", "criterion")
    }
    assert typed("--accept", "99")[0] == 2
    code, output, _ = typed("--accept", ",".join(map(str, numbers.values())))
    assert code == 0
    assert output.count("✓") == 4
    terms = (folder / "models" / "terms.tsv").read_text()
    assert "keep\tfresnel\t6" in terms
    assert "strike\tkeeper" in terms
    assert read_sql(folder, "SELECT good FROM labels") == [(1,)]
    config = configuration.load(folder / "clew.toml")
    assert config.goal.criteria == ["The page tells about a lighthouse, not about a hotel."]
    assert config.goal.about == "lighthouse keepers"
    assert typed("--reject", "all")[0] == 0
    assert typed("--accept", "1")[0] == 2  # nothing is left


def test_a_teacher_without_proposals_says_so(folder, tmp_path, monkeypatch, capsys):
    with teaching(lambda *_: reply("I have no idea.")) as server:
        with_teacher(folder, server)
        code, output, _ = run_here(("teach", "c", "--propose"), tmp_path, monkeypatch, capsys)
    assert code == 0
    assert "no answer: its answer is not JSON" in output


def test_keep_is_proposed_where_more_verdicts_would_be_right():
    def answers(*pairs):
        return [
            StoredAnswer(n, f"u{n}", good, "", "", verdict, 0.0, None, None)
            for n, (verdict, good) in enumerate(pairs)
        ]

    low = answers(*[(0.3, True)] * 6, *[(0.1, False)] * 6)
    (proposal,) = keep_proposal(low, 0.5)
    assert (proposal.kind, proposal.value) == ("keep", "0.3")
    assert "right on 12 of 12" in proposal.reason
    assert keep_proposal(low, 0.3) == []
    assert keep_proposal(low[:9], 0.5) == []
    assert (
        keep_proposal(answers(*[(0.9, True)] * 6, *[(0.1, False)] * 5, (0.4, True)), 0.5) == []
    )  # one page is too little
