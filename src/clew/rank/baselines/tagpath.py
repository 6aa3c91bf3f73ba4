"""A bandit over places on pages: lists that paid are asked again, menus that never did sleep."""

import math

import numpy as np

from clew import urls
from clew.rank.shared.link_index import LinkIndex, grown
from clew.rank.shared.tagpath_clusters import TagPathClusters
from clew.rank.shared.url_classifier import UrlClassifier
from clew.types import Hashes, Links, Outcome, Scores

ADDRESS = 0.1
"""Weight of the address: it orders the links of one place, and decides between places nearly as good."""

MOVED = 0.01
"""Change of a place's score that is worth telling its links."""


class TagPath:
    """Learn which places on pages lead to good pages: the list of results, not the menu.

    Links whose tag paths look alike are one arm of a bandit. What a link of an arm led to is the arm's
    reward, and the arm with the highest upper estimate is asked next:

        upper estimate = mean verdict + exploration · √(ln pages / pages of this arm)

    An arm with no open links sleeps: it has nothing to offer until some are found. An arm never tried
    comes first. Scores are estimate / (1 + estimate). Among the links of an arm, an online classifier on
    the characters of addresses goes first to those that look like pages worth having.

    `likeness` is the cosine from which two tag paths are one place. `exploration` is 2√2, the constant
    of the authors' program and of AUER's proof for rewards of 0 to 1: cautious; smaller ones settle earlier.
    `allowance` is how many links each page read pays for to be scored anew when their arm has moved.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = TagPath()
    >>> for part, values in ranker.parts(sample_outcome(), sample_links(1)).items():
    ...     print(f"{float(values[0]):.2f} {part}")
    0.90 where it stands on the page
    0.05 its address

    Reference: A. Gauquier, I. Manolescu, P. Senellart, "Efficient crawling for scalable Web data
    acquisition", arXiv 2602.11874 (SB-CLASSIFIER), where the reward is the number of new data files;
    R. Kleinberg, A. Niculescu-Mizil, Y. Sharma, "Regret bounds for sleeping experts and bandits", 2010
    (AUER).
    """

    def __init__(
        self, *, likeness: float = 0.75, exploration: float = 2 * math.sqrt(2), allowance: int = 1_000
    ) -> None:
        self.likeness = likeness
        self.exploration = exploration
        self.allowance = allowance
        self._places = TagPathClusters(likeness=likeness)
        self._addresses = UrlClassifier()
        self._met = LinkIndex()
        self._arms = np.empty(0, np.uint16)
        self._chances = np.empty(0, np.float32)
        self._pulls = np.empty(0, np.int64)
        self._rewards = np.empty(0, np.float64)
        self._open = np.empty(0, np.int64)
        self._told = np.empty(0, np.float32)  # the score that an arm's links carry
        self._credit = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:  # noqa: ARG002 - the place says it
        arms = np.array([self._places.cluster_of(path) for path in links.paths], np.int64)
        self._make_room()
        chances = self._addresses.chances(links.urls)
        before = len(self._met)
        rows = self._met.add(links.hashes)
        self._arms, self._chances = grown(self._arms, len(self._met)), grown(self._chances, len(self._met))
        new = rows >= before
        self._arms[rows[new]] = arms[new]  # a link met again stays with the arm it was found by
        self._chances[rows[new]] = chances[new]
        np.add.at(self._open, self._arms[before : len(self._met)], 1)
        return {
            "where it stands on the page": np.float32(1 - ADDRESS) * self._told[self._arms[rows]],
            "its address": np.float32(ADDRESS) * self._chances[rows],
        }

    def learn(self, outcome: Outcome) -> None:
        """Give a page's verdict to the arm that led to it, and to the addresses."""
        page, worth = outcome.page, outcome.verdict.value
        row = self._met.row(urls.fingerprint(page.url))
        if row >= 0 and not self._met.fetched[row]:
            self._met.mark_fetched(urls.fingerprint(page.url))
            arm = int(self._arms[row])
            self._pulls[arm] += 1
            self._rewards[arm] += worth
            self._open[arm] -= 1
        self._addresses.learn(page.url, worth)
        self._credit += self.allowance

    def rerank(self) -> tuple[Hashes, Scores] | None:
        scores = self._estimates()
        moved = np.where(self._open[: len(scores)] > 0, np.abs(scores - self._told[: len(scores)]), 0)
        telling = np.zeros(len(scores), bool)
        for arm in np.argsort(-moved, kind="stable").tolist():
            if moved[arm] <= MOVED:
                break
            if (cost := int(self._open[arm])) <= self._credit:
                self._credit -= cost
                telling[arm] = True
        if not telling.any():
            return None
        self._told[: len(scores)][telling] = scores[telling]
        rows = np.flatnonzero(telling[self._arms[: len(self._met)]] & ~self._met.fetched)
        told = np.float32(1 - ADDRESS) * self._told[self._arms[rows]]
        return self._met.hashes[rows], told + np.float32(ADDRESS) * self._chances[rows]

    def _estimates(self) -> Scores:
        """Return the score of each arm now."""
        pulls = self._pulls[: len(self._places)]
        times = np.maximum(pulls, 1)
        bonus = self.exploration * np.sqrt(math.log(max(1, int(pulls.sum()))) / times)
        upper = self._rewards[: len(pulls)] / times + bonus
        return np.where(pulls > 0, upper / (1 + upper), 1.0).astype(np.float32)

    def _make_room(self) -> None:
        size = len(self._places)
        self._pulls, self._rewards = grown(self._pulls, size), grown(self._rewards, size)
        self._open, self._told = grown(self._open, size), grown(self._told, size, 1)
