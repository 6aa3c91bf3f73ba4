"""Shark search: links inherit from their source page, and count the words around them."""

import numpy as np

from clew import urls
from clew.contracts.option_types import Probability
from clew.domain.records.record_table import RecordTable, example_words
from clew.rank.shared.goal_terms import GoalTerms
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Links, Outcome, Scores


class Shark:
    """Let links inherit a decaying share of the verdict on their source page, and add the words around them.

    A relevant page passes on part of its verdict; an irrelevant one passes on part of what it
    inherited itself, so that a few irrelevant pages do not end a path. The neighbourhood is the link text
    and, if that has no words of the goal, the text around it: cosines with the words of the goal.

        inherited     = delta · verdict of the page, or delta · what the page inherited if that is 0
        neighbourhood = beta · link text + (1 - beta) · (1 if the link text has any, else its context)
        score         = gamma · inherited + (1 - gamma) · neighbourhood

    `about` is the topic in words; a goal of example rows without words has those of the rows. `delta`,
    `beta` and `gamma` are the published values.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Shark(about="page")
    >>> for part, values in ranker.parts(sample_outcome(0.9), sample_links(1)).items():
    ...     print(f"{float(values[0]):.3f} {part}")
    0.360 inherited from the source page
    0.113 link text
    0.040 surrounding text

    Reference: M. Hersovici, M. Jacovi, Y. Maarek, D. Pelleg, M. Shtalhaim, S. Ur, "The shark-search
    algorithm. An application: tailored Web site mapping", WWW7, 1998.
    """

    def __init__(
        self, *, about: str = "", delta: Probability = 0.5, beta: Probability = 0.8, gamma: Probability = 0.8
    ) -> None:
        self.about = about
        self.delta = delta
        self.beta = beta
        self.gamma = gamma
        self._goal = GoalTerms(about)
        self._index = LinkIndex()
        self._inherited = np.empty(0, np.float32)

    def use_table(self, table: RecordTable) -> None:
        """Use the words of example rows, if the goal has none of its own."""
        if not self._goal.terms:
            self._goal = GoalTerms(example_words(table))

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        inherited = self._pass_on(source, links)
        text = self._goal.cosines(links.anchors)
        around = np.ones(len(links), np.float32)
        without = np.flatnonzero(text == 0)
        around[without] = self._goal.cosines(links.contexts[at] for at in without.tolist())
        near = 1 - self.gamma
        return {
            "inherited from the source page": np.full(len(links), self.gamma * inherited, np.float32),
            "link text": np.float32(near * self.beta) * text,
            "surrounding text": np.float32(near * (1 - self.beta)) * around,
        }

    def _pass_on(self, source: Outcome, links: Links) -> float:
        """Return what the links of a page inherit, and store it for their pages."""
        value = source.verdict.value
        if value <= 0:
            row = self._index.row(urls.fingerprint(source.page.url))
            value = float(self._inherited[row]) if row >= 0 else 0.0
        inherited = self.delta * value
        rows = self._index.add(links.hashes)
        self._inherited = grown(self._inherited, len(self._index))
        self._inherited[rows] = np.maximum(self._inherited[rows], inherited)
        return inherited

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the verdict on a page is used when its links are scored."""
