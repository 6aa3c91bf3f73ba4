"""Race policies on the topical tasks that tell them apart, up to half of each web, and up to a tenth of it.

    python -m bench.topics --worlds FOLDER [--policies clew,keyword] [--judges auto,labels] [--starts 2] [--name mine]

`n50` and `n10` are normalised areas (0 breadth-first, 1 the oracle) over the first half and the first tenth of
a web; dead ends are hidden. With `--fifth` the first is the area over a fifth (`n20`), in two fifths of the time.
`--clusters` takes other tasks: clusters of texts (`bench/cluster_tasks.py`), which no policy was made for.
Curves are kept under the name of the policy, or under `--name`, and are not run again; give another name, or `--again`,
after a change.
"""

import argparse
import json
import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bench.cluster_tasks import with_cluster_tasks
from bench.figures import publish
from clew.lab.cache import cache_root
from clew.lab.measures import area, between, curve_of
from clew.lab.oracle import oracle
from clew.lab.task import Task
from clew.lab.trial import TrialSettings, run_on, start_of
from clew.lab.world import World, open_world
from clew.lab.world_graph import WorldGraph, world_graph_of
from docs.figures import Table

Means: TypeAlias = dict[tuple[str, str], dict[str, float]]

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

CLUSTERS: dict[str, tuple[int | str, ...]] = dict.fromkeys(
    ("rec-ith", "stat-sites", "geo-ja", "webkb", "mdn-archive", "nikki-ja", "wikispeedia"), ()
)
"""Webs whose texts are grouped into tasks with `--clusters`."""

POINTS = (10, 20, 50, 100)
"""Fetches at which the finds are reported."""

HALF, FIFTH, TENTH = 2, 5, 10
"""Parts of a web."""

