"""Score links linearly from their features: the part of each feature group, and their sum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.errors import ClewError
from clew.types import Features, ScoreParts, Scores, Weights

CHUNK = 4_096
"""Rows looked up at a time: with 24 features they take 0.4 MB and stay in the cache of a core."""

ROUNDING = 4_096
"""Weights are rounded to this fraction of one: then 32-bit sums are exact in any order."""

MAX_SUM = 4_000.0
"""Sums stay below this, so that they are exact after rounding; a logistic saturates at 20."""

MAX_LOGIT = 80.0
"""Beyond it exp() would overflow 32 bits."""

_group_sums = compiled("clew.frontier._linear_scorer", "group_sums")
_add_parts = compiled("clew.frontier._linear_scorer", "add_parts")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearScorer:
    """Weights prepared for many rows: a link scored alone or among ten million gets the same bits.

    A row begins with a flag (see `feature_rows`) that has no weight. Features beyond the end of the table
    have none either: weights may be older than a feature.
    """

    names: tuple[str, ...]
    columns: int
    table: NDArray[np.float32]
    group_matrix: NDArray[np.float32]
    sizes: NDArray[np.intp]
    offsets: NDArray[np.float32]
    group_weights: NDArray[np.float32]

    def scored(self, rows: Features) -> tuple[Scores, ScoreParts]:
        """Return the score of each row, and the part of each feature group in it: one column per group."""
        return self._scored(rows, first=1)

    def scored_features(self, features: Features) -> tuple[Scores, ScoreParts]:
        """Return the same for features that are not stored as rows yet."""
        if features.shape[1] != self.columns:
            msg = (
                f"features() returned {features.shape[1]} columns, but the feature groups of weights() have"
                f" {self.columns} in total; run clew.testing.check_ranker for details"
            )
            raise ClewError(msg)
        return self._scored(features, first=0)

    def scores(self, rows: Features) -> Scores:
        """Return the score of each row."""
        return self._scored(rows, first=1)[0]

    def _scored(self, rows: Features, first: int) -> tuple[Scores, ScoreParts]:
        """Return scores and parts; `first` is the first column with a feature.

        Sums of weights are exact, so that they have the same bits in any order. Values have one row per
        group: numpy is fastest with long contiguous runs.
        """
        values = np.empty((len(self.group_matrix), len(rows)), np.float32)
        if _group_sums is not None and _add_parts is not None:
            scores = np.empty(len(rows), np.float32)
            _group_sums(rows, first, self.sizes, self.table, self.offsets, MAX_LOGIT, values)
            np.exp(values, out=values)
            _add_parts(values, self.group_weights, scores)
            return scores, values.T
        matrix = self.group_matrix[:, 1 - first :]
        for start in range(0, len(rows), CHUNK):
            weights = self.table.take(rows[start : start + CHUNK], mode="clip")
            np.matmul(matrix, weights.T, out=values[:, start : start + CHUNK])
        values += self.offsets
        np.maximum(values, -MAX_LOGIT, out=values)  # np.clip does the same in four times as long
        np.minimum(values, MAX_LOGIT, out=values)
        np.negative(values, out=values)
        np.exp(values, out=values)
        values += np.float32(1)
        np.divide(self.group_weights, values, out=values)
        return sum_parts(values.T), values.T


def sum_parts(parts: ScoreParts) -> Scores:
    """Sum the parts of each row, always in the same order."""
    scores = np.zeros(len(parts), np.float32)
    for column in parts.T:
        scores += column
    return scores


def make_scorer(weights: Weights) -> LinearScorer:
    """Prepare weights for scoring; invalid weights are an error of the ranker."""
    groups = weights.groups
    columns = sum(group.columns for group in groups)
    table = np.asarray(weights.table, np.float32)
    if not groups or table.ndim != 1 or not len(table) or not np.isfinite(table).all():
        msg = "weights() needs feature groups and a table of finite numbers; run clew.testing.check_ranker"
        raise ClewError(msg)
    rounded = np.zeros(len(table) + 1, np.float32)
    limit = MAX_SUM / max(columns, 1)
    np.clip(table, -limit, limit, out=rounded[:-1])
    rounded *= ROUNDING
    np.rint(rounded, out=rounded)
    rounded /= ROUNDING
    matrix = np.zeros((columns + 1, len(groups)), np.float32)
    column = 1
    for number, group in enumerate(groups):
        matrix[column : column + group.columns, number] = 1
        column += group.columns
    shape = (len(groups), 1)
    return LinearScorer(
        names=tuple(group.name for group in groups),
        columns=columns,
        table=rounded,
        group_matrix=np.ascontiguousarray(matrix.T),
        sizes=np.array([group.columns for group in groups], np.intp),
        offsets=np.array([round(f.offset * ROUNDING) / ROUNDING for f in groups], np.float32).reshape(shape),
        group_weights=np.array([f.weight for f in groups], np.float32).reshape(shape),
    )
