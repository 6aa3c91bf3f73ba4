"""Followed links as training examples: features, predicted probabilities, scores and verdicts."""

import numpy as np
from numpy.typing import NDArray

from clew.contracts import FeatureChange
from clew.domain.learned_state import State, StateRead
from clew.rank.shared.link_index import grown
from clew.rank.shared.link_tokens import VERDICT_LEVEL
from clew.rank.shared.outcome_log import OutcomeLog
from clew.rank.shared.token_stats import token_counts
from clew.types import Features

Floats = NDArray[np.float32]

CAPACITY = 20_000
"""Followed links that are stored one by one, 3 MB in all."""

LABEL_WEIGHT = 2.0
"""A label counts as much as that many verdicts; with five, a few labels drowned the rest."""

FEW = 30
"""Up to here all examples count in full."""

MIN_WEIGHT = 0.05
"""The least weight of a feature group: one that was wrong so far may still be right elsewhere."""

REGULARISATION = 20.0
"""Followed links that the initial weights count for."""


class TrainingSet:
    """Store followed links as rows, weight them for learning, and fit the weights of feature groups.

    *Easy* links led to what their score predicted, *hard* ones to something else. The two fifths with the
    smallest and the two fifths with the largest error count in full; those in between count `between` times
    as much, and labels always count.

    >>> training = TrainingSet(columns=24, groups=3, between=0.0)
    >>> followed = [(0.1, 0.0), (0.9, 1.0), (0.6, 0.2), (0.9, 0.1), (0.1, 0.8)] * 8
    >>> for key, (score, verdict) in enumerate(followed):
    ...     training.add(key, np.zeros(24, np.uint32), np.full(3, score), score, verdict)
    >>> training.sample_weights()[:5].tolist()
    [1.0, 1.0, 0.0, 1.0, 1.0]
    """

    def __init__(self, *, columns: int, groups: int, between: float = 1.0) -> None:
        self.columns = columns
        self.groups = groups
        self.between = between
        self.log = OutcomeLog(columns)
        self._size = 0
        self._rows = np.empty((0, columns), np.uint32)
        self._chances = np.empty((0, groups), np.float32)
        self._scores, self._verdicts, self._trust = (np.empty(0, np.float32) for _ in range(3))
        self._at: dict[int, int] = {}
        self._sums, self._summed = token_counts(self._rows, self._verdicts, self._trust), 0

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> Features:
        """The features of the links, one row for each."""
        return self._rows[: self._size]

    @property
    def verdicts(self) -> Floats:
        """The verdicts on the pages that the links led to."""
        return self._verdicts[: self._size]

    def verdict(self, key: int) -> float:
        """Return the verdict, or the label, stored for a link."""
        return float(self._verdicts[self._at[key]])

    def add(self, key: int, row: Features, chances: Floats, score: float, verdict: float) -> None:
        """Add a followed link by the fingerprint of its URL; a label that it has stays."""
        at = self._at.setdefault(key, self._size)
        if at == self._size:
            self._make_room()
            self._trust[at] = 1.0
        else:
            self._reset_sums()
            if self._trust[at] > 1:
                verdict = float(self._verdicts[at])
        self._rows[at], self._chances[at] = row, chances
        self._scores[at], self._verdicts[at] = score, verdict

    def add_label(self, key: int, row: Features, relevant: bool) -> None:
        """Add the label of a page, whether a link led to it or not."""
        if key not in self._at:
            self.add(key, row, np.full(self.groups, np.nan, np.float32), np.nan, 0.0)
        self._reset_sums()
        self._verdicts[self._at[key]], self._trust[self._at[key]] = float(relevant), LABEL_WEIGHT

    def revise(self, key: int, verdict: float) -> None:
        """Change the verdict on a page that a followed link led to; a label stays."""
        at = self._at.get(key)
        if at is not None and self._trust[at] == 1:
            self._verdicts[at] = verdict
            self._reset_sums()

    def change(self, change: FeatureChange) -> None:
        """Change the features of all links in place."""
        change(self.rows)
        self._reset_sums()

    def relabel(self, verdict: float) -> None:
        """Give all links so far one verdict; labels stay."""
        self._verdicts[: self._size][self._trust[: self._size] == 1] = verdict
        self._reset_sums()

    def learned_state(self) -> State:
        """Return the links with all that is known of them."""
        size = self._size
        keys = np.zeros(size, np.uint64)
        keys[list(self._at.values())] = list(self._at)
        return {
            "keys": keys, "rows": self.rows.copy(), "chances": self._chances[:size].copy(),
            "scores": self._scores[:size].copy(), "verdicts": self.verdicts.copy(),
            "trust": self._trust[:size].copy(),
        }  # fmt: skip

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self._rows, self._chances = state["rows"], state["chances"]
        self._scores, self._verdicts, self._trust = state["scores"], state["verdicts"], state["trust"]
        self._at = {key: at for at, key in enumerate(state["keys"].tolist())}
        self._size = len(self._scores)
        self._reset_sums()

    def sample_weights(self) -> Floats:
        """Return how much each link counts in training."""
        trust = self._trust[: self._size].copy()
        errors = np.abs(self._scores[: self._size] - self.verdicts)
        followed = ~np.isnan(errors)
        if followed.sum() >= FEW and self.between < 1:
            easy, hard = np.quantile(errors[followed], (0.4, 0.6))
            trust[(errors > easy) & (errors < hard) & (trust == 1)] *= self.between
        return trust

    def counts(self) -> tuple[Floats, Floats]:
        """Return for each token the weighted sum of verdicts and how often it was seen, incrementally."""
        if self.between < 1:
            return token_counts(self.rows, self.verdicts, self.sample_weights())
        new = slice(self._summed, self._size)
        rows, trust = self._rows[new], self._trust[new]
        relevant, seen = self._sums
        np.add.at(seen, rows, trust[:, np.newaxis])
        np.add.at(relevant, rows, (trust * self._verdicts[new])[:, np.newaxis])
        relevant[:VERDICT_LEVEL] = seen[:VERDICT_LEVEL] = 0
        self._summed = self._size
        return relevant, seen

    def share(self, guess: float) -> float:
        """Return the weighted mean verdict; `guess` counts as ten links."""
        trust = self._trust[: self._size]
        return float((10 * guess + trust @ self.verdicts) / (10 + trust.sum()))

    def fit_weights(self, weights: tuple[float, ...]) -> tuple[float, ...]:
        """Refit the weights of the feature groups by least squares to past verdicts.

        The probabilities are those predicted before each page was read. Weights are held near `weights`;
        none goes below `MIN_WEIGHT`, and they add up to one.
        """
        scored = ~np.isnan(self._scores[: self._size])
        chances = self._chances[: self._size][scored].astype(float)
        verdicts = self.verdicts[scored].astype(float)
        square = chances.T @ chances + REGULARISATION * np.eye(self.groups)
        best = np.linalg.solve(square, chances.T @ verdicts + REGULARISATION * np.array(weights))
        bounded = np.maximum(best, MIN_WEIGHT)
        return tuple((bounded / bounded.sum()).tolist())

    def pop_oldest(self) -> tuple[Features, Floats, Floats] | None:
        """Remove the older half when there are too many; return its rows, verdicts and weights."""
        if self._size < CAPACITY:
            return None
        half = self._size // 2
        oldest = self._rows[:half].copy(), self._verdicts[:half].copy(), self._trust[:half].copy()
        for column in (self._rows, self._chances, self._scores, self._verdicts, self._trust):
            column[: self._size - half] = column[half : self._size].copy()
        self._size -= half
        self._reset_sums()
        self._at = {key: at - half for key, at in self._at.items() if at >= half}
        return oldest

    def _reset_sums(self) -> None:
        """Count all links again: one of them has changed."""
        for sums in self._sums:
            sums[:] = 0
        self._summed = 0

    def _make_room(self) -> None:
        self._size += 1
        self._scores, self._verdicts, self._trust = (
            grown(column, self._size) for column in (self._scores, self._verdicts, self._trust)
        )
        if len(self._rows) < len(self._scores):
            more = len(self._scores) - len(self._rows)
            self._rows = np.concatenate((self._rows, np.zeros((more, self.columns), np.uint32)))
            self._chances = np.concatenate((self._chances, np.zeros((more, self.groups), np.float32)))
