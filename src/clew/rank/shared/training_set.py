"""Links that were followed: what they said, what was thought of them, and what they led to."""

import numpy as np
from numpy.typing import NDArray

from clew.rank.shared.link_index import grown
from clew.rank.shared.link_tokens import LEVEL
from clew.rank.shared.token_stats import counted
from clew.types import Features

Floats = NDArray[np.float32]

MOST = 20_000
"""Followed links that are kept one by one, 3 MB in all."""

LABEL = 2.0
"""A person's word counts as much as that many verdicts; with five, a few answers drowned the rest."""

FEW = 30
"""Up to here everything is learned from."""

LEAST = 0.05
"""What every witness keeps of the whole: one that was wrong so far may still be right elsewhere."""

STEADY = 20.0
"""Followed links that the weights to begin with count for."""


class TrainingSet:
    """Keep followed links as rows, choose those to learn from, and find out which witness was right.

    *Easy* links led to what their score promised, *hard* ones to something else. The two fifths that agreed
    best and the two fifths that differed most are learned from; those in between count `between` times
    as much, and what a person has said always counts.

    >>> experience = TrainingSet(columns=24, witnesses=3, between=0.0)
    >>> followed = [(0.1, 0.0), (0.9, 1.0), (0.6, 0.2), (0.9, 0.1), (0.1, 0.8)] * 8
    >>> for name, (score, verdict) in enumerate(followed):
    ...     experience.add(name, np.zeros(24, np.uint32), np.full(3, score), score, verdict)
    >>> experience.chosen()[:5].tolist()
    [1.0, 1.0, 0.0, 1.0, 1.0]
    """

    def __init__(self, *, columns: int, witnesses: int, between: float = 1.0) -> None:
        self.columns = columns
        self.witnesses = witnesses
        self.between = between
        self._size = 0
        self._rows = np.empty((0, columns), np.uint32)
        self._witnesses = np.empty((0, witnesses), np.float32)
        self._scores, self._verdicts, self._trust = (np.empty(0, np.float32) for _ in range(3))
        self._at: dict[int, int] = {}
        self._sums, self._summed = counted(self._rows, self._verdicts, self._trust), 0

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> Features:
        """The features of the links, one row for each."""
        return self._rows[: self._size]

    @property
    def verdicts(self) -> Floats:
        """What the links led to."""
        return self._verdicts[: self._size]

    def add(self, name: int, row: Features, witnesses: Floats, score: float, verdict: float) -> None:
        """Enter a link that was followed; one that a person has said something about keeps their word."""
        at = self._at.setdefault(name, self._size)
        if at == self._size:
            self._make_room()
            self._trust[at] = 1.0
        else:
            self._forget_sums()
            if self._trust[at] > 1:
                verdict = float(self._verdicts[at])
        self._rows[at], self._witnesses[at] = row, witnesses
        self._scores[at], self._verdicts[at] = score, verdict

    def say(self, name: int, row: Features, good: bool) -> None:
        """Enter a person's word on a page, whether a link led to it or not."""
        if name not in self._at:
            self.add(name, row, np.full(self.witnesses, np.nan, np.float32), np.nan, 0.0)
        self._forget_sums()
        self._verdicts[self._at[name]], self._trust[self._at[name]] = float(good), LABEL

    def amend(self, verdict: float) -> None:
        """Give all links so far one verdict; a person's word stays."""
        self._verdicts[: self._size][self._trust[: self._size] == 1] = verdict
        self._forget_sums()

    def chosen(self) -> Floats:
        """Return how much is learned from each link."""
        trust = self._trust[: self._size].copy()
        off = np.abs(self._scores[: self._size] - self.verdicts)
        followed = ~np.isnan(off)
        if followed.sum() >= FEW and self.between < 1:
            easy, hard = np.quantile(off[followed], (0.4, 0.6))
            trust[(off > easy) & (off < hard) & (trust == 1)] *= self.between
        return trust

    def counts(self) -> tuple[Floats, Floats]:
        """Return how much good each token led to and how often it was seen; only new links are counted."""
        if self.between < 1:
            return counted(self.rows, self.verdicts, self.chosen())
        new = slice(self._summed, self._size)
        rows, trust = self._rows[new], self._trust[new]
        good, seen = self._sums
        np.add.at(seen, rows, trust[:, np.newaxis])
        np.add.at(good, rows, (trust * self._verdicts[new])[:, np.newaxis])
        good[:LEVEL] = seen[:LEVEL] = 0
        self._summed = self._size
        return good, seen

    def share(self, guess: float) -> float:
        """Return the share of good among links as they are learned from, softly; `guess` counts as ten."""
        trust = self._trust[: self._size]
        return float((10 * guess + trust @ self.verdicts) / (10 + trust.sum()))

    def fitted(self, weights: tuple[float, ...]) -> tuple[float, ...]:
        """Return weights with which the witnesses, as they spoke before each page came, come nearest to it.

        Least squares, held near `weights`; none goes below `LEAST`, and they add up to one.
        """
        heard = ~np.isnan(self._scores[: self._size])
        said, came = self._witnesses[: self._size][heard].astype(float), self.verdicts[heard].astype(float)
        square = said.T @ said + STEADY * np.eye(self.witnesses)
        best = np.linalg.solve(square, said.T @ came + STEADY * np.array(weights))
        held = np.maximum(best, LEAST)
        return tuple((held / held.sum()).tolist())

    def overflow(self) -> tuple[Features, Floats, Floats] | None:
        """Hand over the older half when there are too many: rows, verdicts, and how much each counts."""
        if self._size < MOST:
            return None
        half = self._size // 2
        gone = self._rows[:half].copy(), self._verdicts[:half].copy(), self._trust[:half].copy()
        for column in (self._rows, self._witnesses, self._scores, self._verdicts, self._trust):
            column[: self._size - half] = column[half : self._size].copy()
        self._size -= half
        self._forget_sums()
        self._at = {name: at - half for name, at in self._at.items() if at >= half}
        return gone

    def _forget_sums(self) -> None:
        """Count all links anew: one of them has changed."""
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
            self._witnesses = np.concatenate((self._witnesses, np.zeros((more, self.witnesses), np.float32)))
