"""A race: policies search for the same pages in the same worlds, and a folder keeps the trace of each run.

    race.json       settings, statistics of the tasks (`courses`) and the list of runs
    trials/*.npz    one trace each, written atomically
    report.html, results.csv, results.parquet, curves.csv, plots/*.svg

A race that is started again makes only the runs that are missing.
"""

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from clew.domain.installation import __version__
from clew.errors import ConfigError
from clew.lab import plots
from clew.lab.race_runs import RacePlan, RaceRun, plan_race
from clew.lab.race_summary import RaceSettings, RaceSummary, TaskStats
from clew.lab.report import report
from clew.lab.results import csv_text, curves_of, json_text, result_of, rows_of, write_parquet
from clew.lab.standings import standings, with_gain
from clew.lab.trace import Trace
from clew.lab.worker_pool import Done, WorkerPool
from clew.store.folder import disk_error

LAYOUT = 1
"""Increased whenever the format of the files of a race changes."""

PLAN = "race.json"
TRIALS = "trials"
PLOTS = "plots"

_FIXED = ("worlds", "tasks", "pages", "caps", "judge", "dead_ends", "traps", "requests")
"""Settings that may not change within a race; policies and runs may be added."""


class RaceObserver(Protocol):
    """Receives the progress of a race: the number of runs, each run that ends, and notes."""

    def begin(self, total: int, done: int) -> None: ...

    def ran(self, done: Done) -> None: ...

    def note(self, text: str) -> None: ...


def race(settings: RaceSettings, out: Path, watch: RaceObserver, *, jobs: int = 1) -> RaceSummary:
    """Run what is missing of a race, write its report and all its numbers, and return its summary."""
    check_folder(out, settings)
    plan = plan_race(settings, watch.note)
    for note in plan.notes:
        watch.note(note)
    try:
        (out / TRIALS).mkdir(parents=True, exist_ok=True)
        _write_plan(plan, out)
    except OSError as error:
        raise disk_error(error, out) from error
    runs = {entry.file: entry for entry in plan.entries}
    missing = [entry for file, entry in runs.items() if not (out / TRIALS / file).exists()]
    watch.begin(len(runs), len(runs) - len(missing))
    failures: dict[tuple[str, str], int] = {}
    if missing:
        with WorkerPool(out / TRIALS, jobs) as pool:
            for done in pool.run(missing):
                watch.ran(done)
                if done.error:
                    name = (done.entry.policy, done.error)
                    failures[name] = failures.get(name, 0) + 1
    lost = [f"{policy} failed in {count} runs: {why}" for (policy, why), count in failures.items()]
    summary = read_race(out, lost)
    write_results(summary, out)
    return summary


def check_folder(out: Path, settings: RaceSettings) -> None:
    """Refuse a folder that holds something else, or another race."""
    if not out.exists():
        return
    if not out.is_dir():
        msg = f"{out} is a file; choose another name for the folder of the race"
        raise ConfigError(msg)
    if not (out / PLAN).exists():
        if any(out.iterdir()):
            msg = f"{out} is not empty and holds no race; choose another --out"
            raise ConfigError(msg)
        return
    stored = _read_plan(out)["settings"]
    for key in _FIXED:
        before, now = stored.get(key, 0 if key == "requests" else None), settings.as_dict()[key]
        if before != now:
            difference = f"{key} = {_shown(before)} there, {_shown(now)} here"
            hint = "choose another --out, or the same settings to go on"
            msg = f"{out} holds another race ({difference}); {hint}"
            raise ConfigError(msg)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ",".join(str(each) for each in value) or "all"
    return str(value)


def _write_plan(plan: RacePlan, out: Path) -> None:
    content = {
        "layout": LAYOUT,
        "clew": __version__,
        "settings": plan.settings.as_dict(),
        "notes": plan.notes,
        "courses": [asdict(stats) for stats in plan.stats_by_task.values()],
        "entries": [entry.as_dict() for entry in plan.entries],
    }
    _write(out / PLAN, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _read_plan(out: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads((out / PLAN).read_text("utf-8"))
    except FileNotFoundError:
        msg = f"{out} holds no race; start one with: clew lab race WORLD --out {out}"
        raise ConfigError(msg) from None
    except (OSError, ValueError) as error:
        msg = f"{out / PLAN} cannot be read: {error}; delete the file and start the race again"
        raise ConfigError(msg) from None
    if not isinstance(content, dict) or content.get("layout") != LAYOUT:
        msg = f"{out / PLAN} is not the file of a race, or that of another version; choose another folder"
        raise ConfigError(msg)
    return content


def read_race(out: Path, lost: list[str] | None = None) -> RaceSummary:
    """Return the summary of a race from its folder; no world is needed for it."""
    content = _read_plan(out)
    stats_by_task = {}
    for stored in content["courses"]:
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
        stats = TaskStats(**fields)
        stats_by_task[stats.world, stats.task] = stats
    results, notes, missing = [], [*content["notes"], *(lost or [])], 0
    for stored in content["entries"]:
        entry = RaceRun.of(stored)
        path = out / TRIALS / entry.file
        if not path.exists():
            missing += 1
            continue
        try:
            trace = Trace.load(path)
        except ConfigError:
            with suppress(OSError):
                path.unlink()
            notes.append(f"{path} was damaged and has been deleted; the same command runs it again")
            missing += 1
            continue
        results.append(result_of(entry, trace, stats_by_task[entry.case.world, entry.case.task]))
    bounded = [task_stats for task_stats in stats_by_task.values() if task_stats.bounded]
    notes += [
        f"{each.world} is too large for the oracle: its limit is one relevant page a fetch"
        for each in bounded
    ]
    return RaceSummary(
        settings=RaceSettings.of(content["settings"]),
        cases=standings(with_gain(results)),
        stats_by_task=stats_by_task,
        notes=list(dict.fromkeys(notes)),
        missing=missing,
        made_by=f"clew {content['clew']}",
    )


def write_results(summary: RaceSummary, out: Path) -> None:
    """Write report, numbers and drawings beside the traces."""
    try:
        _write(out / "report.html", report(summary))
        _write(out / "results.csv", csv_text(rows_of(summary.cases)))
        _write(out / "results.json", json_text(summary))
        _write(out / "curves.csv", csv_text(curves_of(summary.cases)))
        _write_atomically(out / "results.parquet", lambda half: write_parquet(rows_of(summary.cases), half))
        (out / PLOTS).mkdir(exist_ok=True)
        for name, lines, title in drawings(summary):
            drawn = plots.drawing(lines, x_label="fetches", y_label="recall", title=title, alone=True)
            _write(out / PLOTS / f"{name}.svg", drawn)
    except OSError as error:
        raise disk_error(error, out) from error


def drawings(summary: RaceSummary) -> list[tuple[str, list[plots.Line], str]]:
    """Return for each case the name of its drawing, its lines and its title."""
    tone = plots.colours(summary.policies())
    drawn = []
    for number, (case, ranked) in enumerate(summary.cases.items(), 1):
        lines = [plots.Line(each.policy, each.band, tone[each.policy]) for each in ranked]
        name = re.sub(r"[^\w.-]+", "-", f"{number:02}-{case.world}-{case.task}-cap{case.cap}")
        drawn.append((name, lines, f"{case.title()} (judge: {summary.settings.judge})"))
    return drawn


def _write(path: Path, text: str) -> None:
    _write_atomically(path, lambda half: half.write_text(text, "utf-8"))


def _write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a temporary file, then rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if write(temporary):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
