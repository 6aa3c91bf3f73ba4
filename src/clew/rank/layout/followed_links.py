"""Links that were followed, as the training rows of a decision tree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.rank.layout.link_attributes import ATTRIBUTES, Columns
from clew.rank.shared.link_index import grown
from clew.types import Ids

MAX_ROWS = 50_000
"""Followed links that are learned from, the latest: half a second."""

GROWTH, MIN_NEW = 0.1, 25
"""Fit again after a tenth more links were followed, and at least so many."""


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Attributes of links, whether each led to a relevant page, its page, and the host it leads to."""

    attributes: Columns
    relevant: NDArray[np.bool_]
    sources: Ids
    hosts: Ids

    @classmethod
    def empty(cls) -> "TrainingRows":
        """Return no rows."""
        none = np.empty(0, np.int64)
        return cls(np.empty((0, len(ATTRIBUTES)), np.float32), np.empty(0, bool), none, none)


class FollowedLinks:
    """Store the attributes of followed links and whether their pages were relevant, the latest ones only.

    When `MAX_ROWS` is reached, the older half is dropped.
    """

    def __init__(self) -> None:
        self._rows = np.empty((0, len(ATTRIBUTES)), np.float32)
        self._relevant = np.empty(0, bool)
        self._sources = np.empty(0, np.int64)
        self._hosts = np.empty(0, np.int64)
        self._count = 0
        self._fitted = 0  # rows at the last fit

    def __len__(self) -> int:
        return self._count

    @property
    def training_rows(self) -> TrainingRows:
        """The rows to learn from."""
        count = self._count
        return TrainingRows(
            self._rows[:count], self._relevant[:count], self._sources[:count], self._hosts[:count]
        )

    @property
    def enough_new(self) -> bool:
        """Whether enough links were added since the last fit for another one."""
        return self._count - self._fitted >= max(MIN_NEW, GROWTH * self._fitted)

    def mark_fitted(self) -> None:
        """Count new rows from here."""
        self._fitted = self._count

    def append(self, attributes: Columns, *, relevant: bool, source: int, host: int) -> None:
        """Add a link with the attributes it had before it was followed."""
        at = self._count
        if at == MAX_ROWS:
            at = MAX_ROWS // 2
            for column in (self._rows, self._relevant, self._sources, self._hosts):
                column[:at] = column[at:MAX_ROWS].copy()
            self._fitted = min(self._fitted, at)
        self._count = at + 1
        self._relevant, self._sources = grown(self._relevant, at + 1), grown(self._sources, at + 1)
        self._hosts = grown(self._hosts, at + 1)
        if len(self._rows) < len(self._relevant):
            more = np.zeros((len(self._relevant) - len(self._rows), len(ATTRIBUTES)), np.float32)
            self._rows = np.concatenate((self._rows, more))
        self._rows[at] = attributes
        self._relevant[at], self._sources[at], self._hosts[at] = relevant, source, host
