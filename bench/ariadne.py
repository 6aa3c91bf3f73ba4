"""Race ariadne as it learns more and more, on all topical tasks of a folder of worlds; write the data of docs/lab/ariadne.md.

    python -m bench.ariadne --worlds FOLDER [--pages 600] [--runs 1]        (or with CLEW_WORLDS=FOLDER)

Static, adapted once, adapted often, and with 10 and 30 labels of a simulated user, beside five other policies. All get
the task's words and example pages, nothing else. Labels are true; they are given one by one over the first 300
fetches, each time to the fetched page whose verdict is nearest to one half. Runs are cached (see --keep): only those
that are missing or whose code has changed are run.
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

CACHE = Path.home() / ".cache" / "clew-bench" / "ariadne"
FOLDER = Path("docs/lab")
LABELS_UNTIL = 300
"""Fetches over which the labels are spread."""

WINDOW = 100
"""Fetches over which agreement is measured."""

JUDGE = "auto"
"""Uses the words and the example pages of the task, and learns from labels."""

EXCLUDED_FLAGS = ("saturated", "not for headline")
OTHERS = ("breadth", "best-first", "ache", "tagpath", "keyword")
LEARNERS = {
    "ariadne, static": ("never", 0),
    "ariadne, once": ("once", 0),
    "ariadne": ("often", 0),
    "ariadne + 10 answers": ("often", 10),
    "ariadne + 30 answers": ("often", 30),
}
"""How often it adapts, and how many labels it gets."""


class LabelledAriadne(Ariadne):
    """Ariadne with a simulated user: judge and link classifier learn from every label at once."""

    def __init__(self, *, judge: AutoJudge, truth: TaskTruth, answers: int, **goal: object) -> None:
        super().__init__(**goal)  # type: ignore[arg-type]
        self.judge = judge
        self.truth = truth
        self.label_count = answers
        self.labelled: list[str] = []
        self.read = 0
        self.unlabelled: dict[str, Outcome] = {}

    def learn(self, outcome: Outcome) -> None:
        super().learn(outcome)
        self.read += 1
        if self.label_count and 200 <= outcome.page.response.status < 300:
            self.unlabelled[outcome.page.url] = outcome
            if (
                self.read * self.label_count // LABELS_UNTIL > len(self.labelled)
                and len(self.labelled) < self.label_count
            ):
                self._request_label()

    def _request_label(self) -> None:
        url = min(self.unlabelled, key=lambda name: abs(self.unlabelled[name].verdict.value - 0.5))
        page = self.unlabelled.pop(url).page
        label = Label(url, relevant=self.truth.grade(url) >= RELEVANT, at=0.0)
        self.labelled.append(url)
        self.judge.learn(label, page)
        self.learn_label(label, page)


def run(world: World, task: Task, name: str, settings: TrialSettings) -> Trace:
    """Make one run."""
    if name in OTHERS:
        return run_on(world, task, name, settings)
    adapt, answers = LEARNERS[name]
    goal = {"about": task.about, "good": task.good, "bad": task.bad}
    judge = AutoJudge(**goal)
    ranker = LabelledAriadne(
        judge=judge, truth=task.truth, answers=answers, adapt=adapt, seed=settings.seed, **goal
    )
    return run_on(world, task, ranker, TrialSettings(pages=settings.pages, seed=settings.seed, judge=judge))


def cached_run(folder: Path, world: World, task: Task, name: str, settings: TrialSettings) -> Trace:
    """Return the cached run of the same code, or run it now."""
    version = f"{version_of(*CRAWLING, *REPLAYING)}-{policy_version('ariadne' if name in LEARNERS else name)}"
    stem = "".join(letter if letter.isalnum() else "-" for letter in f"{world.name} {task.name} {name}")
    path = folder / f"{stem}-{settings.seed}-{settings.pages}-{settings.judge}-{version}.npz"
    if path.exists():
        return Trace.load(path)
    trace = run(world, task, name, settings)
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    trace.save(temporary)
    temporary.replace(path)
    print(
        f"  {world.name}: {task.name}: {name}, run {settings.seed}: {int(trace.relevant.sum())} found",
        flush=True,
    )
    return trace


def best(world: World, task: Task, settings: TrialSettings) -> Curve:
    """Return the oracle's curve: what knowing every link and label would find."""
    graph = world_graph_of(world)
    assert graph is not None, "a recorded world has a graph"
    wanted = graph.wanted(task)
    order = oracle(graph.graph, wanted, graph.rows(start_of(world, task, settings)), upto=settings.pages)[
        : settings.pages
    ]
    return curve_of(wanted[order])


