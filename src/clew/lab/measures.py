"""Measures of a crawl, over the number of pages read: what was found, how soon, at what cost.

All of them are pure functions of columns in the order of fetching. `gains[i]` tells whether fetch `i`
found a page that counts: relevant by the world's own labels, seen for the first time, and not one of
the example pages the crawler was given. Verdicts of the judge play no part here.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Gains: TypeAlias = NDArray[np.bool_]
Curve: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

WINDOW = 200
"""Fetches over which the latest harvest is counted, as on the screen of a live crawl."""

HORIZON = 0.5
"""The share of a world up to which areas are taken: beyond it every order finds everything."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is named, which direction is better (+1, -1, or 0 for neither), and what it means."""

    key: str
    label: str
    better: int
    digits: int
    meaning: str


MEASURES = (
    Measure("gain", "normalised area", 1, 3, "the area between breadth-first (0) and the oracle (1)"),
    Measure("area", "area", 1, 3, "mean recall over the fetches up to the horizon"),
    Measure("found", "found", 1, 0, "relevant pages found; of a task about sites, sites"),
    Measure("wrong", "wrong sites", -1, 0, "of a task about sites: called relevant, but they are not"),
    Measure("harvest", "harvest", 1, 3, "relevant pages per fetch"),
    Measure("harvest_last", "harvest, end", 1, 3, f"relevant pages per fetch, last {WINDOW} fetches"),
    Measure("recall", "recall", 1, 3, "found, of the relevant pages reachable from the start set"),
    Measure("recall_all", "recall of all", 1, 3, "found, of all relevant pages of the world"),
    Measure(
        "to_50", "fetches to 50 %", -1, 0, "fetches until half of the reachable relevant pages are found"
    ),
    Measure("to_90", "fetches to 90 %", -1, 0, "the same for nine tenths of them"),
    Measure("hosts", "hosts", 1, 0, "distinct hosts with a relevant page found"),
    Measure(
        "auc", "AUC of scores", 1, 3, "chance that a relevant page was taken with a higher score than not"
    ),
    Measure("fetches", "pages", 0, 0, "pages read"),
    Measure("failed", "failed requests", -1, 0, "links to pages that brought none"),
    Measure("megabytes", "MB", -1, 1, "bytes received"),
    Measure("labels", "labels", -1, 0, "pages whose true label the judge was given"),
    Measure("cpu", "CPU s", -1, 2, "CPU seconds of the whole replayed crawl, ranking included"),
)
"""Every measure, in the order of the tables."""


def curve_of(gains: Gains) -> Curve:
    """Return how many relevant pages were found after 0, 1, 2, … fetches.

    >>> curve_of(np.array([True, False, True])).tolist()
    [0, 1, 1, 2]
    """
    curve = np.zeros(len(gains) + 1, np.int64)
    np.cumsum(gains, out=curve[1:])
    return curve


def stretched(curve: Curve, upto: int) -> Curve:
    """Return the curve up to `upto` fetches; a crawl that ended earlier keeps its last value.

    >>> stretched(np.array([0, 1, 2]), 4).tolist()
    [0, 1, 2, 2, 2]
    """
    if len(curve) > upto:
        return curve[: upto + 1]
    return np.concatenate((curve, np.full(upto + 1 - len(curve), curve[-1], np.int64)))


def area(curve: Curve, reachable: int, upto: int) -> float:
    """Return the mean recall over fetches 1 to `upto`; 1 would be everything with the first fetch.

    >>> area(np.array([0, 1, 1, 2]), reachable=2, upto=3)
    0.6666666666666666
    """
    if not reachable or upto < 1:
        return float("nan")
    return float(stretched(curve, upto)[1:].mean() / reachable)


def between(value: float, floor: float, ceiling: float) -> float:
    """Return where a value lies between two limits, 0 to 1; outside them, outside that.

    >>> between(0.5, floor=0.25, ceiling=0.75), between(0.1, floor=0.2, ceiling=0.2)
    (0.5, nan)
    """
    return (value - floor) / (ceiling - floor) if ceiling > floor else float("nan")


def fetches_to(curve: Curve, count: float) -> float:
    """Return how many fetches it took to find `count` pages; infinity if it never did.

    >>> fetches_to(np.array([0, 0, 1, 2]), 1), fetches_to(np.array([0, 1]), 5)
    (2.0, inf)
    """
    needed = max(1, int(np.ceil(count)))
    return float(np.searchsorted(curve, needed)) if curve[-1] >= needed else float("inf")


def harvest(curve: Curve, window: int = 0) -> float:
    """Return relevant pages per fetch, over the whole crawl or its last `window` fetches."""
    fetches = len(curve) - 1
    if not fetches:
        return float("nan")
    start = max(0, fetches - window) if window else 0
    return float((curve[-1] - curve[start]) / (fetches - start))


def auc(scores: Floats, relevant: Gains) -> float:
    """Return the chance that a relevant page had a higher score than another; ties count half.

    Rank-based (Mann-Whitney). It looks only at links that were taken, so a policy that never takes a bad
    link has little to be measured by: read it beside the curves, never alone.

    >>> auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    0.875
    """
    positives = int(relevant.sum())
    negatives = len(relevant) - positives
    if not positives or not negatives:
        return float("nan")
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(np.concatenate((starts, [len(ordered)])))
    ranks = np.empty(len(scores))
    ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths)
    return float((ranks[relevant].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def horizon(pages: int, budget: int) -> int:
    """Return up to which fetch areas are taken: half of the world, or the budget where that is less."""
    return max(1, min(budget, int(pages * HORIZON)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a run is measured against: how many relevant pages there are, and where the area ends."""

    reachable: int
    relevant: int
    upto: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """A run in the order of fetching. `taken` marks the fetches whose score came from the policy."""

    gains: Gains
    hosts: NDArray[np.int64]
    bytes: NDArray[np.int64]
    scores: Floats
    taken: Gains
    cpu: float
    labels: int
    failed: int = 0
    wrong: float = float("nan")


def figures(run: Columns, reference: Reference) -> dict[str, float]:
    """Return every measure that needs no other run to compare with."""
    curve = curve_of(run.gains)
    found = int(curve[-1])
    return {
        "area": area(curve, reference.reachable, reference.upto),
        "found": float(found),
        "wrong": run.wrong,
        "harvest": harvest(curve),
        "harvest_last": harvest(curve, WINDOW),
        "recall": found / reference.reachable if reference.reachable else float("nan"),
        "recall_all": found / reference.relevant if reference.relevant else float("nan"),
        "to_50": fetches_to(curve, 0.5 * reference.reachable),
        "to_90": fetches_to(curve, 0.9 * reference.reachable),
        "hosts": float(len(np.unique(run.hosts[run.gains]))),
        "auc": auc(run.scores[run.taken], run.gains[run.taken]),
        "fetches": float(len(run.gains)),
        "failed": float(run.failed),
        "megabytes": float(run.bytes.sum() / 1e6),
        "labels": float(run.labels),
        "cpu": run.cpu,
    }
