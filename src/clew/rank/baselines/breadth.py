"""Breadth-first: the baseline every other policy is measured against."""

import numpy as np

from clew.types import Links, Outcome, Scores


class Breadth:
    """Give every link the same score, so that the oldest comes first.

    The frontier takes the best link and, among equals, the one found earliest. With a constant
    score that is a plain queue: all links of the seeds, then all links of those pages, and so on.

    >>> from clew.testing import sample_outcome, sample_links
    >>> Breadth().score(sample_outcome(0.9), sample_links(3)).tolist()
    [0.5, 0.5, 0.5]
    """

    def score(self, source: Outcome, links: Links) -> Scores:  # noqa: ARG002 - constant
        return np.full(len(links), 0.5, np.float32)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"the same for every link: the oldest comes first": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the score is constant."""
