"""Measure focus under politeness: relevant pages per page budget and per hour, at several concurrencies.

    python -m bench.focus --worlds FOLDER [--pages 600] [--out docs/lab/data/focus.csv]   (or CLEW_WORLDS=FOLDER)

Crawls run in virtual time with one second between two requests to a host and half a second for an answer on
average. `focus` is fetch.focus; 0 fills all requests, as before it existed. A stopped bench goes on where it was.
"""

import argparse
import csv
import os
import time
from collections.abc import Iterator
from pathlib import Path

from clew.lab import NetworkModel, run_trial
from clew.lab.task import Task
from clew.lab.world import World, open_world

HEADS = ("world", "task", "policy", "concurrency", "focus", "pages", "found", "failed", "seconds")
RECORDED = ("stat-sites", "geo-ja", "webkb")
SYNTHETIC = ("madeup:20000:3", "madeup:20000:4")
POLICIES = ("clew",)
TASKS = 1
SETTINGS = (
    *((concurrency, 0) for concurrency in (1, 4, 16, 64)),
    *((64, focus) for focus in (1, 2, 4, 8, 16)),
    *((concurrency, 4) for concurrency in (1, 4, 16)),
)
DELAY, LATENCY = 1.0, 0.5


def tasks(home: Path) -> Iterator[tuple[World, Task]]:
    """Yield the tasks that are run: the first of each world."""
    for name in (*RECORDED, *SYNTHETIC):
        world = open_world(name if name in SYNTHETIC else home / name)
        for task in world.tasks[:TASKS]:
            yield world, task


def run(world: World, task: Task, policy: str, setting: tuple[int, int], pages: int) -> dict[str, object]:
    """Run one crawl; return its row."""
    concurrency, focus = setting
    trace = run_trial(
        world, task, policy, pages=pages, concurrency=concurrency, delay=DELAY,
        network=NetworkModel(latency=LATENCY), dead_ends=True, settings={"fetch.focus": focus},
    )  # fmt: skip
    found = int((trace.relevant & ~trace.examples).sum())
    values = (
        world.name, task.name, policy, concurrency, focus, len(trace), found, trace.facts["failed"],
        round(trace.facts["virtual"]),
    )  # fmt: skip
    return dict(zip(HEADS, values, strict=True))


def main() -> None:
    """Run what is missing, and append it to the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", default=os.environ.get("CLEW_WORLDS", ""), type=Path)
    parser.add_argument("--pages", default=600, type=int)
    parser.add_argument("--out", default="docs/lab/data/focus.csv", type=Path)
    asked = parser.parse_args()
    stored = list(csv.DictReader(asked.out.open("r", encoding="utf-8"))) if asked.out.exists() else []
    done = {tuple(row[head] for head in HEADS[:5]) for row in stored}
    with asked.out.open("a", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, HEADS, lineterminator="\n")
        if not stored:
            sheet.writeheader()
        for world, task in tasks(asked.worlds):
            for policy in POLICIES:
                for setting in SETTINGS:
                    if (world.name, task.name, policy, *map(str, setting)) in done:
                        continue
                    began = time.perf_counter()
                    row = run(world, task, policy, setting, asked.pages)
                    sheet.writerow(row)
                    file.flush()
                    print(*row.values(), f"{time.perf_counter() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
