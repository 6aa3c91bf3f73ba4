"""Keywords: source page, link text and URL, each compared with the words of the goal."""

import numpy as np

from clew.domain.records.record_table import RecordTable, example_words
from clew.domain.text.link_words import url_text
from clew.rank.shared.goal_terms import GoalTerms
from clew.types import Links, Outcome, Scores

PAGE, TEXT, URL = 0.4, 0.4, 0.2
"""Weights, which add up to one: page and link text count alike; a URL has fewer words."""


class Keyword:
    """Score links by the words of the goal in their source page, link text and URL.

    Three features and no learning: what a competent engineer writes in an afternoon. Source page: the cosine
    between its words and the goal's, the classic best-first measure. Link text and URL: the share of the
    goal's words in them.

    `about` is the topic in words. A goal of example rows without words has those of the rows. Without any (a
    goal by example pages, a judge of your own) the score is the verdict on the source page.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Keyword(about="lighthouse page")
    >>> for part, values in ranker.parts(sample_outcome(), sample_links(1)).items():
    ...     print(f"{float(values[0]):.3f} {part}")
    0.379 source page
    0.200 link text
    0.000 URL

    Reference: F. Menczer, G. Pant, P. Srinivasan, "Topical web crawlers: evaluating adaptive
    algorithms", ACM Transactions on Internet Technology 4 (2004), crawler "BestFirst".
    """

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)

    def use_table(self, table: RecordTable) -> None:
        """Use the words of example rows, if the goal has none of its own."""
        if not self._goal.terms:
            self._goal = GoalTerms(example_words(table))

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        page = source.page
        has_terms = bool(self._goal.terms)
        near = PAGE * self._goal.cosine(f"{page.title} {page.text}") if has_terms else source.verdict.value
        return {
            "source page": np.full(len(links), near, np.float32),
            "link text": TEXT * self._goal.shares(links.anchors),
            "URL": URL * self._goal.shares([url_text(url) for url in links.urls]),
        }

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the words of the goal are fixed."""
