"""How well does the `auto` judge classify pages when it sees them first, in the order of a crawl?

    python -m bench.first_sight WORLDS [--pages 300]      # writes data of docs/lab/judges.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). Every topical task is crawled once by `clew`; a judge then sees the
pages in that order, without labels, and its verdict on each is kept as it was at that moment. Goals are the task's words,
three or all of its examples, or both. Figures are means over tasks, then worlds.
"""

import math

import numpy as np

from bench.figures import publish
from bench.judges import mean, measured, table
from bench.measure import facts
from bench.world_options import topical_worlds, world_options
from clew.judge.auto import AutoJudge
from clew.lab import run_trial
from clew.lab.task import RELEVANT
from clew.parse import ipc
from clew.types import Label, Link, Response

GOALS = (("words", True, 0), ("3 examples", False, 3), ("8 examples", False, 8),
         ("words, 3 examples", True, 3), ("words, 8 examples", True, 8))  # fmt: skip
FORMS = ("words and examples alone", "words of the crawl alone", "auto")
COLUMNS = ("AUC", "AP", "ECE", "precision", "recall", "F1")
_SHOWN = (0, 1, 3, 4, 5, 6)
MIN_RELEVANT = 5


class RecordingJudge(AutoJudge):
    """The judge, with the verdicts of its parts on each page."""

    def __init__(self, **goal) -> None:
        super().__init__(**goal)
        self.parts = []

    def _combined(self, first, bag, page):
        verdict = super()._combined(first, bag, page)
        odds = self._model.score(bag)[0] if self._model else math.log(max(first.value, 1e-3))
        self.parts.append((first.value, 1 / (1 + math.exp(-odds)), verdict.value))
        return verdict


def page_at(world, row):
    """Return a page of a world."""
    store = world.page_store
    response = Response(link=Link(id=row + 1, url=store.url(row), origin=""), started=0, ended=0, status=200)
    return ipc.page_of(store.get(row).page, response)


def trials(world, pages):
    """Yield world, task, form of the judge, goal, and figures."""
    for task in (task for task in world.tasks if task.kind == "topic"):
        trace = run_trial(world, task, "clew", pages=pages, judge="auto")
        examples = [row for url in task.good if (row := world.pages.find(url)) >= 0]
        order = [row for row in dict.fromkeys(trace.rows.tolist()) if row >= 0 and row not in examples]
        read = [page_at(world, row) for row in order]
        right = np.array([task.truth.grade(page.url) >= RELEVANT for page in read])
        if not MIN_RELEVANT <= right.sum() <= len(right) - MIN_RELEVANT:
            continue
        for goal, has_words, count in GOALS:
            judge = RecordingJudge(about=task.about if has_words else "")
            for row in examples[:count]:
                page = page_at(world, row)
                judge.learn(Label(page.url, True, 0.0), page)
            for page in read:
                judge.judge(page)
            values = np.array(judge.parts)
            for at, form in enumerate(FORMS):
                yield world.name, task.name, form, goal, measured(values[:, at], right)


def cells(rows):
    figures = mean(rows)
    return tuple(f"{figures[at]:.3f}" for at in _SHOWN)


def report(found):
    """Return the tables: by goal and by world."""
    goals = (*(name for name, *_ in GOALS), "all")
    by_goal = [("goal", "judge", *COLUMNS)] + [
        (goal, form, *cells([row for row in found if row[2] == form and goal in (row[3], "all")]))
        for goal in goals
        for form in FORMS
    ]
    worlds = [("world", "judge", *COLUMNS)] + [
        (world, form, *cells([row for row in found if row[0] == world and row[2] == form]))
        for world in dict.fromkeys(row[0] for row in found)
        for form in FORMS
    ]
    return {
        "judges-first-sight": "\n".join(table(by_goal)),
        "judges-first-sight-worlds": "\n".join(table(worlds)),
    }


def main() -> None:
    options = world_options(__doc__, pages=300)
    found = []
    for world in topical_worlds(options.worlds):
        found += trials(world, options.pages)
    known = {"processor": facts()["processor"], "pages": options.pages}
    publish(report(found), f"python -m bench.first_sight WORLDS --pages {options.pages}", **known)


if __name__ == "__main__":
    main()
