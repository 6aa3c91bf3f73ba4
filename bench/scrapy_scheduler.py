"""Relevant pages of one Scrapy spider in three orders, and of `clew run`, through sockets.

    python -m bench.scrapy_scheduler WORLD… --serve PATH/serve.py [--tasks 1] [--write]
    python -m bench.scrapy_scheduler --synthetic 8000 [--write]

The spider follows every link (`bench/scrapy_focused.py`). *fifo* is Scrapy's breadth-first order, *priority* gives each
request the number of the topic's words in link text and URL, as people write it by hand, *focused* is
`clew.scrapy.FocusedCrawl`. `clew run` starts from the same seeds with the same words, delay 0, eight requests a
host and sixteen in all, as Scrapy has. Pages are counted as they are read; relevant are those that the world's
labels name, which no program sees. *At* is the share of the world's pages.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import measure
from bench.figures import publish
from bench.world_crawl import proxied
from clew import urls
from clew.lab.synthetic import Web, WebTruth, serving
from clew.lab.world import open_world
from docs.figures import Table

SHARES = (0.1, 0.25, 0.5)
ORDERS = ("fifo", "priority", "focused", "clew run")
CONTACT = "https://github.com/clew-crawler/clew"


@dataclass(frozen=True, slots=True)
class Job:
    """One task on one web."""

    name: str
    about: str
    seeds: list[str]
    is_relevant: Callable[[str], bool]
    relevant: int
    pages: int


def world_jobs(folder: Path, most: int) -> list[Job]:
    """Return the first tasks of a world."""
    world = open_world(str(folder), plain=True)  # a proxy has no TLS
    tasks = [task for task in world.tasks if task.kind == "topic"][:most]
    return [
        Job(f"{world.name}: {task.name}", task.about, list(task.starts["seeds"]),
            lambda url, truth=task.truth: truth.grade(url) > 0, task.truth.relevant, len(world.pages))
        for task in tasks
    ]  # fmt: skip


def read_pages(order: str, job: Job, proxy: str, work: Path) -> list[str]:
    """Crawl in one order; return the pages in the order of reading."""
    budget, folder = int(job.pages * SHARES[-1]), work / order.replace(" ", "-")
    if order == "clew run":
        command = [
            measure.clew(),
            "new",
            str(folder),
            "--contact",
            CONTACT,
            "--no-check",
            "--about",
            job.about,
        ]
        for seed in job.seeds:
            command += ["--seed", seed]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        run = [measure.clew(), "run", str(folder), "--plain"]
        settings = (f"fetch.proxy={proxy}", "fetch.delay=0", "fetch.per_host=8", "fetch.concurrency=16",
                    f"crawl.pages={budget}", "store.min_free=0")  # fmt: skip
        for setting in settings:
            run += ["--set", setting]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with sqlite3.connect(f"file:{folder}/crawl.db?mode=ro", uri=True) as database:
            return [url for (url,) in database.execute(
                "SELECT url FROM fetched WHERE kind = 'page' AND status = 200 ORDER BY fetched_at")]  # fmt: skip
    items, settings_file = work / f"{order}.jsonl", work / f"{order}.json"
    job_settings = {"order": order, "proxy": proxy, "seeds": job.seeds, "about": job.about, "pages": budget,
                    "folder": str(folder), "items": str(items)}  # fmt: skip
    settings_file.write_text(json.dumps(job_settings))
    subprocess.run([sys.executable, "-m", "bench.scrapy_focused", str(settings_file)], check=True)
    return [json.loads(line)["url"] for line in items.read_text().splitlines()]


def counts(job: Job, pages: list[str]) -> list[int]:
    """Return the relevant pages at each share of the web."""
    canon = urls.Canon()
    hits = [job.is_relevant(canon(url) or url) for url in pages]
    return [sum(hits[: int(share * job.pages)]) for share in SHARES]


def jobs_of(options: argparse.Namespace, work: Path) -> Iterator[tuple[Job, str]]:
    """Give each task with a proxy that serves its web."""
    if options.synthetic:
        web = Web(options.synthetic, seed=3)
        truth = WebTruth(web)
        for topic in options.topics.split(","):
            task = web.task(topic)
            check = partial(truth.is_relevant, task=task)
            job = Job(
                f"synthetic: {topic}", task.words, web.seeds(topic), check, truth.count(task), web.pages
            )
            with serving(web, process=True) as proxy:
                yield job, proxy
    for world in options.worlds:
        for number, job in enumerate(world_jobs(world, options.tasks)):
            (place := work / f"{world.name}-{number}").mkdir()
            with proxied(world, options.serve, place) as proxy:
                yield job, proxy


def main() -> None:
    """Compare the orders; print or publish the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("worlds", nargs="*", type=Path)
    parser.add_argument("--serve", type=Path, help="the program that serves a world")
    parser.add_argument("--tasks", type=int, default=1, help="tasks of each world")
    parser.add_argument("--synthetic", type=int, default=0, help="pages of a synthetic web")
    parser.add_argument("--topics", default="lighthouses,chess")
    parser.add_argument("--write", action="store_true", help="publish the table in docs/lab/scrapy.md")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory(prefix="clew-scrapy-") as temporary:
        for number, (job, proxy) in enumerate(jobs_of(options, Path(temporary))):
            (work := Path(temporary) / f"task-{number}").mkdir()
            for order in ORDERS:
                found = counts(job, read_pages(order, job, proxy, work))
                rows.append((job.name, order, *map(str, found), str(job.relevant)))
                print(*rows[-1], sep="\t", flush=True)
            write(rows, options)


def write(rows: list[tuple[str, ...]], options: argparse.Namespace) -> None:
    """Publish the tasks so far, and their sums."""
    table = list(rows)
    for order in ORDERS:
        mine = [row for row in rows if row[1] == order]
        table.append(("all", order, *(str(sum(int(row[at]) for row in mine)) for at in range(2, 6))))
    columns = ("task", "order", "at 10 %", "at 25 %", "at 50 %", "relevant")
    names = " ".join(world.name for world in options.worlds)
    synthetic = f" --synthetic {options.synthetic} --topics {options.topics}" if options.synthetic else ""
    command = f"python -m bench.scrapy_scheduler {names}{synthetic} --tasks {options.tasks} --write"
    publish({"scrapy": Table(columns, tuple(table))}, command, dry=not options.write)


if __name__ == "__main__":
    main()
