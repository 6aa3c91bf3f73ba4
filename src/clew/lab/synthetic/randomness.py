"""Chance from whole numbers alone: the same key gives the same throws in every process and version.

The mixer is the finaliser of SplitMix64. It is written twice, for one number and for a column of
them, because a page is made one at a time and counted a million at a time; both give the same numbers.
"""

from collections.abc import Callable
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

MASK = 0xFFFF_FFFF_FFFF_FFFF
GOLDEN = 0x9E37_79B9_7F4A_7C15
_FIRST = 0xBF58_476D_1CE4_E5B9
_SECOND = 0x94D0_49BB_1331_11EB
_HAND = 128  # throws made in one go, in 20 µs: most pages need fewer
_STEPS = np.arange(1, _HAND + 1, dtype=np.uint64) * np.uint64(GOLDEN)
UNIT = 2.0**-64
"""What turns a throw into a share of 1."""

Column = NDArray[np.uint64]
Throw = Callable[[], int]


def mix(number: int) -> int:
    """Return 64 bits that look like chance, always the same for the same number."""
    number = (number + GOLDEN) & MASK
    number = ((number ^ (number >> 30)) * _FIRST) & MASK
    number = ((number ^ (number >> 27)) * _SECOND) & MASK
    return number ^ (number >> 31)


def key(*parts: int) -> int:
    """Return one number for several."""
    made = 0
    for part in parts:
        made = mix(made ^ (part & MASK))
    return made


def name(text: str) -> int:
    """Return the number of a name (FNV-1a, mixed): Python's own differs from process to process."""
    made = 0xCBF2_9CE4_8422_2325
    for byte in text.encode():
        made = ((made ^ byte) * 0x100_0000_01B3) & MASK
    return mix(made)


def mixed(numbers: Column) -> Column:
    """Do what `mix` does to a whole column."""
    made = numbers + np.uint64(GOLDEN)
    made = (made ^ (made >> np.uint64(30))) * np.uint64(_FIRST)
    made = (made ^ (made >> np.uint64(27))) * np.uint64(_SECOND)
    return made ^ (made >> np.uint64(31))


def column(start: int, length: int) -> Column:
    """Return a column of throws that belong to one key."""
    return mixed(np.uint64(start) + np.arange(1, length + 1, dtype=np.uint64) * np.uint64(GOLDEN))


def shares(throws: Column) -> NDArray[np.float64]:
    """Turn throws into shares of 1."""
    return np.multiply(throws, UNIT, dtype=np.float64)


def throws(start: int) -> Throw:
    """Return an endless hand of dice for one key, to be called for each throw."""
    return chain.from_iterable(_hand(start + turn * _SECOND) for turn in count()).__next__


def _hand(start: int) -> list[int]:
    made: list[int] = mixed(_STEPS + np.uint64(start & MASK)).tolist()
    return made
