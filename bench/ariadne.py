"""Race ariadne as it learns more and more, on all topical tasks of a folder of worlds; write the data of docs/lab/ariadne.md.

    python -m bench.ariadne --worlds FOLDER [--pages 600] [--runs 1]        (or with CLEW_WORLDS=FOLDER)

Static, adapted once, adapted often, and with 10 and 30 answers of a person, beside five other policies. All are given
the task's words and example pages, nothing else. The answers are the truth about pages whose verdict was nearest to
one half, asked one by one over the first 300 fetches, after the crawl had found them. Every run is
kept (see --keep): started again, only what is missing or has changed is run.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.figures import publish
from clew.judge.auto import AutoJudge
from clew.lab.catalogue import catalogue
from clew.lab.measures import Curve, area, between, curve_of, horizon, stretched
from clew.lab.oracle import oracle
from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.statistics import interval, sign_flip_p
from clew.lab.task import RELEVANT, Task, TaskTruth
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on, start_of
from clew.lab.versions import CRAWLING, REPLAYING, policy_version, version_of
from clew.lab.world import World, open_world
from clew.lab.world_graph import world_graph_of
from clew.rank.baselines.ariadne import Ariadne
from clew.types import Label, Outcome

KEPT = Path.home() / ".cache" / "clew-bench" / "ariadne"
FOLDER = Path("docs/lab")
ASKED_UPTO = 300
"""Fetches over which the questions are spread."""

WINDOW = 100
"""Fetches over which agreement is measured."""

JUDGE = "auto"
"""Knows the words and the example pages, and learns from answers."""

DOUBTFUL = ("saturated", "not for headline")
OTHERS = ("breadth", "best-first", "ache", "tagpath", "keyword")
LEARNERS = {
    "ariadne, static": ("never", 0),
    "ariadne, once": ("once", 0),
    "ariadne": ("often", 0),
    "ariadne + 10 answers": ("often", 10),
    "ariadne + 30 answers": ("often", 30),
}
"""How often it adapts, and how many answers it is given."""


class Asking(Ariadne):
    """Ariadne with a person who answers: judge and links learn from every answer at once."""

    def __init__(self, *, judge: AutoJudge, truth: TaskTruth, answers: int, **goal: object) -> None:
        super().__init__(**goal)  # type: ignore[arg-type]
        self.judge = judge
        self.truth = truth
        self.answers = answers
        self.asked: list[str] = []
        self.read = 0
        self.waiting: dict[str, Outcome] = {}

    def learn(self, outcome: Outcome) -> None:
        super().learn(outcome)
        self.read += 1
        if self.answers and 200 <= outcome.page.response.status < 300:
            self.waiting[outcome.page.url] = outcome
            if self.read * self.answers // ASKED_UPTO > len(self.asked) and len(self.asked) < self.answers:
                self._ask()

    def _ask(self) -> None:
        url = min(self.waiting, key=lambda name: abs(self.waiting[name].verdict.value - 0.5))
        page = self.waiting.pop(url).page
        label = Label(url, relevant=self.truth.grade(url) >= RELEVANT, at=0.0)
        self.asked.append(url)
        self.judge.learn(label, page)
        self.learn_label(label, page)


def run(world: World, task: Task, name: str, terms: TrialSettings) -> Trace:
    """Make one run."""
    if name in OTHERS:
        return run_on(world, task, name, terms)
    adapt, answers = LEARNERS[name]
    goal = {"about": task.about, "good": task.good, "bad": task.bad}
    judge = AutoJudge(**goal)
    ranker = Asking(judge=judge, truth=task.truth, answers=answers, adapt=adapt, seed=terms.seed, **goal)
    return run_on(world, task, ranker, TrialSettings(pages=terms.pages, seed=terms.seed, judge=judge))


def kept(folder: Path, world: World, task: Task, name: str, terms: TrialSettings) -> Trace:
    """Return a run that was made before by the same code, or make it now."""
    version = f"{version_of(*CRAWLING, *REPLAYING)}-{policy_version('ariadne' if name in LEARNERS else name)}"
    called = "".join(letter if letter.isalnum() else "-" for letter in f"{world.name} {task.name} {name}")
    path = folder / f"{called}-{terms.seed}-{terms.pages}-{terms.judge}-{version}.npz"
    if path.exists():
        return Trace.load(path)
    trace = run(world, task, name, terms)
    folder.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    trace.save(half)
    half.replace(path)
    print(
        f"  {world.name}: {task.name}: {name}, run {terms.seed}: {int(trace.relevant.sum())} found",
        flush=True,
    )
    return trace


def best(world: World, task: Task, terms: TrialSettings) -> Curve:
    """Return the oracle's curve: what knowing every link and label would find."""
    atlas = world_graph_of(world)
    assert atlas is not None, "a recorded world has a map"
    wanted = atlas.wanted(task)
    order = oracle(atlas.graph, wanted, atlas.rows(start_of(world, task, terms)), upto=terms.pages)[
        : terms.pages
    ]
    return curve_of(wanted[order])


