"""Standings: many runs of many policies become means with intervals, curves with bands, and comparisons."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from clew.lab.measures import Curve, Floats, between, stretched
from clew.lab.statistics import Interval, holm, interval, sign_flip_p, t_quantile

FLOOR, CEILING = "breadth", "oracle"
FEW = 3
"""With so many runs or fewer no interval is shown: it would be wider than everything that is possible."""
"""The limits of every case: what breadth-first search finds, and what an oracle with full knowledge finds."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True, order=True)
class RaceCase:
    """One comparison of all policies: a world, a task in it, and the page limit per host, if any."""

    world: str
    task: str
    cap: int = 0

    def title(self) -> str:
        """Return a readable name."""
        return f"{self.world}: {self.task}" + (f", at most {self.cap} pages a host" if self.cap else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of one run. `reachable` is the number of relevant pages its start set leads to.

    `start` numbers the start: runs with the same number began with the same pages.
    """

    case: RaceCase
    policy: str
    seed: int
    figures: Figures
    curve: Curve
    reachable: int
    upto: int
    start: int = 0

    def name(self) -> bytes:
        """Return the same name for runs with the same start and the same result."""
        return self.start.to_bytes(8, "big") + self.curve.tobytes()


@dataclass(frozen=True, slots=True)
class Band:
    """A mean curve of recall with its 95 % interval, at some numbers of fetches.

    Of two or three different runs an interval says nothing: `single` has their curves instead.
    """

    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    single: tuple[Floats, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyStanding:
    """A policy in one case: every measure with its interval, and its curve."""

    policy: str
    measures: dict[str, Interval]
    band: Band
    results: tuple[RunResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two policies compared over the same runs or tasks: mean difference, p as it is and corrected."""

    first: str
    second: str
    difference: float
    better: int
    worse: int
    pairs: int
    p: float
    corrected: float


def with_gain(results: Iterable[RunResult]) -> list[RunResult]:
    """Add to each run where its area lies between the mean areas of breadth-first and the oracle in its case.

    Means of all runs, not those of the same start: a lucky start of breadth-first is no fault of the others.
    """
    every = list(results)
    limits: dict[tuple[RaceCase, str], list[float]] = {}
    for each in every:
        limits.setdefault((each.case, each.policy), []).append(each.figures["area"])
    for each in every:
        floor, ceiling = (interval(limits.get((each.case, name), [])).mean for name in (FLOOR, CEILING))
        each.figures["gain"] = between(each.figures["area"], floor, ceiling)
    return every


def standings(results: Iterable[RunResult], points: int = 100) -> dict[RaceCase, list[PolicyStanding]]:
    """Return for each case its policies, the best by normalised area first, the oracle before all."""
    groups: dict[RaceCase, dict[str, list[RunResult]]] = {}
    for each in sorted(results, key=lambda each: (each.case, each.policy, each.seed)):
        groups.setdefault(each.case, {}).setdefault(each.policy, []).append(each)
    ranked_by_case = {}
    for case, policies in groups.items():
        longest = max(len(run.curve) - 1 for runs in policies.values() for run in runs)
        ranked = [_standing(name, runs, longest, points) for name, runs in policies.items()]
        ranked_by_case[case] = sorted(ranked, key=_sort_key)
    return ranked_by_case


def _sort_key(standing: PolicyStanding) -> tuple[bool, float, str]:
    mean = standing.measures["area"].mean
    return standing.policy != CEILING, -mean if math.isfinite(mean) else math.inf, standing.policy


def _standing(policy: str, runs: list[RunResult], longest: int, points: int) -> PolicyStanding:
    keys = dict.fromkeys(key for run in runs for key in run.figures)
    different = distinct(runs)
    measures = {}
    for key in keys:
        all_runs = interval([run.figures.get(key, math.nan) for run in runs])
        half = interval([run.figures.get(key, math.nan) for run in different]).half
        measures[key] = Interval(all_runs.mean, half, len(different))
    return PolicyStanding(policy, measures, band(runs, longest, points), tuple(runs))


def distinct(runs: Sequence[RunResult]) -> list[RunResult]:
    """Return the runs with different outcomes: the same outcome from the same start counts once.

    Ten runs of a deterministic policy from one start set are one run, whatever an interval would say.
    """
    return list({run.name(): run for run in runs}.values())


def band(runs: Sequence[RunResult], longest: int, points: int) -> Band:
    """Return the mean recall of several runs over fetches up to `longest`, with its t interval."""
    x = np.unique(np.linspace(0, max(1, longest), min(points, longest + 2)).astype(np.int64))
    rows = np.stack([stretched(run.curve, int(x[-1]))[x] / max(1, run.reachable) for run in runs])
    mean = rows.mean(axis=0)
    half, different = np.zeros(len(x)), len(distinct(runs))
    if different > FEW:
        half = t_quantile(0.975, different - 1) * rows.std(axis=0, ddof=1) / math.sqrt(different)
    single = tuple(rows) if 1 < different <= FEW else ()
    return Band(x.astype(np.float64), mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1), single)


