"""What the values of a column look like: how long, how many words, digits or letters, which script.

A value that looks like none of those known is doubted. The look says nothing about a single value; it keeps
prices out of a column of names.
"""

from collections.abc import Sequence
from math import exp, log

_LOOKS = 200  # values of a column that are remembered
_WIDE = (0.45, 0.35, 0.15, 0.15)  # how far length, words, digits and script spread at least


class ValueShape:
    """The look of one column, learned from its values."""

    def __init__(self) -> None:
        self._looks: list[tuple[float, float, float, float]] = []
        self._made: tuple[tuple[float, float], ...] = ()

    def learn(self, value: str) -> None:
        """Count one more value of the column; those after the first 200 say nothing new."""
        if value and len(self._looks) < _LOOKS:
            self._looks.append(_look(value))
            self._made = ()

    def agrees(self, value: str) -> float:
        """Return how much a value looks like one of the column: 1 like any other, 0 like none.

        >>> names = ValueShape()
        >>> for name in ("C. J. Date", "D. Maier", "R. G. G. Cattell"):
        ...     names.learn(name)
        >>> names.agrees("A. F. Cardenas") > 0.9, names.agrees("$ 24.99") < 0.5
        (True, True)
        """
        if not self._looks:
            return 1.0
        if not self._made:
            self._made = tuple(
                _spread([look[part] for look in self._looks], wide) for part, wide in enumerate(_WIDE)
            )
        doubt = 0.0
        for said, (middle, wide) in zip(_look(value), self._made, strict=True):
            doubt += max(0.0, abs(said - middle) / wide - 1.5) ** 2
        return exp(-0.15 * doubt)


def _look(value: str) -> tuple[float, float, float, float]:
    size = max(1, len(value))
    letters = sum(map(str.isalpha, value))
    foreign = sum(sign > "\u02ff" and sign.isalpha() for sign in value)
    digits = sum(map(str.isdigit, value))
    return log(size), log(1 + value.count(" ")), (digits / size) ** 0.5, foreign / max(1, letters)


def _spread(said: Sequence[float], least: float) -> tuple[float, float]:
    middle = sum(said) / len(said)
    return middle, max(least, (sum((one - middle) ** 2 for one in said) / len(said)) ** 0.5)
