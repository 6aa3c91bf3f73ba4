"""Best-first: score links by the verdict on their source page."""

import numpy as np

from clew.types import Links, Outcome, Scores


class BestFirst:
    """Score every link with the verdict of its source page.

    Topical locality makes this work: on the real web a page links to pages of its own topic far
    more often than chance would. It does not distinguish between the links of one page; better policies
    do.

    >>> from clew.testing import sample_outcome, sample_links
    >>> BestFirst().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Cho, H. Garcia-Molina, L. Page, "Efficient crawling through URL ordering", 1998.
    """

    def score(self, source: Outcome, links: Links) -> Scores:
        return np.full(len(links), source.verdict.value, np.float32)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"verdict on the source page": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: scores depend on the source page only."""
