"""Race the rankers that use the position of links on the page; write the data of docs/lab/layout.md.

    python -m bench.layout --worlds FOLDER [--pages 600] [--webs 11,12,13] [--runs 1]   (or with CLEW_WORLDS=FOLDER)

Part one asks for pages with an address, on geo-ja and on synthetic webs. The seeds are divided between two start sets, A
and B. Each tree is learned while it crawls, and also, as in the paper, from a breadth-first crawl of one start set,
then frozen and used on the other. Part two gives the same trees topics on other worlds. Runs are cached (--keep):
only those that are missing or whose code has changed are run.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from bench.figures import options_of, publish, stacked, with_keys
from clew.lab.layout_experiment import STARTS, SYNTHETIC_PLACES, SYNTHETIC_TOPICS, AddressTruth
from clew.lab.measures import area, between, curve_of, horizon
from clew.lab.oracle import oracle
from clew.lab.statistics import interval
from clew.lab.synthetic import WebTruth
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.task import Task
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on, start_of
from clew.lab.versions import CRAWLING, REPLAYING, policy_version, version_of
from clew.lab.world import World, open_world
from clew.lab.world_graph import world_graph_of
from clew.rank.layout.decision_tree import LEAF
from clew.rank.layout.policy import Layout
from clew.rank.layout.yokoji import Yokoji
from docs.figures import Table

CACHE = Path.home() / ".cache" / "clew-bench" / "layout"
SHARES = (0.1, 0.25, 0.5, 1.0)
BASELINES = ("breadth", "best-first", "keyword", "yokoji")
PAPER = ("a1a2", "+a3", "+a4", "all")
MORE = ("+css", "+host", "+names", "wide", "wider")
TOPICAL = ("webkb", "wikispeedia", "cppja", "lohelp-de", "mdn-archive")
MADEUP_PAGES = 20_000
PERFECT = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalCase:
    """One goal in one world: the judge a live crawl has, and two start sets."""

    world: World
    task: Task
    judge: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy in a race: `name` of a ranker, or a set of attributes, perhaps trained elsewhere.

    `binary` trees are the paper's: priority 1 or 0, grown and pruned as J48 does, and not kept from learning
    single hosts.
    """

    name: str
    binary: bool = False
    trained: str = ""  # the start set of the breadth-first crawl that its tree comes from

    @property
    def title(self) -> str:
        if self.name in BASELINES:
            return f"`{self.name}`"
        form = ", binary" if self.binary else ""
        return f"tree {self.name}{form}"


FROZEN = (Entry("a1a2", binary=True), Entry("all", binary=True), Entry("all"), Entry("wide"))
"""Those that are also learned from a breadth-first crawl and used as they are."""


def split(task: Task) -> Task:
    """Divide the seeds of a task between two start sets."""
    seeds = task.starts["seeds"]
    return replace(task, starts={"A": seeds[0::2], "B": seeds[1::2]})


@cache
def open_cached(place: str) -> World:
    return open_world(place)


def address_cases(home: Path, webs: Sequence[int]) -> Iterator[GoalCase]:
    """Yield the goals of part one."""
    if (home / "geo-ja").is_dir():
        world = open_cached(str(home / "geo-ja"))
        for name in ("geo-any-address", "geo-own-address"):
            yield GoalCase(world=world, task=split(world.task(name)), judge="place:jp")
    for seed in webs:
        world = open_cached(f"madeup:{MADEUP_PAGES}:{seed}")
        assert isinstance(world.pages, SyntheticPages), "a synthetic web generates its pages"
        web = world.pages.web
        starts = {
            name: tuple(dict.fromkeys(url for topic in topics for url in web.seeds(topic, 3)))
            for name, topics in zip(STARTS, SYNTHETIC_TOPICS, strict=True)
        }
        task = Task(name="address", about="", truth=AddressTruth(WebTruth(web)), kind="pages", starts=starts)
        yield GoalCase(world=world, task=task, judge=SYNTHETIC_PLACES)


def make_ranker(entry: Entry, case: GoalCase, folder: Path | None = None) -> object:
    """Return the ranker of an entry; one that was trained elsewhere reads its tree from a folder and does not change it."""
    goal = {"about": case.task.about, "judge": case.judge}
    if entry.name == "yokoji":
        return Yokoji(**goal)
    if entry.name in BASELINES:
        return entry.name
    ranker = Layout(**goal, **form(entry), learning=folder is None)
    if folder is not None:
        ranker.load(folder)
    return ranker


def form(entry: Entry) -> dict[str, object]:
    j48 = {"binary": True, "guarded": False, "leaf": 2, "support": 1}
    return {"attributes": entry.name} | (j48 if entry.binary else {})


