"""How high should verdicts be while a crawl has read only a few pages? The choice of a constant of the `auto` judge.

    python -m bench.early_verdicts WORLDS [--pages 300]      # writes data of docs/lab/judges.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). Every task of `bench.topics` is crawled by `clew`; a judge that has
the words of the goal and three or eight examples sees the pages in that order. Its verdicts by words and by examples, as they
were at that moment, are combined as a power of their mean, which falls from 1 to a half (the square root) over so many
pages. For each world the number of pages is chosen by the Brier score on all other worlds.
"""

import numpy as np

from bench.figures import publish
from bench.first_sight import page_at
from bench.topics import OTHERS, TASKS
from bench.world_options import world_options
from clew.judge.auto import AutoJudge
from clew.judge.term_vectors import bag_of
from clew.lab import run_trial
from clew.lab.task import RELEVANT
from clew.lab.world import open_world
from clew.types import Label
from docs.figures import Table

EXAMPLES = (3, 8)
CHOICES = (0, 10, 20, 30, 40, 60, 80, 120)
"""Numbers of pages over which the power falls; with 0 it is the square root from the first page on."""

CHOSEN_ON = 100
"""The first pages of a crawl, by which the number is chosen."""

RANGES = ((0, 10), (10, 30), (30, 60), (60, 100), (100, 300))


class ComparingJudge(AutoJudge):
    """The judge, with what words and examples alone say of each page, and how many pages it has read."""

    def __init__(self, **goal) -> None:
        super().__init__(**goal)
        self.parts = []

    def _first_verdict(self, page, by_words):
        verdict = super()._first_verdict(page, by_words)
        self.parts.append((len(self._sample), by_words.value, self._examples.value_of(bag_of(page))))
        return verdict


def trials(folder, pages):
    """Yield for each task and number of examples the world, the parts of each verdict, and the truth."""
    for name in dict.fromkeys((*TASKS, *OTHERS)):
        world = open_world(folder / name)
        for wanted in (*TASKS.get(name, ()), *OTHERS.get(name, ())):
            task = world.task(wanted)
            trace = run_trial(world, task, "clew", pages=pages, judge="auto")
            shown = [row for url in task.good if (row := world.pages.find(url)) >= 0]
            order = [row for row in dict.fromkeys(trace.rows.tolist()) if row >= 0 and row not in shown]
            read = [page_at(world, row) for row in order]
            truth = np.array([task.truth.grade(page.url) >= RELEVANT for page in read])
            for count in EXAMPLES:
                judge = ComparingJudge(about=task.about)
                for row in shown[:count]:
                    page = page_at(world, row)
                    judge.learn(Label(page.url, True, 0.0), page)
                for page in read:
                    judge.judge(page)
                yield name, np.array(judge.parts), truth
        print(name, flush=True)


def verdicts(parts, pages):
    """Return the combined verdicts if the power falls over so many pages."""
    power = 1 - 0.5 * np.minimum(1.0, parts[:, 0] / pages) if pages else 0.5
    return ((parts[:, 1] + parts[:, 2]) / 2) ** power


def brier(found, pages, world, *, begin=0, end=CHOSEN_ON):
    """Return the mean Brier score of verdicts in a world, over the pages of this range."""
    scores = [
        np.mean((verdicts(parts, pages)[begin:end] - truth[begin:end]) ** 2)
        for name, parts, truth in found
        if name == world and len(truth) > begin
    ]
    return float(np.mean(scores))


def choice(found):
    """Return for each world the number of pages chosen without it, and its scores."""
    worlds = list(dict.fromkeys(name for name, *_ in found))
    scores = np.array([[brier(found, pages, world) for pages in CHOICES] for world in worlds])
    lines, totals = [], []
    for at, world in enumerate(worlds):
        best = int(np.delete(scores, at, axis=0).mean(axis=0).argmin())
        totals.append((scores[at, 0], scores[at, best]))
        lines.append((world, str(CHOICES[best]), *(f"{score:.3f}" for score in totals[-1])))
    lines.append(("all", "", *(f"{score:.3f}" for score in np.mean(totals, axis=0))))
    return Table(("world", "pages chosen without it", "Brier, square root", "Brier, as chosen"), tuple(lines))


def levels(found, pages):
    """Return how many of the first pages are called relevant, with the square root and with the chosen number."""
    lines = []
    for begin, end in RANGES:
        cells = []
        for number in (0, pages):
            rows = [(verdicts(parts, number)[begin:end], truth[begin:end]) for _, parts, truth in found]
            value, right = (np.concatenate([row[at] for row in rows]) for at in (0, 1))
            cells += [f"{(value >= 0.5).mean():.2f}", f"{np.mean((value - right) ** 2):.3f}"]
        lines.append((f"{begin + 1} to {end}", f"{right.mean():.2f}", *cells))
    names = ("pages", "relevant", "called relevant, square root", "Brier, square root")
    return Table((*names, "called relevant", "Brier"), tuple(lines))


def main() -> None:
    options = world_options(__doc__, pages=300)
    found = list(trials(options.worlds, options.pages))
    total = np.mean(
        [[brier(found, pages, name) for pages in CHOICES] for name in {row[0] for row in found}], axis=0
    )
    chosen = CHOICES[int(total.argmin())]
    tables = {"judges-early-choice": choice(found), "judges-early": levels(found, chosen)}
    publish(tables, f"python -m bench.early_verdicts WORLDS --pages {options.pages}", chosen=chosen)


if __name__ == "__main__":
    main()
