"""Yokoji: links whose text names a place first, then their neighbours, then all others."""

import numpy as np

from clew.rank.layout.anchor_signals import AnchorSignals
from clew.types import Links, Outcome, Scores

PAGE_SIGNAL = 0.5
"""Score of a link on a page where the text of another link has a signal."""


class Yokoji:
    """Follow links whose text names a place, then other links of such pages, then the rest.

    Three scores and no learning: 1 for a link whose text names a place, 0.5 if that of another link on its
    page does, else 0; among equals the oldest comes first. With another kind of goal, words of the goal
    take the part of place names.

    `about` is the topic in words, `judge` the name of the judge: if it looks for addresses (`place:jp`), it
    sets the country of the places. With `strict` a place name is not enough: the text must hold an address
    from the prefecture down to the town, as in the paper, or coordinates. With `landmarks` the names of
    stations and landmarks are places, as Yokoji has it; they are known by their last word ("Station", 駅).

    >>> from clew.testing import sample_outcome, sample_links
    >>> Yokoji(about="page 1").score(sample_outcome(), sample_links(2)).tolist()
    [1.0, 1.0]
    >>> Yokoji(about="lighthouses").score(sample_outcome(), sample_links(2)).tolist()
    [0.0, 0.0]

    Reference: S. Yokoji, K. Takahashi, N. Miura, K. Shima, "Location oriented information collection,
    structuring and retrieval methods" (in Japanese), IPSJ Journal 41(7), 2000, as H. Tanaka and T. Suzuki
    (see `Layout`) approximate it.
    """

    def __init__(
        self, *, about: str = "", judge: str = "", strict: bool = False, landmarks: bool = False
    ) -> None:
        self.about = about
        self.judge = judge
        self.strict = strict
        self.landmarks = landmarks
        self._signals = AnchorSignals(about=about, judge=judge, strict=strict, landmarks=landmarks)

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:  # noqa: ARG002 - links are enough
        own = self._signals.match(links.anchors)
        return {
            f"its link text {self._signals.description}": np.where(own, 1 - PAGE_SIGNAL, 0).astype(
                np.float32
            ),
            "a link text of its page does": np.full(len(links), PAGE_SIGNAL if own.any() else 0, np.float32),
        }

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: the scores are fixed."""
