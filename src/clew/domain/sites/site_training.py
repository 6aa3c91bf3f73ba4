"""What a crawl learns about sites from those that are decided: pages kept for it, and when it studies."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.domain.sites.site_classifier import SIDES, Counts, SiteClassifier, SiteExample, counted, trained
from clew.types import Page

SITES = 300
"""Sites whose pages are kept to learn from: some 20 MB."""

EACH = 4
"""Pages kept of a site; more of the same site say the same."""

AGAIN = 1.5
"""It studies again when so many times the sites are decided."""


@dataclass(slots=True)
class SiteTraining:
    """Read pages for what they say of their site; `reader` is None as long as nothing was learned."""

    reader: SiteClassifier | None = None
    kept: dict[str, list[Counts]] = field(default_factory=dict)
    studied: int = 0

    def hear(self, site: str, page: Page) -> float | None:
        """Return the chance that a page gives its site, None without a reader; keep it to learn from."""
        pages = self.kept.get(site, [])
        wanted = len(pages) < EACH and (site in self.kept or len(self.kept) < SITES)
        if self.reader is None and not wanted:
            return None
        counts = counted(page)
        if wanted:
            self.kept[site] = [*pages, counts]
        return None if self.reader is None else self.reader.chance(counts)

    def study(self, decided: Mapping[str, bool]) -> bool:
        """Learn from pages of decided sites, if there are enough of both sides and more than last time."""
        known = {site: good for site, good in decided.items() if site in self.kept}
        good = sum(known.values())
        if min(good, len(known) - good) < SIDES or len(known) < AGAIN * self.studied:
            return False
        self.studied = len(known)
        pages = [
            SiteExample(site, good, counts) for site, good in known.items() for counts in self.kept[site]
        ]
        self.reader = trained(pages) or self.reader
        return self.reader is not None

    def chances(self, site: str) -> list[float]:
        """Return what the reader says now of the pages kept of a site."""
        if self.reader is None:
            return []
        return [self.reader.chance(counts) for counts in self.kept.get(site, [])]
