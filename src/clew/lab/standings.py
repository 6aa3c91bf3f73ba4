"""Standings: many runs of many policies become means with intervals, curves with bands, and comparisons."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from clew.lab.measures import Curve, Floats, between, stretched
from clew.lab.statistics import Interval, holm, interval, signed, t_quantile

FLOOR, CEILING = "breadth", "oracle"
"""The limits of every heat: what no thought at all finds, and what perfect knowledge finds."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True, order=True)
class Heat:
    """One question put to all policies: a world, a task in it, and how many pages a host may give, if few."""

    world: str
    task: str
    cap: int = 0

    def title(self) -> str:
        """Return its name for people."""
        return f"{self.world}: {self.task}" + (f", at most {self.cap} pages a host" if self.cap else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What one run came to. `reachable` is the number of relevant pages its start set leads to.

    `start` numbers the start: runs with the same number began with the same pages.
    """

    heat: Heat
    policy: str
    seed: int
    figures: Figures
    curve: Curve
    reachable: int
    upto: int
    start: int = 0

    def name(self) -> bytes:
        """Return the same name for runs that began alike and came out alike."""
        return self.start.to_bytes(8, "big") + self.curve.tobytes()


@dataclass(frozen=True, slots=True)
class Band:
    """A mean curve of recall with its 95 % interval, at some numbers of fetches."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class PolicyStanding:
    """A policy in one heat: every measure with its interval, and its curve."""

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
    """Add to each run where its area lies between the mean areas of breadth-first and the oracle in its heat.

    Means of all runs, not those of the same start: a lucky start of breadth-first is no fault of the others.
    """
    every = list(results)
    limits: dict[tuple[Heat, str], list[float]] = {}
    for each in every:
        limits.setdefault((each.heat, each.policy), []).append(each.figures["area"])
    for each in every:
        floor, ceiling = (interval(limits.get((each.heat, name), [])).mean for name in (FLOOR, CEILING))
        each.figures["gain"] = between(each.figures["area"], floor, ceiling)
    return every


def standings(results: Iterable[RunResult], points: int = 100) -> dict[Heat, list[PolicyStanding]]:
    """Return for each heat its policies, the best by normalised area first, the oracle before all."""
    groups: dict[Heat, dict[str, list[RunResult]]] = {}
    for each in sorted(results, key=lambda each: (each.heat, each.policy, each.seed)):
        groups.setdefault(each.heat, {}).setdefault(each.policy, []).append(each)
    made = {}
    for heat, policies in groups.items():
        longest = max(len(run.curve) - 1 for runs in policies.values() for run in runs)
        ranked = [_standing(name, runs, longest, points) for name, runs in policies.items()]
        made[heat] = sorted(ranked, key=_place)
    return made


def _place(standing: PolicyStanding) -> tuple[bool, float, str]:
    mean = standing.measures["area"].mean
    return standing.policy != CEILING, -mean if math.isfinite(mean) else math.inf, standing.policy


def _standing(policy: str, runs: list[RunResult], longest: int, points: int) -> PolicyStanding:
    keys = dict.fromkeys(key for run in runs for key in run.figures)
    told = distinct(runs)
    measures = {}
    for key in keys:
        all_runs = interval([run.figures.get(key, math.nan) for run in runs])
        half = interval([run.figures.get(key, math.nan) for run in told]).half
        measures[key] = Interval(all_runs.mean, half, len(told))
    return PolicyStanding(policy, measures, band(runs, longest, points), tuple(runs))


def distinct(runs: Sequence[RunResult]) -> list[RunResult]:
    """Return the runs that tell something new: the same outcome from the same start counts once.

    Ten runs of a policy without dice from one start set are one run, whatever an interval would say.
    """
    return list({run.name(): run for run in runs}.values())


def band(runs: Sequence[RunResult], longest: int, points: int) -> Band:
    """Return the mean recall of several runs over fetches up to `longest`, with its t interval."""
    x = np.unique(np.linspace(0, max(1, longest), min(points, longest + 2)).astype(np.int64))
    rows = np.stack([stretched(run.curve, int(x[-1]))[x] / max(1, run.reachable) for run in runs])
    mean = rows.mean(axis=0)
    half, told = np.zeros(len(x)), len(distinct(runs))
    if told > 1:
        half = t_quantile(0.975, told - 1) * rows.std(axis=0, ddof=1) / math.sqrt(told)
    return Band(x.astype(np.float64), mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1))


# ---- comparing -----------------------------------------------------------------------------------------


def pairs(standings: Sequence[PolicyStanding], key: str = "area") -> list[Pair]:
    """Compare every two policies of a heat over the same seeds; the oracle does not take part."""
    runs = {
        each.policy: {run.seed: run for run in each.results} for each in standings if each.policy != CEILING
    }

    def differences(first: str, second: str) -> list[float]:
        told: dict[bytes, float] = {}  # two seeds that changed nothing for either are one pair
        for seed, ours in runs[first].items():
            if theirs := runs[second].get(seed):
                told[ours.name() + theirs.name()] = ours.figures[key] - theirs.figures[key]
        return list(told.values())

    return _compared(list(runs), differences)


def over_tasks(heats: dict[Heat, list[PolicyStanding]], cap: int) -> dict[str, dict[Heat, float]]:
    """Return the mean normalised area of each policy in each heat of one cap: the unit is the task.

    Runs of one task are not independent of each other, so they are averaged before anything is compared.
    """
    table: dict[str, dict[Heat, float]] = {}
    for heat, ranked in heats.items():
        if heat.cap == cap:
            for each in ranked:
                table.setdefault(each.policy, {})[heat] = each.measures["gain"].mean
    return table


def pairs_over_tasks(table: dict[str, dict[Heat, float]]) -> list[Pair]:
    """Compare every two policies over tasks; the oracle does not take part."""

    def differences(first: str, second: str) -> list[float]:
        ours, theirs = table[first], table[second]
        return [ours[heat] - theirs[heat] for heat in ours if heat in theirs]

    return _compared([policy for policy in table if policy != CEILING], differences)


def _compared(names: list[str], differences: Callable[[str, str], list[float]]) -> list[Pair]:
    duels = list(combinations(names, 2))
    known = [[each for each in differences(*duel) if math.isfinite(each)] for duel in duels]
    raw = [signed(each) for each in known]
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
        for (first, second), each, p, corrected in zip(duels, known, raw, holm(raw), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Total:
    """A policy over all tasks of one cap: mean normalised area, tasks won and lost to others."""

    policy: str
    gain: Interval
    best: int
    better: int
    worse: int


def totals(table: dict[str, dict[Heat, float]]) -> list[Total]:
    """Sum up over tasks, the best first; `better` and `worse` count duels with other policies."""
    duels = pairs_over_tasks(table)
    racing = [policy for policy in table if policy != CEILING]
    won, lost = dict.fromkeys(table, 0), dict.fromkeys(table, 0)
    for duel in duels:
        won[duel.first] += duel.better
        lost[duel.first] += duel.worse
        won[duel.second] += duel.worse
        lost[duel.second] += duel.better
    tasks = sorted({heat for values in table.values() for heat in values})
    winners = [max(racing, key=lambda name: _or_least(table[name].get(heat, math.nan))) for heat in tasks]
    made = [
        Total(name, interval(list(values.values())), winners.count(name), won[name], lost[name])
        for name, values in table.items()
    ]
    return sorted(made, key=lambda total: (total.policy != CEILING, -_or_least(total.gain.mean)))


def _or_least(value: float) -> float:
    return value if math.isfinite(value) else -math.inf
