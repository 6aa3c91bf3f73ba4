"""Statistics for few runs: intervals, paired tests, and a correction for multiple comparisons.

Intervals are Student's t, not bootstrap: a race has three to ten runs, and a percentile bootstrap of so
few covers less than it says (five normal values: 85 % instead of 95 %). Comparisons are paired, because
two policies that start from the same pages share most of their chance variation, and tested by
flipping signs, which assumes nothing about the distribution of differences. Written here, since nothing else
needs scipy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

EXACT = 16
"""Up to this many pairs every pattern of signs is tried (65,536); beyond it, a sample of them."""

SAMPLES = 20_000
"""Sign patterns tried when there are too many: p-values around 0.05 are then good to 0.003."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and half the width of its 95 % interval; not a number when there is only one run."""

    mean: float
    half: float
    runs: int


def interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return the mean of values with its t interval; values that are not numbers are left out.

    >>> some = interval([1.0, 2.0, 3.0])
    >>> some.mean, round(some.half, 4), some.runs
    (2.0, 2.4841, 3)
    """
    known = np.array([value for value in values if not math.isnan(value)], np.float64)
    if not len(known):
        return Interval(float("nan"), float("nan"), 0)
    mean = float(known.mean())
    if len(known) == 1 or not np.isfinite(mean):
        return Interval(mean, float("nan"), len(known))
    spread = float(known.std(ddof=1)) / math.sqrt(len(known))
    return Interval(mean, t_quantile(0.5 + confidence / 2, len(known) - 1) * spread, len(known))


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """Return the value below which Student's t lies with this probability (at least one half).

    >>> round(t_quantile(0.975, 9), 4)
    2.2622
    """
    low, high = 0.0, 1e6
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if _t_below(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_below(t: float, freedom: int) -> float:
    """Return the chance of a value below `t`, in closed form for whole degrees of freedom (Fisher 1925)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    if freedom % 2:
        term, total = cosine, cosine if freedom > 1 else 0.0
        for step in range(3, freedom - 1, 2):
            term *= cosine * cosine * (step - 1) / step
            total += term
        return 0.5 + (angle + sine * total) / math.pi
    term = total = 1.0
    for step in range(2, freedom, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 0.5 + sine * total / 2


def sign_flip_p(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value of the mean difference of pairs (sign-flip test).

    Under the null hypothesis each difference could as well have the other sign. All patterns of signs are
    tried up to 16 pairs; the smallest p-value that n pairs can give is 2 / 2ⁿ. Pairs that are not numbers
    are left out.

    >>> sign_flip_p([0.1, 0.2, 0.3, 0.2, 0.1])
    0.0625
    """
    pairs = np.array([value for value in differences if math.isfinite(value)], np.float64)
    if not len(pairs) or not pairs.any():
        return 1.0
    count = len(pairs)
    observed = abs(float(pairs.sum()))
    exact = count <= EXACT
    sums = _every_sum(pairs) if exact else _some_sums(pairs, seed)
    extreme = int((np.abs(sums) >= observed * (1 - 1e-12)).sum())
    # The observed pattern is one of those possible: without the 1 a sample could claim p = 0.
    return extreme / len(sums) if exact else (extreme + 1) / (len(sums) + 1)


def _every_sum(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for value in np.abs(pairs):
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _some_sums(pairs: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (SAMPLES, len(pairs)), np.int8) * 2 - 1
    return np.asarray(signs @ pairs, np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, step by step from the smallest (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, worst = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = worst
    return corrected
