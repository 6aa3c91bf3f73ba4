"""How fast a cached world is replayed: pages a CPU second, and how long the first page of a trial takes.

    python -m bench.replay_speed [FOLDER] [--worlds webkb,cppja] [--policies best-first] [--pages 2000] [--examples none]

FOLDER (or CLEW_WORLDS) holds worlds. Each trial is the product's own loop: frontier, trap guard, judge, ranker. The judge
reads every page's text, so the same trial is run with the judge that returns the labels. *start*
is opening the world and reading one page, without the import of Python modules and without building the page store.
"""

import argparse
import os
import time
from pathlib import Path

from bench import measure
from clew.lab import World, open_world, run_trial
from clew.lab.task import Task


def rate(world: World, task: Task, policy: str, pages: int, **settings: object) -> tuple[int, float]:
    """Return how many pages a trial read, and how many a CPU second."""
    began = time.process_time()
    trace = run_trial(world, task, policy, pages=pages, **settings)
    return len(trace), len(trace) / (time.process_time() - began)


def start(folder: Path) -> float:
    """Return the seconds to open a world and run a trial of one page."""
    began = time.perf_counter()
    world = open_world(folder)
    run_trial(world, world.tasks[0], "best-first", pages=1)
    return time.perf_counter() - began


def main() -> None:
    """Print one line for each world and policy."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--worlds", default="", help="names, with commas; all of them if not given")
    parser.add_argument("--policies", default="best-first")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument(
        "--examples", default="none", help="shown: the judge learns from them, and is slower for it"
    )
    options = parser.parse_args()
    if options.folder is None:
        parser.error("name the folder of the worlds, or set CLEW_WORLDS")
    folder = Path(options.folder)
    names = options.worlds.split(",") if options.worlds else sorted(
        each.parent.name for each in folder.glob("*/tasks.json")
    )  # fmt: skip
    measure.print_facts(measure.facts())
    rows = []
    for name in names:
        world = open_world(folder / name)
        begun = min(start(folder / name) for _ in range(3))
        for policy in options.policies.split(","):
            pages, words = rate(world, world.tasks[0], policy, options.pages, examples=options.examples)
            _, perfect = rate(world, world.tasks[0], policy, options.pages, judge="labels")
            rows.append([name, policy, f"{pages:,}", f"{words:,.0f}", f"{perfect:,.0f}", f"{begun:.2f} s"])
    print(measure.table(["world", "policy", "pages", "pages/CPU s", "judge: labels", "start"], rows))


if __name__ == "__main__":
    main()
