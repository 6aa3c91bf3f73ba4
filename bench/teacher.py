"""What the labels of a teacher are worth: n50 and n10 with none, with 40, and with every page judged by it.

    python -m bench.teacher --worlds FOLDER [--starts 3] [--arms none,helpful,random] [--publish]

The teacher labels by the truth of each task and is wrong in one of ten cases. `helpful` asks about the pages
that `clew label --ask` chooses, `random` about any page read so far, `surest` about the pages whose verdicts
are farthest from the line; `every` is a judge that asks about every page, `perfect` the same without errors.
Curves are kept under the name of the arm (see bench.topics).
"""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bench.figures import publish
from bench.topics import TASKS, Case, Results, cases, figures
from clew.lab.statistics import interval, sign_flip_p
from docs.figures import Table

ERROR = 0.1

ARMS = {
    "none": "",
    "helpful": f"labels=40,error={ERROR}",
    "random": f"labels=40,error={ERROR},order=random",
    "surest": f"labels=40,error={ERROR},order=surest",
    "every": f"order=every,error={ERROR}",
    "perfect": "order=every",
    "right": "labels=40",
    "wrong": "labels=40,error=0.3",
    "few": f"labels=10,error={ERROR}",
    "many": f"labels=160,error={ERROR}",
    "yes": f"labels=40,error={ERROR},bias=1",
    "no": f"labels=40,error={ERROR},bias=-1",
}
"""What each arm does; those of the second half ask how far the number and the quality of labels matter."""

Measured: TypeAlias = dict[str, dict[tuple[str, str], list[dict[str, float]]]]

MEASURES = ("n50", "n10")
COLUMNS = (
    "pages labelled", "teacher", "tasks", "runs", "first half", "first half ±", "first tenth", "first tenth ±",
    "gain of first half", "gain of first half ±", "gain of first tenth", "gain of first tenth ±",
    "p of first half", "p of first tenth", "worst task",
)  # fmt: skip


def main() -> None:
    options = _options()
    found, results = cases(options.worlds, TASKS, options.starts), Results(options.again)
    measured: Measured = {}
    for case in sorted(found, key=lambda case: case.start):  # first all tasks from their first start
        limit = results.get("oracle", case, "", partial(_limit, case), False)
        floor = results.get("breadth", case, "", partial(case.run, "breadth", "words"), False)
        for arm in options.arms.split(","):
            name = f"{options.name}.{arm}"
            if options.kept and not results.file(name, case, "auto").exists():
                continue
            made = results.get(name, case, "auto", partial(case.run, "clew", "auto", answers=ARMS[arm]))
            key = case.world.name, case.task.name
            measured.setdefault(arm, {}).setdefault(key, []).append(figures(made, floor, limit))
        print(case.world.name, case.task.name, case.start, flush=True)
    table = Table(COLUMNS, tuple(_row(arm, measured) for arm in measured))
    command = f"python -m bench.teacher --worlds FOLDER --starts {options.starts} --arms {options.arms}"
    publish(
        {"teacher": table},
        command,
        dry=not options.publish,
        tasks=len(measured["none"]),
        labels=40,
        error=ERROR,
    )


def _row(arm: str, measured: Measured) -> tuple[str, ...]:
    """Return the figures of an arm: means over tasks of means over starts, and what it gains over none."""
    own, base = _means(measured[arm]), _means(measured["none"])
    cells = [arm, ARMS[arm], str(len(own)), str(sum(map(len, measured[arm].values())))]
    for measure in MEASURES:
        known = interval([each[measure] for each in own.values()])
        cells += [f"{known.mean:.3f}", f"{known.half:.3f}"]
    if arm == "none":
        return (*cells, *[""] * (len(COLUMNS) - len(cells)))
    gains = {m: [own[key][m] - base[key][m] for key in own] for m in MEASURES}
    for measure in MEASURES:
        known = interval(gains[measure])
        cells += [f"{known.mean:+.3f}", f"{known.half:.3f}"]
    cells += [f"{sign_flip_p(gains[measure]):.2f}" for measure in MEASURES]
    return (*cells, f"{min(gains['n50']):+.3f}")


def _means(tasks: dict[tuple[str, str], list[dict[str, float]]]) -> dict[tuple[str, str], dict[str, float]]:
    return {
        key: {m: float(np.mean([run[m] for run in runs])) for m in MEASURES} for key, runs in tasks.items()
    }


def _limit(case: Case) -> dict[str, Any]:
    reachable, curve = case.limits()
    return {"reachable": reachable, "curve": curve, "pages": case.pages}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--arms", default="none,helpful,random,every")
    parser.add_argument("--name", default="teacher", help="keep the curves under this name")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--kept", action="store_true", help="only curves that are kept; run nothing new")
    parser.add_argument("--publish", action="store_true", help="write docs/lab/data/teacher.csv")
    return parser.parse_args()


if __name__ == "__main__":
    main()
