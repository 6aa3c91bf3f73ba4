"""What a crawl learns about sites from those that are decided: pages kept for it, and when it studies."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.domain.sites.site_classifier import (
    SIDES,
    SiteClassifier,
    SiteExample,
    TermCounts,
    count_page_terms,
    train_classifier,
)
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

    classifier: SiteClassifier | None = None
    pages: dict[str, list[TermCounts]] = field(default_factory=dict)
    trained_sites: int = 0

    def add_page(self, site: str, page: Page) -> float | None:
        """Return the chance that a page gives its site, None without a reader; keep it to learn from."""
        pages = self.pages.get(site, [])
        wanted = len(pages) < EACH and (site in self.pages or len(self.pages) < SITES)
        if self.classifier is None and not wanted:
            return None
        counts = count_page_terms(page)
        if wanted:
            self.pages[site] = [*pages, counts]
        return None if self.classifier is None else self.classifier.chance(counts)

    def retrain(self, decided: Mapping[str, bool]) -> bool:
        """Learn from pages of decided sites, if there are enough of both sides and more than last time."""
        known = {site: good for site, good in decided.items() if site in self.pages}
        good = sum(known.values())
        if min(good, len(known) - good) < SIDES or len(known) < AGAIN * self.trained_sites:
            return False
        self.trained_sites = len(known)
        pages = [
            SiteExample(site, good, counts) for site, good in known.items() for counts in self.pages[site]
        ]
        self.classifier = train_classifier(pages) or self.classifier
        return self.classifier is not None

    def chances(self, site: str) -> list[float]:
        """Return what the reader says now of the pages kept of a site."""
        if self.classifier is None:
            return []
        return [self.classifier.chance(counts) for counts in self.pages.get(site, [])]
