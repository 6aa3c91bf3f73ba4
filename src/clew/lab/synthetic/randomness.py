"""Reproducible random numbers: the same key gives the same numbers in every process and version.

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
_BLOCK = 128  # numbers made in one go, in 20 µs: most pages need fewer
_STEPS = np.arange(1, _BLOCK + 1, dtype=np.uint64) * np.uint64(GOLDEN)
UNIT = 2.0**-64
"""The factor that turns a random number into one between 0 and 1."""

Column = NDArray[np.uint64]
RandomStream = Callable[[], int]


def mix(number: int) -> int:
    """Return 64 pseudo-random bits, always the same for the same number."""
    number = (number + GOLDEN) & MASK
    number = ((number ^ (number >> 30)) * _FIRST) & MASK
    number = ((number ^ (number >> 27)) * _SECOND) & MASK
    return number ^ (number >> 31)


def combine(*parts: int) -> int:
    """Return one key for several numbers."""
    key = 0
    for part in parts:
        key = mix(key ^ (part & MASK))
    return key


def hash_text(text: str) -> int:
    """Return the hash of a text (FNV-1a, mixed): Python's own differs from process to process."""
    digest = 0xCBF2_9CE4_8422_2325
    for byte in text.encode():
        digest = ((digest ^ byte) * 0x100_0000_01B3) & MASK
    return mix(digest)


def mix_column(numbers: Column) -> Column:
    """Apply `mix` to a whole column."""
    bits = numbers + np.uint64(GOLDEN)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(_FIRST)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(_SECOND)
    return bits ^ (bits >> np.uint64(31))


def random_column(key: int, length: int) -> Column:
    """Return a column of random numbers for one key."""
    return mix_column(np.uint64(key) + np.arange(1, length + 1, dtype=np.uint64) * np.uint64(GOLDEN))


def to_unit(numbers: Column) -> NDArray[np.float64]:
    """Scale random numbers to between 0 and 1."""
    return np.multiply(numbers, UNIT, dtype=np.float64)


def random_stream(key: int) -> RandomStream:
    """Return an endless stream of random numbers for one key; each call gives the next."""
    return chain.from_iterable(_block(key + turn * _SECOND) for turn in count()).__next__


def _block(key: int) -> list[int]:
    numbers: list[int] = mix_column(_STEPS + np.uint64(key & MASK)).tolist()
    return numbers