SHOWN = ("n10", "@10", "@20", "@50", "@100")
COLUMNS = (
    "first tenth", "found at 10", "found at 20", "found at 50", "found at 100",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A task in an open world, from one start."""

    world: World
    graph: WorldGraph
    task: Task
    start: int
    cap: int = 0
    part: int = 2

    @property
    def pages(self) -> int:
        """The budget: half of the web, or another part of it."""
        return self.graph.pages // self.part

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


def cases(
    folder: Path,
    tasks: dict[str, tuple[int | str, ...]],
    starts: int,
    cap: int = 0,
    part: int = 2,
    *,
    clusters: bool = False,
) -> list[Case]:
    """Open the worlds, and return all cases."""
    found = []
    for name, wanted in tasks.items():
        world = open_world(folder / name)
        graph = world_graph_of(world)
        assert graph is not None
        if clusters:
            world = with_cluster_tasks(world, graph)
        for task in range(len(world.tasks)) if clusters else wanted:
            seen: list[list[str]] = []
            for start in range(starts):
                chosen = world.task(task)
                begin = start_of(world, chosen, TrialSettings(pages=1, seed=start))
                if begin not in seen:
                    seen.append(begin)
                    found.append(Case(world, graph, chosen, start, cap, part))
    return found


def figures(
    run: dict[str, Any], floor: dict[str, Any], limit: dict[str, Any], part: int = 2
) -> dict[str, float]:
    """Return the measures of a run on this part of a web: `n50`, or `n20`, is the area over all of it."""
    curve, pages = np.array(run["curve"]), limit["pages"]
    result = {}
    for key, upto in ((_whole(part), pages), ("n10", pages * part // TENTH)):
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

    def file(self, name: str, case: Case, judge: str) -> Path:
        """Return where the curve of a run is kept."""
        parts = [name.replace("/", "."), judge, case.world.name, str(case.world.tasks.index(case.task))]
        parts += [str(case.start), str(case.cap), *([f"part{case.part}"] if case.part != HALF else ())]
        return self.folder / "_".join(parts)

    def get(self, name: str, case: Case, judge: str, make: Any, again: bool | None = None) -> dict[str, Any]:
        file = self.file(name, case, judge)
        if file.exists() and not (self.again if again is None else again):
            return dict(json.loads(file.read_text()))
        made = make()
        file.write_text(json.dumps(made))
        return dict(made)


def main() -> None:
    options = _options()
    tasks = CLUSTERS if options.clusters else OTHERS if options.others else TASKS
    if options.only:
        tasks = {name: tasks[name] for name in options.only.split(",")}
    part = FIFTH if options.fifth else HALF
    found = cases(options.worlds, tasks, options.starts, options.cap, part, clusters=options.clusters)
    results = Results(options.again)
    lines: list[tuple[str, ...]] = []
    for judge in options.judges.split(","):
        for policy in options.policies.split(","):
            name, _, label = policy.partition("=")
            means = by_task(results, found, options.name or label or name, name, judge)
            show(options.name or label or name, judge, means, options.tasks)
            lines += [
                (
                    judge,
                    label or name,
                    world,
                    task,
                    *(_number(key, mean[key]) for key in (_whole(part), *SHOWN)),
                )
                for (world, task), mean in [*means.items(), (("all", "all"), mean_of(list(means.values())))]
            ]
    if options.publish:
        more = (" --clusters" if options.clusters else "") + (" --fifth" if options.fifth else "")
        command = f"python -m bench.topics --worlds FOLDER --starts {options.starts} --policies {options.policies} --judges {options.judges}{more} --publish --table {options.table}"
        columns = (
            "judge",
            "policy",
            "world",
            "task",
            "first fifth" if options.fifth else "first half",
            *COLUMNS,
        )
        publish(
            {options.table: Table(columns, tuple(lines))}, command, tasks=len({line[3] for line in lines}) - 1
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--policies", default="clew", help="names, or module:Class=LABEL")
    parser.add_argument("--judges", default="auto,labels")
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--cap", type=int, default=0)
    parser.add_argument("--fifth", action="store_true", help="stop after a fifth of each web")
    parser.add_argument("--only", default="", help="worlds, separated by commas")
    parser.add_argument("--others", action="store_true", help="the further tasks")
    parser.add_argument("--clusters", action="store_true", help="tasks from clusters of texts")
    parser.add_argument("--name", default="", help="keep the curves under this name")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--tasks", action="store_true", help="print every task")
    parser.add_argument("--publish", action="store_true", help="write a table in docs/lab/data")
    parser.add_argument("--table", default="topics", help="the name of that table")
    return parser.parse_args()


def by_task(results: Results, found: list[Case], name: str, policy: str, judge: str) -> Means:
    """Return the mean measures of a policy over the starts of each task."""
    runs: dict[tuple[str, str], list[dict[str, float]]] = {}
    for case in found:
        limit = results.get("oracle", case, "", partial(_limit, case), False)
        floor = results.get("breadth", case, "", partial(case.run, "breadth", "words"), False)
        run = results.get(name, case, judge, partial(case.run, policy, judge))
        runs.setdefault((case.world.name, case.task.name), []).append(figures(run, floor, limit, case.part))
    return {task: mean_of(each) for task, each in runs.items()}


def mean_of(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure."""
    return {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}


def _limit(case: Case) -> dict[str, Any]:
    reachable, curve = case.limits()
    return {"reachable": reachable, "curve": curve, "pages": case.pages}


def show(name: str, judge: str, means: Means, each: bool) -> None:
    """Print the means over tasks, of the mean over starts."""
    for (world, task), mean in means.items() if each else ():
        print(f"    {world:12} {task[:26]:26} " + " ".join(f"{k} {_number(k, v)}" for k, v in mean.items()))
    total = mean_of(list(means.values()))
    shown = " ".join(f"{key} {_number(key, value)}" for key, value in total.items())
    print(f"{name:24} {judge:7} {len(means)} tasks {shown}", flush=True)


def _whole(part: int) -> str:
    """Return the name of the area over a part of the web."""
    return f"n{100 // part}"


def _number(key: str, value: float) -> str:
    return f"{value:.3f}" if key.startswith("n") else f"{value:.1f}"


if __name__ == "__main__":
    main()
