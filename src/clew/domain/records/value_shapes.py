"""The shape of a column's values: length, number of words, share of digits, script.

A value unlike all known ones is doubted. The shape does not identify a value; it keeps prices out of a column
of names.
"""

from collections.abc import Sequence
from math import exp, log

_MAX_VALUES = 200  # values of a column that are kept
_MIN_DEVIATIONS = (0.45, 0.35, 0.15, 0.15)  # minimum deviations of length, words, digits and script


class ValueShape:
    """The shape of one column, learned from its values."""

    def __init__(self) -> None:
        self._shapes: list[tuple[float, float, float, float]] = []
        self._statistics: tuple[tuple[float, float], ...] = ()

    def learn(self, value: str) -> None:
        """Learn from one more value of the column; those after the first 200 add nothing new."""
        if value and len(self._shapes) < _MAX_VALUES:
            self._shapes.append(_shape(value))
            self._statistics = ()

    def similarity(self, value: str) -> float:
        """Return how similar a value is to those of the column: 1 like any other, 0 like none.

        >>> names = ValueShape()
        >>> for name in ("C. J. Date", "D. Maier", "R. G. G. Cattell"):
        ...     names.learn(name)
        >>> names.similarity("A. F. Cardenas") > 0.9, names.similarity("$ 24.99") < 0.5
        (True, True)
        """
        if not self._shapes:
            return 1.0
        if not self._statistics:
            self._statistics = tuple(
                _mean_and_deviation([shape[part] for shape in self._shapes], deviation)
                for part, deviation in enumerate(_MIN_DEVIATIONS)
            )
        distance = 0.0
        for feature, (mean, deviation) in zip(_shape(value), self._statistics, strict=True):
            distance += max(0.0, abs(feature - mean) / deviation - 1.5) ** 2
        return exp(-0.15 * distance)


def _shape(value: str) -> tuple[float, float, float, float]:
    size = max(1, len(value))
    letters = sum(map(str.isalpha, value))
    non_latin = sum(char > "\u02ff" and char.isalpha() for char in value)
    digits = sum(map(str.isdigit, value))
    return log(size), log(1 + value.count(" ")), (digits / size) ** 0.5, non_latin / max(1, letters)


def _mean_and_deviation(values: Sequence[float], minimum: float) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, max(minimum, (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5)
