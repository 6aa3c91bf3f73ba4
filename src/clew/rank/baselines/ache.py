"""ACHE: a linear SVM on the words of links, trained on the pages they led to."""

import numpy as np

from clew import urls
from clew.contracts.option_types import Count
from clew.rank.shared.svm import train
from clew.rank.shared.token_bags import TokenBags
from clew.types import Hashes, Ids, Links, Outcome, Scores

RELEVANT = 0.5
"""The verdict from which a page counts as relevant."""

SAMPLES = 5_000
"""Links of each kind to train on at most, as in ACHE."""


class Ache:
    """Learn the words of links that led to relevant pages, every 500 pages, and score all links again.

    The words of URL, link text and surrounding text are separate features. Links that led to relevant pages
    are the positive class, as many of the others the negative one; a linear SVM separates them. Before the
    first training, and as long as one class is empty, the score of a link is the verdict on its source page.
    Afterwards it is the logistic of the margin.

    `every` is the number of pages between two trainings, `seed` the random seed of the sample if there are
    too many links.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Ache()
    >>> ranker.score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: L. Barbosa, J. Freire, "An adaptive crawler for locating hidden-Web entry points",
    WWW 2007, and the crawler ACHE built on it (learning_limit 500, at most 5,000 samples a class).
    ACHE keeps the 100 to 150 most frequent words of each field; here all count.
    """

    def __init__(self, *, seed: int = 0, every: Count = 500) -> None:
        self.seed = seed
        self.every = every
        self._rng = np.random.default_rng(seed)
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
        return {"words of the link": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Add the link that led to a page to its class."""
        row = self._bags.index.mark_fetched(urls.fingerprint(outcome.page.url))
        if row >= 0:
            self._followed[outcome.verdict.value >= RELEVANT].append(row)
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._pages % self.every or not all(self._followed):
            return None
        irrelevant, relevant = self._samples()
        sides = np.repeat([-1.0, 1.0], [len(irrelevant), len(relevant)])
        self._weights = train(self._bags, np.concatenate((irrelevant, relevant)), sides, self._rng)
        rows = self._bags.index.unfetched_rows()
        return self._bags.index.hashes[rows], _logistic(self._bags.all_values(self._weights)[rows])

    def _samples(self) -> tuple[Ids, Ids]:
        """Choose links to train on: as many of either class."""
        irrelevant, relevant = (np.array(rows, np.int64) for rows in self._followed)
        relevant = self._rng.permutation(relevant)[:SAMPLES]
        return self._rng.permutation(irrelevant)[: len(relevant)], relevant


def _logistic(margins: Scores) -> Scores:
    return (1 / (1 + np.exp(-np.clip(margins, -15, 15)))).astype(np.float32)
