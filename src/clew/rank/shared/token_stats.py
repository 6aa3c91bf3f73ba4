"""Naive Bayes over token ids, in which rare tokens are smoothed towards their parent."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.domain.learned_state import State, StateRead, dense, nested, packed, part, sparse, unpacked
from clew.rank.shared.link_tokens import (
    BINS,
    FIRST_HASHED,
    LEVEL_TOKENS,
    VERDICT_LEVEL,
    parent_folder,
    token_id,
)
from clew.types import Features

Floats = NDArray[np.float32]

SMOOTHING = 2.0
"""Pages that an ordinary token must have been seen on before its own counts weigh as much as its parent."""

LEVEL_SMOOTHING = 8.0
"""The same for levels (the verdict on the source page, similarity to the goal): their priors are known."""

PAGE_SMOOTHING = 4.0
"""The same for one page and the outcomes of its other links."""

MIN_CHANCE = 0.001
"""No probability is nearer to 0 or 1: links are reordered, never discarded."""

_MAX_DEPTH = 6


class TokenStats:
    """Count the outcomes of tokens, and compute the log-odds that each of them adds.

    For every token it counts how often it was seen and the sum of the verdicts, softly: a verdict of 0.3 is
    three tenths of a relevant page. Probabilities are smoothed towards those of the parent token:

        chance   = (relevant + smoothing · guess) / (seen + smoothing)
        guess    = the parent's chance, its odds changed by the `prior` of the token
        log-odds = logit(chance) - logit(parent's chance)

    The parent of a directory is the directory around it, that of a host or a word the share of relevant
    pages in the crawl, that of a page the level of its verdict. Log-odds are added up, so those of nested
    directories end in the probability of the deepest one that was ever seen.

    >>> stats = TokenStats()
    >>> rows = np.array([[stats.register("address", token) for token in ("//a.test", "//a.test/wind/")]] * 4)
    >>> stats.count(rows, np.ones(4), np.ones(4))
    >>> table = stats.table(0.2)
    >>> table[[*rows[0], stats.register("address", "//a.test/soup/")]].astype(float).round(2).tolist()
    [2.4, 1.32, 0.0]
    """

    def __init__(self) -> None:
        self.relevant = np.zeros(BINS, np.float32)
        self.seen = np.zeros(BINS, np.float32)
        self.prior = np.zeros(BINS, np.float32)
        self.zeros = np.zeros(BINS, np.float32)
        self.names = {at: ("page", token) for token, at in LEVEL_TOKENS.items()}
        self._parent = np.zeros(BINS, np.uint32)
        self._depth = np.zeros(BINS, np.uint8)
        self._smoothing = np.full(BINS, SMOOTHING, np.float32)
        self._smoothing[VERDICT_LEVEL:FIRST_HASHED] = LEVEL_SMOOTHING

    def register(self, family: str, token: str, parent: str = "") -> int:
        """Return the id of a token that is going to be counted; remember its name and its parent.

        The parent of a directory follows from its name; for a page `parent` is the level of its verdict.
        """
        at = token_id(family, token)
        self.add_name(at, family, token, parent)
        return at

    def add_name(self, at: int, family: str, token: str, parent: str = "") -> None:
        """Register a token whose id is known."""
        if at in self.names:
            return
        self.names[at] = family, token
        if family == "goal":
            self._smoothing[at] = LEVEL_SMOOTHING
        parent = parent_folder(token) if family == "address" else parent
        if parent and at >= FIRST_HASHED:
            self._parent[at] = self.register(family, parent)
            self._depth[at] = min(_MAX_DEPTH - 1, self._depth[self._parent[at]] + 1)
            self._smoothing[at] = PAGE_SMOOTHING if family == "page" else SMOOTHING

    def are_named(self, row: Features) -> bool:
        """Return whether all tokens of a row are registered."""
        return all(at in self.names for at in row.tolist() if at)

    def parent(self, at: int) -> str:
        """Return the name of a token's parent, empty if it has none."""
        return self.names[int(self._parent[at])][1] if self._parent[at] else ""

    def learned_state(self) -> State:
        """Return counts, priors, and the registered tokens with their parents."""
        ids = np.fromiter(self.names, np.uint32, len(self.names))
        registered: State = {
            "ids": ids, "names": packed(list(self.names.values())), "parent": self._parent[ids],
            "depth": self._depth[ids], "smoothing": self._smoothing[ids],
        }  # fmt: skip
        counts = nested(relevant=sparse(self.relevant), seen=sparse(self.seen), prior=sparse(self.prior))
        return registered | counts

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        ids = state["ids"]
        self.names = {
            at: (family, token)
            for at, (family, token) in zip(ids.tolist(), unpacked(state["names"]), strict=True)
        }
        self._parent[ids], self._depth[ids] = state["parent"], state["depth"]
        self._smoothing[ids] = state["smoothing"]
        for name, column in (("relevant", self.relevant), ("seen", self.seen), ("prior", self.prior)):
            dense(part(state, name), column)

    def count(self, rows: Features, verdicts: Floats, weights: Floats) -> None:
        """Add the tokens of pages to the counts."""
        relevant, seen = token_counts(rows, verdicts, weights)
        self.relevant += relevant
        self.seen += seen

    def table(self, share: float, relevant: Floats | None = None, seen: Floats | None = None) -> Floats:
        """Return the log-odds that each token adds to the base rate, with more counts than those stored."""
        relevant = self.relevant if relevant is None else self.relevant + relevant
        seen = self.seen if seen is None else self.seen + seen
        table = np.zeros(BINS, np.float32)
        chances = np.full(BINS, share, np.float32)
        known = np.flatnonzero((seen > 0) | (self.prior != 0))
        depths = self._depth[known]
        for depth in range(_MAX_DEPTH):
            at = known[depths == depth]
            before = logit(chances[self._parent[at]])
            guess = logistic(before + self.prior[at])
            chances[at] = (relevant[at] + self._smoothing[at] * guess) / (seen[at] + self._smoothing[at])
            table[at] = logit(chances[at]) - before
        table[:VERDICT_LEVEL] = 0
        return table


def token_counts(rows: Features, verdicts: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return for each token the weighted sum of verdicts, and how often it was seen."""
    tokens, columns = rows.ravel(), rows.shape[1]
    relevant = np.bincount(tokens, np.repeat(weights * verdicts, columns), BINS)
    seen = np.bincount(tokens, np.repeat(weights, columns), BINS)
    relevant[:VERDICT_LEVEL] = seen[:VERDICT_LEVEL] = 0
    return relevant.astype(np.float32), seen.astype(np.float32)


def logit(chances: ArrayLike) -> Floats:
    """Return probabilities as log-odds."""
    within = np.clip(np.asarray(chances, np.float32), MIN_CHANCE, 1 - MIN_CHANCE)
    odds: Floats = np.log(within / (1 - within))
    return odds


def logistic(odds: Floats) -> Floats:
    """Return log-odds as probabilities."""
    chances: Floats = np.reciprocal(1 + np.exp(-odds))
    return chances
