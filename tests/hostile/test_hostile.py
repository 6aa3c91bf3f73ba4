"""One crawl of the whole hostile web by the real program, then one test a case and one an invariant."""

import hashlib
import os
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from . import judge, program
from .cases import CASES, Case
from .hostile_web import HostileWeb, build
from .judge import Evidence

pytestmark = pytest.mark.timeout(600)

SETTINGS = program.settings(
    "fetch.allow=127.1.0.0/16",
    "scope.hosts=any",
    f"fetch.delay={judge.DELAY}",
    "fetch.per_host=1",
    f"fetch.timeout={judge.TIMEOUT}",
    "fetch.max_rest=10",
    "fetch.concurrency=128",
    "store.min_free=16",
)
"""Every host is in scope, so that the address guard alone stands before the canaries."""

PATIENCE = 400
NEVER_ENDED = -1

WANTED = os.environ.get("CLEW_CASES", "").split(",")
CHOSEN = [case for case in CASES if case.id.startswith(tuple(WANTED))]
"""All cases, or those whose names begin as CLEW_CASES says: `CLEW_CASES=traps,large pytest tests/hostile/test_hostile.py`."""


class Run:
    """The finished crawl: its web, its evidence, its exit code and its exports."""

    def __init__(self, made: HostileWeb, evidence: Evidence, code: int, csv: Path, took: float) -> None:
        self.made = made
        self.evidence = evidence
        self.code = code
        self.csv = csv
        self.took = took


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("hostile")
    made = build(folder, CHOSEN)
    crawl, output = folder / "crawl", folder / "output.txt"
    with made.web:
        program.new(crawl, made.hub)
        began = time.time()
        process = program.start("run", str(crawl), "--plain", *SETTINGS, output=output)
        try:
            with program.watched(process.pid, allowed=("127.1.",)) as watch:
                code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = NEVER_ENDED  # judged all the same: the export says what was stored so far
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
        finally:
            program.kill_group(process)
        took = time.time() - began
    exports = [folder / name for name in ("pages.jsonl", "pages.csv", "again.jsonl")]
    for path in exports:
        done = program.clew("export", str(crawl), str(path), timeout=120)
        assert done.returncode == 0, done.stderr
    evidence = Evidence(
        made.web.log_path,
        crawl,
        exports[0],
        output.read_text("utf-8", "replace"),
        watch.peak_mib,
        watch.foreign,
        began,
    )
    print(
        f"\n{len(evidence.asked)} requests in {took:.0f} s, {len(evidence.rows)} rows, peak {watch.peak_mib:.0f} MiB"
    )
    return Run(made, evidence, code, exports[1], took)


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.id)
def test_case(run: Run, case: Case) -> None:
    assert run.evidence.to(case.id, robots=True), "the site was never visited"
    for check in run.made.checks[case.id]:
        check(run.evidence, case.id)


def test_the_program_ends_by_itself_and_says_so(run: Run) -> None:
    assert run.code == 0, run.evidence.output[-2000:]


def test_robots_first(run: Run) -> None:
    judge.robots_first(run.evidence)


def test_only_reading(run: Run) -> None:
    judge.only_reading(run.evidence)


def test_one_agent_with_contact(run: Run) -> None:
    judge.one_agent(run.evidence, program.CONTACT)


def test_polite_to_every_host(run: Run) -> None:
    judge.polite(run.evidence)


def test_stored_is_fetched_and_fetched_is_stored(run: Run) -> None:
    judge.kept(run.evidence)


def test_each_page_once(run: Run) -> None:
    judge.fetched_once(run.evidence)


def test_honest_pages_come_before_traps_are_exhausted(run: Run) -> None:
    """An archive by date looks generated and waits, but not for busy hosts nor for the last page of a trap."""
    asked = run.evidence.asked
    ends = sorted({a.site: a.started for a in asked if a.site.startswith("traps")}.values())
    honest = [a for a in asked if a.site.startswith(("honest", "large"))]
    late = [a.url for a in honest if ends and a.started > ends[len(ends) // 2]]
    assert not late, f"{len(late)} honest pages came after half of the traps were over: {late[:5]}"


def test_memory_of_the_whole_family(run: Run) -> None:
    assert 0 < run.evidence.peak_mib <= 1024, f"{run.evidence.peak_mib:.0f} MiB"


def test_no_traffic_but_to_crawl_targets(run: Run) -> None:
    foreign = {peer for peer in run.evidence.foreign if not peer.endswith((":53/udp", ":53/tcp"))}
    assert not foreign, "only crawl targets, and the resolver for their names"


def test_archive_reads_back_strictly_and_holds_each_page_once(run: Run) -> None:
    found = judge.warc_responses(judge.warc_files(run.evidence.folder))
    # A page that first sent us away for a cookie has two answers, and both are kept.
    away = {asked.url for asked in run.evidence.asked if 300 <= asked.status < 400}
    twice = [url for url, times in found.items() if times > 1 + (url in away)]
    answered = {str(row["url"]) for row in run.evidence.rows if row["status"]}
    assert not twice, f"archived twice: {twice[:5]}"
    assert not answered - set(found), f"not archived: {sorted(answered - set(found))[:5]}"


def test_archive_holds_what_the_servers_sent(run: Run) -> None:
    stored = judge.warc_payloads(judge.warc_files(run.evidence.folder))
    wrong = []
    for asked in run.evidence.asked:
        row = run.evidence.by_url.get(asked.url)
        whole = asked.complete and asked.digest and row and row["status"] == asked.status and not row["error"]
        if whole and not row["truncated"] and stored.get(asked.url) != asked.digest:
            wrong.append(asked.url)
    changing = {url for url in wrong if sum(a.url == url for a in run.evidence.asked) > 1}
    assert not set(wrong) - changing, f"{len(wrong)} payloads differ from what was sent: {wrong[:5]}"


def test_table_is_safe_and_complete(run: Run) -> None:
    judge.csv_is_safe(run.csv)


def test_nothing_from_the_web_reaches_the_terminal(run: Run) -> None:
    judge.terminal_is_safe(run.evidence.output)


def test_exporting_changes_nothing(run: Run) -> None:
    one, two = (run.evidence.export.with_name(name).read_bytes() for name in ("pages.jsonl", "again.jsonl"))
    assert hashlib.sha256(one).digest() == hashlib.sha256(two).digest()


def test_database_is_sound(run: Run) -> None:
    with closing(sqlite3.connect(run.evidence.folder / "crawl.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
