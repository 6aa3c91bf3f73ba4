"""The command line from outside: commands, usage errors, exit codes, output."""

import json
import re
import subprocess
import sys

from clew.cli import try_
from clew.lab.synthetic import Web, WebTruth
from clew.store import read_pages
from tests.small_web import CONTACT, linked, serving


def clew(*words, cwd=None, timeout=250):
    """Run the program in a subprocess and return the result."""
    command = [sys.executable, "-m", "clew", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)


QUICK = ("--set", "fetch.delay=0", "--set", "fetch.allow=127.0.0.0/8", "--set", "store.min_free=0")


def test_from_new_to_export(tmp_path):
    pages = {
        "/": linked("/light", text="start"),
        "/light": linked(text="lighthouse beacon " * 4, title="Lighthouse"),
    }
    with serving(pages) as web:
        made = clew(
            "new",
            "job",
            "--about",
            "lighthouse beacon",
            "--seed",
            web.origin,
            "--contact",
            CONTACT,
            cwd=tmp_path,
        )
        assert made.returncode == 0, made.stderr
        assert "clew run job" in made.stdout
        ran = clew("run", "job", *QUICK, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        assert "2 pages read · 1 relevant" in ran.stdout
    out = clew("export", "job", "all.jsonl", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    fields = (
        "url",
        "status",
        "error",
        "truncated",
        "verdict",
        "relevant",
        "title",
        "text",
        "lang",
        "fetched_at",
        "parent",
        "anchor",
        "depth",
    )
    assert all(field in row for row in rows for field in fields)
    assert [row["title"] for row in rows if row["relevant"]] == ["Lighthouse"]
    assert clew("export", "job", "good.csv", "--only", "relevant", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "good.csv").read_text().splitlines()) == 2


def test_json_prints_one_object_per_page_result(tmp_path):
    with serving({"/": linked("/a"), "/a": linked()}) as web:
        clew("new", tmp_path / "j", "--seed", web.origin, "--contact", CONTACT)
        ran = clew("run", tmp_path / "j", "--json", *QUICK)
    steps = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [step["kind"] for step in steps[:-1] if "note" not in step] == ["robots", "page", "page"]
    assert steps[-1]["ended"] == "nothing is left to fetch"


def test_nothing_could_be_fetched(tmp_path):
    with serving({}) as web:
        clew("new", tmp_path / "j", "--seed", f"{web.origin}/gone", "--contact", CONTACT)
        ran = clew("run", tmp_path / "j", *QUICK)
    assert ran.returncode == 4
    assert "404" in ran.stderr
    clew("new", tmp_path / "k", "--seed", "http://127.0.0.1:1/", "--contact", CONTACT)
    ran = clew("run", tmp_path / "k")
    assert ran.returncode == 4
    assert "refused address 127.0.0.1" in ran.stderr
    assert "fetch.allow" in ran.stderr


def test_control_characters_never_reach_the_terminal(tmp_path):
    evil = "<title>\x1b]0;owned\x07\x1b[2J\u202eevil</title><p>text"
    with serving({"/": linked("/%1b[31m", text="x"), "/%1b[31m": evil, "/%1B[31m": evil}) as web:
        clew("new", tmp_path / "j", "--seed", web.origin, "--contact", CONTACT)
        for mode in ("--plain", "--json"):
            ran = clew("run", tmp_path / "j", mode, *QUICK)
            for text in (ran.stdout, ran.stderr):
                assert not [c for c in text if ord(c) < 32 and c != "\n"]
                assert "\u202e" not in text


def test_version_and_help():
    assert clew("--version").stdout.startswith("clew ")
    shown = clew("--help")
    assert shown.returncode == 0
    for command in ("new", "run", "export", "try"):
        assert command in shown.stdout


def test_try_shows_a_result(tmp_path):
    ran = clew("try", "--pages", "200", "--keep", tmp_path / "kept", timeout=250)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = dict(re.findall(r"^ +(breadth-first|clew) +(\d+)  ", ran.stdout, re.MULTILINE))
    assert set(found) == {"breadth-first", "clew"}
    folder = tmp_path / "kept" / "lighthouses"
    rows = read_pages(folder)
    web = Web(20_000, seed=1)
    truth, task = WebTruth(web), web.task("lighthouses")
    relevant = sum(truth.is_relevant(row["url"], task) for row in rows if row["status"] == 200)
    assert int(found["clew"]) == relevant, "the figures shown are those of the rows"
    assert "one of the pages found, and why" in ran.stdout or not relevant
    assert ran.stdout.splitlines()[-2].startswith("  both measured"), "the comparison is the last thing shown"
    assert list((tmp_path / "kept").glob("lighthouses/clew.toml")), "the crawl can be continued"
    assert clew("try", "--keep", tmp_path / "kept").returncode == 2


def test_a_policy_that_searches_gets_an_engine_over_a_part_of_the_synthetic_web(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(try_, "PAGES", 2_000)
    try_.try_(pages=60, policy="reseed", keep=tmp_path / "kept", plain=True)
    out = capsys.readouterr().out
    assert "indexing 30% of the web, as a search engine for reseed" in out
    assert "searched «" in out
    assert "reseed also started from the results of its search engine" in out
    assert (tmp_path / "kept" / "search.db").exists()
