"""How often pages with some verdict of the `auto` judge are relevant: verdicts as probabilities.

A verdict orders pages, and policies learn from it; as a probability it means different things for goals
of words, of examples and of both. One curve, fitted to recorded webs, corrects that, and the labels of a
crawl shift it to the web at hand. `python -m bench.calibration` fits and measures it (docs/lab/judges.md).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LABEL_PRIOR = 1.0
"""Variance of the shift between webs, in log-odds: how much a single label counts."""

RANGES = (
    (0.00, 0.54), (0.00, 0.85), (0.00, 0.93), (0.00, 0.93), (0.00, 0.97),
    (0.10, 0.99), (0.25, 1.00), (0.28, 1.00), (0.45, 1.00), (0.45, 1.00),
)  # fmt: skip
"""For each tenth of the verdicts: between which shares of its pages were relevant, on nine of ten recorded
crawls. Webs differ more than a curve can know."""

_CLIP = 0.005
_STEPS = 20


@dataclass(frozen=True, slots=True)
class ChanceCurve:
    """Log-odds of being relevant: linear in the log-odds of the verdict, with another slope above one half.

    The offset is that of the goal: words, examples, or both.

    >>> curve = ChanceCurve()
    >>> low, middle, high = curve.chances([0.05, 0.5, 0.95])
    >>> bool(0.05 < low < middle < high < 1)
    True
    >>> labelled = curve.shifted([(0.3, True), (0.2, True), (0.4, True)])
    >>> bool(labelled.chances([0.3])[0] > curve.chances([0.3])[0])
    True
    """

    below: float = 0.858
    above: float = 0.982
    words: float = 0.135
    examples: float = 1.237
    both: float = -0.385
    goal: str = "words"
    shift: float = 0.0

    def chances(self, verdicts: ArrayLike) -> Floats:
        """Return the probability of being relevant for each verdict."""
        return _logistic(self._odds(np.asarray(verdicts, np.float64)) + self.shift)

    def shifted(self, labelled: Iterable[tuple[float, bool]]) -> "ChanceCurve":
        """Return the curve shifted to the labels of pages whose verdicts before the label are given."""
        pairs = list(labelled)
        odds = self._odds(np.array([verdict for verdict, _ in pairs], np.float64))
        good = np.array([label for _, label in pairs], np.float64)
        shift = 0.0
        for _ in range(_STEPS):  # Newton's method: one parameter, a convex loss
            chances = _logistic(odds + shift)
            slope = float((chances - good).sum()) + shift / LABEL_PRIOR
            shift -= slope / (float((chances * (1 - chances)).sum()) + 1 / LABEL_PRIOR)
        return replace(self, shift=shift)

    def _odds(self, verdicts: Floats) -> Floats:
        odds = log_odds(verdicts)
        offset = {"words": self.words, "examples": self.examples, "both": self.both}[self.goal]
        return self.below * np.minimum(odds, 0) + self.above * np.maximum(odds, 0) + offset


def share_range(verdict: float) -> tuple[float, float]:
    """Return between which shares of the pages with such a verdict were relevant, on most recorded crawls.

    >>> share_range(0.95)
    (0.45, 1.0)
    """
    return RANGES[min(int(verdict * len(RANGES)), len(RANGES) - 1)]


def log_odds(verdicts: Floats) -> Floats:
    """Return the log-odds of verdicts; certainty is cut."""
    clipped = verdicts.clip(_CLIP, 1 - _CLIP)
    odds: Floats = np.log(clipped / (1 - clipped))
    return odds


def _logistic(odds: Floats) -> Floats:
    chances: Floats = 1 / (1 + np.exp(-odds))
    return chances
