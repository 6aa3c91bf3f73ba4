"""Best-first: a link is as good as the page it stands on."""

import numpy as np

from clew.types import Links, Outcome, Scores


class BestFirst:
    """Score every link with the verdict of its source page.

    Topical locality makes this work: on the real web a page links to pages of its own topic far
    more often than chance would. It is blind to differences between the links of one page; every
    cleverer policy begins by seeing those.

    >>> from clew.testing import sample_outcome, sample_links
    >>> BestFirst().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Cho, H. Garcia-Molina, L. Page, "Efficient crawling through URL ordering", 1998.
    """

    def score(self, source: Outcome, links: Links) -> Scores:
        return np.full(len(links), source.verdict.value, np.float32)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"the verdict on the page it stands on": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the verdict of the source page says it all."""
