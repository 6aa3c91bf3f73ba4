"""Races through the real program: what is kept, what is run again, what wrong words lead to."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from lab_kit import make_world, small_web

from clew.errors import ConfigError
from clew.lab.catalogue import catalogue
from clew.lab.race import check_folder, read_race
from clew.lab.race_runs import plan_race
from clew.lab.race_summary import RaceSettings
from clew.lab.standings import RaceCase, RunResult, distinct, over_tasks, pairs, standings, totals, with_gain
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import open_world
from clew.lab.world_graph import world_graph_of

SMALL = ("--pages", "30", "--runs", "2", "--jobs", "1")


def clew(*words, cwd, timeout=250, **more):
    environment = {**os.environ, **more}
    command = [sys.executable, "-m", "clew", "lab", *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def world(tmp_path, cache, monkeypatch):
    """A small world; its pages are parsed once for all tests, because they are the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return make_world(tmp_path / "museum", small_web())


def test_a_race_is_run_reported_and_resumed(world, tmp_path):
    first = clew(
        "race", world, "--policies", "best-first", *SMALL, "--caps", "0,3", "--json", "all.json", cwd=tmp_path
    )
    assert first.returncode == 0, first.stderr
    assert "12 runs" in first.stdout  # three policies, two caps, two runs
    assert "Judge: auto" in first.stdout
    out = tmp_path / "race"
    traces = sorted((out / "trials").iterdir())
    assert len(traces) == 12
    report = (out / "report.html").read_text("utf-8")
    assert "Judge: auto" in report
    assert "http://" not in report.replace("http://www.w3.org/2000/svg", "")
    assert len(list((out / "plots").glob("*.svg"))) == 2
    rows = (out / "results.csv").read_text("utf-8").splitlines()
    assert rows[0].startswith("world,task,cap,policy,seed,gain,area,found")
    assert len(rows) == 13
    result = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert {each["policy"] for each in result["heats"][0]["policies"]} == {"oracle", "breadth", "best-first"}
    stamps = {path: path.stat().st_mtime_ns for path in traces}

    again = clew("race", world, "--policies", "best-first,random", *SMALL, "--caps", "0,3", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "16 runs, 12 of them finished before" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in traces} == stamps
    shown = clew("show", out, cwd=tmp_path)
    assert shown.returncode == 0
    assert "random" in shown.stdout

    with pytest.raises(ConfigError, match=re.escape("holds another race (pages = 30 there, 20 here)")):
        check_folder(out, RaceSettings(worlds=(str(world),), policies=(), pages=20, caps=(0, 3)))


