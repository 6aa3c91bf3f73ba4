"""Data files found against requests: per site, over all sites with one budget, and on synthetic webs.

    python -m bench.data --worlds FOLDER [--small] [--policies …] [--write]

Every request counts: pages, redirects, dead links, robots.txt. A file counts when it was fetched successfully.
The score of a curve is its area divided by that of an ideal fetcher, which finds a file with every request until it has
all files that any policy found: 1 is out of reach, 0 means no files.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.figures import publish, stacked
from clew.domain.datafiles import kind_of
from clew.lab.task import Graded, Task
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import World, open_world
from clew.urls import Canon
from docs.figures import Table

POLICIES = (
    "breadth",
    "keyword",
    "best-first",
    "tagpath",
    "sites",
    "ext-first",
    "files-first",
    "ariadne",
    "clew",
)
SETTINGS: dict[str, object] = {"scope.hosts": ["seeds"]}


@dataclass(frozen=True, slots=True)
class Curve:
    """Files found after each request, pages read that link to files, and CPU seconds."""

    found: np.ndarray
    pages: int
    seconds: float

    def at(self, requests: int) -> int:
        return int(self.found[min(requests, len(self.found)) - 1]) if len(self.found) else 0

    def score(self, budget: int, most: int) -> float:
        found = np.full(budget, self.at(budget), float)
        found[: min(budget, len(self.found))] = self.found[:budget]
        ideal = np.minimum(np.arange(1, budget + 1), most)
        return float(found.sum() / ideal.sum()) if most else 0.0


def run_policy(  # noqa: PLR0917
    world: World,
    policy: str,
    starts: tuple[str, ...],
    budget: int,
    is_file: Callable[[int], bool],
    truth: Graded,
    seed: int = 0,
    *,
    dead: bool = True,
) -> Curve:
    """Run a policy that looks for data from some seeds, and count the files it fetched."""
    task = Task(name="data", about="", truth=truth, starts={"seeds": starts})
    log: list[str] = []
    began = time.process_time()
    settings = TrialSettings(pages=budget, seed=seed, judge="data", dead_ends=dead, settings=SETTINGS)
    trace = run_on(world, task, policy, settings, log)
    seconds = time.process_time() - began
    fetched_files: set[int] = set()
    found = []
    for url in log[:budget]:
        row = world.pages.find(url)
        if row >= 0 and is_file(row):
            fetched_files.add(row)
        found.append(len(fetched_files))
    return Curve(np.array(found, int), int(trace.relevant.sum()), seconds)


def real(folder: Path) -> tuple[World, set[str], dict[str, tuple[str, ...]], Graded, Counter[str]]:
    """Return the archive, its data files, the seeds of each site, and the pages that link to files."""
    world, canon = open_world(folder), Canon()
    with (folder / "labels.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    files = {canon(row["url"]) or "" for row in rows if row["kind"] == "data"}
    with (folder / "sites.tsv").open(encoding="utf-8") as file:
        sites = {
            row["host"]: tuple(filter(None, map(canon, row["seed"].split())))
            for row in csv.DictReader(file, delimiter="\t")
        }
    linking = Counter(row["host"] for row in rows if row["kind"] == "data" or int(row["stat_links"] or 0) > 0)
    return world, files, sites, world.task("stat-file-collect").truth, linking


def per_site(folder: Path, policies: list[str], budget: int) -> dict[str, Table]:
    """Race on every site that has a data file or a page that links to one."""
    world, files, sites, truth, linking = real(folder)
    pages, rows, scores = world.pages, [], {policy: [] for policy in policies}
    for host in sorted(sites, key=lambda host: -linking[host]):
        if not linking[host]:
            continue
        curves = {
            policy: run_policy(world, policy, sites[host], budget, lambda row: pages.url(row) in files, truth)
            for policy in policies
        }
        most = max(curve.at(budget) for curve in curves.values())
        for policy, curve in curves.items():
            score = f"{curve.score(budget, most):.2f}" if most else ""
            rows.append(
                (host, policy, str(curve.at(budget // 4)), str(curve.at(budget)), str(curve.pages), score)
            )
            scores[policy] += [curve.score(budget, most)] if most else []
            print(*rows[-1], flush=True)
    first = np.array([scores[policy] for policy in policies])
    best = [f"{int((row >= first.max(axis=0) - 1e-9).sum())} of {first.shape[1]}" for row in first]
    means = [f"{np.mean(scores[policy]):.2f}" for policy in policies]
    heads = (
        "site",
        "policy",
        f"files after {budget // 4}",
        f"files after {budget}",
        "pages with files",
        "score",
    )
    titles = ("policy", "mean score of sites with files", "best or equal on")
    return {
        "data-sites": Table(heads, tuple(rows)),
        "data-sites-means": Table(titles, tuple(zip(policies, means, best, strict=True))),
    }


def together(folder: Path, policies: list[str], budgets: list[int], seeds: int, *, dead: bool) -> Table:
    """Race over all sites with one budget; other starts leave out a fifth of the seeds."""
    world, files, sites, truth, _ = real(folder)
    pages, starts = world.pages, tuple(url for found in sites.values() for url in found)
    curves = {
        policy: [
            run_policy(
                world,
                policy,
                starts,
                budgets[-1],
                lambda row: pages.url(row) in files,
                truth,
                seed,
                dead=dead,
            )
            for seed in range(seeds)
        ]
        for policy in policies
    }
    most = max(curve.at(budgets[-1]) for some in curves.values() for curve in some)
    nofollow = "obeyed" if SETTINGS.get("fetch.robots", True) else "ignored"
    rows = []
    for policy, some in curves.items():
        found = [f"{np.mean([curve.at(budget) for curve in some]):.0f}" for budget in budgets]
        cells = (
            f"{np.mean([curve.pages for curve in some]):.0f}",
            f"{np.mean([curve.score(budgets[-1], most) for curve in some]):.2f}",
            f"{1000 * np.mean([curve.seconds / max(1, len(curve.found)) for curve in some]):.1f}",
        )
        rows.append(("included" if dead else "left out", nofollow, policy, *found, *cells))
        print(*rows[-1], flush=True)
    after = [f"files after {budget}" for budget in budgets]
    columns = ("dead links", "nofollow", "policy", *after, "pages with files", "score", "ms CPU a request")
    return Table(columns, tuple(rows))


def synthetic(names: list[str], policies: list[str], budget: int) -> dict[str, Table]:
    """Race on synthetic webs: a few pages in a hundred offer CSV and XLS files."""
    rows, every = [], {policy: [] for policy in policies}
    for name in names:
        world = open_world(name)
        pages, starts = (
            world.pages,
            tuple(dict.fromkeys(url for task in world.tasks[:4] for url in task.starts["seeds"])),
        )
        curves = {
            policy: run_policy(
                world,
                policy,
                starts,
                budget,
                lambda row, pages=pages: kind_of(pages.url(row)).kind in ("csv", "xls"),
                Graded({}),
            )
            for policy in policies
        }
        most = max(curve.at(budget) for curve in curves.values())
        for policy, curve in curves.items():
            every[policy].append(curve.score(budget, most))
            found = (str(curve.at(budget // 4)), str(curve.at(budget)), f"{every[policy][-1]:.2f}")
            rows.append((name, policy, *found))
            print(*rows[-1], flush=True)
    heads = ("web", "policy", f"files after {budget // 4}", f"files after {budget}", "score")
    means = tuple((policy, f"{np.mean(scores):.2f}") for policy, scores in every.items())
    return {
        "data-synthetic": Table(heads, tuple(rows)),
        "data-synthetic-means": Table(("policy", "mean score"), means),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=Path, required=True, help="the folder that holds stat-sites")
    parser.add_argument("--policies", nargs="+", default=list(POLICIES))
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--nofollow", action="store_true", help="follow nofollow links, too")
    parser.add_argument("--write", action="store_true", help="write the data of docs/lab/data.md")
    options = parser.parse_args()
    if options.nofollow:
        SETTINGS["fetch.robots"] = False
    folder = options.worlds / "stat-sites"
    few, small = options.policies, options.small
    webs = ["madeup:5000:3"] if small else ["madeup:20000:11", "madeup:20000:12", "madeup:20000:13"]
    budgets = [100, 250] if small else [100, 250, 500, 800]
    found = [
        together(folder, few, budgets, 1 if small else 3, dead=True),
        together(folder, few, budgets, 1, dead=False),
    ]
    tables = {**per_site(folder, few, 60 if small else 120), **synthetic(webs, few, 200 if small else 400)}
    if options.write:
        name = "data-files-nofollow" if options.nofollow else "data-files"
        publish({name: stacked(found), **tables}, "python -m bench.data --worlds FOLDER --write")


if __name__ == "__main__":
    main()
