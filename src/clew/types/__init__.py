"""The values that the components of a crawl exchange.

Every component takes one of these and returns another; all of them are immutable.

    Link ──fetch──▶ Response ──parse──▶ Page ──judge──▶ Verdict
                                         └─▶ Links ──rank──▶ scores    PageResult = all of it, one transaction

Links found on a page travel as columns (`Links`), not as objects: a crawl finds fifty for each page it reads.
"""

from clew.types.arrays import Features, Hashes, Ids, LinkPositions, ScoreParts, Scores, TermBag, TokenColumns
from clew.types.links import Area, Kind, KnownVersion, Link, Links, Response, State
from clew.types.pages import (
    Change,
    FeatureGroup,
    Label,
    NewLinks,
    Notice,
    Outcome,
    Page,
    PageResult,
    Record,
    RobotsDirectives,
    Rule,
    Verdict,
    Weights,
)

__all__ = [
    "Area",
    "Change",
    "FeatureGroup",
    "Features",
    "Hashes",
    "Ids",
    "Kind",
    "KnownVersion",
    "Label",
    "Link",
    "LinkPositions",
    "Links",
    "NewLinks",
    "Notice",
    "Outcome",
    "Page",
    "PageResult",
    "Record",
    "Response",
    "RobotsDirectives",
    "Rule",
    "ScoreParts",
    "Scores",
    "State",
    "TermBag",
    "TokenColumns",
    "Verdict",
    "Weights",
]
