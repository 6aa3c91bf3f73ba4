"""Kill, freeze and resume crawls in shards, judged from the server's log and the export alone."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from clew.scale.coordinator import LEASE_SECONDS, CrawlLimits
from clew.scale.shard_command import shard_order
from clew.scale.sql_coordinator import open_coordinator
from clew.store import read_sql
from tests.scale.shard_kit import PATIENCE, clew, exported, kill, new_crawl, shard_processes, start, wait_for
from tests.scale.tree_web import TreeWeb, serving

SHARDS, DELAY = 3, 0.3
SETTLED = 5.0
"""Seconds after which an answer is committed, also on a busy machine; the promise is two."""


def judge(folder, web, kills):
    """Check the promises: every page once, none lost or invented, delays kept, no page asked again for nothing."""
    assert exported(folder).keys() == web.urls
    gaps = web.gaps()
    assert min(gaps.values()) >= DELAY, min(gaps.items(), key=lambda item: item[1])
    times = {}
    for at, url in sorted(web.log):
        if not url.endswith("/robots.txt"):
            times.setdefault(url, []).append(at)
    for url, asked in times.items():
        for first, second in pairwise(asked):
            assert any(first - 1 <= at <= second and at - first < SETTLED for at in kills), (
                url,
                asked,
                kills,
            )
    for shard in folder.glob("shards/*"):
        assert read_sql(shard, "PRAGMA integrity_check") == [("ok",)]


def kill_shards(run, web, chance, kills, number):
    """Kill shards, one after the other, each when the crawl has gone on by some pages."""
    for _ in range(number):
        seen = len(web.log)
        wait_for(lambda seen=seen: len(web.log) > seen + 8)
        shards = wait_for(lambda: shard_processes(run.pid))
        kills.append(time.monotonic())
        kill(chance.choice(sorted(shards.values())))


def test_killed_shards_are_started_again_and_a_killed_crawl_resumes(tmp_path):
    chance, kills = random.Random(7), []
    with serving(TreeWeb(pages=300, hosts=20, latency=0.02, growing=True)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=DELAY)
        log = tmp_path / "log"
        run = start(log, "run", folder, "--shards", SHARDS, "--plain")
        kill_shards(run, web, chance, kills, 3)
        seen = len(web.log)
        wait_for(lambda: len(web.log) > seen + 8)
        children = shard_processes(run.pid)
        kills.append(time.monotonic())
        kill(run.pid)  # the whole crawl: its shards must end with it
        run.wait()
        wait_for(lambda: not any(Path(f"/proc/{process}/exe").exists() for process in children.values()))
        asked = len(web.log)
        again = start(log, "run", folder, "--plain")
        kill_shards(again, web, chance, kills, 2)
        web.finish()
        again.wait(PATIENCE)
        output = log.read_text()
        assert again.returncode == 0, output
        assert len(web.log) > asked
        judge(folder, web, kills)
    assert "nothing is left to fetch" in output
    assert "is started again; nothing is lost" in output


def test_a_frozen_shard_is_taken_over(tmp_path):
    with serving(TreeWeb(pages=120, hosts=12, latency=0.02, growing=True)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=DELAY)
        log = tmp_path / "log"
        run = start(log, "run", folder, "--shards", SHARDS, "--plain")
        wait_for(lambda: len(web.log) > 20)
        frozen = shard_processes(run.pid)[1]
        os.kill(frozen, signal.SIGSTOP)
        stopped = time.monotonic()
        wait_for(lambda: shard_processes(run.pid).get(1, frozen) != frozen)
        web.finish()
        run.wait(PATIENCE)
        output = log.read_text()
        assert run.returncode == 0, output
        judge(folder, web, [stopped])
    assert "silent for" in output


def test_without_its_coordinator_a_crawl_waits_and_then_goes_on(tmp_path, postgres_server, fresh_schema):
    with serving(TreeWeb(pages=150, hosts=10, latency=0.02, growing=True)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=DELAY)
        log = tmp_path / "log"
        run = start(log, "run", folder, "--shards", 2, "--coordinator", fresh_schema, "--plain")
        wait_for(lambda: len(web.log) > 20)
        postgres_server.stop()
        try:
            time.sleep(LEASE_SECONDS + 1)
            asked = len(web.log)
            time.sleep(2)
            assert len(web.log) == asked, "requests without a lease"
        finally:
            postgres_server.start()
        web.finish()
        run.wait(PATIENCE)
        output = log.read_text()
        assert run.returncode == 0, output
        judge(folder, web, [])
    assert "PostgreSQL does not answer" in output
    assert "its coordinator answers again" in output


def test_a_machine_whose_clock_is_a_minute_fast_changes_nothing(tmp_path, fresh_schema):
    (tmp_path / "skew").mkdir()
    (tmp_path / "skew" / "sitecustomize.py").write_text(
        """import sys, time
