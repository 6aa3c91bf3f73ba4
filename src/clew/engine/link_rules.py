"""Which links may not be fetched: robots.txt, traps, endless sitemaps, and what the user has excluded."""

from dataclasses import dataclass

from clew.contracts import Store
from clew.engine.excluded_links import ExcludedLinks
from clew.engine.suspect_links import SuspectLinks
from clew.frontier import Exclusions, Robots, SitemapLimits, TrapGuard
from clew.types import Kind, Link


@dataclass(slots=True, kw_only=True)
class LinkRules:
    """Say why a link may not be fetched now.

    `obey` says whether robots.txt is honoured; `forbidden` counts the links that a robots.txt forbade.
    """

    robots: Robots
    exclusions: Exclusions
    excluded: ExcludedLinks
    traps: TrapGuard
    suspects: SuspectLinks
    sitemap_limits: SitemapLimits
    store: Store
    obey: bool = True
    forbidden: int = 0

    def refusal(self, link: Link) -> str:
        """Return the rule that forbids a link, empty if it may be fetched."""
        if link.kind is Kind.ROBOTS:
            return ""
        if self.obey and (rule := self.robots.refusal(link.url)):
            self.forbidden += 1
            return rule
        if not link.parent or link.known is not None:
            return ""
        if link.kind is not Kind.PAGE:
            return self.sitemap_limits.refusal(link, self._nesting(link))
        return self.traps.refusal(link.url)

    def can_wait(self, link: Link) -> bool:
        """Return whether a link leads to a suspect place; it is then held until its turn comes."""
        if not link.parent or link.kind is not Kind.PAGE or link.known is not None:
            return False
        return not self.suspects.admits(link.id, link.url)

    def _nesting(self, link: Link) -> int:
        """Count the sitemaps that list each other down to this one."""
        count = 0
        while link.parent and (parent := self.store.link(link.parent)).kind is Kind.SITEMAP:
            count += not link.hops
            link = parent
        return count