# ---- comparing -----------------------------------------------------------------------------------------


def pairs(standings: Sequence[PolicyStanding], key: str = "area") -> list[Pair]:
    """Compare every two policies of a case over the same seeds; the oracle does not take part."""
    runs = {
        each.policy: {run.seed: run for run in each.results} for each in standings if each.policy != CEILING
    }

    def differences(first: str, second: str) -> list[float]:
        by_outcome: dict[bytes, float] = {}  # two seeds that changed nothing for either are one pair
        for seed, ours in runs[first].items():
            if theirs := runs[second].get(seed):
                by_outcome[ours.name() + theirs.name()] = ours.figures[key] - theirs.figures[key]
        return list(by_outcome.values())

    return _compared(list(runs), differences)


def over_tasks(cases: dict[RaceCase, list[PolicyStanding]], cap: int) -> dict[str, dict[RaceCase, float]]:
    """Return the mean normalised area of each policy in each case of one cap: the unit is the task.

    Runs of one task are not independent of each other, so they are averaged before anything is compared.
    """
    table: dict[str, dict[RaceCase, float]] = {}
    for case, ranked in cases.items():
        if case.cap == cap:
            for each in ranked:
                table.setdefault(each.policy, {})[case] = each.measures["gain"].mean
    return table


def pairs_over_tasks(table: dict[str, dict[RaceCase, float]]) -> list[Pair]:
    """Compare every two policies over tasks; the oracle does not take part."""

    def differences(first: str, second: str) -> list[float]:
        ours, theirs = table[first], table[second]
        return [ours[case] - theirs[case] for case in ours if case in theirs]

    return _compared([policy for policy in table if policy != CEILING], differences)


def _compared(names: list[str], differences: Callable[[str, str], list[float]]) -> list[Pair]:
    compared = list(combinations(names, 2))
    known = [[each for each in differences(*pair) if math.isfinite(each)] for pair in compared]
    raw = [sign_flip_p(each) for each in known]
    return [
        Pair(
            first=first,
            second=second,
            difference=sum(each) / len(each) if each else math.nan,
            better=sum(one > 0 for one in each),
            worse=sum(one < 0 for one in each),
            pairs=len(each),
            p=p,
            corrected=corrected,
        )
        for (first, second), each, p, corrected in zip(compared, known, raw, holm(raw), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Total:
    """A policy over all tasks of one cap: mean normalised area, tasks won and lost to others."""

    policy: str
    gain: Interval
    best: int
    better: int
    worse: int


def totals(table: dict[str, dict[RaceCase, float]]) -> list[Total]:
    """Sum up over tasks, the best first; `better` and `worse` count comparisons with other policies."""
    comparisons = pairs_over_tasks(table)
    racing = [policy for policy in table if policy != CEILING]
    won, lost = dict.fromkeys(table, 0), dict.fromkeys(table, 0)
    for comparison in comparisons:
        won[comparison.first] += comparison.better
        lost[comparison.first] += comparison.worse
        won[comparison.second] += comparison.worse
        lost[comparison.second] += comparison.better
    tasks = sorted({case for values in table.values() for case in values})
    winners = [max(racing, key=lambda name: _or_least(table[name].get(case, math.nan))) for case in tasks]
    rows = [
        Total(name, interval(list(values.values())), winners.count(name), won[name], lost[name])
        for name, values in table.items()
    ]
    return sorted(rows, key=lambda total: (total.policy != CEILING, -_or_least(total.gain.mean)))


def _or_least(value: float) -> float:
    return value if math.isfinite(value) else -math.inf
