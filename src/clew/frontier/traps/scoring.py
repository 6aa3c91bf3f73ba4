"""What a page is worth in the books of its places: solid, loose, thin or stale, and what it owes.

See `traps` for what the words mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.frontier.traps.url_regions import REPEATED, UrlRegion

THIN = 200
"""Characters of text; thinner pages prove nothing by being different."""

RELEVANT = 0.75
"""What a loose page costs that the judge liked. Not less: topic words are easily generated."""

LIST = 0.05
"""What a loose page costs that names many known pages: the later pages of a list whose items are known."""

ONE_WAY_ON = 0.45
"""What a loose page costs that leads on to one other: a book of a hundred pages may have no contents."""

COUNTED = 1.0
"""What each new address costs, on a loose page, that a step led to: they will all be read."""


@dataclass(slots=True)
class PageEvidence:
    """What a page showed: `new` are its new links on the same host, None when that is not known.

    `counted` are those of them that a step led to, `brings` is how many new ones there were in all.
    """

    fingerprint: int
    relevant: bool
    length: int = 0
    new: list[str] | None = None
    counted: Sequence[str] = ()
    brings: int = 0
    one_way: bool = False
    lists: bool = False


def kind_of(seen: PageEvidence, fresh: bool, spoken_for: bool, fed: bool) -> str:
    """Name the kind of a page; `fed` says that it was found from outside."""
    if (fresh and spoken_for) or (not seen.fingerprint and fed):  # no text, but listed: pictures, data
        return "solid"
    if not fresh:
        return "stale"
    return "thin" if seen.new is not None and seen.length < THIN else "loose"


def enter(region: UrlRegion, kind: str, seen: PageEvidence, *, counted: bool = False) -> float:
    """Book one page under its kind, and return what it owes; `counted` adds what steps lead to."""
    region.pages += 1
    if kind == "trusted":  # a list of pages nobody has read yet: it owes nothing, and pays for nothing
        return 0.0
    if kind == "solid":
        region.solid += 1
        return 0.0
    if kind == "stale":
        region.stale += 1
        return REPEATED
    if kind == "thin":
        region.thin += 1.0
        return 1.0
    cost = LIST if seen.lists else RELEVANT if seen.relevant else 1.0
    if seen.one_way:
        cost = min(cost, ONE_WAY_ON)
    elif seen.counted and seen.new and not seen.lists and counted:
        cost = max(cost, COUNTED * seen.brings * len(seen.counted) / len(seen.new))
    region.loose += cost
    return cost


def lend(region: UrlRegion, lender: str, owed: float) -> None:
    """Note what another place was charged for a page of this one."""
    if owed:
        region.lent[lender] = region.lent.get(lender, 0.0) + owed
