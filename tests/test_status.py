"""`clew status` and `clew list`: the state of crawls at a glance."""

import fcntl
import json
import os

import pytest

from clew import Crawl
from clew.insight.status import BINS, read_status
from clew.insight.status_text import status_lines
from tests.small_web import CONTACT, QUICK, linked, serving
from tests.terminal import run_on_terminal
from tests.test_cli import clew

PAGES = {
    "/": linked("/a", "/b", "/c", text="nothing here"),
    "/a": linked(text="lighthouse keeper and lantern " * 20),
    "/b": linked(text="bread and butter"),
    "/c": linked(text="a lighthouse lantern " * 20),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a finished crawl and a new one."""
    folder = tmp_path_factory.mktemp("crawls")
    with serving(PAGES) as web:
        settings = QUICK | {"crawl.pages": 3}
        Crawl(folder / "lights", "lighthouse lantern", [web.origin], CONTACT, settings=settings).run()
    Crawl(folder / "later", "bread", ["http://bread.test/"], CONTACT).save()
    return folder


def test_status_counts_what_the_crawl_has_done(place):
    crawl = read_status(place / "lights")
    assert (crawl.read.pages, crawl.open, crawl.budget, crawl.state) == (3, 1, 3, "done")
    assert sum(crawl.read.verdicts) == 3
    assert len(crawl.read.verdicts) == BINS
    assert sum(crawl.read.verdicts[BINS // 2 :]) == crawl.read.relevant
    text = "\n".join(status_lines(crawl))
    for word in ("the budget of 3 pages is spent", "lighthouse lantern", "3 of 3 read", "1 queued link",
                 "┃", "policy clew"):  # fmt: skip
        assert word in text
    assert f"clew run {place / 'lights'} --pages 6" in text


def test_status_takes_several_crawls_and_says_which_is_new(place):
    ran = clew("status", place / "lights", place / "later" / "clew.toml")
    assert ran.returncode == 0, ran.stderr
    assert "not started yet" in ran.stdout
    assert f"clew run {place / 'later'}" in ran.stdout
    rows = [json.loads(line) for line in clew("status", place / "lights", "--json").stdout.splitlines()]
    assert rows[0]["read"]["pages"] == 3
    assert clew("status", place / "light").returncode == 2


def test_a_running_crawl_is_shown_as_running(place):
    lock = os.open(place / "lights" / "crawl.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"4711", 0)
        crawl = read_status(place / "lights")
        assert crawl.process == "4711"
        assert "running as process 4711" in status_lines(crawl)[0]
    finally:
        os.close(lock)


def test_a_row_of_the_list_is_one_line_of_a_terminal(tmp_path):
    Crawl(
        tmp_path / "a-crawl-of-lights", "lighthouse keeper lantern beacon", ["http://a.test/"], CONTACT
    ).save()
    shown, code = run_on_terminal(tmp_path, "list", COLUMNS="80")
    assert code == 0, shown
    lines = shown.strip().splitlines()
    assert len(lines) == 2, shown
    assert max(map(len, lines)) < 80


def test_list_names_every_crawl_of_a_folder(place, tmp_path):
    ran = clew("list", place)
    assert ran.returncode == 0, ran.stderr
    header, later, lights = ran.stdout.splitlines()
    assert header.split()[:3] == ["crawl", "state", "pages"]
    assert later.split()[:3] == ["later", "new", "0"]
    assert lights.split()[:3] == ["lights", "done", "3"]
    (tmp_path / "empty").mkdir()
    assert "contains no crawl; create one" in clew("list", tmp_path / "empty").stdout
    Crawl(tmp_path / "mine" / "bread", "bread", ["http://bread.test/"], CONTACT).save()
    assert f"clew list {tmp_path / 'mine'}" in clew("list", tmp_path).stdout
    assert f"clew status {place / 'lights'}" in clew("list", place / "lights").stdout
    assert clew("list", tmp_path / "none").returncode == 2


def test_a_broken_crawl_does_not_hide_the_others(place, tmp_path):
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "clew.toml").write_text("[crawl\n")
    ran = clew("list", tmp_path)
    assert ran.returncode == 0
    assert "broken" in ran.stdout
    assert "clew doctor" in clew("status", bad).stdout
