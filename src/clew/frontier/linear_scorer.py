"""Weigh the features of links: what each family adds, and the score they add up to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import ClewError
from clew.frontier.feature_rows import marked
from clew.types import Features, ScoreParts, Scores, Weights

CHUNK = 4_096
"""Rows looked up at a time: with 24 features they take 0.4 MB and stay in the cache of a core."""

GRAIN = 4_096
"""What a feature adds is rounded to this fraction of one: then 32-bit sums are exact in any order."""

MOST = 4_000.0
"""Sums stay below this, exactly representable at that grain; a logistic is done changing at 20."""

STEEPEST = 80.0
"""Beyond it exp() would overflow 32 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearScorer:
    """Weights made ready for many rows: a link scored alone and among ten million gets the same bits.

    A row begins with a mark (see `features`) that weighs nothing. Features behind the end of the table
    weigh nothing either: weights may be older than a feature.
    """

    names: tuple[str, ...]
    columns: int
    table: NDArray[np.float32]
    sums: NDArray[np.float32]
    offsets: NDArray[np.float32]
    heights: NDArray[np.float32]

    def parts(self, rows: Features) -> ScoreParts:
        """Return what each family adds to the score of each row: one column for each family."""
        return self._columns(rows).T

    def _columns(self, rows: Features) -> NDArray[np.float32]:
        """Return the same with one row for each family: long runs of numbers are what numpy is fast with."""
        values = np.empty((len(self.sums), len(rows)), np.float32)
        for start in range(0, len(rows), CHUNK):
            weighed = self.table.take(rows[start : start + CHUNK], mode="clip")
            np.matmul(self.sums, weighed.T, out=values[:, start : start + CHUNK])
        values += self.offsets
        np.clip(values, -STEEPEST, STEEPEST, out=values)
        np.negative(values, out=values)
        np.exp(values, out=values)
        values += np.float32(1)
        return np.divide(self.heights, values, out=values)

    def parts_of(self, features: Features) -> ScoreParts:
        """Return the same for features that were not kept yet."""
        if features.shape[1] != self.columns:
            msg = (
                f"features() gave {features.shape[1]} columns, but the families of weights() have"
                f" {self.columns} together; clew.testing.check_ranker tells the rest"
            )
            raise ClewError(msg)
        return self.parts(marked(features))

    def scores(self, rows: Features) -> Scores:
        """Return the score of each row."""
        return total(self._columns(rows).T)


def total(parts: ScoreParts) -> Scores:
    """Add parts up, always in the same order."""
    scores = np.zeros(len(parts), np.float32)
    for column in parts.T:
        scores += column
    return scores


def scale_of(weights: Weights) -> LinearScorer:
    """Make weights ready; those that cannot be used are a fault of the ranker's author."""
    families = weights.groups
    columns = sum(family.columns for family in families)
    table = np.asarray(weights.table, np.float32)
    if not families or table.ndim != 1 or not len(table) or not np.isfinite(table).all():
        msg = "weights() needs families and a table of finite numbers; clew.testing.check_ranker says more"
        raise ClewError(msg)
    ready = np.zeros(len(table) + 1, np.float32)
    most = MOST / max(columns, 1)
    np.clip(table, -most, most, out=ready[:-1])
    ready *= GRAIN
    np.rint(ready, out=ready)
    ready /= GRAIN
    sums = np.zeros((columns + 1, len(families)), np.float32)
    column = 1
    for number, family in enumerate(families):
        sums[column : column + family.columns, number] = 1
        column += family.columns
    shape = (len(families), 1)
    return LinearScorer(
        names=tuple(family.name for family in families),
        columns=columns,
        table=ready,
        sums=np.ascontiguousarray(sums.T),
        offsets=np.array([round(f.offset * GRAIN) / GRAIN for f in families], np.float32).reshape(shape),
        heights=np.array([f.weight for f in families], np.float32).reshape(shape),
    )
