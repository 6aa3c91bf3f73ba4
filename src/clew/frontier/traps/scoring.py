"""Classify a page as solid, loose, thin or stale, and add its cost to the debt of a region.

See `guard` for what the words mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.frontier.traps.url_regions import STALE_COST, UrlRegion

MIN_TEXT = 200
"""Characters of text; that pages with less text differ is no evidence."""

RELEVANT_COST = 0.75
"""Cost of a loose page that is relevant. Not less: topic words are easily generated."""

LIST_COST = 0.05
"""Cost of a loose page that links to many known pages: later pages of a list whose items are known."""

CHAIN_COST = 0.45
"""Cost of a loose page with one new link: a book of a hundred pages may have no table of contents."""

COUNTER_COST = 1.0
"""Cost of each new URL on a loose page that follows a counter: they will all be read."""


@dataclass(slots=True)
class PageEvidence:
    """What is known of a page: `new` are its new links on the same host, None when that is not known.

    `counted` are those of them that follow a counter, `brings` is how many new ones there were in all.
    """

    fingerprint: int
    relevant: bool
    length: int = 0
    new: list[str] | None = None
    counted: Sequence[str] = ()
    brings: int = 0
    one_way: bool = False
    lists: bool = False


def classify(seen: PageEvidence, fresh: bool, has_evidence: bool, found_outside: bool) -> str:
    """Return the class of a page; `found_outside` says that it was found from outside."""
    if (fresh and has_evidence) or (
        not seen.fingerprint and found_outside
    ):  # no text, but listed: images, data
        return "solid"
    if not fresh:
        return "stale"
    return "thin" if seen.new is not None and seen.length < MIN_TEXT else "loose"


def add_page(region: UrlRegion, kind: str, seen: PageEvidence, *, counted: bool = False) -> float:
    """Count one page under its class and return its cost; `counted` adds the cost of counter URLs."""
    region.pages += 1
    if kind == "trusted":  # a list of pages not read yet: no cost and no credit
        return 0.0
    if kind == "solid":
        region.solid += 1
        return 0.0
    if kind == "stale":
        region.stale += 1
        return STALE_COST
    if kind == "thin":
        region.thin += 1.0
        return 1.0
    cost = LIST_COST if seen.lists else RELEVANT_COST if seen.relevant else 1.0
    if seen.one_way:
        cost = min(cost, CHAIN_COST)
    elif seen.counted and seen.new and not seen.lists and counted:
        cost = max(cost, COUNTER_COST * seen.brings * len(seen.counted) / len(seen.new))
    region.loose += cost
    return cost


def add_loan(region: UrlRegion, lender: str, owed: float) -> None:
    """Record what another region was charged for a page of this one."""
    if owed:
        region.lent[lender] = region.lent.get(lender, 0.0) + owed
