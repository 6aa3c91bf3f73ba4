"""Signals in link texts: place names if the judge looks for addresses, words of the goal otherwise."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.config.judge_spec import JudgeSpec
from clew.domain.places import checked_country
from clew.domain.places.mention import names_place
from clew.rank.shared.goal_terms import GoalTerms


class AnchorSignals:
    """Recognise link texts that point to the goal.

    The judge decides what is a signal: for `place:jp` places in Japan, for any other the words of `about`,
    for `all:place:jp,words` either.

    >>> signals = AnchorSignals(about="lighthouses")
    >>> signals.match(["Lighthouse of Laboe", "Imprint"]).tolist(), signals.description
    ([True, False], 'contains a word of the goal')
    >>> AnchorSignals(judge="place:jp").match(["札幌支店", "Imprint"]).tolist()
    [True, False]
    """

    def __init__(self, *, about: str = "", judge: str = "") -> None:
        self.about = about
        self.judge = judge

    @cached_property
    def countries(self) -> tuple[str, ...]:
        """The countries whose places are looked for."""
        return tuple(map(checked_country, JudgeSpec.parse(self.judge).countries))

    @cached_property
    def description(self) -> str:
        """What a link text with a signal does, in words."""
        if not self.countries:
            return "contains a word of the goal"
        return "names a place or contains a word of the goal" if self._goal_terms else "names a place"

    def match(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which texts have a signal."""
        matched = np.zeros(len(texts), bool)
        if self._goal_terms is not None:
            matched |= self._goal_terms.shares(texts) > 0
        for country in self.countries:
            matched |= np.array([names_place(text, country) for text in texts], bool)
        return matched

    @cached_property
    def _goal_terms(self) -> GoalTerms | None:
        """The words of the goal, unless the judge looks for places only."""
        if self.countries and len(self.countries) == len(JudgeSpec.parse(self.judge).judges):
            return None
        return GoalTerms(self.about) if self.about else None
