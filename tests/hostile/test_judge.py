"""The judge is judged: every rule must be able to say no."""

import json
from pathlib import Path

import pytest

from . import judge
from .judge import Evidence

AGENT = {"user-agent": "clew/1 (+https://crawler.test-lab.org/bot)"}


def entry(target: str, at: float, **more: object) -> dict[str, object]:
    """A request as the log has it, honest unless told otherwise."""
    return {
        "kind": "request", "site": "a", "host": "127.1.0.1:80", "scheme": "http", "connection": 1, "turn": 1,
        "started": at, "ended": at + 0.01, "method": "GET", "target": target, "headers": AGENT, "status": 200,
        "sent": 100, "complete": True, "digest": "sha1:0", **more,
    }  # fmt: skip


def row(path: str, **more: object) -> dict[str, object]:
    url = f"http://127.1.0.1:80{path}"
    return {"url": url, "status": 200, "error": "", "truncated": False, "title": "", "text": "", **more}


@pytest.fixture
def made(tmp_path: Path):
    def make(log: list[dict[str, object]], rows: list[dict[str, object]]) -> Evidence:
        for name, lines in {"log": log, "export": rows}.items():
            (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return Evidence(tmp_path / "log", tmp_path, tmp_path / "export")

    return make


GOOD = [entry("/robots.txt", 0), entry("/", 1), entry("/a", 2)]
ROWS = [row("/robots.txt"), row("/"), row("/a")]


def test_an_honest_run_passes(made) -> None:
    seen = made(GOOD, ROWS)
    for rule in (judge.robots_first, judge.only_reading, judge.polite, judge.kept, judge.fetched_once):
        rule(seen)
    judge.one_agent(seen, "https://crawler.test-lab.org/bot")
    judge.read("/", "/a")(seen, "a")
    judge.never("/b")(seen, "a")


@pytest.mark.parametrize(
    ("rule", "log", "rows"),
    [
        (judge.robots_first, [entry("/", 0), entry("/robots.txt", 1)], ROWS),
        (judge.robots_first, [entry("/robots.txt", 0, ended=5.0), entry("/", 1)], ROWS),
        (judge.only_reading, [entry("/", 0, method="POST")], ROWS),
        (judge.only_reading, [entry("/", 0, headers={"content-length": "3"})], ROWS),
        (judge.polite, [*GOOD, entry("/b", 2.05)], ROWS),
        (judge.polite, [entry("/robots.txt", 0), entry("/", 1, ended=3.0), entry("/a", 2)], ROWS),
        (judge.kept, GOOD, ROWS[:2]),
        (judge.kept, GOOD, [*ROWS, row("/invented")]),
        (judge.kept, GOOD, [*ROWS, row("/a")]),
        (judge.fetched_once, [*GOOD, entry("/a", 3)], ROWS),
        (lambda e: judge.one_agent(e, "https://other.test-lab.org"), GOOD, ROWS),
        (lambda e: judge.read("/b")(e, "a"), GOOD, ROWS),
        (lambda e: judge.read("/a")(e, "a"), GOOD, [row("/a", error="timeout")]),
        (lambda e: judge.read("/a")(e, "a"), GOOD, [row("/a", truncated=True)]),
        (lambda e: judge.read("/a", saying="words")(e, "a"), GOOD, ROWS),
        (lambda e: judge.marked("/a")(e, "a"), GOOD, ROWS),
        (lambda e: judge.never("/a")(e, "a"), GOOD, ROWS),
        (lambda e: judge.asked_at_most(1)(e, "a"), GOOD, ROWS),
        (lambda e: judge.spaced(1.5)(e, "a"), GOOD, ROWS),
        (lambda e: judge.exported_nowhere("127.1")(e, "a"), GOOD, ROWS),
        (lambda e: judge.header_never("user-agent")(e, "a"), GOOD, ROWS),
        (lambda e: judge.let_go()(e, "a"), GOOD, ROWS),
    ],
)
def test_every_rule_can_say_no(made, rule, log, rows) -> None:
    with pytest.raises(AssertionError):
        rule(made(log, rows))


@pytest.mark.parametrize("cell", ["=1+1", "+A1", "-A1", "@x", " =1", "\t=1"])
def test_formulas_are_seen(tmp_path: Path, cell: str) -> None:
    (tmp_path / "a.csv").write_text(f'url,title\nx,"{cell}"\n')
    with pytest.raises(AssertionError):
        judge.csv_is_safe(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("url,title\nx,'=1\ny,-0.5\n")
    judge.csv_is_safe(tmp_path / "a.csv")


@pytest.mark.parametrize("text", ["\x1b[31m", "\x07", "a\rb", "\x9b1m", "\u202e"])
def test_control_characters_are_seen(text: str) -> None:
    with pytest.raises(AssertionError):
        judge.terminal_is_safe(f"fine\n{text}")
    judge.terminal_is_safe("fine — and “typographic”\n")
