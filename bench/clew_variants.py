"""The policy clew with one idea left out at a time, to race against the whole: see docs/lab/clew.md."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from clew.rank.clew.policy import PLACE, WAY, Clew
from clew.rank.shared.link_tokens import NEAR, WORDS
from clew.types import FeatureGroup, Features, Links, Outcome


class WithoutPlace(Clew):
    """Not told where on its page a link stands."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, -(PLACE + WAY) : -WAY] = 0
        return rows


class WithoutWay(Clew):
    """Not told who points to a link, nor how dry the way was."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, -WAY:] = 0
        return rows


class Seldom(Clew):
    """Thinks again as seldom as ariadne."""

    first: ClassVar[int] = 30
    step: ClassVar[float] = 0.1


class Soft(Clew):
    """Learns verdicts as they are: 0.3 is three tenths of a good page."""

    def _worth(self, outcome: Outcome) -> float:
        return outcome.verdict.value


class WithoutHubs(Clew):
    """Not told what else the page of a link has led to."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, 1] = np.uint32(0)
        return rows


class WithoutNear(Clew):
    """Not told how near the goal's words a page is: its verdict has to do."""

    def _page(self, source: Outcome) -> list[int]:
        columns = super()._page(source)
        return [0 if NEAR <= column < WORDS else column for column in columns]


class Even(Clew):
    """Trusts all five witnesses alike at first."""

    families: ClassVar[tuple[FeatureGroup, ...]] = tuple(
        FeatureGroup(each.name, each.columns, 0.2) for each in Clew.families
    )


class WithoutArray(Clew):
    """Not told the words that a search engine's results have taught."""

    def prime(self, terms: Mapping[str, float], whose: str = "judge") -> None:
        """Take none."""


class WithoutStandIn(Clew):
    """Learns from a judge who has seen nothing yet that everything is bad."""

    def _worth(self, outcome: Outcome) -> float:
        return self._counts_for(outcome.verdict.value)
