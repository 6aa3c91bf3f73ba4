"""Is the main text better to judge by than the whole page? Verdicts and crawls with either.

    python -m bench.judge_texts WORLDS [--pages 400]      # writes data of docs/lab/text.md

The tasks of bench.topics: a judge with the words and examples of the goal sees the pages of a crawl in their order, once
with main text and margin told apart, as the parser does, once with all text of the page as main text. Then `clew` crawls
with either judge.
"""

from dataclasses import replace

import numpy as np

from bench.figures import publish
from bench.first_sight import page_at
from bench.judges import measured
from bench.topics import TASKS
from bench.world_options import world_options
from clew.judge.auto import AutoJudge
from clew.judge.words import WordsJudge
from clew.lab import run_trial
from clew.lab.task import RELEVANT
from clew.lab.world import open_world
from clew.types import Label
from docs.figures import Table


def whole(page):
    """Return a page whose margin is part of its text."""
    return replace(page, text=f"{page.text}\n{page.margin}", margin="", terms=None)


class WholePageJudge(AutoJudge):
    """The judge `auto` without a margin."""

    def judge(self, page):
        return super().judge(whole(page))

    def learn(self, label, page):
        super().learn(label, whole(page))


TEXTS = {"main text": AutoJudge, "whole page": WholePageJudge}
COLUMNS = ("world", "tasks", "text", "AP words", "AP auto", "F1 auto", "relevant pages found")


def trial(world, task, text, pages, order):
    """Return AP of words, AP and F1 of auto at first sight, and the relevant pages that a crawl finds."""
    examples = [row for url in task.good if (row := world.pages.find(url)) >= 0]
    read = [page_at(world, row) for row in order if row not in examples]
    right = np.array([task.truth.grade(page.url) >= RELEVANT for page in read])
    shown = [whole(page) for page in read] if text == "whole page" else read
    by_words, judge = WordsJudge(about=task.about), TEXTS[text](about=task.about)
    for row in examples:
        page = page_at(world, row)
        judge.learn(Label(page.url, True, 0.0), page)
    words = measured(np.array([by_words.judge(page).value for page in shown]), right)
    auto = measured(np.array([judge.judge(page).value for page in read]), right)
    trace = run_trial(world, task, "clew", pages=pages, judge=f"bench.judge_texts:{TEXTS[text].__name__}")
    fetched = {row for row in trace.rows.tolist() if row >= 0}
    found = sum(task.truth.grade(world.page_store.url(row)) >= RELEVANT for row in fetched)
    return words[1], auto[1], auto[6], found


def main() -> None:
    options = world_options(__doc__, pages=400)
    found: dict[tuple[str, str], list] = {}
    for name, wanted in TASKS.items():
        world = open_world(options.worlds / name)
        for task in map(world.task, wanted):
            rows = run_trial(world, task, "clew", pages=options.pages, judge="auto").rows.tolist()
            order = list(dict.fromkeys(row for row in rows if row >= 0))
            for text in TEXTS:
                figures = trial(world, task, text, options.pages, order)
                found.setdefault((name, text), []).append(figures)
                print(name, task.name, text, figures, flush=True)
    rows = [
        (
            name,
            str(len(each)),
            text,
            *(f"{value:.3f}" for value in np.mean(each, 0)[:3]),
            str(sum(f[3] for f in each)),
        )
        for (name, text), each in found.items()
    ]
    publish(
        {"text-judges": Table(COLUMNS, tuple(rows))},
        f"python -m bench.judge_texts WORLDS --pages {options.pages}",
        pages=options.pages,
    )


if __name__ == "__main__":
    main()
