"""What do answers teach the judge? Its verdicts on later pages of a crawl, after answers about earlier ones.

    python -m bench.answers WORLDS [--pages 250] [--only webkb,cppja]      # writes data of docs/lab/judges.md

Every task of `bench.topics` is crawled once by `clew`, up to `--pages` pages; a judge that knows the words and
examples of the goal then sees the pages in that order. From the twentieth page on it gets ten answers after
every twenty pages, until it has all of them: about the pages that `clew label --ask` would choose by their
verdicts (nearest to the line), about random ones, or about the surest. Nobody is asked about half of the pages,
drawn by their URL: measured are the verdicts on those, from the 81st page on, the same for all plans. What answers
are worth to a whole crawl: `bench.teacher`.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import xxhash

from bench.figures import publish
from bench.first_sight import page_at
from bench.judges import measured
from bench.topics import TASKS
from clew.judge.auto import AutoJudge
from clew.lab import run_trial
from clew.lab.task import RELEVANT
from clew.lab.world import open_world
from clew.types import Label
from docs.figures import Table

FIRST, EVERY, BATCH = 20, 20, 10
"""The page after which the first answers are given, pages between two batches, answers of a batch."""

MEASURED_FROM = 80
PLANS = (
    ("nearest to the line", 0, 1.0), ("nearest to the line", 10, 1.0), ("nearest to the line", 30, 1.0),
    ("nearest to the line", 30, 0.9), ("nearest to the line", 100, 1.0), ("nearest to the line", 100, 0.9),
    ("random", 30, 1.0), ("surest", 30, 1.0),
)  # fmt: skip
"""Order of the questions, number of answers, share of right ones."""

COLUMNS = ("asked about", "answers", "right answers", "AUC", "AP", "F1", "worst change of AUC")


def chosen(order, verdicts, pool, rng):
    """Return the pages to ask about, of those in the pool."""
    rows = np.array(sorted(pool))
    if order == "random":
        return rng.permutation(rows)[:BATCH].tolist()
    distance = np.abs(verdicts[rows] - 0.5)
    return rows[np.argsort(-distance if order == "surest" else distance, kind="stable")[:BATCH]].tolist()


def is_measured(page):
    """Return whether a page is one of the half that nobody is asked about."""
    return xxhash.xxh3_64_intdigest(page.url.encode()) % 2 == 0


def taught(task, examples, pages, truth, plan):
    """Return the measures of a judge that gets the answers of a plan; None where all pages are alike."""
    order, answers, right = plan
    judge, rng = AutoJudge(about=task.about), np.random.default_rng(1)
    for page in examples:
        judge.learn(Label(page.url, True, 0.0), page)
    verdicts, pool = np.zeros(len(pages)), set()
    asked = set()
    for row, page in enumerate(pages):
        verdicts[row] = judge.judge(page).value
        if not is_measured(page):
            pool.add(row)
        if len(asked) < answers and row >= FIRST and row % EVERY == 0:
            for each in chosen(order, verdicts, pool, rng)[: answers - len(asked)]:
                said = bool(truth[each]) == (rng.random() < right)
                judge.learn(Label(pages[each].url, said, float(row)), pages[each])
                asked.add(each)
            pool -= asked
    later = np.array([row for row in range(MEASURED_FROM, len(pages)) if is_measured(pages[row])])
    if not 0 < truth[later].sum() < len(later):
        return None
    return measured(verdicts[later], truth[later])


def trials(folder, names, pages):
    """Yield for each task the measures of all plans."""
    for name in names:
        world = open_world(folder / name)
        for wanted in TASKS[name]:
            task = world.task(wanted)
            trace = run_trial(world, task, "clew", pages=pages, judge="auto")
            shown = [row for url in task.good if (row := world.pages.find(url)) >= 0]
            order = [row for row in dict.fromkeys(trace.rows.tolist()) if row >= 0 and row not in shown]
            read, examples = ([page_at(world, row) for row in rows] for rows in (order, shown))
            truth = np.array([task.truth.grade(page.url) >= RELEVANT for page in read])
            found = [taught(task, examples, read, truth, plan) for plan in PLANS]
            if all(each is not None for each in found):
                yield found
                print(f"{name}: {task.name}: " + " ".join(f"{each[0]:.3f}" for each in found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("worlds", nargs="?", type=Path, default=os.environ.get("CLEW_WORLDS"))
    parser.add_argument("--pages", type=int, default=250)
    parser.add_argument("--only", default=",".join(TASKS), help="worlds, separated by commas")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    if not options.worlds:
        parser.error("name the folder of worlds, or set CLEW_WORLDS")
    tried = trials(Path(options.worlds), options.only.split(","), options.pages)
    found = np.array([[each[:7] for each in task] for task in tried])
    lines = []
    for at, (order, answers, right) in enumerate(PLANS):
        change = (found[:, at, 0] - found[:, 0, 0]).min()
        auc, ap, f1 = found[:, at].mean(axis=0)[[0, 1, 6]]
        lines.append(
            (order, str(answers), f"{right:.1f}", f"{auc:.3f}", f"{ap:.3f}", f"{f1:.3f}", f"{change:+.3f}")
        )
    command = f"python -m bench.answers WORLDS --pages {options.pages} --only {options.only}"
    tables = {"judges-answers": Table(COLUMNS, tuple(lines))}
    publish(tables, command, dry=options.dry, tasks=len(found), pages=options.pages)


if __name__ == "__main__":
    main()
