"""Labels on pages: stored, applied by a running crawl, asked for on a terminal."""

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

import clew
from clew.cli.ask_labels import card
from clew.cli.text_cells import length
from clew.contracts import LabelCandidate
from clew.errors import ConfigError
from clew.rank.baselines.ariadne import Ariadne
from clew.rank.clew.policy import Clew
from clew.services.labels import (
    LabelQuestion,
    ask,
    choose,
    find_pages,
    read_answers,
    store_answers,
    stored_answers,
)
from clew.services.labels.questions import excerpt
from clew.store import add_label, read_sql
from clew.types import Label
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_screen import crawl as crawl_of
from tests.test_screen import endless, on_terminal
from tests.test_usage_errors import run_here

LEARNS = "tests.apprentice:Apprentice"
LENS = "fresnel lens prism lantern optics glass "


def pages_on_topic(count=12):
    """Return pages without any word of the topic; half of them are about a related subject."""
    made = {
        f"/lens{n}": linked(text=f"{LENS} number {n} of house{n} " * 5, title=f"Lens {n}")
        for n in range(count)
    }
    made |= {
        f"/soup{n}": linked(text=f"onion soup with bread {n} and salt{n} " * 5, title=f"Soup {n}")
        for n in range(count)
    }
    return {"/": linked(*made, text="harbour words " * 10)} | made


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished crawl that tests only read."""
    folder = tmp_path_factory.mktemp("finished") / "c"
    with serving(pages_on_topic()) as web:
        clew.Crawl(folder, "lighthouse lens", [web.origin], CONTACT, settings=QUICK).run()
        yield folder, web.origin


def verdicts(folder):
    rows = read_sql(folder, "SELECT url, verdict, relevant, why FROM pages JOIN links USING (id)")
    return {url.rpartition("/")[2]: (verdict, relevant, why) for url, verdict, relevant, why in rows}


# ---- the command -------------------------------------------------------------------------------


def test_labels_are_stored_listed_and_removed(tmp_path, monkeypatch, capsys):
    def typed(*words):
        return run_here(words, tmp_path, monkeypatch, capsys)

    with serving(pages_on_topic(2)) as web:
        folder = tmp_path / "c"
        clew.Crawl(folder, "lighthouse", [web.origin], CONTACT, settings=QUICK).run()
        code, output, _ = typed("label", "c", f"{web.origin}/lens0", "lens1", "yes", "soup0", "no")
        assert code == 0
        assert output.count("✓ yes") == 2
        assert "the next run applies it: clew run c" in output
        assert dict(read_sql(folder, "SELECT url, good FROM labels")) == {
            f"{web.origin}/lens0": 1, f"{web.origin}/lens1": 1, f"{web.origin}/soup0": 0,
        }  # fmt: skip
        assert "3 labels: 2 yes, 1 no" in typed("label", "c")[1]
        typed("label", "c", "lens0", "no")
        assert "3 labels: 1 yes, 2 no" in typed("label", "c")[1]
        typed("label", "c", "lens0", "clear")
        assert "2 labels: 1 yes, 1 no" in typed("label", "c")[1]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["nonsense", "yes"], "is not a URL"),
        (["yes"], "write the URL first"),
        (["http://a.org/x"], "add yes, no or clear"),
        (["lens", "yes"], "part of several URLs"),
        (["--ask", "many"], "a number of pages"),
        (["--file", "nowhere.tsv"], "cannot be read"),
        (["--file", "x", "a", "yes"], "exclude each other"),
    ],
)
def test_usage_errors_of_label(finished, words, wanted, monkeypatch, capsys):
    folder, _ = finished
    code, output, wrong = run_here(["label", str(folder), *words], folder.parent, monkeypatch, capsys)
    assert (code, output) == (2, "")
    assert wanted in wrong
    assert len(wrong.splitlines()) <= 3


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("http://a.org/x\tyes\nhttp://b.org/\tno\n", [("http://a.org/x", True), ("http://b.org/", False)]),
        ("http://a.org/x,y,yes\n", [("http://a.org/x,y", True)]),
        ('"http://a.org/x,y",no\n', [("http://a.org/x,y", False)]),
        ('title,url,relevant\n"a, b",http://a.org/,true\n', [("http://a.org/", True)]),
        ('{"url": "http://a.org/", "good": false}\n', [("http://a.org/", False)]),
        ("# a remark\nhttp://a.org/ clear\n", [("http://a.org/", None)]),
        ("\ufeffhttp://a.org/ 1\r\n", [("http://a.org/", True)]),
    ],
)
def test_label_files_are_read_in_all_formats(text, wanted):
    assert read_answers(text.encode(), "x") == wanted


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", "contains no answers"),
        (b"http://a.org/ yes\nhttp://b.org/ perhaps\n", "line 2"),
        (b"url,title\nhttp://a.org/,A\n", r"no column has answers \(url, title\)"),
        (b"http://a.org/\n", "missing"),
        (b'{"url": "http://a.org/"\n', "not valid JSON"),
        (b'{"address": 1}\n', "line 1"),
        (b"url,label\nhttp://a.org/x,y,yes\n", "3 cells"),
        (b"PK\0\0", "not a file of answers"),
    ],
)
def test_a_file_with_an_error_is_rejected_as_a_whole(data, wanted):
    with pytest.raises(ConfigError, match=wanted):
        read_answers(data, "labels.tsv")


def test_a_url_is_recognised_in_any_spelling_and_through_a_redirect(tmp_path):
    pages = {"/": linked("/old"), "/old": (301, {"Location": "/new"}, b""), "/new": linked(text="here " * 20)}
    with serving(pages) as web:
        folder = tmp_path / "c"
        clew.Crawl(folder, "here", [web.origin], CONTACT, settings=QUICK).run()
        host = web.origin.removeprefix("http://")
        given = [
            (f"{host}/old", True),
            (f"https://{host}/new/", False),
            ("http://other.org/never?utm_source=x", True),
        ]
        found = find_pages(folder, given, ["utm_*"])
        assert [answer.url for answer in found] == [f"{web.origin}/new"] * 2 + ["http://other.org/never"]
        assert [answer.known for answer in found] == [True, True, False]
        store_answers(folder, found)
        assert {answer.url: answer.good for answer, _ in stored_answers(folder)} == {
            f"{web.origin}/new": False, "http://other.org/never": True,
        }  # fmt: skip


# ---- whom to ask -------------------------------------------------------------------------------


def test_uncertain_pages_come_first_without_duplicates_or_labelled_pages(tmp_path):
    close = "lighthouse " + "harbour quay rope water " * 12
    pages = {
        "/": linked("/close", "/twin", "/sure", "/far", text="start " * 30),
        "/close": linked(text=f"{close} one", title="Close"),
        "/twin": linked(text=f"{close} one", title="Twin"),
        "/sure": linked(text="lighthouse beacon keeper " * 20, title="Sure"),
        "/far": linked(text="onion soup with bread and salt " * 10, title="Far"),
    }
    with serving(pages) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse beacon keeper", [web.origin], CONTACT, settings=QUICK)
        crawl.run()
        keep = next(row["verdict"] for row in crawl.pages if row["url"].endswith("/close")) + 0.02
        asked = ask(crawl.folder, 4, keep=keep)
        assert asked[0].title in {"Close", "Twin"}
        assert len({"Close", "Twin"} & {question.title for question in asked}) == 1, (
            "one answer does for both"
        )
        assert any("close to the threshold" in reason for reason in asked[0].because)
        assert [question.help for question in asked] == sorted((q.help for q in asked), reverse=True)
        crawl.label(asked[0].url, good=True)
        titles = {question.title for question in ask(crawl.folder, 4, keep=keep)}
        assert not titles & {"Close", "Twin"}, "an answer does for what is nearly the same, too"


def test_questions_are_spread_over_hosts(tmp_path):
    with serving(pages_on_topic(8)) as first, serving(pages_on_topic(1)) as second:
        seeds = [first.origin, second.origin.replace("127.0.0.1", "localhost")]
        settings = {**QUICK, "fetch.allow": ["127.0.0.0/8", "::1/128"]}
        crawl = clew.Crawl(tmp_path / "c", "soup onion", seeds, CONTACT, settings=settings)
        crawl.run()
        hosts = [question.url.split("/")[2].partition(":")[0] for question in crawl.ask(4)]
        assert len(set(hosts)) == 2


def test_pages_that_may_be_relevant_are_sought_after_many_irrelevant_ones():
    def candidate(id, verdict, labelled=False):
        return LabelCandidate(
            id, f"http://{id}.test/", id, 0.5, verdict, id * 0x9E3779B97F4A7C15 % 2**64, 0, labelled=labelled
        )

    pages = [candidate(1, 0.95), candidate(2, 0.5), candidate(3, 0.05)]
    assert choose(pages, 1, 0.5)[0].page.id == 2, "nearest to the line"
    irrelevant = [candidate(4, 0.0, labelled=True), candidate(5, 0.0, labelled=True)]
    sought = choose([*pages, *irrelevant, candidate(6, 1.0, labelled=True)], 3, 0.5)
    assert [each.page.id for each in sought] == [1, 2, 3]
    assert sought[0].because[0] == "few of the labelled pages are relevant, and this one may be"
    relevant = [candidate(6, 1.0, labelled=True), candidate(7, 1.0, labelled=True)]
    assert choose([*pages, *irrelevant, *relevant], 1, 0.5)[0].page.id == 2


def test_an_excerpt_shows_the_words_that_decided():
    text = "rain and wind " * 60 + "the lighthouse keeper " + "rain and wind " * 60
    shown = excerpt(text, ["lighthouse", "keeper"], 120)
    assert "lighthouse keeper" in shown
    assert len(shown) <= 126
    assert excerpt("短い文", ["文"]) == "短い文"


# ---- on a terminal -----------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 117, 250])
def test_a_card_fits_its_terminal_in_any_script(width):
    question = LabelQuestion(
        url="http://a.org/" + "x" * 300, title="灯台の歴史" * 30, excerpt="灯台は海の光である。" * 30 + "word " * 40,
        verdict=0.41, why='"灯台" 3×', score=0.2, behind=4, help=0.5, because=("a reason " * 20,),
    )  # fmt: skip
    lines = card(question, 0.5, width, "1 of 3")
    assert all(length(line) <= width for line in lines)
    output = "".join(text for line in lines for text, _ in line)
    assert "\x1b" not in output
    assert output.count("x") >= 300, "a URL is shown in full"
    assert "no, 0.41" in output


def test_one_key_labels_a_page(tmp_path):
    rng = random.Random(3)
    texts = [" ".join("".join(rng.choices("abcdefgh", k=5)) for _ in range(60)) for _ in range(5)]
    pages = {f"/p{n}": linked(text=f"{text} soup", title=f"Page {n}") for n, text in enumerate(texts)}
    with serving({"/": linked(*pages, text="begin here")} | pages) as web:
        folder = crawl_of(tmp_path / "c", web, "soup")
        clew.Crawl(folder, settings=QUICK).run()
        with on_terminal("label", folder, "--ask", "4", columns=60, rows=30, NO_COLOR="1") as terminal:
            before = terminal.modes()
            terminal.wait_for("(?s)1 of 4.*quit")
            terminal.press("\x1b[Az")  # an arrow, and a key that means nothing
            terminal.press("y")
            terminal.wait_for("(?s)2 of 4.*quit")
            assert len(read_sql(folder, "SELECT 1 FROM labels WHERE good")) == 1, (
                "on disk before the next page"
            )
            terminal.press("s")
            terminal.wait_for("(?s)3 of 4.*quit")
            terminal.press("n")
            terminal.wait_for("(?s)4 of 4.*quit")
            terminal.press("\x03")
            code, shown = terminal.leave()
            assert code == 3
            assert "2 labels saved: 1 yes, 1 no" in shown
            assert terminal.modes() == before
            assert b"\x1b[3" not in terminal.raw, "no colour was asked for"


def test_pages_are_labelled_on_the_live_screen(tmp_path):
    slow = ("--set", "fetch.delay=0.1", "--set", "fetch.allow=127.0.0.0/8", "--set", "store.min_free=0")
    with serving(endless()) as web, on_terminal("run", crawl_of(tmp_path / "c", web), *slow) as terminal:
        terminal.wait_for(r"pages +[1-9]")
        terminal.press("l")
        terminal.wait_for("Is this page relevant")
        terminal.press("n")
        terminal.press("\x1b")
        terminal.wait_for(r"label on \S+: no — ")
        terminal.press("q")
        assert terminal.leave()[0] == 3
    assert read_sql(tmp_path / "c", "SELECT good FROM labels") == [(0,)]


def test_without_a_terminal_labels_are_read_as_lines(finished, monkeypatch, capsys):
    folder, _ = finished
    monkeypatch.setattr(sys, "stdin", io.StringIO("s\nperhaps\nskip\n"))
    code, output, _ = run_here(["label", str(folder), "--ask", "3"], folder.parent, monkeypatch, capsys)
    assert code == 0
    assert "type y, n, s or q" in output
    assert "3 of 3" in output
    assert "0 labels saved" in output


# ---- applied by a running crawl ----------------------------------------------------------------


@contextmanager
def running(folder, *words):
    """Start a crawl with JSON output in a subprocess."""
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", "run", str(folder), "--json", *words],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)
        process.stdout.close()


def objects_until(process, until, seconds=200):
    """Read the objects a run prints until a condition holds; return them all."""
    told, end = [], time.monotonic() + seconds
    while time.monotonic() < end and (line := process.stdout.readline()):
        told.append(json.loads(line))
        if until(told[-1]):
            return told
    raise AssertionError(told)


def made(folder, web, about, judge, **settings):
    lines = "".join(
        f"\n[{name.partition('.')[0]}]\n{name.partition('.')[2]} = {json.dumps(value)}"
        for name, value in settings.items()
    )
    folder.mkdir()
    (folder / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["{web.origin}/"]\n[goal]\nabout = "{about}"\njudge = "{judge}"\n'
        f'[fetch]\ndelay = 0.05\nallow = ["127.0.0.0/8"]\n[store]\nmin_free = 0\n{lines}\n'
    )
    return folder


def test_a_running_crawl_applies_a_label_at_once_also_while_it_waits(tmp_path):
    released = threading.Event()

    def slow(request):
        released.wait()
        return 200, {}, b"late"

    late = [f"/w{n}" for n in range(8)]
    pages = pages_on_topic(6) | dict.fromkeys(late, slow)
    pages["/lens0"] = linked(*late, text=LENS * 5, title="Lens")
    with serving(pages) as web:
        folder = made(tmp_path / "c", web, "lighthouse", **{"rank.policy": "best-first"}, judge=LEARNS)
        with running(folder) as process:
            objects_until(process, lambda event: event.get("pages") == 13)
            assert verdicts(folder)["lens0"][:2] == (0.0, 0)
            add_label(folder, Label(f"{web.origin}/lens0", True, time.time()))
            note = objects_until(process, lambda event: "labels" in event)[-1]
            released.set()
            assert note["labels"] == {f"{web.origin}/lens0": True}
            assert note["up"] == 7, "links of a relevant page rise"
            assert note["judged"] == 5, "what the judge learned counts for the other pages, too"
            assert "/lens0: yes — " in note["note"]
            now = verdicts(folder)
            assert now["lens0"] == (1.0, 1, "you said so")
            assert all(now[f"lens{n}"][1] for n in range(6))
            assert not any(now[f"soup{n}"][1] for n in range(6))


def test_a_label_survives_a_kill_and_is_applied_by_the_next_run(tmp_path):
    with serving(pages_on_topic(4)) as web:
        folder = tmp_path / "c"
        crawl = clew.Crawl(folder, "lighthouse", [web.origin], CONTACT, settings=QUICK, judge=LEARNS)
        crawl.run()
        output = subprocess.Popen(
            [sys.executable, "-m", "clew", "label", str(folder), f"{web.origin}/lens0", "yes"], stdout=subprocess.PIPE
        )  # fmt: skip
        assert output.stdout.readline().startswith("✓ yes".encode())
        output.kill()
        output.wait(5)
        output.stdout.close()
        assert read_sql(folder, "SELECT good FROM labels") == [(1,)]
        hints = crawl.run().hints
        assert any("/lens0: yes — " in hint and "3 stored pages judged differently" in hint for hint in hints)
        assert {name for name, row in verdicts(folder).items() if row[1]} == {f"lens{n}" for n in range(4)}
        assert not [hint for hint in crawl.run().hints if "label on" in hint], "once is enough"


def test_removing_and_reversing_a_label_undo_what_was_learned(tmp_path):
    with serving(pages_on_topic(4)) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK, judge=LEARNS)
        crawl.run()
        before = verdicts(crawl.folder)
        crawl.label(f"{web.origin}/lens0", good=True)
        crawl.run()
        assert verdicts(crawl.folder) != before
        crawl.label(f"{web.origin}/lens0", good=None)
        crawl.run()
        assert verdicts(crawl.folder) == before
        for good in (True, False):
            crawl.label(f"{web.origin}/lens0", good=good)
        crawl.run()
        assert verdicts(crawl.folder)["lens0"] == (0.0, 0, "you said so")
        assert not verdicts(crawl.folder)["lens1"][1]


def test_the_policy_learns_what_the_judge_says_now(tmp_path):
    revised = {}

    class Noting(Clew):
        def revise_outcome(self, outcome, features):
            revised[outcome.page.url.rpartition("/")[2]] = outcome.verdict.value, len(features)
            return super().revise_outcome(outcome, features)

    pages = pages_on_topic(4)
    behind = [f"/behind{n}" for n in range(8)]
    pages["/lens1"] = linked(*behind, text=f"{LENS} number 1 " * 5)
    pages |= {path: linked(text=f"far away {path} " * 9) for path in behind}
    with serving(pages) as web:
        crawl = clew.Crawl(
            tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK, judge=LEARNS, ranker=Noting()
        )
        crawl.run(pages=7)
        crawl.label(f"{web.origin}/lens0", good=True)
        clew.Crawl(tmp_path / "c", settings=QUICK, judge=LEARNS, ranker=Noting()).run(pages=8)
    assert {name for name, (verdict, _) in revised.items() if verdict >= 0.5} == {"lens1", "lens2", "lens3"}
    assert revised["lens1"][1] >= 4, "its open links are scored again"


def test_rejudging_is_completed_after_a_kill(tmp_path):
    with serving(pages_on_topic(4)) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK, judge=LEARNS)
        crawl.run()
        crawl.label(f"{web.origin}/lens0", good=True)
        crawl.run()
        import sqlite3

        db = sqlite3.connect(crawl.folder / "crawl.db")
        db.execute("UPDATE pages SET verdict = 0, relevant = 0 WHERE why != 'you said so'")
        db.execute("REPLACE INTO meta VALUES ('judging', '1')")
        db.commit()
        db.close()
        crawl.run()
        assert {name for name, row in verdicts(crawl.folder).items() if row[1]} == {
            f"lens{n}" for n in range(4)
        }
        assert not read_sql(crawl.folder, "SELECT 1 FROM meta WHERE key = 'judging' AND value > ''")


def test_a_persistent_policy_relearns_labels_lost_in_a_kill(tmp_path):
    pages = {f"/p{n}": linked(f"/deep{n}", text=f"lens prism house{n} " * 6) for n in range(4)}
    pages |= {f"/deep{n}": linked(text=f"far away {n} " * 9) for n in range(4)}
    with serving({"/": linked(*pages, text="begin here " * 9)} | pages) as web:
        crawl = clew.Crawl(
            tmp_path / "c", "lens", [web.origin], CONTACT, settings=QUICK, judge=LEARNS, ranker="ariadne"
        )
        crawl.run(pages=3)
        read = [row["url"] for row in crawl.pages if "/p" in row["url"]]
        crawl.label(read[0], good=True)
        crawl.run(pages=4)
        models = tmp_path / "c" / "models" / "links.tsv"
        assert models.exists()
        models.unlink()  # as if the model had never been written
        ranker = Ariadne(about="lens")
        told = []
        ranker.learn_label = lambda label, page: told.append((label.url, label.relevant, page.link.anchor))
        clew.Crawl(tmp_path / "c", settings=QUICK, judge=LEARNS, ranker=ranker).run(pages=5)
        assert told == [(read[0], True, f"to /{read[0].rpartition('/')[2]}")]


def test_an_export_with_line_breaks_in_its_cells_is_a_file_of_answers():
    """A page's text has line breaks, quotes, commas and is longer than the usual limit of a cell."""
    text = 'One line,\nanother "line"\r\n' + "x" * 200_000
    rows = [
        ("https://a.test/1", text, "yes"),
        ("https://a.test/2", "short", ""),
        ("https://a.test/3,b", "", "no"),
    ]
    for delimiter, encoding in ((",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16")):
        out = io.StringIO(newline="")
        table = csv.writer(out, delimiter=delimiter)
        table.writerow(["url", "text", "label"])
        table.writerows(rows)
        found = read_answers(out.getvalue().encode(encoding), "pages.csv")
        assert found == [("https://a.test/1", True), ("https://a.test/3,b", False)]


