"""When a link classifier is refitted: after enough prediction error since the last fit."""

import numpy as np

from clew.domain.learned_state import State, StateRead

MIN_ERROR = 2.0
"""Summed prediction error since the last refit before there is another, at least."""


class RefitSchedule:
    """Sum up prediction errors, and tell when they call for a refit.

    `refits` counts the refits so far. `stale` says that weights must be computed again before they are used.

    >>> schedule = RefitSchedule()
    >>> schedule.refit()
    >>> schedule.add_error(1.5); schedule.due(0.1)
    False
    >>> schedule.add_error(0.5); schedule.due(0.1)
    True
    """

    def __init__(self) -> None:
        self.refits = 0
        self.stale = True
        self._error = 0.0  # since the last refit
        self._earlier_error = 0.0

    def add_error(self, error: float) -> None:
        """Add the absolute difference between a score and its verdict."""
        self._error += error

    def due(self, share: float) -> bool:
        """Tell whether the error since the last refit is at least this share of all error before it."""
        return self._error >= max(MIN_ERROR, share * self._earlier_error)

    def refit(self) -> None:
        """Start a new interval."""
        self.refits += 1
        self._earlier_error += self._error
        self._error = 0.0
        self.stale = True

    def learned_state(self) -> State:
        """Return refits and errors so far."""
        return {"schedule": np.array([self.refits, self.stale, self._error, self._earlier_error])}

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        refits, stale, self._error, self._earlier_error = state["schedule"].tolist()
        self.refits, self.stale = int(refits), bool(stale)
