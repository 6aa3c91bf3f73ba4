"""Signs in link texts: a place named where addresses are looked for, a word of the goal elsewhere."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.config.judge_spec import JudgeSpec
from clew.domain.places import checked_country
from clew.domain.places.mention import names_place
from clew.rank.shared.goal_terms import GoalTerms


class AnchorSignals:
    """Know link texts that speak of the goal.

    What is looked for follows from the judge: `place:jp` looks for places of Japan, any other for the words
    of `about`, and `all:place:jp,words` for either.

    >>> signs = AnchorSignals(about="lighthouses")
    >>> signs.held(["Lighthouse of Laboe", "Imprint"]).tolist(), signs.words
    ([True, False], 'says a word of the goal')
    >>> AnchorSignals(judge="place:jp").held(["札幌支店", "Imprint"]).tolist()
    [True, False]
    """

    def __init__(self, *, about: str = "", judge: str = "") -> None:
        self.about = about
        self.judge = judge

    @cached_property
    def countries(self) -> tuple[str, ...]:
        """Where places are looked for."""
        return tuple(map(checked_country, JudgeSpec.parse(self.judge).countries))

    @cached_property
    def words(self) -> str:
        """What a link text with a sign does, in words."""
        if not self.countries:
            return "says a word of the goal"
        return "names a place or says a word of the goal" if self._spoken else "names a place"

    def held(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Tell which texts hold a sign."""
        said = np.zeros(len(texts), bool)
        if self._spoken is not None:
            said |= self._spoken.shares(texts) > 0
        for country in self.countries:
            said |= np.array([names_place(text, country) for text in texts], bool)
        return said

    @cached_property
    def _spoken(self) -> GoalTerms | None:
        """The goal's words, unless places are all that is wanted."""
        if self.countries and len(self.countries) == len(JudgeSpec.parse(self.judge).judges):
            return None
        return GoalTerms(self.about) if self.about else None
