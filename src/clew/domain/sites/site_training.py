"""Training of the site classifier during a crawl: pages to learn from, and when to retrain."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.domain.sites.site_classifier import (
    MIN_SITES_PER_CLASS,
    SiteClassifier,
    SiteExample,
    SiteModel,
    TermCounts,
    count_page_terms,
    train_classifier,
)
from clew.types import Page

MAX_SITES = 300
"""Maximum sites whose pages are stored for training: about 20 MB."""

MAX_PAGES_PER_SITE = 4
"""Maximum pages stored of a site; more of the same site add little."""

RETRAIN_FACTOR = 1.5
"""Growth of the number of decided sites that triggers retraining."""


@dataclass(slots=True)
class SiteTraining:
    """Collect training pages; `classifier` is None until the first training that succeeds."""

    model: SiteModel = "logistic"
    classifier: SiteClassifier | None = None
    pages: dict[str, list[TermCounts]] = field(default_factory=dict)
    trained_sites: int = 0

    def add_page(self, site: str, page: Page) -> float | None:
        """Return the chance that a page gives its site, None without a classifier; store it for training."""
        pages = self.pages.get(site, [])
        wanted = len(pages) < MAX_PAGES_PER_SITE and (site in self.pages or len(self.pages) < MAX_SITES)
        if self.classifier is None and not wanted:
            return None
        counts = count_page_terms(page)
        if wanted:
            self.pages[site] = [*pages, counts]
        return None if self.classifier is None else self.classifier.chance(counts)

    def retrain(self, decided: Mapping[str, bool]) -> bool:
        """Train on pages of decided sites, if there are enough of both classes and more than last time.

        The classifier in use stays if it is better on sites it was not trained on.
        """
        known = {site: good for site, good in decided.items() if site in self.pages}
        good = sum(known.values())
        if (
            min(good, len(known) - good) < MIN_SITES_PER_CLASS
            or len(known) < RETRAIN_FACTOR * self.trained_sites
        ):
            return False
        self.trained_sites = len(known)
        pages = [
            SiteExample(site, good, counts) for site, good in known.items() for counts in self.pages[site]
        ]
        self.classifier = train_classifier(pages, self.model, self.classifier) or self.classifier
        return self.classifier is not None

    def chances(self, site: str) -> list[float]:
        """Return the current chances of the stored pages of a site."""
        if self.classifier is None:
            return []
        return [self.classifier.chance(counts) for counts in self.pages.get(site, [])]
