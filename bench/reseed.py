"""Crawls that start from one word and repeat the search: policies with and without; write the data of docs/lab/reseed.md.

    python -m bench.reseed --worlds FOLDER                (or the variable CLEW_WORLDS)

No search engine knows the whole web: here it is an index over a random 30 % of a world's pages, another sample for
each run, without labels. Every policy starts from its ten best results for the first word of the topic.
Runs are cached (see --keep): only those that are missing are run.
"""

import argparse
import json
import os
import time
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean

import numpy as np

from bench.figures import publish
from clew.lab.catalogue import catalogue
from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.trial import TrialSettings, run_on
from clew.lab.virtual_time import run_virtually
from clew.lab.world import open_world
from clew.lab.world_search import world_engine
from docs.figures import Table

CACHE = Path.home() / ".cache" / "clew-bench" / "reseed.jsonl"
FOLDER = Path("docs/lab")

KNOWN = 0.3
"""Share of a world's pages that the engine has indexed."""

POINTS = 40
MADE_UP = "madeup:8000:1"
TOPICS = ("museums", "coasts", "lighthouses", "sailing", "castles", "printing", "chess", "violins")
"""Topics of the synthetic web, from broad to narrow."""

REPEAT_SEARCH = {"seek.reseed": True}
PAPER = {"seek.reseed": True, "seek.next": "array"}
CONTENDERS = {
    "breadth": ("breadth", {}),
    "best-first": ("best-first", {}),
    "keyword": ("keyword", {}),
    "clew": ("clew", {}),
    "reseed, never searching again": ("reseed", {}),
    "reseed, word order of the paper": ("reseed", PAPER),
    "reseed": ("reseed", REPEAT_SEARCH),
    "best-first + searching": ("best-first", REPEAT_SEARCH),
    "keyword + searching": ("keyword", REPEAT_SEARCH),
    "clew + searching": ("clew", REPEAT_SEARCH),
    "clew + searching, not told its words": ("bench.clew_variants:WithoutArray", REPEAT_SEARCH),
}
LEARN = 20
"""Results read to learn topic terms: our worlds are small, and a hundred would be all indexed pages."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tasks", default="", help="only tasks whose names contain one of these, by commas")
    parser.add_argument("--keep", type=Path, default=CACHE)
    options = parser.parse_args()
    if not options.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    began = time.process_time()
    rows = list(runs(options))
    write(rows, options)
    print(f"{len(rows)} runs, {time.process_time() - began:.0f} s of CPU now")


# ---- the runs ----------------------------------------------------------------------------------


def runs(options):
    """Run what is missing; yield every selected run."""
    known = {}
    if options.keep.exists():
        for line in options.keep.read_text("utf-8").splitlines():
            row = json.loads(line)
            known[tuple(row["key"])] = row
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    listed = [
        str(Path(options.worlds) / each.name)
        for each in catalogue(Path(options.worlds))
        if is_topical(each, options)
    ]
    for name in [*listed, MADE_UP]:
        world = open_world(name)
        for seed in range(options.runs):
            engine = None
            for task in world.tasks:
                if not wanted(world, task, options):
                    continue
                for contender in CONTENDERS:
                    key = (world.name, task.name, contender, seed, options.pages)
                    if key not in known:
                        engine = engine or world_engine(world, share=KNOWN, seed=seed)
                        known[key] = run(world, task, key, engine)
                        with options.keep.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(known[key], ensure_ascii=False) + "\n")
                    yield known[key]


def is_topical(listed, options):
    return any(kind == "topic" and is_named(name, options) for name, _, kind in listed.tasks)


def is_named(name, options):
    only = [part for part in options.tasks.split(",") if part]
    return not only or any(part in name for part in only)


def wanted(world, task, options):
    made_up = isinstance(world.pages, SyntheticPages)
    doubtful = any("not for headline" in flag for flag in task.flags)
    if (made_up and task.name not in TOPICS) or task.kind != "topic" or doubtful:
        return False
    return is_named(task.name, options)


def run(world, task, key, engine):
    """Run one policy; return its curve and counts."""
    *_, contender, seed, pages = key
    policy, settings = CONTENDERS[contender]
    word = task.about.split()[0]
    seeds = tuple(each.url for each in run_virtually(lambda: engine.search(word, 10)).results)
    begun = replace(task, starts={"seeds": seeds}, good=(), bad=())
    trial_settings = TrialSettings(
        pages=pages, seed=seed, examples="none", settings={"seek.learn": LEARN, **settings}
    )
    started = time.process_time()
    trace = run_on(world, begun, policy, trial_settings, engines=[engine], topic=word)
    found = np.cumsum(trace.relevant)
    at = np.linspace(0, pages, POINTS + 1).astype(int)[1:]
    curve = [int(found[min(n, len(found)) - 1]) if len(found) else 0 for n in at]
    page_count = trace.facts["pages_there"] if trace.facts["pages_there"] > 0 else len(world.pages)
    return {
        "key": list(key),
        "word": word, "curve": curve, "fetched": len(trace.rows), "relevant_there": task.truth.relevant,
        "pages_there": page_count, "cpu": round(time.process_time() - started, 1),
        "queries": sum(message.startswith("searched") for message in trace.facts.get("said", [])),
        "said": trace.facts.get("said", [])[-1:],
    }  # fmt: skip


# ---- the report --------------------------------------------------------------------------------


def write(rows, options):
    """Write tables and curves."""
    by = defaultdict(dict)
    for row in rows:
        world, task, contender, seed, _ = row["key"]
        by[world, task].setdefault(contender, {})[seed] = row
    found, shares = by_task(by), shares_found(by)
    tables = {
        "reseed-tasks": found,
        "reseed-policies": late(by, options.pages, shares),
        "reseed-breadth": "\n".join(breadth(by, options.pages)),
    }
    header = {"pages": options.pages, "runs": options.runs, "tasks": len(by)}
    publish(tables, "python -m bench.reseed --worlds FOLDER", **header)
    (FOLDER / "reseed.svg").write_text(picture(by, options.pages), "utf-8")


def final(runs_):
    return mean(row["curve"][-1] for row in runs_.values())


def by_task(by):
    """Return the relevant pages that every policy found, task by task."""
    rows = []
    for (world, task), tried in by.items():
        one = next(iter(next(iter(tried.values())).values()))
        cells = [f"{final(tried[name]):.0f}" for name in CONTENDERS]
        rows.append((world, task, one["word"], str(one["relevant_there"]), *cells))
    return Table(("world", "task", "word", "relevant there", *CONTENDERS), tuple(rows))


def shares_found(by):
    """Return the mean share of the relevant pages that every policy found."""
    return {
        name: mean(final(tried[name]) / max(1, relevant(tried)) for tried in by.values())
        for name in CONTENDERS
    }


def relevant(tried):
    return next(iter(next(iter(tried.values())).values()))["relevant_there"]


def late(by, pages, shares):
    """Return what every policy found, and the share of relevant pages in each quarter of its budget."""
    rows = []
    for name in CONTENDERS:
        every = [row for tried in by.values() for row in tried[name].values()]
        quarters = [[0, *row["curve"]][:: POINTS // 4] for row in every]
        gains = np.mean([np.diff(each) for each in quarters], axis=0) / (pages / 4)
        cells = [f"{100 * share:.1f}" for share in (shares[name], *gains)]
        rows.append((name, *cells, f"{mean(row['queries'] for row in every):.1f}"))
    quarters = [f"{which} quarter, %" for which in ("first", "second", "third", "last")]
    return Table(("policy", "found, % of what is there", *quarters, "queries"), tuple(rows))


def breadth(by, pages):
    """Yield a table of harvest rates by the share of relevant pages in the world."""
    names = ("breadth", "keyword", "reseed", "keyword + searching")
    yield (
        "| on topic | tasks | "
        + " | ".join(names)
        + " | searching adds (reseed) | searching adds (keyword) |"
    )
    yield "|---|---|" + "---|" * (len(names) + 2)
    edges = (0, 0.004, 0.008, 0.03, 0.08, 1)
    for low, high in pairwise(edges):
        some = [tried for tried in by.values() if low <= relevant(tried) / pages_there(tried) < high]
        if not some:
            continue
        cells = [f"{mean(final(tried[name]) for tried in some) / pages:.1%}" for name in names]
        adds = [
            mean(final(tried[a]) - final(tried[b]) for tried in some)
            for a, b in (("reseed", "reseed, never searching again"), ("keyword + searching", "keyword"))
        ]
        yield (
            f"| {low:.1%} to {high:.1%} | {len(some)} | "
            + " | ".join(cells)
            + " | "
            + " | ".join(f"{each:+.1f}" for each in adds)
            + " |"
        )


def pages_there(tried):
    return next(iter(next(iter(tried.values())).values()))["pages_there"]


def picture(by, pages):
    at = np.linspace(0, pages, POINTS + 1)[1:]
    lines = []
    for number, name in enumerate(CONTENDERS):
        curves = np.array([
            np.mean([row["curve"] for row in tried[name].values()], axis=0) / max(1, relevant(tried)) for tried in by.values()
        ])  # fmt: skip
        middle = curves.mean(axis=0)
        lines.append(Line(name, Band(at, middle, middle, middle), number))
    return drawing(
        lines,
        x_label="pages fetched",
        y_label="share of the relevant pages",
        alone=True,
        title="Searching again",
    )


if __name__ == "__main__":
    main()
