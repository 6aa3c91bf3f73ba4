"""How well do the judges classify pages? Measured on labelled pages of recorded webs that were not their examples.

    python -m bench.judges WORLDS            # writes the data of docs/lab/judges.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). Half of a world's pages, 1,500 at most, are judged; examples
are drawn from the rest, and so are 300 pages without their labels: as a crawl would have read by then.
"""

import argparse
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.figures import publish
from bench.measure import facts
from clew.judge.bayes import fit_odds
from clew.judge.similarity import fit
from clew.judge.term_list import about_terms
from clew.judge.term_vectors import TermIndex, TermMatrix, TermVector
from clew.judge.words import WordsJudge
from clew.lab.task import RELEVANT
from clew.lab.world import open_world
from clew.parse import ipc
from clew.types import Link, Page, Response

EXAMPLE_COUNTS = (3, 10, 30, 100)
DRAWS = 3
TESTED, BACKGROUND = 1_500, 300
COLUMNS = ("AUC", "AP", "Brier", "ECE", "precision", "recall", "F1")


@dataclass
class JudgedWorld:
    """The pages of a world as term counts, divided into those that are judged and those that are trained on."""

    name: str
    pages: list[Page]
    tasks: list
    index: TermIndex = field(default_factory=TermIndex)
    counts: list[TermVector] = field(default_factory=list)
    tested: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    training: np.ndarray = field(default_factory=lambda: np.empty(0, int))

    @property
    def lang(self) -> str:
        return ", ".join(
            lang for lang, count in Counter(p.lang for p in self.pages).most_common(2) if count > 300
        )


