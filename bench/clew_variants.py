"""The policy clew with one idea left out at a time, to race against the whole: see docs/lab/clew.md."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from clew.rank.clew.policy import CRAWL_PATH, TAG_PATH, Clew
from clew.rank.shared.link_tokens import COSINE_LEVEL, FIRST_HASHED, PAGE, TEXT, URL
from clew.types import FeatureGroup, Features, Links, Outcome

LABELS = {
    "Before": "clew, first verdicts kept",
    "Even": "clew, equal initial weights",
    "Seldom": "clew, rarer refits",
    "Soft": "clew, verdicts not sharpened",
    "WithoutArray": "clew without searched terms",
    "WithoutHubs": "clew without sibling links",
    "WithoutNear": "clew without similarity to the goal",
    "WithoutPlace": "clew without positions",
    "WithoutStandIn": "clew without goal words as fallback",
    "WithoutWay": "clew without inlinks and path",
}
"""Plain names of the variants in tables."""

TAG_PATH_COLUMNS = slice(PAGE + TEXT + URL, PAGE + TEXT + URL + TAG_PATH)
CRAWL_PATH_COLUMNS = slice(TAG_PATH_COLUMNS.stop, TAG_PATH_COLUMNS.stop + CRAWL_PATH)
"""Columns of these feature groups: not the last ones, the surroundings of a link follow."""


class WithoutPlace(Clew):
    """Without the features of a link's position on its page."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, TAG_PATH_COLUMNS] = 0
        return rows


class WithoutWay(Clew):
    """Without the features of inlinks and of the crawl path."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, CRAWL_PATH_COLUMNS] = 0
        return rows


class Seldom(Clew):
    """Refits its weights as rarely as ariadne."""

    first_fit: ClassVar[int] = 30
    refit_share: ClassVar[float] = 0.1


class Before(Clew):
    """Keeps the verdicts that it learned first, and inlinks as they were where a link scored best."""

    link_columns: ClassVar[tuple[int, ...]] = ()
    learn_revisions = None  # type: ignore[assignment]


class Soft(Clew):
    """Learns verdicts as they are, without sharpening: 0.3 counts as three tenths of a relevant page."""

    def _target(self, outcome: Outcome) -> float:
        return outcome.verdict.value


class WithoutHubs(Clew):
    """Without the feature of where other links of the same page have led."""

    def _rows(self, source: Outcome, links: Links) -> Features:
        rows = super()._rows(source, links)
        rows[:, 1] = np.uint32(0)
        return rows


class WithoutNear(Clew):
    """Without the similarity of a page to the goal's words; its verdict remains."""

    def _page_columns(self, source: Outcome) -> list[int]:
        columns = super()._page_columns(source)
        return [0 if COSINE_LEVEL <= column < FIRST_HASHED else column for column in columns]


class Even(Clew):
    """Gives all feature groups the same weight at first."""

    groups: ClassVar[tuple[FeatureGroup, ...]] = tuple(
        FeatureGroup(each.name, each.columns, 0.2) for each in Clew.groups
    )


class WithoutArray(Clew):
    """Without the topic terms learned from search results."""

    def set_priors(self, terms: Mapping[str, float], source: str = "judge") -> None:
        """Take none."""


class WithoutStandIn(Clew):
    """Without the goal's words as a fallback until the judge has seen a relevant page."""

    def _target(self, outcome: Outcome) -> float:
        return self._sharpened(outcome.verdict.value)
