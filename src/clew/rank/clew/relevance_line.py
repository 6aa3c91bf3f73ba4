"""The verdict from which a page counts as relevant when links are learned from."""

import math
from collections import deque

import numpy as np

from clew.rank.shared.token_stats import Floats, logistic

STEEPNESS = 12.0
"""Steepness of the logistic around the line: a verdict a tenth above or below it is three to one."""

WINDOW = 300
"""The latest verdicts that the line is drawn through."""

MIN_VERDICTS = 5
"""The least of them: until then the line stays where it is."""

SHARE_BELOW = 0.7
"""Share of the latest verdicts that are below the line, if that is above `keep`."""

HIGHEST = 0.85
"""The line is never higher, so that a page of verdict 1 always counts as a relevant one."""

MIN_MOVE = 0.01
"""A line that would move by less stays."""


class RelevanceLine:
    """Turn verdicts into what is learned: near 0 below the line, near 1 above it.

    The line is `keep`, or higher where most pages are above `keep`: a judge that has seen few pages, or a
    goal whose words stand everywhere, calls them all relevant, and only the best of them tell a good link
    from any other.

    >>> line = RelevanceLine(0.5)
    >>> for verdict in (0.5, 0.6, 0.5, 0.6, 0.8, 0.9):
    ...     line.add(verdict)
    >>> line.move(), round(line.verdict, 2)
    (True, 0.7)
    >>> [round(line.target(verdict), 2) for verdict in (0.5, 0.6, 0.9)]
    [0.08, 0.23, 0.92]
    """

    def __init__(self, keep: float) -> None:
        self.keep = keep
        self.verdict = keep
        self._latest: deque[float] = deque(maxlen=WINDOW)

    def add(self, verdict: float) -> None:
        """Add the verdict on the page that a link led to."""
        self._latest.append(verdict)

    def move(self) -> bool:
        """Draw the line through the latest verdicts; return whether it has moved."""
        if len(self._latest) < MIN_VERDICTS:
            return False
        quantile = float(np.quantile(self._latest, SHARE_BELOW))
        line = max(self.keep, min(HIGHEST, quantile))
        moved = abs(line - self.verdict) >= MIN_MOVE
        if moved:
            self.verdict = line
        return moved

    def target(self, verdict: float) -> float:
        """Return how much of a relevant page a verdict counts for."""
        return 1 / (1 + math.exp(-STEEPNESS * (verdict - self.verdict)))

    def targets(self, verdicts: Floats) -> Floats:
        """Return the same for many verdicts."""
        return logistic(np.float32(STEEPNESS) * (verdicts - np.float32(self.verdict)))