class Figures:
    """What all runs of one policy amount to, a row for each task."""

    def __init__(self) -> None:
        self.gains: list[float] = []
        self.recalls: list[Curve] = []
        self.precisions: list[Curve] = []
        self.off: list[Curve] = []
        self.alike: list[Curve] = []


def measured(
    folder: Path, worlds: Sequence[Path], names: Sequence[str], pages: int, runs: int
) -> Iterator[tuple[str, Task, dict[str, Figures]]]:
    """Yield for every topical task what each policy did."""
    for place in worlds:
        world = open_world(place)
        for task in (task for task in world.tasks if task.kind == "topic"):
            found = {name: Figures() for name in names}
            for seed in range(runs):
                terms = TrialSettings(pages=pages, seed=seed, judge=JUDGE)
                traces = {name: kept(folder, world, task, name, terms) for name in names}
                given = sum(task.truth.grade(url) >= RELEVANT for url in task.good)
                add(found, traces, best(world, task, terms), pages, given)
            yield world.name, task, found


def add(found: dict[str, Figures], traces: dict[str, Trace], ceiling: Curve, pages: int, given: int) -> None:
    """Add one run of every policy; `given` of the relevant pages were examples, and do not count."""
    floor = traces["breadth"]
    there = max(1, floor.facts["relevant_reachable"] - given)
    upto = horizon(floor.facts["reachable"], pages)
    curves = {name: curve_of(trace.relevant & ~trace.examples) for name, trace in traces.items()}
    areas = {name: area(curve, there, upto) for name, curve in curves.items()}
    for name, trace in traces.items():
        curve = stretched(curves[name], pages)
        figures = found[name]
        figures.gains.append(between(areas[name], areas["breadth"], area(ceiling, there, upto)))
        figures.recalls.append(curve / there)
        figures.precisions.append(curve[1:] / np.arange(1, pages + 1))
        off, alike = agreement(trace, pages)
        figures.off.append(off)
        figures.alike.append(alike)


def agreement(trace: Trace, pages: int) -> tuple[Curve, Curve]:
    """Return, window by window, the mean difference of score and verdict and their rank correlation."""
    off, alike = [], []
    judged = ~np.isnan(trace.verdicts) & (trace.scores < 1)
    for start in range(0, pages, WINDOW):
        here = np.flatnonzero(judged[start : start + WINDOW]) + start
        scores, verdicts = trace.scores[here].astype(float), trace.verdicts[here].astype(float)
        off.append(np.abs(scores - verdicts).mean() if len(here) else np.nan)
        steady = len(here) < 10 or np.ptp(scores) == 0 or np.ptp(verdicts) == 0
        alike.append(np.nan if steady else np.corrcoef(places(scores), places(verdicts))[0, 1])
    return np.array(off), np.array(alike)


