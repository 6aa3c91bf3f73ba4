"""Which links may not be fetched: robots.txt, traps, endless sitemaps and hosts the user has excluded."""

from dataclasses import dataclass, field

from clew.frontier import Exclusions, Robots, SitemapLimits, TrapGuard
from clew.store_contracts import Store
from clew.types import Kind, Link

MOST_TRAPPED = 100_000
"""Links refused as traps that are remembered, to be retried before the crawl ends."""


@dataclass(slots=True, kw_only=True)
class LinkRules:
    """Say why a link may not be fetched now.

    `obey` says whether robots.txt is honoured. `sources` are the URLs of the pages that links under way were
    found on, `trapped` the links refused as traps, `forbidden` counts those that a robots.txt forbade.
    """

    robots: Robots
    exclusions: Exclusions
    traps: TrapGuard
    sitemap_limits: SitemapLimits
    store: Store
    obey: bool = True
    sources: dict[int, str] = field(default_factory=dict)
    trapped: list[int] = field(default_factory=list)
    forbidden: int = 0

    def refusal(self, link: Link) -> str:
        """Return the rule that forbids a link, empty if it may be fetched."""
        if link.kind is Kind.ROBOTS:
            return ""
        if self.obey and (rule := self.robots.refusal(link.url)):
            self.forbidden += 1
            return rule
        if not link.parent:
            return ""
        if link.kind is not Kind.PAGE:
            return self.sitemap_limits.refusal(link, self._nesting(link))
        source = self.source(link)
        if rule := self.traps.refusal(link, source):
            if len(self.trapped) < MOST_TRAPPED:
                self.trapped.append(link.id)
            return rule
        self.sources[link.id] = source
        return ""

    def source(self, link: Link) -> str:
        """Return the URL of the page a link was found on, past redirects and feeds."""
        parent, hops = self.store.link(link.parent), link.hops
        while (hops or parent.kind is Kind.FEED) and parent.parent:
            parent, hops = self.store.link(parent.parent), parent.hops
        return parent.url

    def _nesting(self, link: Link) -> int:
        """Count the sitemaps that list each other down to this one."""
        count = 0
        while link.parent and (parent := self.store.link(link.parent)).kind is Kind.SITEMAP:
            count += not link.hops
            link = parent
        return count

    def retry_trapped(self) -> list[Link]:
        """Return links refused as traps whose region has proved honest since; the others stay refused."""
        trapped, self.trapped = self.trapped, []
        open = []
        for id in trapped:
            link = self.store.link(id)
            if self.traps.refusal(link, self.source(link), sample=False):
                self.trapped.append(id)
            else:
                open.append(link)
        return open
