"""The features of links by id: rows of 32-bit numbers, in memory.

A row is a mark and then the features: the mark is 1 when features are kept for that link and 0 when
there are none (seeds, redirect targets, what a sitemap lists).
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from clew.types import Features, Ids

STEP = 65_536
"""Rows it grows by at least."""


class FeatureRows:
    """Keep one row for each link."""

    def __init__(self, columns: int = 0) -> None:
        self.columns = columns
        self.rows: Features = np.zeros((0, columns + 1), np.uint32)

    def put(self, first: int, features: Features) -> None:
        """Keep the features of links, the first of which has the id `first`."""
        self._make_room(first + len(features))
        self.rows[first : first + len(features)] = marked(features)

    def replace(self, ids: Ids, features: Features) -> None:
        """Keep other features for links that are known."""
        self._make_room(int(ids.max(initial=-1)) + 1)
        self.rows[ids] = marked(features)

    def read(self, ids: Ids) -> Features:
        """Return the rows of links; those beyond the end have none."""
        found = np.zeros((len(ids), self.columns + 1), np.uint32)
        there = ids < len(self.rows)
        found[there] = self.rows[ids[there]]
        return found

    def cover(self, size: int) -> Features:
        """Return the rows of all ids below `size`."""
        self._make_room(size)
        return self.rows

    def unsettled(self) -> Iterable[int]:
        """Return the links whose better features are not in the rows yet."""
        return ()

    def _make_room(self, size: int) -> None:
        have = len(self.rows)
        if size > have:
            more = max(size - have, have // 2, STEP)
            self.rows = np.concatenate((self.rows, np.zeros((more, self.columns + 1), np.uint32)))


def marked(features: Features) -> NDArray[np.uint32]:
    """Return features as rows: a mark before each."""
    rows = np.ones((len(features), features.shape[1] + 1), np.uint32)
    rows[:, 1:] = features
    return rows