def places(values: Curve) -> Curve:
    """Return the places of values in their order, equal ones in the middle of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[which]


def lines(found: dict[str, list[Curve]], x: Curve) -> list[Line]:
    """Return one curve for each policy: the mean over tasks, without a band."""
    made = []
    for number, (name, curves) in enumerate(found.items()):
        mean = np.clip(np.nanmean(np.array(curves), axis=0), 0, 1)
        made.append(Line(name, Band(x, mean, mean, mean), number))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument("--only", default="", help="names of worlds, parted by commas (all unless given)")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=KEPT, help="where runs are kept")
    asked = parser.parse_args()
    if not asked.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    if asked.pages < WINDOW or asked.runs < 1:
        parser.error(f"--pages begins at {WINDOW}, --runs at 1")
    only = set(filter(None, asked.only.split(",")))
    home = Path(asked.worlds)
    topical = [world.name for world in catalogue(home) if any(kind == "topic" for *_, kind in world.tasks)]
    if missing := only - set(topical):
        parser.error(
            f"no topical world {', '.join(sorted(missing))} in {home}; there are {', '.join(topical)}"
        )
    worlds = [home / name for name in topical if not only or name in only]
    names = [*OTHERS, *LEARNERS]
    rows = list(measured(asked.keep, worlds, names, asked.pages, asked.runs))
    for name, text in pictures(rows, asked.pages):
        (FOLDER / f"ariadne-{name}.svg").write_text(text, "utf-8")
    counted = sure(rows)
    tables = {
        "ariadne-policies": _sums(counted, names, asked.pages),
        "ariadne-pairs": _pairs(counted),
        "ariadne-tasks": _tasks(rows, names),
    }
    publish(
        {name: "\n".join(lines) for name, lines in tables.items()},
        "python -m bench.ariadne --worlds FOLDER",
        pages=asked.pages, runs=asked.runs, tasks=len(counted),
    )  # fmt: skip


Rows = list[tuple[str, Task, dict[str, Figures]]]


def sure(rows: Rows) -> Rows:
    """Leave out tasks whose makers doubt them."""
    return [row for row in rows if not any(word in flag for flag in row[1].flags for word in DOUBTFUL)]


def pictures(rows: Rows, pages: int) -> Iterator[tuple[str, str]]:
    """Yield names and drawings."""
    windows = np.arange(WINDOW, pages + 1, WINDOW, dtype=float)
    fetches = np.linspace(0, pages, 61).astype(int)
    few = ("best-first", "keyword", "ariadne, static", "ariadne, once", "ariadne")

    def over(
        names: Sequence[str], of: Callable[[Figures], list[Curve]], at: Curve | slice
    ) -> dict[str, list[Curve]]:
        return {name: [curve[at] for *_, found in sure(rows) for curve in of(found[name])] for name in names}

    full = slice(0, len(windows))
    yield "difference", drawing(
        lines(over(few, lambda each: each.off, full), windows), x_label="pages read",
        y_label="mean |score − verdict|", alone=True, title="How far link score and verdict lie apart (lower is better)",
    )  # fmt: skip
    yield "correlation", drawing(
        lines(over(few, lambda each: each.alike, full), windows), x_label="pages read",
        y_label="rank correlation", alone=True, title="Do links with better scores lead to better pages? (higher is better)",
    )  # fmt: skip
    all_names = [*OTHERS, *LEARNERS]
    yield "recall", drawing(
        lines(over(all_names, lambda each: each.recalls, fetches), fetches.astype(float)), x_label="pages read",
        y_label="recall", alone=True, title="Found, of the relevant pages within reach (mean over tasks)",
    )  # fmt: skip


def _sums(rows: Rows, names: Sequence[str], pages: int) -> list[str]:
    half = pages // 2
    heads = (
        "normalised area",
        f"recall at {half}",
        f"recall at {pages}",
        f"precision at {half}",
        f"precision at {pages}",
    )
    out = [f"| policy | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for name in names:
        every = [found[name] for *_, found in rows]
        gains = [np.mean(each.gains) for each in every]
        spread = interval([float(gain) for gain in gains])
        cells = [f"{spread.mean:.3f} ± {spread.half:.3f}" if spread.runs > 1 else f"{spread.mean:.3f}"]
        for curves, at in (("recalls", half), ("precisions", half - 1)):
            table = np.array([np.mean(getattr(each, curves), axis=0) for each in every])
            cells += [f"{table[:, at].mean():.3f}", f"{table[:, -1].mean():.3f}"]
        out.append(f"| {name} | {' | '.join(cells)} |")
    return out


def _pairs(rows: Rows) -> list[str]:
    """Compare ariadne with each of the others, task by task."""
    own = [float(np.mean(found["ariadne"].gains)) for *_, found in rows]
    out = [
        "| ariadne against | difference | better in | p (sign-flip test over tasks) |",
        "|---|---:|---:|---:|",
    ]
    for name in [*OTHERS, *(name for name in LEARNERS if name != "ariadne")]:
        other = [float(np.mean(found[name].gains)) for *_, found in rows]
        apart = [a - b for a, b in zip(own, other, strict=True)]
        wins = sum(gap > 0 for gap in apart)
        out.append(f"| {name} | {np.mean(apart):+.3f} | {wins} of {len(apart)} | {sign_flip_p(apart):.3f} |")
    return out


def _tasks(rows: Rows, names: Sequence[str]) -> list[str]:
    out = [f"| world | task | {' | '.join(names)} |", "|---|---|" + "---:|" * len(names)]
    for world, task, found in rows:
        gains = [float(np.mean(found[name].gains)) for name in names]
        most = max(gains)
        cells = [f"**{gain:.2f}**" if gain == most else f"{gain:.2f}" for gain in gains]
        doubt = "" if sure([(world, task, found)]) else " (doubtful)"
        out.append(f"| {world} | {task.name}{doubt} | {' | '.join(cells)} |")
    return out


if __name__ == "__main__":
    main()