if any('"shard": 1' in word for word in sys.orig_argv):
    right = time.time
    time.time = lambda: right() + 60
    print("this clock is wrong", file=open(__file__ + ".seen", "w"))
"""
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "skew")}
    with serving(TreeWeb(pages=90, hosts=12, latency=0.02)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=DELAY)
        done = clew("run", folder, "--shards", SHARDS, "--coordinator", fresh_schema, "--plain", env=env)
        judge(folder, web, [])
    assert (tmp_path / "skew" / "sitecustomize.py.seen").exists()
    assert "nothing is left to fetch: 90 pages" in done.stdout
    assert "taken over" not in done.stdout


@pytest.fixture
def lone_shard(tmp_path):
    """The process of a single shard, without a supervisor, while it crawls."""
    with serving(TreeWeb(pages=20, hosts=4, latency=0.02, growing=True)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=DELAY, more="shards = 1")
        coordinator = open_coordinator(folder)
        coordinator.join("tree", 1)
        coordinator.begin(CrawlLimits())
        command = shard_order(folder, 0, ["crawl.shards=1"]).command()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: len(web.log) > 6)
            yield web, folder, coordinator, process
        finally:
            process.kill()
            process.wait()
            process.stderr.close()
            coordinator.close()


def test_a_frozen_owner_makes_no_request_and_no_commit_after_it_was_replaced(lone_shard):
    web, folder, coordinator, process = lone_shard
    os.kill(process.pid, signal.SIGSTOP)
    taken = wait_for(lambda: coordinator.acquire(0, "next owner"), 4 * LEASE_SECONDS)
    asked = len(web.log)
    stored = read_sql(folder / "shards" / "0", "SELECT count(*), max(id) FROM pages")
    links = read_sql(folder / "shards" / "0", "SELECT count(*) FROM links")
    os.kill(process.pid, signal.SIGCONT)
    process.wait(PATIENCE)
    assert len(web.log) == asked
    assert read_sql(folder / "shards" / "0", "SELECT count(*), max(id) FROM pages") == stored
    assert read_sql(folder / "shards" / "0", "SELECT count(*) FROM links") == links
    assert process.returncode not in (0, 3)
    assert "taken over" in process.stderr.read()
    assert coordinator.renew(taken)


def test_a_shard_that_was_frozen_for_a_while_and_not_replaced_goes_on(lone_shard):
    web, _, _, process = lone_shard
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(1.2 * LEASE_SECONDS)
    asked = len(web.log)
    os.kill(process.pid, signal.SIGCONT)
    wait_for(lambda: len(web.log) > asked + 4)
    assert process.poll() is None


def test_a_shard_that_dies_at_once_every_time_is_given_up(tmp_path):
    script = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    code = f"""
import asyncio, sys
from pathlib import Path
from clew.scale.shard_command import shard_order
from clew.scale.sql_coordinator import open_coordinator
from clew.scale.supervisor import ShardFailed, Supervisor
from clew.cli.shard_views import JsonShards
coordinator = open_coordinator(Path({str(tmp_path)!r}))
coordinator.join("tree", 1)
supervisor = Supervisor(coordinator=coordinator, shards=[0], view=JsonShards(),
                        command=lambda shard: [sys.executable, "-c", {script!r}])
try:
    asyncio.run(supervisor.run())
except ShardFailed as error:
    print("failed:", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert "failed: shard 0: it died 6 times in a row (signal 9)" in done.stdout, done.stderr


def test_a_second_driver_is_refused(tmp_path):
    with serving(TreeWeb(pages=20, hosts=4, growing=True)) as web:
        folder = new_crawl(tmp_path / "tree", web, delay=1.0)
        log = tmp_path / "log"
        run = start(log, "run", folder, "--shards", 2, "--plain")
        wait_for(lambda: len(web.log) > 0)
        second = clew("run", folder, check=False)
        assert (second.returncode, "already works on" in second.stderr) == (5, True)
        run.send_signal(signal.SIGTERM)
        run.wait(PATIENCE)
        output = log.read_text()
        assert (run.returncode, "stopped after" in output) == (3, True)
        assert "running" not in json.loads(clew("status", folder, "--json").stdout)["state"]
