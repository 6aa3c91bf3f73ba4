"""Keywords: the page, the link text and the address, each compared with the goal's words."""

import numpy as np

from clew.rank.shared.goal_terms import GoalTerms, url_text
from clew.types import Links, Outcome, Scores

PAGE, TEXT, ADDRESS = 0.4, 0.4, 0.2
"""The page and the link text count alike; an address says less, in fewer words. They add up to one."""


class Keyword:
    """Score links by the goal's words: on the page they stand on, in their text, in their address.

    Three features and no learning: what a competent engineer writes in an afternoon. Source page: the cosine
    between its words and the goal's, the classic best-first measure. Link text and URL: the share of the
    goal's words in them.

    `about` is the topic in words. Without any (a goal by example pages, a judge of your own) a link is
    worth the verdict on the page it stands on.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = Keyword(about="lighthouse page")
    >>> for part, values in ranker.parts(sample_outcome(), sample_links(1)).items():
    ...     print(f"{float(values[0]):.3f} {part}")
    0.379 the page it stands on
    0.200 its link text
    0.000 its address

    Reference: F. Menczer, G. Pant, P. Srinivasan, "Topical web crawlers: evaluating adaptive
    algorithms", ACM Transactions on Internet Technology 4 (2004), crawler "BestFirst".
    """

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        page = source.page
        told = bool(self._goal.terms)
        near = PAGE * self._goal.cosine(f"{page.title} {page.text}") if told else source.verdict.value
        return {
            "the page it stands on": np.full(len(links), near, np.float32),
            "its link text": TEXT * self._goal.shares(links.anchors),
            "its address": ADDRESS * self._goal.shares([url_text(url) for url in links.urls]),
        }

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the person's words are all there is."""
