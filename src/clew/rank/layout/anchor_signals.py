"""Signals in link texts: place names if the judge looks for addresses, words of the goal otherwise."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.config.judge_spec import JudgeSpec
from clew.domain.places import LANDMARKS, checked_country, find
from clew.domain.places.mention import names_landmark, names_place
from clew.rank.shared.goal_terms import GoalTerms


class AnchorSignals:
    """Recognise link texts that point to the goal.

    The judge decides what is a signal: for `place:jp` places in Japan, for any other the words of `about`,
    for `all:place:jp,words` either. With `strict` a place name is not enough: the text must hold an address
    down to the town, or coordinates. With `landmarks` stations and landmarks are places, too.

    >>> signals = AnchorSignals(about="lighthouses")
    >>> signals.match(["Lighthouse of Laboe", "Imprint"]).tolist(), signals.description
    ([True, False], 'contains a word of the goal')
    >>> AnchorSignals(judge="place:jp").match(["札幌支店", "Imprint"]).tolist()
    [True, False]
    >>> AnchorSignals(judge="place:jp", strict=True).match(["札幌支店", "東京都千代田区丸の内"]).tolist()
    [False, True]
    """

    def __init__(
        self, *, about: str = "", judge: str = "", strict: bool = False, landmarks: bool = False
    ) -> None:
        self.about = about
        self.judge = judge
        self.strict = strict
        self.landmarks = landmarks

    @cached_property
    def countries(self) -> tuple[str, ...]:
        """The countries whose places are looked for."""
        return tuple(map(checked_country, JudgeSpec.parse(self.judge).countries))

    @cached_property
    def description(self) -> str:
        """What a link text with a signal does, in words."""
        if not self.countries:
            return "contains a word of the goal"
        place = "holds an address" if self.strict else "names a place"
        place += " or a landmark" if self.landmarks else ""
        return f"{place} or contains a word of the goal" if self._goal_terms else place

    def match(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which texts have a signal."""
        matched = np.zeros(len(texts), bool)
        if self._goal_terms is not None:
            matched |= self._goal_terms.shares(texts) > 0
        for country in self.countries:
            matched |= np.array([self._has_place(text, country) for text in texts], bool)
        return matched

    def _has_place(self, text: str, country: str) -> bool:
        if self.strict:
            return bool(find(text, country)) or (self.landmarks and names_landmark(text))
        landmarks = self.landmarks or country == LANDMARKS
        return names_place(text, country.partition("+")[0]) or (landmarks and names_landmark(text))

    @cached_property
    def _goal_terms(self) -> GoalTerms | None:
        """The words of the goal, unless the judge looks for places only."""
        if self.countries and len(self.countries) == len(JudgeSpec.parse(self.judge).judges):
            return None
        return GoalTerms(self.about) if self.about else None
