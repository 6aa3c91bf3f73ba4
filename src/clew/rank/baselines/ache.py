"""A link classifier as ACHE has it: a linear SVM on the words of links, trained on what they led to."""

import numpy as np

from clew import urls
from clew.rank.shared.svm import train
from clew.rank.shared.token_bags import TokenBags
from clew.types import Hashes, Ids, Links, Outcome, Scores

RELEVANT = 0.5
"""The verdict from which a page counts as relevant."""

SAMPLES = 5_000
"""Links of each kind to train on at most, as in ACHE."""


class Ache:
    """Learn the words of links that led to relevant pages, every 500 pages, and score all links anew.

    The words of a link's address, of its text and of what stands around it are told apart. Links that led
    to relevant pages stand on one side, as many of those that did not on the other, and a linear SVM
    draws the line between them. Before it was trained first, and as long as there is only one side, a
    link is as good as the page it stands on. The score is the logistic of the margin.

    `every` is the number of pages between two trainings, `seed` chooses which links are trained on
    when there are too many.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Ache()
    >>> ranker.score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: L. Barbosa, J. Freire, "An adaptive crawler for locating hidden-Web entry points",
    WWW 2007, and the crawler ACHE that came of it (learning_limit 500, at most 5,000 samples a class).
    ACHE keeps the 100 to 150 most frequent words of each field; here all count.
    """

    def __init__(self, *, seed: int = 0, every: int = 500) -> None:
        self.seed = seed
        self.every = every
        self._dice = np.random.default_rng(seed)
        self._bags = TokenBags()
        self._followed: tuple[list[int], list[int]] = [], []  # rows that led to irrelevant, relevant pages
        self._weights: Scores | None = None
        self._pages = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        rows = self._bags.add(links, source.page.link.origin)
        if self._weights is None:
            return np.full(len(links), source.verdict.value, np.float32)
        return _logistic(self._bags.values(self._weights, rows))

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"where words like its own have led": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Remember on which side the link belongs that led to a page."""
        row = self._bags.index.mark_fetched(urls.fingerprint(outcome.page.url))
        if row >= 0:
            self._followed[outcome.verdict.value >= RELEVANT].append(row)
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._pages % self.every or not all(self._followed):
            return None
        bad, good = self._samples()
        sides = np.repeat([-1.0, 1.0], [len(bad), len(good)])
        self._weights = train(self._bags, np.concatenate((bad, good)), sides, self._dice)
        rows = self._bags.index.unfetched_rows()
        return self._bags.index.hashes[rows], _logistic(self._bags.all_values(self._weights)[rows])

    def _samples(self) -> tuple[Ids, Ids]:
        """Choose links to train on: as many bad ones as good ones."""
        bad, good = (np.array(rows, np.int64) for rows in self._followed)
        good = self._dice.permutation(good)[:SAMPLES]
        return self._dice.permutation(bad)[: len(good)], good


def _logistic(margins: Scores) -> Scores:
    return (1 / (1 + np.exp(-np.clip(margins, -15, 15)))).astype(np.float32)
