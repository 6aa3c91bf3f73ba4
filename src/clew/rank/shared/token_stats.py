"""Naive Bayes over numbered tokens, in which the rarely seen lean on what is known above them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.rank.shared.link_tokens import BINS, LEVEL, STEPS, WORDS, above, number
from clew.types import Features

Floats = NDArray[np.float32]

DOUBT = 2.0
"""Pages that an ordinary token must have been seen on before it counts for half of what it showed."""

LEVEL_DOUBT = 8.0
"""The same for the verdict on the page a link stands on: something is known of it from the start."""

PAGE_DOUBT = 4.0
"""The same for one page and where its other links led."""

SUREST = 0.001
"""No chance is nearer to 0 or 1: nothing is excluded, all is only ordered."""

_DEEPEST = 6


class TokenStats:
    """Keep what tokens have led to, and say by how much each of them changes the odds.

    Of every token is counted how often it was seen and how good what came was, softly: a verdict of 0.3 is
    three tenths of a good page. A token's chance leans on its `upper` one until it was seen `doubt` times:

        chance   = (good + doubt · guess) / (seen + doubt)
        guess    = the upper chance, its odds changed by what was known before (`prior`)
        log-odds = logit(chance) - logit(upper chance)

    A folder leans on the folder around it, a host and a word on the share of good pages in the crawl, a page
    on its verdict's level. Log-odds are added up, so those of nested folders end in the chance of the
    deepest one that was ever seen.

    >>> evidence = TokenStats()
    >>> rows = np.array([[evidence.meet("address", token) for token in ("//a.test", "//a.test/wind/")]] * 4)
    >>> evidence.count(rows, np.ones(4), np.ones(4))
    >>> table = evidence.table(0.2)
    >>> table[[*rows[0], evidence.meet("address", "//a.test/soup/")]].astype(float).round(2).tolist()
    [2.4, 1.32, 0.0]
    """

    def __init__(self) -> None:
        self.good = np.zeros(BINS, np.float32)
        self.seen = np.zeros(BINS, np.float32)
        self.prior = np.zeros(BINS, np.float32)
        self.none = np.zeros(BINS, np.float32)
        self.names = {at: ("page", token) for token, at in STEPS.items()}
        self._upper = np.zeros(BINS, np.uint32)
        self._depth = np.zeros(BINS, np.uint8)
        self._doubt = np.full(BINS, DOUBT, np.float32)
        self._doubt[LEVEL:WORDS] = LEVEL_DOUBT

    def meet(self, family: str, token: str, upper: str = "") -> int:
        """Return the number of a token that is going to be counted; remember its name and on what it leans.

        Folders lean on those around them by themselves; for a page `upper` is the level of its verdict.
        """
        at = number(family, token)
        if at not in self.names:
            self.names[at] = family, token
            upper = above(token) if family == "address" else upper
            if upper and at >= WORDS:
                self._upper[at] = self.meet(family, upper)
                self._depth[at] = min(_DEEPEST - 1, self._depth[self._upper[at]] + 1)
                self._doubt[at] = PAGE_DOUBT if family == "page" else DOUBT
        return at

    def upper(self, at: int) -> str:
        """Return the name of the token that one leans on, empty if it stands alone."""
        return self.names[int(self._upper[at])][1] if self._upper[at] else ""

    def count(self, rows: Features, verdicts: Floats, weights: Floats) -> None:
        """Count the tokens of pages for good."""
        good, seen = counted(rows, verdicts, weights)
        self.good += good
        self.seen += seen

    def table(self, share: float, good: Floats | None = None, seen: Floats | None = None) -> Floats:
        """Return the log-odds that each token adds to those of any link, with more counts than those kept."""
        good = self.good if good is None else self.good + good
        seen = self.seen if seen is None else self.seen + seen
        table = np.zeros(BINS, np.float32)
        chances = np.full(BINS, share, np.float32)
        told = np.flatnonzero((seen > 0) | (self.prior != 0))
        depths = self._depth[told]
        for depth in range(_DEEPEST):
            at = told[depths == depth]
            before = logit(chances[self._upper[at]])
            guess = logistic(before + self.prior[at])
            chances[at] = (good[at] + self._doubt[at] * guess) / (seen[at] + self._doubt[at])
            table[at] = logit(chances[at]) - before
        table[:LEVEL] = 0
        return table


def counted(rows: Features, verdicts: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return for each token how much good it led to and how often it was seen."""
    tokens, columns = rows.ravel(), rows.shape[1]
    good = np.bincount(tokens, np.repeat(weights * verdicts, columns), BINS)
    seen = np.bincount(tokens, np.repeat(weights, columns), BINS)
    good[:LEVEL] = seen[:LEVEL] = 0
    return good.astype(np.float32), seen.astype(np.float32)


def logit(chances: ArrayLike) -> Floats:
    """Return chances as log-odds."""
    within = np.clip(np.asarray(chances, np.float32), SUREST, 1 - SUREST)
    odds: Floats = np.log(within / (1 - within))
    return odds


def logistic(odds: Floats) -> Floats:
    """Return log-odds as chances."""
    chances: Floats = np.reciprocal(1 + np.exp(-odds))
    return chances
