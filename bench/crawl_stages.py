"""CPU of a whole crawl by stage: what each process and thread of `clew run` spends on a page, and on what.

    python -m bench.crawl_stages [--pages 2000] [--policy clew] [--shape new] [--repeat 3] [--write]

The crawl is that of `bench.throughput`. It runs in turns as it is and with its functions timed by the CPU clock of their
thread (`bench.timed_crawl`); every stage counts its own time, without the stages within it. What no stage counts is a row of
its own, so that the rows of a crawl add up to all that it spent; "untimed" is what the same crawl spent without any timing:
both should agree within five percent. `--write` publishes the table in docs/lab/speed.md.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import measure, site, throughput
from bench.figures import publish
from bench.parse_stages import HEAD
from bench.stage_floors import floors
from bench.timed_crawl import FOLDER, TIMING
from clew.types import Link, Response
from docs.figures import Table

COLUMNS = ("policy", "process", "stage", "µs a page", "share")
PROCESSES = {
    "MainThread": "main, event loop",
    "clew-store": "main, store thread",
    "other threads": "main, other threads",
}
GROUPS = {
    "start and end": ("start", "end"), "fetch": ("fetch",), "decode": ("decode",), "DOM": ("DOM",), "links": ("links",),
    "text": ("text", "head"), "bag": ("bag", "simhash"), "tokens of links": ("tokens",), "IPC": ("IPC",),
    "judge": ("engine: judge",), "rank": ("engine: features", "engine: learn", "engine: rerank"),
    "frontier": ("engine: frontier", "engine: next", "engine: intake"), "traps": ("engine: traps",),
    "WARC": ("WARC",), "store": ("store", "commit"), "models saved": ("models",), "screen, hints": ("screen",),
}  # fmt: skip
"""Kinds of stages, by the beginnings of their names."""

FLOOR_PAGES = 200
"""Pages that the libraries are measured on."""

Spent = dict[tuple[str, str], float]
"""µs a page by process and stage."""


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set environment variables for programs that are started meanwhile."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def timed_crawl(work: Path, seeds: list[str], pages: int, policy: str) -> Spent:
    """Crawl with timed functions; return what was spent on a page, by process and stage."""
    spent: Spent = {}
    root = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder, environment(**{FOLDER: folder, "PYTHONPATH": root}):
        program = (sys.executable, "-m", "bench.timed_crawl")
        run = throughput.run_clew(work, seeds, pages, policy, program=program)
        for thread, stages in json.loads(Path(folder, "main.json").read_text()).items():
            for stage, ns in stages.items():
                spent[PROCESSES.get(thread, thread), stage] = ns / 1e3 / run["pages"]
        for file in Path(folder).glob("worker-*.json"):
            for stage, ns in json.loads(file.read_text()).items():
                spent["workers", stage] = spent.get(("workers", stage), 0.0) + ns / 1e3 / run["pages"]
    workers = sum(each for (process, _), each in spent.items() if process == "workers")
    main = sum(spent.values()) - workers
    spent["main, other threads", "end of the interpreter"] = run["own"] / run["pages"] * 1e6 - main
    spent["workers", "pages after the last note"] = run["children"] / run["pages"] * 1e6 - workers
    return {(process, stage): each for (process, stage), each in spent.items() if stage != TIMING}


def table_of(policy: str, measured: float, spent: Spent) -> Table:
    """Return the stages of a crawl, the most expensive of each process first."""
    total = sum(spent.values())

    def line(process: str, stage: str, each: float) -> tuple[str, ...]:
        return policy, process, stage, f"{each:,.0f}", f"{each / total:.1%}"

    lines = []
    for process in dict.fromkeys(process for process, _ in spent):
        own = {stage: each for (owner, stage), each in spent.items() if owner == process}
        lines += [line(process, stage, own[stage]) for stage in sorted(own, key=lambda stage: -own[stage])]
        lines.append(line(process, "sum", sum(own.values())))
    lines += [line("all", "sum", total), line("all", "untimed", measured)]
    return Table(COLUMNS, tuple(lines))


def groups_of(spent: Spent, alone: dict[str, float]) -> Table:
    """Return what stages of the same kind cost together, and what a library alone costs for that."""
    lines = []
    for name, beginnings in GROUPS.items():
        cost = sum(each for (_, stage), each in spent.items() if stage.startswith(beginnings))
        lines.append((name, f"{cost:,.0f}", f"{alone[name]:,.0f}" if name in alone else ""))
    rest = sum(each for (_, stage), each in spent.items() if not stage.startswith(sum(GROUPS.values(), ())))
    lines += [("everything else", f"{rest:,.0f}", ""), ("sum", f"{sum(spent.values()):,.0f}", "")]
    return Table(("what", "µs a page", "a library alone, µs"), tuple(lines))


def some_pages(web: site.Site, count: int) -> list[Response]:
    """Return generated pages that the server has as files."""
    numbers = range(count // 2, count // 2 + FLOOR_PAGES)
    found = []
    for number in numbers:
        base = web.bases[web.host(number)]
        link = Link(id=0, url=base + web.path(number), origin=base)
        body = web.html(number).encode()
        found.append(Response(link=link, started=0, ended=0, status=200, head=HEAD, body=body))
    return found


def main() -> None:
    """Measure and print a table, or publish it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--policy", default="clew")
    parser.add_argument("--shape", choices=["new", "few"], default="new")
    parser.add_argument("--repeat", type=int, default=3, help="crawls of each kind; the cheapest counts")
    parser.add_argument("--port", type=int, default=8460)
    parser.add_argument("--write", action="store_true", help="publish in docs/lab/speed.md")
    options = parser.parse_args()
    bases = site.bases(options.port)
    seeds = [f"{base}/" for base in bases]
    throughput.compile_clew()
    count = 2 * options.pages if options.shape == "new" else options.pages + 300
    web, folder = site.made(options.shape, count, bases)
    plain: list[float] = []
    timed: list[Spent] = []
    with site.served(web, folder, options.port), tempfile.TemporaryDirectory(prefix="clew-bench-") as work:
        for _ in range(options.repeat):
            run = throughput.run_clew(Path(work), seeds, options.pages, options.policy)
            plain.append(run["cpu"] / run["pages"] * 1e6)
            timed.append(timed_crawl(Path(work), seeds, options.pages, options.policy))
        alone = floors(some_pages(web, options.pages))
    least = min(timed, key=lambda spent: sum(spent.values()))
    command = f"python -m bench.crawl_stages --pages {options.pages} --repeat {options.repeat} --write"
    publish(
        {"crawl-stages": table_of(options.policy, min(plain), least), "stage-groups": groups_of(least, alone)}, command,
        dry=not options.write, load=measure.facts()["load"],
    )  # fmt: skip


if __name__ == "__main__":
    main()
