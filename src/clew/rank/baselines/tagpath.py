"""A bandit over tag paths: links at positions that led to relevant pages come first."""

import math

import numpy as np

from clew import urls
from clew.contracts.option_types import Count, NonNegative, Probability
from clew.rank.shared.link_index import LinkIndex, grown
from clew.rank.shared.tagpath_clusters import TagPathClusters
from clew.rank.shared.url_classifier import UrlClassifier
from clew.types import Hashes, Links, Outcome, Scores

URL = 0.1
"""Weight of the URL: it orders the links of one cluster, and decides between nearly equal clusters."""

MIN_CHANGE = 0.01
"""Change of an arm's score from which its links are scored again."""


EXPLORATION = 2 * math.sqrt(2)
"""The constant of the upper confidence bound."""


class TagPath:
    """Learn which positions on pages lead to relevant pages: the list of results, not the menu.

    Links with similar tag paths are one arm of a bandit. The verdict on a page is the reward of the arm
    that led to it, and the arm with the highest upper confidence bound is next:

        upper bound = mean verdict + exploration · √(ln pages / pages of this arm)

    An arm without open links sleeps until some are found. An arm never tried comes first. Scores are
    bound / (1 + bound). The links of one arm are ordered by an online classifier on the characters of URLs.

    `likeness` is the cosine from which two tag paths are in one cluster. `exploration` is 2√2, the constant
    of the authors' program and of AUER's proof for rewards of 0 to 1: cautious; smaller ones settle earlier.
    `allowance` is how many links may be scored again per page read, when the score of their arm has changed.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = TagPath()
    >>> for part, values in ranker.parts(sample_outcome(), sample_links(1)).items():
    ...     print(f"{float(values[0]):.2f} {part}")
    0.90 tag path
    0.05 URL

    Reference: A. Gauquier, I. Manolescu, P. Senellart, "Efficient crawling for scalable Web data
    acquisition", arXiv 2602.11874 (SB-CLASSIFIER), where the reward is the number of new data files;
    R. Kleinberg, A. Niculescu-Mizil, Y. Sharma, "Regret bounds for sleeping experts and bandits", 2010
    (AUER).
    """

    def __init__(
        self,
        *,
        likeness: Probability = 0.75,
        exploration: NonNegative = EXPLORATION,
        allowance: Count = 1_000,
    ) -> None:
        self.likeness = likeness
        self.exploration = exploration
        self.allowance = allowance
        self._clusters = TagPathClusters(likeness=likeness)
        self._url_classifier = UrlClassifier()
        self.index = LinkIndex()
        self._arms = np.empty(0, np.uint16)
        self.chances = np.empty(0, np.float32)
        self._pulls = np.empty(0, np.int64)
        self._rewards = np.empty(0, np.float64)
        self._open = np.empty(0, np.int64)
        self._arm_scores = np.empty(0, np.float32)  # the score that the links of each arm have
        self._credit = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:  # noqa: ARG002 - tag paths only
        arms = np.array([self._clusters.cluster_of(path) for path in links.paths], np.int64)
        self._make_room()
        probabilities = self._url_classifier.chances(links.urls)
        before = len(self.index)
        rows = self.index.add(links.hashes)
        self._arms, self.chances = grown(self._arms, len(self.index)), grown(self.chances, len(self.index))
        new = rows >= before
        self._arms[rows[new]] = arms[new]  # a link found again stays with its first arm
        self.chances[rows[new]] = probabilities[new]
        np.add.at(self._open, self._arms[before : len(self.index)], 1)
        return {
            "tag path": np.float32(1 - URL) * self._arm_scores[self._arms[rows]],
            "URL": np.float32(URL) * self.chances[rows],
        }

    def learn(self, outcome: Outcome) -> None:
        """Add the verdict on a page to the arm that led to it, and train the URL classifier."""
        page, verdict = outcome.page, outcome.verdict.value
        row = self.index.row(urls.fingerprint(page.url))
        if row >= 0 and not self.index.fetched[row]:
            self.index.mark_fetched(urls.fingerprint(page.url))
            arm = int(self._arms[row])
            self._pulls[arm] += 1
            self._rewards[arm] += verdict
            self._open[arm] -= 1
        self._url_classifier.learn(page.url, verdict)
        self._credit += self.allowance

    def rerank(self) -> tuple[Hashes, Scores] | None:
        scores = self._estimates()
        moved = np.where(self._open[: len(scores)] > 0, np.abs(scores - self._arm_scores[: len(scores)]), 0)
        updated = np.zeros(len(scores), bool)
        for arm in np.argsort(-moved, kind="stable").tolist():
            if moved[arm] <= MIN_CHANGE:
                break
            if (cost := int(self._open[arm])) <= self._credit:
                self._credit -= cost
                updated[arm] = True
        if not updated.any():
            return None
        self._arm_scores[: len(scores)][updated] = scores[updated]
        rows = np.flatnonzero(updated[self._arms[: len(self.index)]] & ~self.index.fetched)
        by_arm = np.float32(1 - URL) * self._arm_scores[self._arms[rows]]
        return self.index.hashes[rows], by_arm + np.float32(URL) * self.chances[rows]

    def _estimates(self) -> Scores:
        """Return the score of each arm now."""
        pulls = self._pulls[: len(self._clusters)]
        times = np.maximum(pulls, 1)
        bonus = self.exploration * np.sqrt(math.log(max(1, int(pulls.sum()))) / times)
        upper = self._rewards[: len(pulls)] / times + bonus
        return np.where(pulls > 0, upper / (1 + upper), 1.0).astype(np.float32)

    def _make_room(self) -> None:
        size = len(self._clusters)
        self._pulls, self._rewards = grown(self._pulls, size), grown(self._rewards, size)
        self._open, self._arm_scores = grown(self._open, size), grown(self._arm_scores, size, 1)
