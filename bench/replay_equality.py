"""Crawl archived webs twice, through a proxy over real sockets and by replay, and compare every request.

    python -m bench.replay_equality [FOLDER] [--worlds webkb,cppja] [--policies breadth,best-first] [--pages 800]

FOLDER (or CLEW_WORLDS) holds worlds and `serve.py`, a proxy that answers for every host of a world and logs each
request. Both crawls run with one request at a time, no delay and the trap guard on; the replay takes https pages as http,
as the proxy must, and sees links that lead out of the archive. Links that stay https are left out of both.
Equal means: the same URLs were requested in the same order, robots.txt and redirects among them, and
every page was taken with the same score and got the same verdict.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import clew
from bench.world_crawl import CONTACT, proxied
from clew.lab import TrialSettings, World, open_world, run_on
from clew.lab.task import Task

LEFT_OUT = {"scope.exclude": ["https://*"]}


def network(world: Path, serve: Path, task: Task, policy: str, pages: int) -> tuple[list[str], list[tuple]]:
    """Crawl over sockets; return the requests in order, and score and verdict of the pages."""
    with (
        tempfile.TemporaryDirectory(prefix="clew-equality-") as work,
        proxied(world, serve, Path(work)) as proxy,
    ):
        settings = {
            "fetch.proxy": proxy, "fetch.delay": 0, "fetch.per_host": 1, "fetch.concurrency": 1, "rank.policy": policy,
            **LEFT_OUT,
        }  # fmt: skip
        crawl = clew.Crawl(
            Path(work) / "crawl",
            about=task.about,
            seeds=task.starts["seeds"],
            contact=CONTACT,
            settings=settings,
        )
        crawl.run(pages=pages)
        requested = [json.loads(line)["url"] for line in (Path(work) / "log.jsonl").read_text().splitlines()]
        rows = crawl.pages.sql(
            "SELECT pages.score, verdict FROM pages JOIN links USING (id)"
            " WHERE kind = 0 AND redirect IS NULL ORDER BY fetched_at, pages.id"
        ).rows()
    return requested, rows


def replay(world: World, task: Task, policy: str, pages: int) -> tuple[list[str], list[tuple]]:
    """Run the same crawl by replay."""
    log: list[str] = []
    trace = run_on(
        world,
        task,
        policy,
        TrialSettings(pages=pages, examples="none", dead_ends=True, settings=LEFT_OUT),
        log,
    )
    return log, list(zip(trace.scores.tolist(), trace.verdicts.tolist(), strict=True))


def difference(one: list[str], two: list[str]) -> str:
    """Describe the first difference of two lists of requests; empty if there is none."""
    for number, (left, right) in enumerate(zip(one, two, strict=False)):
        if left != right:
            return f"request {number + 1}: network {left}, replay {right}"
    return "" if len(one) == len(two) else f"network made {len(one)} requests, replay {len(two)}"


def same_numbers(one: list[tuple], two: list[tuple]) -> bool:
    """Tell whether scores and verdicts agree."""
    left, right = (np.array(rows, np.float64) for rows in (one, two))
    return left.shape == right.shape and np.allclose(left, right, atol=1e-5, equal_nan=True)


def main() -> None:
    """Compare worlds and policies one by one; exit with 1 if any differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--worlds", default="", help="names, with commas; all of them if not given")
    parser.add_argument("--policies", default="breadth,best-first")
    parser.add_argument("--pages", type=int, default=800)
    options = parser.parse_args()
    if options.folder is None:
        parser.error("name the folder of the worlds, or set CLEW_WORLDS")
    names = options.worlds.split(",") if options.worlds else sorted(
        each.parent.name for each in options.folder.glob("*/tasks.json")
    )  # fmt: skip
    differing = 0
    for name in names:
        world = open_world(options.folder / name, plain=True)
        task = world.tasks[0]
        for policy in options.policies.split(","):
            began = time.perf_counter()
            requested, rows = network(
                options.folder / name, options.folder / "serve.py", task, policy, options.pages
            )
            between = time.perf_counter()
            log, columns = replay(world, task, policy, options.pages)
            ended = time.perf_counter()
            first_difference = difference(requested, log) or (
                "" if same_numbers(rows, columns) else "scores or verdicts differ"
            )
            differing += bool(first_difference)
            took = f"{between - began:.1f} s over sockets, {ended - between:.1f} s replayed"
            print(
                f"{name:16} {policy:12} {len(requested):5} requests, {len(rows):5} pages, {took}: {first_difference or 'equal'}",
                flush=True,
            )
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
