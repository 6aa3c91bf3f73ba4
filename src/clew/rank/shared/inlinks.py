"""Inlinks of URLs: how many pages link to each, and their mean verdict, in a few bytes a URL."""

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.domain.learned_state import State, StateRead, dense, nested, part, sparse
from clew.types import Hashes

_count_page = compiled("clew.rank.shared._inlinks", "count_page")
_levels = compiled("clew.rank.shared._inlinks", "levels")

SLOTS = 1 << 22
"""Slots that URLs share by their hashes, 12 MB in all: with a million links one in five collides."""

COMPILED = 500
"""Links of a page up to which they are counted compiled: there the time grows with their square."""

MAX_PAGES = 255
LEVELS = 6
"""Levels of the mean verdict of the pages, and of their number: 1, 2, 4, up to 32."""

_MAGNITUDE = np.minimum(np.log2(np.maximum(np.arange(MAX_PAGES + 1), 1)).astype(np.int64), LEVELS - 1)


class Inlinks:
    """Count the pages that link to each URL, and sum up their verdicts.

    A page counts once for a URL, however often it links there. URLs with the same slot are counted
    together: this is one feature among others, and ten million links cost no more than one.

    >>> inlinks = Inlinks()
    >>> hashes = np.array([11, 12, 12], np.uint64)
    >>> for verdict in (0.9, 0.9, 0.3):
    ...     inlinks.add_page(hashes, verdict)
    >>> inlinks.add_page(hashes[:1], 0.0)
    >>> [divmod(level, LEVELS) for level in inlinks.levels(hashes).tolist()]
    [(2, 3), (1, 4), (1, 4)]
    """

    def __init__(self, slots: int = SLOTS) -> None:
        self.slots = slots
        self._pages = np.zeros(slots, np.uint8)
        self._verdicts = np.zeros(slots, np.float16)

    def add_page(self, hashes: Hashes, verdict: float) -> None:
        """Count a page with its verdict for every URL it links to."""
        if _count_page is not None and len(hashes) <= COMPILED:
            bits, room = np.float16(verdict).view(np.uint16), np.empty(len(hashes), np.int64)
            _count_page(hashes, self._pages, self._verdicts.view(np.uint16), bits, MAX_PAGES, room)
            return
        at = self._slots(hashes)
        at = at[self._pages[at] < MAX_PAGES]
        self._pages[at] += 1  # adds one where a slot occurs twice, too
        self._verdicts[at] += np.float16(verdict)

    def levels(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return for each URL the logarithm of its pages, times `LEVELS`, plus the level of their verdict."""
        if _levels is not None:
            found = np.empty(len(hashes), np.int64)
            _levels(hashes, self._pages, self._verdicts.view(np.uint16), _MAGNITUDE, LEVELS, found)
            return found
        at = self._slots(hashes)
        pages = self._pages[at]
        mean = self._verdicts[at].astype(np.float64) / np.maximum(pages, 1)
        level = np.minimum((mean * LEVELS).astype(np.int64), LEVELS - 1)
        levels: NDArray[np.int64] = _MAGNITUDE[pages] * LEVELS + level
        return levels

    def learned_state(self) -> State:
        """Return the pages of each URL and the sum of their verdicts."""
        return nested(pages=sparse(self._pages), verdicts=sparse(self._verdicts))

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        dense(part(state, "pages"), self._pages)
        dense(part(state, "verdicts"), self._verdicts)

    def _slots(self, hashes: Hashes) -> NDArray[np.int64]:
        return (hashes % np.uint64(self.slots)).astype(np.int64)
