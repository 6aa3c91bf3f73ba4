"""Who points to a link: how many pages, and how good they were, in a few bytes for each address."""

import numpy as np
from numpy.typing import NDArray

from clew.types import Hashes

SLOTS = 1 << 22
"""Places that addresses share by their names, 12 MB in all: with a million links one in five shares."""

MOST = 255
LEVELS = 6
"""Steps in which the mean verdict of the pages is told, and in which their number is: 1, 2, 4, up to 32."""

_MANY = np.minimum(np.log2(np.maximum(np.arange(MOST + 1), 1)).astype(np.int64), LEVELS - 1)


class Inlinks:
    """Count the pages that point to each address, and what their verdicts add up to.

    A page counts once for an address, however often it names it. Addresses that fall on the same place are
    counted together: what is learned from this is a hint among others, and ten million links cost no more
    than one.

    >>> pointers = Inlinks()
    >>> names = np.array([11, 12, 12], np.uint64)
    >>> for verdict in (0.9, 0.9, 0.3):
    ...     pointers.count(names, verdict)
    >>> pointers.count(names[:1], 0.0)
    >>> pointers.levels(names).tolist()
    [[2, 3], [1, 4], [1, 4]]
    """

    def __init__(self, slots: int = SLOTS) -> None:
        self.slots = slots
        self._pages = np.zeros(slots, np.uint8)
        self._worth = np.zeros(slots, np.float16)

    def count(self, names: Hashes, verdict: float) -> None:
        """Count a page with its verdict for every address it names."""
        at = self._places(names)
        at = at[self._pages[at] < MOST]
        self._pages[at] += 1  # adds one where a place stands twice, too
        self._worth[at] += np.float16(verdict)

    def levels(self, names: Hashes) -> NDArray[np.int64]:
        """Return for each address the logarithm of its number of pages and the level of their verdicts."""
        at = self._places(names)
        pages = self._pages[at]
        mean = self._worth[at].astype(np.float64) / np.maximum(pages, 1)
        level = np.minimum((mean * LEVELS).astype(np.int64), LEVELS - 1)
        return np.column_stack((_MANY[pages], level))

    def _places(self, names: Hashes) -> NDArray[np.int64]:
        return (names % np.uint64(self.slots)).astype(np.int64)