class Figures:
    """Measures of all runs of one policy, one entry for each task."""

    def __init__(self) -> None:
        self.gains: list[float] = []
        self.recalls: list[Curve] = []
        self.precisions: list[Curve] = []
        self.errors: list[Curve] = []
        self.correlations: list[Curve] = []


def measured(
    folder: Path, worlds: Sequence[Path], names: Sequence[str], pages: int, runs: int
) -> Iterator[tuple[str, Task, dict[str, Figures]]]:
    """Yield the measures of each policy for every topical task."""
    for path in worlds:
        world = open_world(path)
        for task in (task for task in world.tasks if task.kind == "topic"):
            found = {name: Figures() for name in names}
            for seed in range(runs):
                settings = TrialSettings(pages=pages, seed=seed, judge=JUDGE)
                traces = {name: cached_run(folder, world, task, name, settings) for name in names}
                examples = sum(task.truth.grade(url) >= RELEVANT for url in task.good)
                add(found, traces, best(world, task, settings), pages, examples)
            yield world.name, task, found


def add(
    found: dict[str, Figures], traces: dict[str, Trace], ceiling: Curve, pages: int, examples: int
) -> None:
    """Add one run of every policy; `examples` relevant pages were given and are not counted."""
    floor = traces["breadth"]
    relevant = max(1, floor.facts["relevant_reachable"] - examples)
    upto = horizon(floor.facts["reachable"], pages)
    curves = {name: curve_of(trace.relevant & ~trace.examples) for name, trace in traces.items()}
    areas = {name: area(curve, relevant, upto) for name, curve in curves.items()}
    for name, trace in traces.items():
        curve = stretched(curves[name], pages)
        figures = found[name]
        figures.gains.append(between(areas[name], areas["breadth"], area(ceiling, relevant, upto)))
        figures.recalls.append(curve / relevant)
        figures.precisions.append(curve[1:] / np.arange(1, pages + 1))
        errors, correlations = agreement(trace, pages)
        figures.errors.append(errors)
        figures.correlations.append(correlations)


def agreement(trace: Trace, pages: int) -> tuple[Curve, Curve]:
    """Return, window by window, the mean difference of score and verdict and their rank correlation."""
    errors, correlations = [], []
    judged = ~np.isnan(trace.verdicts) & (trace.scores < 1)
    for start in range(0, pages, WINDOW):
        rows = np.flatnonzero(judged[start : start + WINDOW]) + start
        scores, verdicts = trace.scores[rows].astype(float), trace.verdicts[rows].astype(float)
        errors.append(np.abs(scores - verdicts).mean() if len(rows) else np.nan)
        constant = len(rows) < 10 or np.ptp(scores) == 0 or np.ptp(verdicts) == 0
        correlations.append(
            np.nan if constant else np.corrcoef(tied_ranks(scores), tied_ranks(verdicts))[0, 1]
        )
    return np.array(errors), np.array(correlations)


