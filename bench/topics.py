"""Race policies on the topical tasks that tell them apart, up to half of each web, and up to a tenth of it.

    python -m bench.topics --worlds FOLDER [--policies clew,keyword] [--judges auto,labels] [--starts 2] [--name mine]

`n50` and `n10` are normalised areas (0 breadth-first, 1 the oracle) over the first half and the first tenth of
a web; dead ends are hidden. Curves are kept under the name of the policy, or under `--name`, and are not
run again; give another name, or `--again`, after a change.
"""

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clew.lab.cache import cache_root
from clew.lab.measures import area, between, curve_of
from clew.lab.oracle import oracle
from clew.lab.task import Task
from clew.lab.trial import TrialSettings, run_on, start_of
from clew.lab.world import World, open_world
from clew.lab.world_graph import WorldGraph, world_graph_of

TASKS = {
    "wikispeedia": (0, 1, 2, 3),
    "webkb": ("faculty", "research"),
    "lohelp-de": ("Tabellenkalkulation", "Makros"),
    "lohelp-ja": ("プレゼン", "文書"),
    "cppja": ("スレッド",),
}
"""The tasks on which policies differ: neither saturated nor out of reach."""

OTHERS = {
    "nikki-ja": (0, 1, 2, 3, 4),
    "lohelp-ja": ("Basic",),
    "webkb": ("university",),
    "mdn-archive": (0,),
}
"""Further tasks, for a second opinion."""

POINTS = (10, 20, 50, 100)
"""Fetches at which the finds are reported."""


@dataclass(frozen=True, slots=True)
class Case:
    """A task in an open world, from one start."""

    world: World
    graph: WorldGraph
    task: Task
    start: int
    cap: int = 0

    @property
    def pages(self) -> int:
        return self.graph.pages // 2

    def limits(self) -> tuple[int, list[int]]:
        """Return the relevant pages within reach, and the oracle's curve."""
        wanted = self.graph.wanted(self.task)
        seeds = self.graph.rows(start_of(self.world, self.task, TrialSettings(pages=1, seed=self.start)))
        order = oracle(self.graph.graph, wanted, seeds, cap=self.cap, upto=self.pages)[: self.pages]
        reachable = int(wanted[self.graph.graph.reachable(seeds)].sum())
        return reachable, curve_of(wanted[order]).tolist()

    def run(self, policy: str, judge: str, **more: Any) -> dict[str, Any]:
        """Return the curve of a policy, and its CPU seconds."""
        settings = TrialSettings(
            pages=self.pages, seed=self.start, judge=judge, cap_per_host=self.cap, **more
        )
        begun = time.process_time()
        trace = run_on(self.world, self.task, policy, settings)
        verdicts = np.nan_to_num(trace.verdicts)
        return {
            "curve": curve_of(trace.relevant & ~trace.examples).tolist(),
            "cpu": time.process_time() - begun,
            "kept": int((verdicts >= 0.5).sum()),
        }


def cases(folder: Path, tasks: dict[str, tuple[int | str, ...]], starts: int, cap: int = 0) -> list[Case]:
    """Open the worlds, and return all cases."""
    found = []
    for name, wanted in tasks.items():
        world = open_world(folder / name)
        graph = world_graph_of(world)
        assert graph is not None
        for task in wanted:
            seen: list[list[str]] = []
            for start in range(starts):
                chosen = world.task(task)
                begin = start_of(world, chosen, TrialSettings(pages=1, seed=start))
                if begin not in seen:
                    seen.append(begin)
                    found.append(Case(world, graph, chosen, start, cap))
    return found


def figures(run: dict[str, Any], floor: dict[str, Any], limit: dict[str, Any]) -> dict[str, float]:
    """Return the measures of a run."""
    curve, pages = np.array(run["curve"]), limit["pages"]
    result = {}
    for key, upto in (("n50", pages), ("n10", pages // 5)):
        low, own, high = (
            area(np.array(each), limit["reachable"], upto)
            for each in (floor["curve"], run["curve"], limit["curve"])
        )
        result[key] = between(own, low, high)
    for point in POINTS:
        result[f"@{point}"] = float(curve[min(point, len(curve) - 1)])
    result["cpu"] = 1000 * run.get("cpu", 0.0) / max(1, len(curve) - 1)
    return result


class Results:
    """Curves kept in a folder, one file for each run."""

    def __init__(self, again: bool = False) -> None:
        self.folder = cache_root().parent / "topics"
        self.folder.mkdir(exist_ok=True)
        self.again = again

    def get(self, name: str, case: Case, judge: str, make: Any, again: bool | None = None) -> dict[str, Any]:
        task = str(case.world.tasks.index(case.task))
        file = self.folder / "_".join(
            (name.replace("/", "."), judge, case.world.name, task, str(case.start), str(case.cap))
        )
        if file.exists() and not (self.again if again is None else again):
            return dict(json.loads(file.read_text()))
        made = make()
        file.write_text(json.dumps(made))
        return dict(made)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--policies", default="clew")
    parser.add_argument("--judges", default="auto,labels")
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--cap", type=int, default=0)
    parser.add_argument("--only", default="", help="worlds, separated by commas")
    parser.add_argument("--others", action="store_true", help="the further tasks")
    parser.add_argument("--name", default="", help="keep the curves under this name")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--tasks", action="store_true", help="print every task")
    options = parser.parse_args()
    tasks = OTHERS if options.others else TASKS
    if options.only:
        tasks = {name: tasks[name] for name in options.only.split(",")}
    found, results = cases(options.worlds, tasks, options.starts, options.cap), Results(options.again)
    for judge in options.judges.split(","):
        for policy in options.policies.split(","):
            rows = []
            for case in found:
                limit = results.get("oracle", case, "", lambda c=case: _limit(c), False)
                floor = results.get("breadth", case, "", lambda c=case: c.run("breadth", "words"), False)
                run = results.get(
                    options.name or policy,
                    case,
                    judge,
                    lambda c=case: c.run(policy, judge),  # noqa: B023
                )
                rows.append((case, figures(run, floor, limit)))
            show(options.name or policy, judge, rows, options.tasks)


def _limit(case: Case) -> dict[str, Any]:
    reachable, curve = case.limits()
    return {"reachable": reachable, "curve": curve, "pages": case.pages}


def show(name: str, judge: str, rows: list[tuple[Case, dict[str, float]]], each: bool) -> None:
    """Print the means over tasks, of the mean over starts."""
    by_task: dict[tuple[str, str], list[dict[str, float]]] = {}
    for case, measured in rows:
        by_task.setdefault((case.world.name, case.task.name), []).append(measured)
    keys = list(rows[0][1])
    means = {task: {k: float(np.mean([m[k] for m in runs])) for k in keys} for task, runs in by_task.items()}
    if each:
        for (world, task), mean in means.items():
            print(f"    {world:12} {task[:26]:26} " + " ".join(_cell(k, v) for k, v in mean.items()))
    total = {k: float(np.mean([mean[k] for mean in means.values()])) for k in keys}
    print(
        f"{name:24} {judge:7} {len(means)} tasks " + " ".join(_cell(k, v) for k, v in total.items()),
        flush=True,
    )


def _cell(key: str, value: float) -> str:
    return f"{key} {value:6.3f}" if key.startswith("n") else f"{key} {value:4.1f}"


if __name__ == "__main__":
    main()