def read_world(path: Path) -> JudgedWorld | None:
    """Read the pages of a world that has topical tasks."""
    world = open_world(path)
    tasks = [task for task in world.tasks if task.kind == "topic"]
    store = world.page_store
    if not tasks or store is None:
        return None
    pages = []
    for row in np.flatnonzero(np.asarray(store.status) == 200).tolist():
        url = store.url(row)
        response = Response(link=Link(id=row + 1, url=url, origin=""), started=0, ended=0, status=200)
        page = ipc.page_of(store.get(row).page, response)
        if not page.redirect:
            pages.append(page)
    judged = JudgedWorld(path.name, pages, tasks)
    judged.counts = [judged.index.encode_page(page) for page in pages]
    order = np.random.default_rng(7).permutation(len(pages))
    size = min(TESTED, len(pages) // 2)
    judged.tested, judged.training = order[:size], order[size:]
    return judged


def scores(learned, stack: TermMatrix, index: TermIndex, *, bayes: bool) -> np.ndarray:
    """Judge many pages at once, as `score` and `probability` judge one."""
    rarity, weight = np.zeros(len(index)), np.zeros(len(index))
    for term, (rare, worth) in learned.table.items():
        rarity[index.ids[term]], weight[index.ids[term]] = rare, worth
    damped = np.log1p(stack.counts)
    sums = np.bincount(stack.pages, damped * weight[stack.ids], minlength=stack.page_count)
    if bayes:
        raw = sums / (20.0 + np.bincount(stack.pages, damped * rarity[stack.ids], minlength=stack.page_count))
    else:
        lengths = np.sqrt(
            np.bincount(stack.pages, (damped * rarity[stack.ids]) ** 2, minlength=stack.page_count)
        )
        raw = sums / np.where(lengths, lengths, 1)
    return np.array([learned.probability(float(value)) for value in raw])


def measured(value: np.ndarray, right: np.ndarray) -> tuple[float, ...]:
    """Return AUC, average precision, Brier score, calibration error, and precision, recall, F1 at 0.5."""
    order = np.argsort(-value, kind="stable")
    found = np.cumsum(right[order])
    average = float((found / np.arange(1, len(right) + 1))[right[order]].mean())
    ranks = np.empty(len(value))
    ranks[np.argsort(value, kind="stable")] = np.arange(1, len(value) + 1)
    for same in np.unique(value):
        tied = value == same
        ranks[tied] = ranks[tied].mean()
    positives, negatives = int(right.sum()), int((~right).sum())
    area = (ranks[right].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    bins = np.minimum((value * 10).astype(int), 9)
    error = sum(
        abs(value[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
        for b in range(10)
        if (bins == b).any()
    )
    accepted = value >= 0.5
    hits = int((accepted & right).sum())
    total = max(1, int(accepted.sum()) + positives)
    return (
        area,
        average,
        float(((value - right) ** 2).mean()),
        error,
        hits / max(1, int(accepted.sum())),
        hits / positives,
        2 * hits / total,
    )


def trials(world: JudgedWorld):
    """Yield world, task, judge, number of examples and figures, for every judge and every draw."""
    rows_by_url = {page.url: row for row, page in enumerate(world.pages)}
    for task in world.tasks:
        right = np.array([task.truth.grade(page.url) >= RELEVANT for page in world.pages])
        own = [rows_by_url[url] for url in task.good if url in rows_by_url]
        tested = np.setdiff1d(world.tested, own)
        truth = right[tested]
        if truth.sum() < 5:
            continue
        by_words = _by_words(task.about, world, tested)
        yield world.name, task.name, "words", 0, measured(by_words, truth)
        stack = TermMatrix.of([world.counts[row] for row in tested])
        for count in (0, *EXAMPLE_COUNTS, -1):
            for draw in range(DRAWS):
                rng = np.random.default_rng((count + 2) * 100 + draw)
                pool = np.setdiff1d(world.training, own)
                relevant = rng.permutation(pool[right[pool]])
                if count > len(relevant) or (count <= 0 and draw):
                    continue
                good = own if count < 0 else relevant[:count].tolist()
                seen = rng.permutation(np.setdiff1d(pool, good))[:BACKGROUND].tolist()
                irrelevant = rng.permutation(pool[~right[pool]])[: 10 * len(good)].tolist()
                for judge, value in _by_examples(world, task.about, stack, (good, seen, irrelevant)):
                    yield world.name, task.name, judge, count, measured(value, truth)
                    if judge == "examples and words" and count:
                        both = np.sqrt((by_words + value) / 2)
                        yield world.name, task.name, "auto", count, measured(both, truth)


def _by_words(about: str, world: JudgedWorld, tested: np.ndarray) -> np.ndarray:
    judge = WordsJudge(about=about)
    return np.array([judge.judge(world.pages[row]).value for row in tested])


def _by_examples(world: JudgedWorld, about: str, stack: TermMatrix, rows_by_kind: tuple[list[int], ...]):
    index, counts = world.index, world.counts
    relevant, others, irrelevant = ([counts[row] for row in rows] for rows in rows_by_kind)
    words = [index.id_of(term) for term in about_terms(about, [counts.lang for counts in relevant or others])]
    yield (
        "examples and words",
        scores(fit(index, relevant, (), others, about=words), stack, index, bayes=False),
    )
    if relevant:
        yield "examples", scores(fit(index, relevant, (), others), stack, index, bayes=False)
        yield "bayes", scores(fit_odds(index, relevant, irrelevant, about=words), stack, index, bayes=True)


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return rows as Markdown."""
    head, *rest = rows
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rest),
        "",
    ]


def mean(rows: list) -> np.ndarray:
    """Average draws, then tasks, then worlds: each world counts the same."""
    by_task: dict[tuple[str, str], list] = {}
    for world, task, _, _, figures in rows:
        by_task.setdefault((world, task), []).append(figures)
    by_world: dict[str, list] = {}
    for (world, _), figures in by_task.items():
        by_world.setdefault(world, []).append(np.mean(figures, axis=0))
    return np.mean([np.mean(tasks, axis=0) for tasks in by_world.values()], axis=0)


def cells(figures: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" if at < 4 else f"{value:.2f}" for at, value in enumerate(figures))


def named(count: int) -> str:
    return "the task's own" if count < 0 else str(count)


def report(found: list, worlds: list[JudgedWorld]) -> dict[str, str]:
    """Return the tables: over all worlds, world by world, task by task."""
    return {
        "judges-overall": "\n".join(overall(found)),
        "judges-worlds": "\n".join(by_world(found, worlds)),
        "judges-tasks": "\n".join(by_task(found, worlds)),
    }


def overall(found: list) -> list[str]:
    """Return the mean of every judge with every number of examples; every world counts the same."""
    rows = [("judge", "examples", *COLUMNS)]
    for judge in ("words", "auto", "examples and words", "examples", "bayes"):
        for count in (0, *EXAMPLE_COUNTS, -1):
            some = [row for row in found if row[2] == judge and row[3] == count]
            if some:
                title = "examples, words too" if judge == "examples and words" else judge
                rows.append((title, named(count), *cells(mean(some))))
    return table(rows)


def by_world(found: list, worlds: list[JudgedWorld]) -> list[str]:
    """Return average precision and F1 at 0.5 in every world; `examples` with the words of the goal."""
    counts = (0, *EXAMPLE_COUNTS)
    titles = ("words", *(f"{named(count)} examples" for count in counts), "bayes with 30")
    rows = [("world", "language", *(f"{title} AP / F1" for title in titles))]
    for world in worlds:
        line = [world.name, world.lang]
        for judge, count in (
            ("words", 0),
            *(("examples and words", count) for count in counts),
            ("bayes", 30),
        ):
            some = [row for row in found if row[0] == world.name and row[2] == judge and row[3] == count]
            line.append("{1:.2f} / {6:.2f}".format(*mean(some)) if some else "–")
        rows.append(tuple(line))
    return table(rows)


def by_task(found: list, worlds: list[JudgedWorld]) -> list[str]:
    """Return every task with its own examples and the words of the goal."""
    rows = [("world", "task", *COLUMNS, "F1 of `words`")]
    for world in worlds:
        for task in world.tasks:
            some = [row for row in found if row[:2] == (world.name, task.name)]
            own = [row for row in some if row[2] == "examples and words" and row[3] < 0]
            if own:
                words = mean([row for row in some if row[2] == "words"])[6]
                rows.append((world.name, task.name, *cells(mean(own)), f"{words:.2f}"))
    return table(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "worlds", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"), help="the folder of worlds"
    )
    options = parser.parse_args()
    if not options.worlds:
        parser.error("name the folder of worlds, or set CLEW_WORLDS")
    began = time.process_time()
    found, worlds = [], []
    for path in sorted(path for path in Path(options.worlds).iterdir() if (path / "tasks.json").exists()):
        world = read_world(path)
        if world is not None:
            worlds.append(world)
            found += trials(world)
            print(
                f"{world.name}: {len(world.tasks)} tasks, {time.process_time() - began:.0f} CPU seconds",
                flush=True,
            )
    seconds = f"{time.process_time() - began:.0f}"
    known = {"processor": facts()["processor"], "cpu_seconds": seconds}
    publish(report(found, worlds), "python -m bench.judges WORLDS", **known)


if __name__ == "__main__":
    main()
