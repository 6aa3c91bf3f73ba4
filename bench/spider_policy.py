"""What an engineer writes in an hour around Scrapy's priority queue: the contender that `clew` must beat.

Cosine of the page with the goal's words, and the goal's words in link text and URL. It differs from the policy
`keyword` in that one word of the goal in a link is already worth half of all of them.
"""

import numpy as np

from clew.domain.text.link_words import url_text
from clew.rank.shared.goal_terms import GoalTerms
from clew.types import Links, Outcome, Scores

ENOUGH = 2
"""Words of the goal in a link that count as all of them."""


class Spider:
    """Score a link by the cosine of its page, and by the goal's words in its text and its URL.

    A spider of 60 lines in Scrapy, without the lines for fetching and parsing.
    """

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)

    def score(self, source: Outcome, links: Links) -> Scores:
        page = source.page
        near = self._goal.cosine(f"{page.title} {page.text}")
        in_text, in_url = (
            self._matched(texts) for texts in (links.anchors, [url_text(url) for url in links.urls])
        )
        scores: Scores = ((near + in_text + 0.5 * in_url) / 2.5).astype(np.float32)
        return scores

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing."""

    def _matched(self, texts: list[str]) -> Scores:
        found = self._goal.shares(texts) * max(1, len(self._goal.terms))
        matched: Scores = np.minimum(1.0, found / ENOUGH).astype(np.float32)
        return matched