class RunCache:
    """Cached runs of the same code, and learned trees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def run(self, case: GoalCase, entry: Entry, settings: TrialSettings) -> Trace:
        """Return one run; a tree that was trained elsewhere is learned first."""
        path = self._path(case, entry, settings, "npz")
        if path.exists():
            return Trace.load(path)
        folder = self.tree(case, entry, settings) if entry.trained else None
        trace = run_on(case.world, case.task, make_ranker(entry, case, folder), settings)
        temporary = path.with_suffix(f".{os.getpid()}")
        trace.save(temporary)
        temporary.replace(path)
        self.count += 1
        print(f"  {path.stem}: {int(trace.relevant.sum())} of {len(trace.relevant)}", flush=True)
        return trace

    def tree(self, case: GoalCase, entry: Entry, settings: TrialSettings) -> Path:
        """Return a folder with a tree learned from a breadth-first crawl of another start set."""
        training = replace(settings, start=entry.trained)
        folder = self._path(case, replace(entry, trained=""), training, "tree")
        if not (folder / "tree.tsv").exists():
            goal = {"about": case.task.about, "judge": case.judge}
            ranker = Layout(**goal, **form(entry), start=10**9)
            run_on(case.world, case.task, ranker, training)
            ranker.fit()
            with tempfile.TemporaryDirectory(dir=self.folder) as temporary:
                ranker.save(Path(temporary))
                folder.mkdir(exist_ok=True)
                if (Path(temporary) / "tree.tsv").exists():
                    (Path(temporary) / "tree.tsv").replace(folder / "tree.tsv")
        return folder

    def _path(self, case: GoalCase, entry: Entry, settings: TrialSettings, ending: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        name = entry.name if entry.name in BASELINES else "layout"
        version = f"{version_of(*CRAWLING, *REPLAYING)}-{policy_version(name)}"
        key = (case.world.name, case.task.name, entry.name, "binary" * entry.binary, entry.trained, settings.start,
                settings.judge, settings.seed, settings.pages)  # fmt: skip
        stem = "".join(
            letter if letter.isalnum() or letter in "+_" else "-" for letter in "_".join(map(str, key))
        )
        return self.folder / f"{stem}_{version}.{ending}"


# ---- part one: pages with an address ---------------------------------------------------------------


def figures(trace: Trace, pages: int) -> list[float]:
    """Return the share of fetched pages that were relevant, at those shares of the budget."""
    found = np.cumsum(trace.relevant)
    return [
        float(found[min(len(found), round(pages * share)) - 1] / round(pages * share)) for share in SHARES
    ]


def place_part(run_cache: RunCache, cases: Sequence[GoalCase], judges: Sequence[str], pages: int) -> Table:
    """Return the shares of part one, for every judge, goal and policy."""
    entries = [Entry(name) for name in BASELINES]
    entries += [Entry(name, binary) for binary in (True, False) for name in PAPER]
    entries += [Entry(name) for name in MORE]
    parts = []
    for judge in judges:
        for title, some in grouped(cases).items():
            rows = []
            for entry in entries:
                for form in ("",) if entry not in FROZEN else ("", "own", "other"):
                    runs = [
                        run_cache.run(
                            case,
                            replace(entry, trained=trained(form, start)),
                            terms(case, judge, start, pages),
                        )
                        for case in some
                        for start in ("A", "B")
                    ]
                    rows.append(
                        (
                            f"{entry.title}{CROSSED[form]}",
                            np.mean([figures(run, pages) for run in runs], axis=0),
                        )
                    )
            keys = {"goal": title} if judge == "live" else {"goal": f"{title}, judged by labels"}
            parts.append(with_keys("\n".join(table(rows)), **keys))
    return stacked(parts)


CROSSED = {
    "": "",
    "own": ", learned from its own start set, frozen",
    "other": ", learned from the other start set, frozen",
}


def trained(form: str, start: str) -> str:
    return {"": "", "own": start, "other": "AB".replace(start, "")}[form]


def terms(case: GoalCase, judge: str, start: str, pages: int) -> TrialSettings:
    return TrialSettings(pages=pages, judge=case.judge if judge == "live" else PERFECT, start=start)


def grouped(cases: Sequence[GoalCase]) -> dict[str, list[GoalCase]]:
    """Group the cases; all synthetic webs are one group."""
    found: dict[str, list[GoalCase]] = {}
    for case in cases:
        invented = isinstance(case.world.pages, SyntheticPages)
        title = (
            f"synthetic webs of {MADEUP_PAGES:,} pages"
            if invented
            else f"{case.world.name}, {case.task.name}"
        )
        found.setdefault(title, []).append(case)
    return found


def table(rows: Sequence[tuple[str, np.ndarray]]) -> list[str]:
    """Return the share of fetched pages with an address after parts of the budget."""
    heads = " | ".join(f"after {100 * share:.0f} %" for share in SHARES)
    out = [f"| policy | {heads} |", "|---|" + "---:|" * len(SHARES)]
    return out + [f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |" for name, values in rows]


def trees_part(run_cache: RunCache, cases: Sequence[GoalCase], judge: str, pages: int) -> str:
    """Return the number of splits of trees learned from a breadth-first crawl."""
    heads = [f"{entry.title}: from A / {entry.title}: from B" for entry in FROZEN]
    out = [f"| goal | {' | '.join(heads)} |", "|---|" + "---:|" * len(FROZEN)]
    for case in cases:
        cells = []
        for entry in FROZEN:
            sizes = []
            for start in ("A", "B"):
                ranker = Layout(attributes=entry.name)
                settings = terms(case, judge, start, pages)
                ranker.load(run_cache.tree(case, replace(entry, trained=start), settings))
                splits = 0 if ranker.tree is None else int((ranker.tree.attribute != LEAF).sum())
                sizes.append(str(splits))
            cells.append(" / ".join(sizes))
        out.append(f"| {case.world.name} {case.task.name} | {' | '.join(cells)} |")
    return "\n".join(out)


# ---- part two: topics ------------------------------------------------------------------------------


def topic_part(run_cache: RunCache, home: Path, options: argparse.Namespace) -> dict[str, str]:
    """Return the table of normalised areas for topic goals, for every judge."""
    entries = [Entry(name) for name in BASELINES] + [Entry(name) for name in (*PAPER, *MORE)]
    tables = {}
    for judge in ("words" if name == "live" else name for name in options.judges.split(",")):
        names, rows = [], []
        for path in (home / name for name in TOPICAL if (home / name).is_dir()):
            world = open_cached(str(path))
            for task in [task for task in world.tasks if task.kind == "topic" and not is_excluded(task)][
                : options.tasks
            ]:
                case = GoalCase(world=world, task=task, judge=judge if judge != PERFECT else "words")
                gains = [
                    areas(
                        run_cache, case, entries, TrialSettings(pages=options.pages, judge=judge, seed=seed)
                    )
                    for seed in range(options.runs)
                ]
                names.append(f"{world.name}: {task.name}")
                rows.append(np.mean(gains, axis=0))
        if not rows:
            continue
        titles = [entry.title for entry in entries]
        out = [f"| task | {' | '.join(titles)} |", "|---|" + "---:|" * len(titles)]
        for name, row in zip(names, rows, strict=True):
            out.append(f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |")
        spread = [interval([float(value) for value in column]) for column in np.array(rows).T]
        means = [f"{each.mean:.2f} ± {each.half:.2f}" for each in spread]
        out.append(f"| mean of {len(rows)} tasks | {' | '.join(means)} |")
        tables["layout-topics" if judge != PERFECT else "layout-topics-labels"] = "\n".join(out)
    return tables


def is_excluded(task: Task) -> bool:
    """Tell whether a task is flagged as saturated or not fit for headlines."""
    return any(word in flag for flag in task.flags for word in ("saturated", "not for headline"))


def areas(
    run_cache: RunCache, case: GoalCase, entries: Sequence[Entry], settings: TrialSettings
) -> list[float]:
    """Return the normalised area of each entry: 0 is breadth-first, 1 the oracle."""
    traces = [run_cache.run(case, entry, settings) for entry in entries]
    floor = traces[0]
    reachable, upto = (
        max(1, floor.facts["relevant_reachable"]),
        horizon(floor.facts["reachable"], settings.pages),
    )
    graph = world_graph_of(case.world)
    assert graph is not None, "a recorded world has a graph"
    wanted = graph.wanted(case.task)
    start = graph.rows(start_of(case.world, case.task, settings))
    order = oracle(graph.graph, wanted, start, upto=settings.pages)[: settings.pages]
    most = area(curve_of(wanted[order]), reachable, upto)
    found = [area(curve_of(trace.relevant), reachable, upto) for trace in traces]
    return [between(value, found[0], most) for value in found]


# ---- all of it --------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--webs", default="11,12,13", help="seeds of synthetic webs")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--parts", default="places,topics")
    parser.add_argument("--tasks", type=int, default=None, help="topics of each world, at most")
    parser.add_argument("--goals", default="", help="names of goals in the first part (all unless given)")
    parser.add_argument("--judges", default="live,labels", help="live: place or words; labels: the truth")
    parser.add_argument("--keep", type=Path, default=CACHE, help="where runs are cached")
    options = parser.parse_args()
    if not options.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    home, webs, run_cache = (
        Path(options.worlds),
        [int(seed) for seed in options.webs.split(",") if seed],
        RunCache(options.keep),
    )
    tables: dict[str, Table | str] = {}
    if "places" in options.parts:
        cases, judges = list(address_cases(home, webs)), options.judges.split(",")
        cases = [case for case in cases if not options.goals or case.task.name in options.goals.split(",")]
        tables["layout-addresses"] = place_part(run_cache, cases, judges, options.pages)
        tables["layout-trees"] = trees_part(run_cache, cases, judges[-1], options.pages)
    if "topics" in options.parts:
        tables |= topic_part(run_cache, home, options)
    chosen = ("pages", "webs", "runs", "parts", "tasks", "goals", "judges")
    command = f"python -m bench.layout --worlds FOLDER{options_of(parser, options, chosen)}"
    publish(tables, command, pages=options.pages, runs=options.runs)
    print(f"{run_cache.count:,} new runs")


if __name__ == "__main__":
    main()