def test_numbers_of_a_race_are_what_its_traces_say(world, tmp_path):
    made = clew("race", world, "--policies", "best-first", *SMALL, "--judge", "labels", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    summary = read_race(tmp_path / "race")
    (case,) = summary.cases
    ranked = {each.policy: each for each in summary.cases[case]}
    stats = summary.stats(case)
    graph = world_graph_of(open_world(world))
    task = open_world(world).tasks[0]
    assert stats.relevant == task.truth.relevant
    assert stats.reachable[0] == int(
        (graph.wanted(task) & graph.graph.reachable(graph.rows(task.starts["seeds"]))).sum()
    )
    for path in (tmp_path / "race" / "trials").glob("*best-first*_0_*"):
        trace = Trace.load(path)
        assert ranked["best-first"].results[0].figures["found"] == trace.relevant.sum()
        assert ranked["best-first"].results[0].figures["labels"] == np.isfinite(trace.verdicts).sum() > 0
    oracle = ranked["oracle"].results[0]
    assert oracle.figures["recall"] == 1.0
    for name, each in ranked.items():
        assert each.measures["area"].mean <= oracle.figures["area"], name
    assert ranked["breadth"].measures["gain"].mean == pytest.approx(0)
    assert ranked["oracle"].measures["gain"].mean == pytest.approx(1)
    assert "perfect judge" in made.stdout


def test_changed_labels_and_pages_are_other_files(world, tmp_path):
    def names():
        return {
            entry.file
            for entry in plan_race(
                RaceSettings(worlds=(str(world),), policies=("best-first",), pages=30)
            ).entries
        }

    before = names()
    assert before == names()
    labels = world / "labels.tsv"
    labels.write_text(labels.read_text("utf-8").replace("light,web", "web", 1), "utf-8")
    assert not before & names()
    assert not before & {
        entry.file
        for entry in plan_race(RaceSettings(worlds=(str(world),), policies=("best-first",), pages=31)).entries
    }


def test_ctrl_c_keeps_finished_runs_and_exits_with_3(world, tmp_path):
    policy = tmp_path / "slow.py"
    policy.write_text(
        "import time\nfrom clew.rank.baselines.breadth import Breadth\n"
        "class Slow(Breadth):\n    def learn(self, outcome):\n        time.sleep(0.3)\n"
    )
    command = [sys.executable, "-m", "clew", "lab", "race", str(world), "--policies", "slow:Slow", *SMALL]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    trials = tmp_path / "race" / "trials"
    deadline = time.monotonic() + 200
    while not (trials.exists() and len(list(trials.glob("*.npz"))) >= 2) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, output = process.communicate(timeout=90)
    assert process.returncode == 3
    assert "the same command continues" in output
    assert len(list(trials.glob("*.npz"))) >= 2
    assert not list(trials.glob(".*.part"))
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # no worker is left behind


def test_a_failing_policy_loses_only_its_own_runs(world, tmp_path):
    (tmp_path / "bad.py").write_text(
        "import os\nfrom clew.rank.baselines.breadth import Breadth\n"
        "class Bad(Breadth):\n    def learn(self, outcome):\n        print('hello')\n        raise RuntimeError('oh no')\n"
        "class Dead(Breadth):\n    def learn(self, outcome):\n        os._exit(9)\n"
    )
    made = clew(
        "race", world, "--policies", "bad:Bad,bad:Dead", *SMALL, cwd=tmp_path, PYTHONPATH=str(tmp_path)
    )
    assert made.returncode == 0, made.stderr
    assert "RuntimeError: oh no (bad.py:6)" in made.stderr
    assert "its process died (exit code 9)" in made.stderr
    assert "not finished: 4 runs are missing" in made.stdout
    assert "breadth" in made.stdout


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"policies": ("best-frist",)}, 'there is no policy "best-frist"; did you mean "best-first"?'),
        ({"judge": "lables"}, 'did you mean "labels"?'),
        ({"tasks": ("lightouses",)}, 'did you mean "lighthouses"?'),
        ({"worlds": ("musuem",)}, "there is no world musuem"),
        ({"worlds": ("madeup:many",)}, "write madeup:PAGES:SEED"),
    ],
)
def test_unknown_names_get_suggestions(world, wrong, said):
    right = {"worlds": (str(world),), "policies": ("best-first",)}
    with pytest.raises(ConfigError, match=re.escape(said)):
        plan_race(RaceSettings(**{**right, **wrong}))


def test_a_folder_with_something_else_in_it_is_left_alone(world, tmp_path):
    settings = RaceSettings(worlds=(str(world),), policies=())
    with pytest.raises(ConfigError, match="is not empty and holds no race; choose another --out"):
        check_folder(world, settings)
    with pytest.raises(ConfigError, match="is a file"):
        check_folder(world / "seeds.txt", settings)
    with pytest.raises(ConfigError, match="holds no race"):
        read_race(world)
    (tmp_path / "race.json").write_text("[]")
    with pytest.raises(ConfigError, match="another version"):
        read_race(tmp_path)


