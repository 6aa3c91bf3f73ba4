"""Measure what a page budget brings where links are dead: relevant pages, rows, failed requests.

    python -m bench.budget --worlds FOLDER [--goal topics|rows] [--out FILE.csv]   (or CLEW_WORLDS=FOLDER)

Links that lead out of the archive are shown, and answer 404. `topics` runs two tasks of each recorded world, 400
pages and at most 2,400 requests each; `rows` the tasks with example rows, 200 pages and at most 3,000 requests,
from the seeds of the world and, where lists are known, from two lists that hold example rows.
"""

import argparse
import csv
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.records_crawl import only_rows
from clew.lab.labels import read_rows
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import run_trial
from clew.lab.world import World, open_world

TOPICS = ("webkb", "cppja", "stat-sites", "lohelp-de", "geo-ja", "mdn-archive", "nikki-ja")
TOPIC_POLICIES = ("clew", "ariadne", "best-first", "keyword", "breadth")
ROWS = ("rec-ith", "rec-swde-book", "rec-swde-movie")
ROW_POLICIES = ("breadth", "clew", "objectrank", "records-text", "records-jaccard", "best-first", "ariadne")
HEADS = ("world", "task", "start", "policy", "found", "rows", "pages", "failed", "requests")


def topics(home: Path) -> Iterator[tuple[object, ...]]:
    """Run the tasks that look for pages on a topic."""
    for name in TOPICS:
        world = open_world(home / name)
        for task in world.tasks[:2]:
            for policy in TOPIC_POLICIES:
                trace = run_trial(world, task, policy, pages=400, requests=2_400, dead_ends=True)
                yield _row(world, task, "seeds", policy, trace)


def rows(home: Path) -> Iterator[tuple[object, ...]]:
    """Run the tasks that begin with five rows."""
    for name in ROWS:
        world = open_world(home / name)
        for task in filter(lambda each: each.records, world.tasks):
            for start, seeds in _starts(home / name, task).items():
                begun = replace(only_rows(task), starts={"seeds": seeds})
                for policy in ROW_POLICIES:
                    trace = run_trial(
                        world, begun, policy, pages=200, requests=3_000, dead_ends=True, judge="records",
                        extractor="records", examples="none",
                    )  # fmt: skip
                    yield _row(world, task, start, policy, trace)


def _starts(folder: Path, task: Task) -> dict[str, tuple[str, ...]]:
    starts = {"seeds": tuple(task.starts["seeds"])}
    if folder.name == "rec-ith":
        wanted = {(row["author"], row["title"]) for row in task.records}
        listed = read_rows(folder / "records.tsv")
        holding = Counter(row["page_url"] for row in listed if (row["author"], row["title"]) in wanted)
        starts["known"] = tuple(url for url, _ in holding.most_common(2))
    return starts


def _row(world: World, task: Task, start: str, policy: str, trace: Trace) -> tuple[object, ...]:
    found = int((trace.relevant & ~trace.examples).sum())
    gained = int(trace.gained[-1]) if len(trace.gained) else 0
    counts = found, gained, len(trace), trace.facts["failed"], trace.facts["requests"]
    return world.name, task.name, start, policy, *counts


def main() -> None:
    """Run one of the two groups, and write a row for each crawl."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", default=os.environ.get("CLEW_WORLDS", ""), type=Path)
    parser.add_argument("--goal", default="rows", choices=("topics", "rows"))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with asked.out.open("w", encoding="utf-8", newline="") if asked.out else sys.stdout as file:
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(HEADS)
        for row in (topics if asked.goal == "topics" else rows)(asked.worlds):
            sheet.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
