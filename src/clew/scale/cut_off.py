"""The cut-off: one score below which no shard fetches, so that the order of all links stays global."""

from collections.abc import Sequence


def cut_off(best: Sequence[int], wanted: int) -> float:
    """Return the largest score so that at least `wanted` hosts have a link above it; 0 if there are fewer.

    `best` counts hosts by the score of their best link, in bins of equal width from 0 to 1.

    >>> cut_off([5, 0, 3, 1], wanted=2), cut_off([5, 0, 3, 1], wanted=9), cut_off([5, 0, 3, 1], wanted=10)
    (0.5, 0.0, 0.0)
    """
    found = 0
    for place in range(len(best) - 1, -1, -1):
        found += best[place]
        if found >= wanted:
            return place / len(best)
    return 0.0


def hosts_above(best: Sequence[int], score: float) -> int:
    """Return how many hosts have a link at or above a score.

    >>> hosts_above([5, 0, 3, 1], 0.5)
    4
    """
    return sum(best[round(score * len(best)) :])