def test_damaged_and_missing_files_are_named_and_the_rest_is_used(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    world = make_world(tmp_path / "hurt", small_web())
    archive = world / "pages.warc.gz"
    archive.write_bytes(archive.read_bytes() + b"\x1f\x8bnot a record at all")
    labels = (world / "labels.tsv").read_text("utf-8")
    (world / "labels.tsv").write_text(f"{labels}http://h0.museum-web.org/never\tlight\n", "utf-8")
    tasks = json.loads((world / "tasks.json").read_text("utf-8"))
    tasks["tasks"].append({**tasks["tasks"][0], "topic": "dragons", "positive_labels": ["dragon"]})
    (world / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    plan = plan_race(RaceSettings(worlds=(str(world),), policies=("best-first",), pages=9_000, runs=1))
    notes = "\n".join(plan.notes)
    assert "damaged" in notes
    assert "1 of" in notes
    assert "'dragons' is left out" in notes
    assert "so its runs end before the 9,000 asked for" in notes
    assert {entry.case.task for entry in plan.entries} == {"lighthouses"}


def test_a_synthetic_web_needs_no_files_and_its_graph_is_cached(cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    world = open_world("madeup:500:3")
    graph, again = world_graph_of(world), world_graph_of(world)
    assert graph.page_urls == again.page_urls
    assert np.array_equal(graph.graph.targets, again.graph.targets)
    assert graph.settled == again.settled
    task = world.task("birds")
    plan = plan_race(RaceSettings(worlds=("madeup:500:3",), tasks=("birds",), policies=(), pages=60, runs=1))
    (stats,) = plan.stats_by_task.values()
    assert stats.reachable[0] >= task.truth.relevant > 0
    found = run_on(
        world, task, "breadth", TrialSettings(pages=2_000, dead_ends=False, traps=False)
    ).relevant.sum()
    assert found == stats.reachable[0]  # who reads everything finds all that the map says is there


def test_worlds_are_listed_with_their_tasks(world, tmp_path):
    listed = clew("worlds", tmp_path, cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert "museum  " in listed.stdout
    assert "lighthouses" in listed.stdout
    (row,) = (listed.as_dict() for listed in catalogue(world))
    assert row["tasks"][0]["name"] == "lighthouses"
    assert row["languages"] == ["en"]
    with pytest.raises(ConfigError, match="there is no folder"):
        next(catalogue(tmp_path / "nowhere"))


# ---- standings -----------------------------------------------------------------------------------------


def result(policy, seed, found, case=None, *, count=20, start=0):
    gains = np.zeros(count + 1, np.int64)
    gains[1:] = np.minimum(np.arange(1, count + 1), found)
    return RunResult(
        case=case or RaceCase("w", "t"), policy=policy, seed=seed, figures={"area": float(gains[1:].mean() / 20)},
        curve=gains, reachable=20, upto=count, start=start,
    )  # fmt: skip


def test_equal_runs_count_once():
    runs = [result("a", seed, 5) for seed in range(10)] + [result("b", seed, 6 + seed) for seed in range(10)]
    assert len(distinct(runs[:10])) == 1
    ranked = {each.policy: each for each in standings(runs)[RaceCase("w", "t")]}
    assert np.isnan(ranked["a"].measures["area"].half)
    assert ranked["b"].measures["area"].half > 0
    assert (ranked["a"].band.low == ranked["a"].band.high).all()
    steady = [result("a", seed, 5, start=seed) for seed in range(10)]
    assert (
        standings(steady)[RaceCase("w", "t")][0].measures["area"].half == 0
    )  # ten starts, always the same: that is news


def test_a_pair_of_deterministic_policies_is_one_pair():
    runs = [result("a", seed, 5) for seed in range(10)] + [result("b", seed, 9) for seed in range(10)]
    (pair,) = pairs(standings(runs)[RaceCase("w", "t")])
    assert (pair.pairs, pair.p) == (1, 1.0)
    runs = [
        result(name, seed, found, start=seed) for name, found in (("a", 5), ("b", 9)) for seed in range(10)
    ]
    (pair,) = pairs(standings(runs)[RaceCase("w", "t")])
    assert (pair.pairs, pair.p) == (10, 2 / 2**10)


def test_over_tasks_the_unit_is_the_task():
    runs = []
    for number in range(6):
        case = RaceCase("w", f"task {number}")
        for seed in range(3):
            runs += [
                result("oracle", seed, 20, case), result("breadth", seed, 2, case),
                result("good", seed, 12 + number + seed, case), result("poor", seed, 4 + seed, case),
            ]  # fmt: skip
    cases = standings(with_gain(runs))
    table = over_tasks(cases, 0)
    ranked = totals(table)
    assert [each.policy for each in ranked] == ["oracle", "good", "poor", "breadth"]
    good = ranked[1]
    assert (good.best, good.better, good.worse) == (6, 12, 0)
    assert good.gain.runs == 6
    assert [each.policy for each in cases[RaceCase("w", "task 0")]] == ["oracle", "good", "poor", "breadth"]
