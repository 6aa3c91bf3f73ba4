"""Trials: the product's own loop over a recorded web, the same each time and the same as over a network."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from lab_kit import make_world, page, proxy, small_web, topic_of

import clew
from clew.errors import ConfigError
from clew.lab import NetworkModel, Trace, TrialSettings, open_world, run_on, run_trial
from clew.lab.trial import start_of
from clew.store import IS_PAGE
from clew.urls import fingerprint

WEB = small_web()
H0 = "http://h0.museum-web.org"
SEEDS = [f"{H0}/", "http://h2.museum-web.org/"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("trials")


@pytest.fixture(scope="module", autouse=True)
def _cache(home):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        yield


@pytest.fixture(scope="module")
def world(home, _cache):
    return open_world(make_world(home / "small", WEB))


@pytest.fixture
def task(world):
    return world.tasks[0]


@pytest.mark.parametrize(("policy", "pages"), [("breadth", 60), ("best-first", 500)])
def test_the_network_and_the_replay_give_the_same_pages_in_the_same_order(
    tmp_path, world, task, policy, pages
):
    quick = {
        "fetch.delay": 0,
        "fetch.per_host": 1,
        "fetch.concurrency": 1,
        "store.min_free": 0,
        "rank.policy": policy,
    }
    with proxy(WEB) as (address, requested):
        crawl = clew.Crawl(
            tmp_path / "crawl", about=task.about, seeds=SEEDS, contact="https://crawler.uni-x.org/bot",
            settings={**quick, "fetch.proxy": address, "fetch.allow": ["127.0.0.0/8"]},
        )  # fmt: skip
        crawl.run(pages=pages)
    log: list[str] = []
    trace = run_on(
        world, task, policy, TrialSettings(pages=pages, judge="auto", examples="none", dead_ends=True), log
    )
    assert log == requested
    rows = crawl.pages.sql(
        "SELECT url, pages.score, verdict, bytes, status FROM pages JOIN links USING (id)"
        f" WHERE {IS_PAGE} ORDER BY fetched_at, pages.id",
    ).rows()  # fmt: skip
    # 14 pages on each of four hosts, 13 more that links name but the archive lacks, and one host that is gone.
    assert len(rows) == len(trace) == min(pages, 4 * 14)
    assert trace.facts["failed"] == crawl.summary().failed <= 4 * 13 + 1
    assert [fingerprint(row[0]) for row in rows] == trace.hashes.tolist()
    assert np.allclose([row[1] for row in rows], trace.scores, atol=1e-6)
    assert np.allclose([np.nan if row[2] is None else row[2] for row in rows], trace.verdicts, equal_nan=True)
    assert [row[3:] for row in rows] == list(zip(trace.bytes.tolist(), trace.status.tolist(), strict=True))


def test_a_trace_holds_what_is_needed_to_measure(world, task):
    trace = run_trial(world, task, "best-first", pages=500)
    assert set(trace.hashes[trace.relevant].tolist()) == {fingerprint(url) for url in topic_of(WEB)}
    assert trace.hosts.max() == 3
    assert (trace.status == 200).all(), "links out of the archive are not seen"
    assert (np.diff(trace.seconds) >= 0).all()
    assert ((trace.verdicts >= 0.5) == trace.relevant).mean() > 0.9
    facts = trace.facts
    assert (facts["policy"], facts["judge"], facts["seed"], facts["begun_with"]) == (
        "best-first",
        "auto",
        0,
        SEEDS,
    )
    assert facts["reachable"] == facts["pages_there"] - 4 == len(trace) == 4 * 14, (
        "robots.txt is read, but no page"
    )
    assert facts["relevant_reachable"] == facts["relevant_there"] == len(topic_of(WEB))
    assert facts["refused"] == {}
    assert facts["ended"] == "nothing is left to fetch"


def test_robots_txt_is_obeyed_in_a_replay(home):
    web = {**WEB, f"{H0}/private/x.html": page("Private", "Not for robots.")}
    world = open_world(make_world(home / "private", web))
    log: list[str] = []
    trace = run_on(world, world.tasks[0], "breadth", TrialSettings(pages=500), log)
    assert f"{H0}/robots.txt" in log
    assert f"{H0}/private/x.html" not in log
    assert trace.facts["refused"] == {"robots": 1}


def test_links_out_of_the_archive_give_404_when_they_are_seen(world, task):
    trace = run_trial(world, task, "breadth", pages=500, dead_ends=True)
    assert (len(trace), trace.facts["failed"]) == (4 * 14, 4 * 13 + 1), "they cost requests, no pages"
    assert (trace.rows >= 0).all()
    few = run_trial(world, task, "breadth", pages=500, dead_ends=True, requests=40)
    assert few.facts["requests"] == 40
    assert few.facts["ended"] == "the budget of 40 requests is spent"


def test_a_judge_of_links_sees_files_that_the_archive_lacks(home):
    start = page("Figures", '<a href="/births.csv">births by year</a>')
    world = open_world(make_world(home / "files", {**WEB, f"{H0}/": start}))
    verdicts = {}
    for judge in ("data", "files:csv", "files:pdf"):
        trace = run_trial(world, world.tasks[0], "breadth", pages=1, judge=judge, examples="none")
        verdicts[judge] = float(trace.verdicts[0])
    assert verdicts["data"] >= 0.5
    assert verdicts["files:csv"] >= 0.5
    assert verdicts["files:pdf"] == 0


def test_the_perfect_judge_returns_the_labels(world, task):
    trace = run_trial(world, task, "best-first", pages=500, judge="labels")
    assert np.array_equal(trace.verdicts, trace.grades)


@pytest.mark.parametrize("examples", ["shown", "seeds", "none"])
def test_examples_never_count_as_found(home, examples):
    good = topic_of(WEB)[:3]
    world = open_world(make_world(home / "examples", WEB, example_pages=good))
    (task,) = world.tasks
    trace = run_trial(world, task, "best-first", pages=500, examples=examples)
    names = [fingerprint(url) for url in good]
    is_example = np.isin(trace.hashes, np.array(names, np.uint64))
    assert is_example.sum() == 3
    assert np.array_equal(trace.examples, is_example)
    assert trace.relevant.sum() == task.truth.relevant == len(topic_of(WEB)) - 3
    assert (trace.verdicts[is_example] == 1.0).all() == (examples != "none")
    # Two of the first six requests go to links around the seeds.
    assert (set(trace.hashes[:6].tolist()) >= set(names)) == (examples == "seeds")


def test_seeds_vary_the_start_and_the_random_numbers_and_nothing_else(home):
    fronts = [f"http://h{n}.museum-web.org/" for n in range(4)]
    world = open_world(make_world(home / "starts", WEB, seeds=fronts))
    (task,) = world.tasks
    starts = [start_of(world, task, TrialSettings(pages=1, seed=seed)) for seed in range(5)]
    assert starts == [fronts, [*fronts[1:]], [*fronts[2:], fronts[0]], [fronts[3], *fronts[:2]], fronts[:3]]
    for policy in ("breadth", "random"):
        one, two, again = (run_trial(world, task, policy, pages=20, seed=seed) for seed in (1, 2, 1))
        assert one.same(again)
        assert not np.array_equal(one.hashes, two.hashes)


def test_a_cap_bounds_the_pages_of_each_host(world, task):
    trace = run_trial(world, task, "best-first", pages=500, cap_per_host=3)
    assert np.bincount(trace.hosts).tolist() == [3, 3, 3, 3]


def test_politeness_is_simulated_and_costs_nothing(world, task):
    began = time.monotonic()
    trace = run_trial(world, task, "breadth", pages=500, delay=60.0, concurrency=8)
    # Each host has 14 pages, a redirect and a robots.txt; two of them are found only after the first two minutes' requests.
    assert trace.facts["virtual"] == pytest.approx(60 + 15 * 60, abs=1)
    assert time.monotonic() - began < 60
    slow = run_trial(world, task, "breadth", pages=500, network=NetworkModel(latency=2.0))
    assert slow.facts["virtual"] > 60 * 0.2 * 2
    assert np.array_equal(slow.hashes, run_trial(world, task, "breadth", pages=500).hashes)


def test_failures_are_the_same_each_time_and_are_tried_again(world, task):
    bad = NetworkModel(failures=0.3)
    log: list[str] = []
    one = run_on(world, task, "breadth", TrialSettings(pages=500, network=bad), log)
    assert len(log) > len(set(log)) > 40, "some were asked for more than once"
    assert one.same(run_trial(world, task, "breadth", pages=500, network=bad))
    assert one.facts["virtual"] > 30


def test_the_trap_guard_can_be_switched_off(home):
    web = {"http://h0.museum-web.org/": page("Calendar", "x", "http://h0.museum-web.org/cal/0")}
    for day in range(300):
        following = [f"http://h0.museum-web.org/cal/{day + n}" for n in (1, 2)]
        web[f"http://h0.museum-web.org/cal/{day}"] = page("Calendar", "Nothing on this day.", *following)
    folder = make_world(home / "trap", web, seeds=["http://h0.museum-web.org/"], positive_labels=["web"])
    world, deep = open_world(folder), {"scope.depth": 1000}
    guarded, open_handed = (
        run_trial(world, world.tasks[0], "breadth", pages=500, traps=on, settings=deep)
        for on in (True, False)
    )
    assert len(guarded) <= 150
    assert guarded.facts["refused"]["suspect"] > 0
    assert len(open_handed) == 301
    assert open_handed.facts["refused"] == {}


def test_the_same_inputs_give_the_same_trace_in_every_process(world, task, tmp_path):
    script = (
        "import sys; from pathlib import Path; from clew.lab import open_world, run_trial, NetworkModel\n"
        "world = open_world(sys.argv[1])\n"
        "run_trial(world, world.tasks[0], 'best-first', pages=45, seed=3, delay=1.0, concurrency=5,\n"
        "          network=NetworkModel(0.3, 0.1)).save(Path(sys.argv[2]))\n"
    )
    traces = []
    for salt in ("1", "2"):
        out = tmp_path / f"{salt}.npz"
        source = world.source.files[0][0].parent
        subprocess.run(
            [sys.executable, "-c", script, str(source), str(out)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": salt},
        )
        traces.append(Trace.load(out))
    here = run_trial(
        world, task, "best-first", pages=45, seed=3, delay=1.0, concurrency=5, network=NetworkModel(0.3, 0.1)
    )
    assert len(here) == 45
    assert traces[0].same(traces[1])
    assert here.same(Trace.load(_saved(here, tmp_path)))
    assert traces[0].same(Trace.load(_saved(here, tmp_path)))


def _saved(trace, folder):
    trace.save(folder / "here.npz")
    return folder / "here.npz"


def test_a_file_that_holds_no_trace_is_named(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"PK but no more")
    with pytest.raises(ConfigError, match="holds no trace"):
        Trace.load(tmp_path / "x.npz")


def test_wrong_arguments_are_named(world, task):
    with pytest.raises(ConfigError, match='did you mean "breadth"'):
        run_trial(world, task, "bredth", pages=5)
    with pytest.raises(ConfigError, match='there is no judge "lables"'):
        run_trial(world, task, "breadth", pages=5, judge="lables")
    with pytest.raises(ConfigError, match="choose one of shown"):
        run_trial(world, task, "breadth", pages=5, examples="hidden")
    with pytest.raises(ConfigError, match="cannot be set in a trial"):
        run_trial(world, task, "breadth", pages=5, settings={"fetch.agent": "me"})


def test_settings_of_a_crawl_hold_in_a_trial(world, task):
    trace = run_trial(world, task, "breadth", pages=500, settings={"scope.depth": 1})
    assert 2 < len(trace) < 15
    assert json.dumps(trace.facts)


def test_a_task_without_words_names_a_judge_that_fits(world, task):
    with pytest.raises(ConfigError, match="has no words for the judge words; choose another: --judge labels"):
        run_trial(world, replace(task, about=""), "breadth", pages=20, judge="words")
