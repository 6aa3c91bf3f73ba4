"""How much a crawl may spend: pages and requests in all, hours in this run."""

from dataclasses import dataclass

from clew.types import PageResult


@dataclass(slots=True)
class Totals:
    """What the crawl has done so far, earlier runs included.

    `pages` were read (2xx with a body), `relevant` of them are relevant; `failed` counts the links to pages
    that ended without one. `requests` counts every request: retries, redirects and robots.txt, too.
    """

    pages: int = 0
    relevant: int = 0
    failed: int = 0
    requests: int = 0

    def restore(self, *, pages: int, relevant: int, failed: int, requests: int) -> None:
        """Go on counting from here."""
        self.pages, self.relevant, self.failed, self.requests = pages, relevant, failed, requests

    def count(self, result: PageResult) -> None:
        """Count one result."""
        self.pages += result.is_page
        self.relevant += result.relevant
        self.failed += result.is_failure
        self.requests += result.was_requested


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on pages and on requests over the whole life of a crawl, and on hours of one run; 0 means none.

    A page counts when it was read. Failures, redirects, robots.txt, sitemaps and feeds cost requests only.
    """

    pages: int = 0
    hours: float = 0.0
    requests: int = 0

    def room(self, spent: Totals, under_way: int) -> bool:
        """Say whether one more page may be asked for, if each request under way brings one."""
        return (not self.pages or spent.pages + under_way < self.pages) and (
            not self.requests or spent.requests + under_way < self.requests
        )

    def over(self, spent: Totals, seconds: float) -> str:
        """Return which limit was reached, in words, or an empty string."""
        if self.pages and spent.pages >= self.pages:
            return f"the budget of {self.pages:,} pages is spent"
        if self.requests and spent.requests >= self.requests:
            return f"the budget of {self.requests:,} requests is spent"
        if self.hours and seconds >= self.hours * 3600:
            return f"{self.hours:g} hours are over"
        return ""