def tied_ranks(values: Curve) -> Curve:
    """Return the ranks of values; tied values get their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[which]


def lines(found: dict[str, list[Curve]], x: Curve) -> list[Line]:
    """Return one curve for each policy: the mean over tasks, without a band."""
    drawn = []
    for number, (name, curves) in enumerate(found.items()):
        mean = np.clip(np.nanmean(np.array(curves), axis=0), 0, 1)
        drawn.append(Line(name, Band(x, mean, mean, mean), number))
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--worlds", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    parser.add_argument("--only", default="", help="names of worlds, separated by commas (all unless given)")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=CACHE, help="where runs are cached")
    options = parser.parse_args()
    if not options.worlds:
        parser.error("give the folder of worlds: --worlds FOLDER, or the variable CLEW_WORLDS")
    if options.pages < WINDOW or options.runs < 1:
        parser.error(f"--pages begins at {WINDOW}, --runs at 1")
    only = set(filter(None, options.only.split(",")))
    home = Path(options.worlds)
    topical = [world.name for world in catalogue(home) if any(kind == "topic" for *_, kind in world.tasks)]
    if missing := only - set(topical):
        parser.error(
            f"no topical world {', '.join(sorted(missing))} in {home}; there are {', '.join(topical)}"
        )
    worlds = [home / name for name in topical if not only or name in only]
    names = [*OTHERS, *LEARNERS]
    rows = list(measured(options.keep, worlds, names, options.pages, options.runs))
    for name, text in pictures(rows, options.pages):
        (FOLDER / f"ariadne-{name}.svg").write_text(text, "utf-8")
    counted = without_flagged(rows)
    tables = {
        "ariadne-policies": _sums(counted, names, options.pages),
        "ariadne-pairs": _pairs(counted),
        "ariadne-tasks": _tasks(rows, names),
    }
    publish(
        {name: "\n".join(lines) for name, lines in tables.items()},
        "python -m bench.ariadne --worlds FOLDER",
        pages=options.pages, runs=options.runs, tasks=len(counted),
    )  # fmt: skip


Rows = list[tuple[str, Task, dict[str, Figures]]]


def without_flagged(rows: Rows) -> Rows:
    """Leave out tasks that are flagged as saturated or not fit for headlines."""
    return [row for row in rows if not any(word in flag for flag in row[1].flags for word in EXCLUDED_FLAGS)]


def pictures(rows: Rows, pages: int) -> Iterator[tuple[str, str]]:
    """Yield names and drawings."""
    windows = np.arange(WINDOW, pages + 1, WINDOW, dtype=float)
    fetches = np.linspace(0, pages, 61).astype(int)
    few = ("best-first", "keyword", "ariadne, static", "ariadne, once", "ariadne")

    def over(
        names: Sequence[str], of: Callable[[Figures], list[Curve]], at: Curve | slice
    ) -> dict[str, list[Curve]]:
        return {
            name: [curve[at] for *_, found in without_flagged(rows) for curve in of(found[name])]
            for name in names
        }

    full = slice(0, len(windows))
    yield "difference", drawing(
        lines(over(few, lambda each: each.errors, full), windows), x_label="pages read",
        y_label="mean |score − verdict|", alone=True, title="Mean difference between link score and verdict (lower is better)",
    )  # fmt: skip
    yield "correlation", drawing(
        lines(over(few, lambda each: each.correlations, full), windows), x_label="pages read",
        y_label="rank correlation", alone=True, title="Do links with better scores lead to better pages? (higher is better)",
    )  # fmt: skip
    all_names = [*OTHERS, *LEARNERS]
    yield "recall", drawing(
        lines(over(all_names, lambda each: each.recalls, fetches), fetches.astype(float)), x_label="pages read",
        y_label="recall", alone=True, title="Recall of the reachable relevant pages (mean over tasks)",
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
        differences = [a - b for a, b in zip(own, other, strict=True)]
        wins = sum(difference > 0 for difference in differences)
        out.append(
            f"| {name} | {np.mean(differences):+.3f} | {wins} of {len(differences)} | {sign_flip_p(differences):.3f} |"
        )
    return out


def _tasks(rows: Rows, names: Sequence[str]) -> list[str]:
    out = [f"| world | task | {' | '.join(names)} |", "|---|---|" + "---:|" * len(names)]
    for world, task, found in rows:
        gains = [float(np.mean(found[name].gains)) for name in names]
        most = max(gains)
        cells = [f"**{gain:.2f}**" if gain == most else f"{gain:.2f}" for gain in gains]
        doubt = "" if without_flagged([(world, task, found)]) else " (doubtful)"
        out.append(f"| {world} | {task.name}{doubt} | {' | '.join(cells)} |")
    return out


if __name__ == "__main__":
    main()
