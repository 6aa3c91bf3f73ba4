"""Bound the requests for sitemaps and feeds that list no pages."""

from collections import OrderedDict

from clew.types import Kind, Link

MAX_EMPTY = 50
"""Sitemaps (or feeds) of an origin in a row that list no page. Blogs have a feed of comments for every
article, most of them empty; no normal site has fifty empty sitemaps."""

MAX_NESTED = 2
"""Sitemaps above a sitemap. The protocol allows one: an index, and the sitemaps in it."""

_ORIGINS = 50_000


class SitemapLimits:
    """Decide which sitemaps and feeds are worth a request; the least recently used origins are dropped."""

    def __init__(self) -> None:
        self._empty: OrderedDict[tuple[str, Kind], int] = OrderedDict()

    def refusal(self, link: Link, above: int) -> str:
        """Return why a list is not worth a request, or an empty string; `above` counts sitemaps above it."""
        if above > MAX_NESTED:
            return f"traps: {above} sitemaps above this one"
        empty = self._empty.get((link.origin, link.kind), 0)
        if empty >= MAX_EMPTY:
            return f"traps: {empty} {link.kind.name.lower()}s in a row listed no page"
        return ""

    def learn(self, link: Link, kinds: list[Kind]) -> None:
        """Learn from a response; `kinds` are those of the links in it."""
        key = (link.origin, link.kind)
        self._empty[key] = 0 if Kind.PAGE in kinds else self._empty.get(key, 0) + 1
        self._empty.move_to_end(key)
        if len(self._empty) > _ORIGINS:
            self._empty.popitem(last=False)
