"""Race Ariadne's two ways to choose training cases: easy and hard ones alone, as in the paper, or all in full.

    python -m bench.ariadne_selection WORLDS [--pages 300]        (or with CLEW_WORLDS=WORLDS)

The first tasks of every topical world, from several starts; both crawls of a pair begin with the same pages. Writes the
data of docs/papers.md.
"""

import numpy as np

from bench.figures import publish
from bench.world_options import topical_worlds, world_options
from clew.judge.auto import AutoJudge
from clew.lab.statistics import sign_flip_p
from clew.lab.task import Task
from clew.lab.trial import TrialSettings, run_on
from clew.lab.world import World
from clew.rank.baselines.ariadne import Ariadne
from docs.figures import Table

STARTS = 3
TASKS = 3
"""Tasks of one world that are raced."""

PAPER, OURS = 0.0, 1.0
"""Weight of the cases that are neither easy nor hard."""


def found(world: World, task: Task, weight: float, settings: TrialSettings) -> int:
    """Return the relevant pages that a crawl finds, the examples not counted."""
    goal = {"about": task.about, "good": task.good, "bad": task.bad}
    ranker = Ariadne(between=weight, seed=settings.seed, **goal)
    judge = AutoJudge(**goal)
    trace = run_on(world, task, ranker, TrialSettings(pages=settings.pages, seed=settings.seed, judge=judge))
    return int((trace.relevant & ~trace.examples).sum())


def main() -> None:
    options = world_options(__doc__, pages=300)
    rows: list[tuple[str, ...]] = []
    differences: list[float] = []
    for world in topical_worlds(options.worlds):
        for task in [task for task in world.tasks if task.kind == "topic"][:TASKS]:
            pairs = []
            for seed in range(STARTS):
                settings = TrialSettings(pages=options.pages, seed=seed)
                pairs.append(tuple(found(world, task, weight, settings) for weight in (PAPER, OURS)))
            paper, ours = np.mean(pairs, axis=0)
            differences.append(float(ours - paper))
            rows.append((world.name, task.name, f"{paper:.1f}", f"{ours:.1f}", f"{ours - paper:+.1f}"))
            print(*rows[-1], flush=True)
    p = f"{sign_flip_p(differences):.3f}"
    rows.append(("all", f"{len(differences)} tasks, p = {p}", "", "", f"{np.mean(differences):+.1f}"))
    table = Table(("world", "task", "easy and hard alone", "all in full", "difference"), tuple(rows))
    publish(
        {"ariadne-selection": table},
        "python -m bench.ariadne_selection WORLDS",
        pages=options.pages,
        starts=STARTS,
    )


if __name__ == "__main__":
    main()
