"""Are the chances that Clew shows true? The curve from verdicts to chances, fitted and measured.

    python -m bench.calibration WORLDS [--pages 600]      # writes data of docs/lab/judges.md

WORLDS is the folder of recorded webs (or CLEW_WORLDS). As in `bench.first_sight`, every topical task is crawled once by
`clew`, and a judge sees the pages in that order. The chances of each world are measured with a curve that was fitted to
the other worlds; then also with labels of some of its own pages, drawn at random from the first 150 of each crawl, which
are not measured (nor learned by the judge). How far the share of relevant pages goes apart between crawls is counted for each
tenth of the verdicts, and checked on webs that were not counted. Curve and ranges of all worlds are printed: they are the
constants of domain/calibration.py.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.figures import publish
from bench.first_sight import GOALS, page_at
from bench.measure import facts
from bench.world_options import topical_worlds, world_options
from clew.domain.calibration import ChanceCurve, log_odds
from clew.judge.auto import AutoJudge
from clew.lab import run_trial
from clew.lab.plots import Line, drawing
from clew.lab.standings import Band
from clew.lab.task import RELEVANT
from clew.types import Label
from docs.figures import Table

KINDS = ("words", "examples", "both")
LABELS = (0, 5, 10, 20)
LABELLED_FROM = 150
DRAWS = 5
BINS = 10
LEAST = 25
"""Pages of a crawl in a tenth of the verdicts whose share of relevant ones says something."""

OUTSIDE = 0.05
"""The part of the crawls below a range, and above it."""

PICTURE = Path(__file__).parent.parent / "docs" / "lab" / "judges-chances.svg"


@dataclass(frozen=True)
class JudgedCrawl:
    """The verdicts on the pages of one crawl at first sight, and the truth."""

    world: str
    task: str
    goal: str
    verdicts: np.ndarray
    right: np.ndarray


def crawls(world, pages):
    """Yield every task with every kind of goal."""
    for task in (task for task in world.tasks if task.kind == "topic"):
        trace = run_trial(world, task, "clew", pages=pages, judge="auto")
        examples = [row for url in task.good if (row := world.pages.find(url)) >= 0]
        order = [row for row in dict.fromkeys(trace.rows.tolist()) if row >= 0 and row not in examples]
        read = [page_at(world, row) for row in order]
        right = np.array([task.truth.grade(page.url) >= RELEVANT for page in read])
        for _, has_words, count in GOALS if read else ():
            judge = AutoJudge(about=task.about if has_words else "")
            for row in examples[:count]:
                page = page_at(world, row)
                judge.learn(Label(page.url, True, 0.0), page)
            goal = "both" if has_words and count else "words" if has_words else "examples"
            verdicts = np.array([judge.judge(page).value for page in read])
            yield JudgedCrawl(world.name, task.name, goal, verdicts, right)


def fitted(found):
    """Fit the curve by logistic regression; every world has the same weight."""
    worlds = [crawl.world for crawl in found]
    rows, right, weights = [], [], []
    for crawl in found:
        odds = log_odds(crawl.verdicts)
        kind = np.tile([crawl.goal == name for name in KINDS], (len(odds), 1))
        rows.append(np.column_stack((np.minimum(odds, 0), np.maximum(odds, 0), kind)))
        right.append(crawl.right)
        pages = sum(len(other.right) for other in found if other.world == crawl.world)
        weights.append(np.full(len(odds), 1 / pages / len(set(worlds))))
    x, y, weight = np.concatenate(rows), np.concatenate(right), np.concatenate(weights)
    found_at = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-x @ found_at))
        slope = x.T @ (weight * (chance - y)) + 1e-4 * found_at
        bend = (x * (weight * chance * (1 - chance))[:, None]).T @ x + 1e-4 * np.eye(len(found_at))
        found_at -= np.linalg.solve(bend, slope)
    return ChanceCurve(*(round(float(value), 3) for value in found_at))


def chances(curve, crawl, labels, rng):
    """Return the chances of the pages of a crawl that are measured, and the truth."""
    shown = ChanceCurve(curve.below, curve.above, curve.words, curve.examples, curve.both, crawl.goal)
    chosen = rng.permutation(min(LABELLED_FROM, len(crawl.right)))[:labels]
    if labels:
        shown = shown.shifted(zip(crawl.verdicts[chosen].tolist(), crawl.right[chosen].tolist(), strict=True))
    rest = np.setdiff1d(np.arange(len(crawl.right)), chosen)
    return shown.chances(crawl.verdicts[rest]), crawl.right[rest]


def bins_of(value, right):
    """Yield pages, mean value and share of relevant pages for each bin that has any."""
    at = np.minimum((value * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        inside = at == number
        if inside.any():
            yield number, int(inside.sum()), float(value[inside].mean()), float(right[inside].mean())


def error(value, right):
    return sum(abs(mean - share) * pages / len(value) for _, pages, mean, share in bins_of(value, right))


def shares(found):
    """Return tenths of the verdicts, shares of relevant pages and weights: one row for each crawl and tenth."""
    rows = [
        (number, share, crawl.world)
        for crawl in found
        for number, pages, _, share in bins_of(crawl.verdicts, crawl.right)
        if pages >= LEAST
    ]
    cells = [(number, world) for number, _, world in rows]
    weights = [1 / cells.count(cell) for cell in cells]  # in each tenth, every world has the same weight
    return np.array([row[:2] for row in rows]), np.array(weights)


def ranges(found):
    """Return the lowest and the highest share of most crawls by tenth; neither falls as verdicts rise."""
    rows, weights = shares(found)
    bounds = []
    for number in range(BINS):
        inside = rows[:, 0] == number
        bounds.append([quantile(rows[inside, 1], weights[inside], at) for at in (OUTSIDE, 1 - OUTSIDE)])
    low, high = np.array(bounds).T
    return np.column_stack((np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)))


def quantile(values, weights, share):
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][min(int(np.searchsorted(reached, share)), len(order) - 1)])


def range_tables(found, worlds):
    """Return the ranges of all worlds, and how often those of the others hold on each."""
    crawls, bounds = shares(found)[0], ranges(found)
    rows = [
        (
            f"{at / BINS:.1f} to {(at + 1) / BINS:.1f}",
            str((crawls[:, 0] == at).sum()),
            f"{low:.2f}",
            f"{high:.2f}",
        )
        for at, (low, high) in enumerate(bounds)
    ]
    held = []
    for name in worlds:
        others = ranges([crawl for crawl in found if crawl.world != name])
        own = shares([crawl for crawl in found if crawl.world == name])[0]
        low, high = others[own[:, 0].astype(int)].T
        held.append((low <= own[:, 1]) & (own[:, 1] <= high))
    means = [float(each.mean()) for each in held]
    checked = (str(sum(map(len, held))), f"{np.mean(means):.1%}", f"{min(means):.1%}", f"{max(means):.1%}")
    return {
        "judges-ranges": Table(("verdict", "crawls", "lowest share", "highest share"), tuple(rows)),
        "judges-ranges-held": Table(("shares", "inside, mean of webs", "worst web", "best web"), (checked,)),
    }


def row(name, labels, measured):
    """Return the figures of one way to show verdicts; `measured` has chances and truth by world."""
    value, right = (
        np.concatenate([pair[at] for pairs in measured.values() for pair in pairs]) for at in (0, 1)
    )
    worlds = [error(*map(np.concatenate, zip(*pairs, strict=True))) for pairs in measured.values()]
    brier = float(np.square(value - right).mean())
    figures = (error(value, right), float(np.mean(worlds)), max(worlds), brier)
    return (name, str(labels), *(f"{figure:.3f}" for figure in figures))


def report(found):
    """Return the tables, and chances and truth of all pages without labels."""
    worlds = list(dict.fromkeys(crawl.world for crawl in found))
    curves = {name: fitted([crawl for crawl in found if crawl.world != name]) for name in worlds}
    plain = {name: [(c.verdicts, c.right) for c in found if c.world == name] for name in worlds}
    rows = [row("verdict", 0, plain)]
    shown = {}
    for labels in LABELS:
        rng = np.random.default_rng(1)
        measured = {
            name: [
                chances(curves[name], crawl, labels, rng)
                for crawl in found if crawl.world == name for _ in range(DRAWS if labels else 1)
            ]
            for name in worlds
        }  # fmt: skip
        shown = shown or measured
        rows.append(row("chance", labels, measured))
    columns = ("shown", "labels", "ECE", "ECE of one web, mean", "ECE of one web, worst", "Brier")
    value, right = (np.concatenate([pair[at] for pairs in shown.values() for pair in pairs]) for at in (0, 1))
    bins = [
        (f"{at / BINS:.1f} to {(at + 1) / BINS:.1f}", f"{pages:,}", f"{mean:.3f}", f"{share:.3f}")
        for at, pages, mean, share in bins_of(value, right)
    ]
    return {
        "judges-calibration": Table(columns, tuple(rows)),
        "judges-chances": Table(("chance", "pages", "mean chance", "share relevant"), tuple(bins)),
        **range_tables(found, worlds),
    }, (value, right)


def picture(found, value, right):
    """Draw the reliability diagram: chances of worlds not fitted to, verdicts, and the diagonal."""
    verdicts = np.concatenate([crawl.verdicts for crawl in found])
    truth = np.concatenate([crawl.right for crawl in found])
    ideal = np.linspace(0, 1, BINS + 1)
    lines = [Line("ideal", _band(ideal, ideal), -1)]
    for number, (name, pair) in enumerate({"chance": (value, right), "verdict": (verdicts, truth)}.items()):
        _, _, means, shares = zip(*bins_of(*pair), strict=True)
        lines.append(Line(name, _band(np.array(means), np.array(shares)), number))
    text = drawing(lines, x_label="shown", y_label="share of relevant pages", alone=True)
    PICTURE.write_text(text, "utf-8")


def _band(x, y):
    return Band(x, y, y, y)


def main() -> None:
    options = world_options(__doc__, pages=600)
    found = []
    for world in topical_worlds(options.worlds):
        found += crawls(world, options.pages)
    print(fitted(found), ranges(found).round(2).tolist(), sep="\n")
    tables, (value, right) = report(found)
    picture(found, value, right)
    known = {"processor": facts()["processor"], "pages": options.pages, "crawls": len(found)}
    publish(tables, f"python -m bench.calibration WORLDS --pages {options.pages}", **known)


if __name__ == "__main__":
    main()
