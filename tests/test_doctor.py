"""`clew doctor`: each problem with a remedy, no passwords, nothing changed."""

import fcntl
import json
import os
import sqlite3

import pytest

from clew import Crawl
from clew.cli.doctor import check_configuration
from clew.insight.preflight import check_folder, check_machine
from clew.insight.preflight.folder_check import lock_holder
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.test_cli import clew


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A finished crawl."""
    folder = tmp_path_factory.mktemp("doctor") / "job"
    with serving({"/": linked("/a"), "/a": linked()}) as web:
        Crawl(folder, seeds=[web.origin], contact=CONTACT, settings=QUICK).run()
    return folder


@pytest.fixture
def job(crawled, tmp_path):
    """A copy of it that tests may damage."""
    folder = tmp_path / "job"
    for path in crawled.rglob("*"):
        if path.is_file() and path.name != "crawl.lock":
            copy = folder / path.relative_to(crawled)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    return folder


def marks(checks):
    return {check.name: check.mark for check in checks}


def warc(folder):
    (path,) = (folder / "pages").glob("*.warc.gz")
    return path


def test_a_healthy_crawl_has_no_errors_and_is_not_changed(job):
    before = {path: path.read_bytes() for path in job.rglob("*") if path.is_file()}
    ran = clew("doctor", job)
    assert ran.returncode == 0, ran.stdout
    for word in ("libcurl", "OpenSSL", "sqlite", "selectolax", "ulimit -n", "GiB free", "2 pages, 2 relevant",
                 "ok (quick_check)", "nothing is left to fetch", "no errors", "MB (numpy"):  # fmt: skip
        assert word in ran.stdout
    assert "✗" not in ran.stdout
    after = {path: path.read_bytes() for path in job.rglob("*") if path.is_file()}
    assert {path for path in before if before[path] != after.get(path)} == set()
    assert {path.name for path in set(after) - set(before)} <= {"crawl.db-wal", "crawl.db-shm"}


def test_json_is_one_object_without_secrets(job):
    settings = job / "clew.toml"
    proxy = 'proxy = "http://me:s3cret@10.0.0.1:3128"'
    settings.write_text(settings.read_text("utf-8").replace("[fetch]", f"[fetch]\n{proxy}", 1), "utf-8")
    ran = clew("doctor", job, "--json")
    words = json.loads(ran.stdout)
    assert words["well"]
    assert "s3cret" not in ran.stdout
    assert any(check["words"] == "fetch.proxy = http://***@10.0.0.1:3128" for check in words["checks"])
    assert "s3cret" not in clew("doctor", job).stdout


def test_every_invalid_key_is_reported_with_exit_code_two(job):
    (job / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["x y"]\n[fetch]\ndely = 1\ntries = 99\n'
    )
    ran = clew("doctor", job)
    assert ran.returncode == 2
    assert ran.stdout.count("✗ config") == 2
    assert "did you mean fetch.delay" in ran.stdout
    (job / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["x y"]\n[rank]\npolicy = "bredth"\n'
    )
    wrong = {check.name: check for check in check_configuration(job)[1] if check.mark == "✗"}
    assert sorted(wrong) == ["policy", "seeds"]
    assert 'did you mean "breadth"' in wrong["policy"].cure
    (missing,) = check_configuration(job / "nowhere")[1]
    assert (missing.mark, missing.code) == ("✗", 2)
    assert "clew new" in missing.cure


def test_a_running_crawl_is_detected_and_not_disturbed(job):
    assert lock_holder(job) == ""
    lock = os.open(job / "crawl.lock", os.O_RDWR | os.O_CREAT)
    os.write(lock, b"4711\n")
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        words = {check.name: check.words for check in check_folder(job)}
        assert words["lock"] == "held by process 4711"
    finally:
        os.close(lock)
    assert lock_holder(job) == ""


def test_a_killed_run_is_reported_with_its_uncommitted_bytes(job):
    with sqlite3.connect(job / "crawl.db") as db:
        db.execute("UPDATE runs SET ended_at = NULL, ended = NULL")
    db.close()
    with warc(job).open("ab") as file:
        file.write(b"half a record")
    checks = check_folder(job)
    assert marks(checks)["last run"] == "!"
    assert marks(checks)["archive"] == "✓"
    words = " ".join(check.words for check in checks)
    assert "it was killed" in words
    assert "13 uncommitted bytes" in words


def test_truncated_missing_and_damaged_archives(job):
    whole = warc(job).read_bytes()
    warc(job).write_bytes(whole[:-10])
    (cut,) = [check for check in check_folder(job) if check.name == "archive" and check.mark == "✗"]
    assert cut.code == 5
    assert "is truncated" in cut.words
    with sqlite3.connect(job / "crawl.db") as db:
        ((offset,),) = db.execute("SELECT warc_offset FROM pages ORDER BY id DESC LIMIT 1").fetchall()
    db.close()
    warc(job).write_bytes(whole[: offset + 30] + bytes(20) + whole[offset + 50 :])
    assert clew("doctor", job).returncode == 5
    warc(job).unlink()
    lost = [check.mark for check in check_folder(job) if check.name == "archive"]
    assert lost[0] == "!"


def test_damaged_foreign_newer_and_missing_databases(job):
    whole = (job / "crawl.db").read_bytes()
    page = 8_192
    (job / "crawl.db").write_bytes(whole[: 3 * page] + os.urandom(4 * page) + whole[7 * page :])
    bad = [check for check in check_folder(job) if check.mark == "✗"]
    assert bad[0].code == 5
    assert "damaged" in bad[0].words
    assert ".recover" in bad[0].cure
    (job / "crawl.db").write_bytes(whole)
    with sqlite3.connect(job / "crawl.db") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    (newer,) = [check for check in check_folder(job) if check.mark == "✗"]
    assert "newer clew" in newer.words
    (job / "crawl.db").unlink()
    (missing,) = [check for check in check_folder(job) if check.mark == "✗"]
    assert "is missing" in missing.words
    warc(job).unlink()
    assert set(marks(check_folder(job)).values()) == {"✓"}


def test_the_computer_is_checked_against_the_needs_of_a_crawl(tmp_path, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://me:s3cret@proxy.uni-x.org")
    checks = check_machine(tmp_path / "not" / "there", concurrency=10_000_000)
    assert marks(checks)["files"] == "!"
    (proxy,) = [check for check in checks if check.name == "proxy"]
    assert proxy.words == "HTTPS_PROXY=http://***@proxy.uni-x.org is not used"
    assert marks(checks)["disk"] in "✓!"