def test_rows_of_an_export_that_are_no_read_page_give_no_answer():
    """Nobody has judged robots.txt or a page that was not found: their `relevant` is only a default."""
    rows = [("page", 200, True), ("robots", 200, False), ("page", 404, False), ("page", 200, False)]
    table = "url,kind,status,relevant\n" + "".join(
        f"https://a.test/{at},{kind},{status},{good}\n" for at, (kind, status, good) in enumerate(rows)
    )
    lines = "".join(
        json.dumps({"url": f"https://a.test/{at}", "kind": kind, "status": status, "relevant": good}) + "\n"
        for at, (kind, status, good) in enumerate(rows)
    )
    for text in (table, lines):
        assert read_answers(text.encode(), "x") == [("https://a.test/0", True), ("https://a.test/3", False)]


def test_a_wrong_row_of_a_table_is_named_by_its_line():
    table = 'url,text,label\nhttps://a.test/1,"two\nlines",yes\nhttps://a.test/2,one,perhaps\n'
    with pytest.raises(ConfigError, match="line 4: 'perhaps' is not an answer"):
        read_answers(table.encode(), "pages.csv")


def test_answers_without_a_header_may_be_separated_by_semicolons():
    assert read_answers(b"https://a.test/1;yes\nhttps://a.test/2;no", "x") == [
        ("https://a.test/1", True),
        ("https://a.test/2", False),
    ]
