"""A fixed pure-Python loop: what a bench or a test compares with, so that its figures hold on any machine."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

_ROUNDS = 5_000  # about as long as a page takes: both are interrupted as rarely


def loop_seconds() -> float:
    """Return the CPU seconds of the loop: integers, strings, a dictionary."""
    began = time.process_time()
    names: dict[int, str] = {}
    number = 0
    for round_ in range(_ROUNDS):
        number = (number * 31 + round_) & 0xFFFF
        names[number] = str(round_)
    return time.process_time() - began


def ratios(works: Sequence[Callable[[], object]]) -> Iterator[float]:
    """Yield the mean CPU time of some works as a ratio to the loop, after each round of tries.

    The least time of each work and of the loop counts: the one with the fewest interruptions. They take
    turns, so that both have the same chance of a quiet moment, and settle the more rounds are made.
    """
    least, loop = [float("inf")] * len(works), float("inf")
    while True:
        for row, work in enumerate(works):
            began = time.process_time()
            work()
            least[row] = min(least[row], time.process_time() - began)
            loop = min(loop, loop_seconds())
        yield sum(least) / len(works) / loop


def ratio(works: Sequence[Callable[[], object]], *, tries: int) -> float:
    """Return the mean CPU time of some works as a ratio to the loop: the least of several tries of each."""
    return next(islice(ratios(works), tries - 1, None))
