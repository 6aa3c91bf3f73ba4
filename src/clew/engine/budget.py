"""How much a crawl may spend: pages and requests in all, hours in this run, and the least it must bring."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from clew.domain.forecast import AHEAD, WINDOW, YieldForecast, forecast
from clew.types import PageResult


@dataclass(slots=True)
class Totals:
    """What the crawl has done so far, earlier runs included.

    `pages` were read (2xx with a body), `relevant` of them are relevant; `failed` counts the links to pages
    that ended without one. `requests` counts every request: retries, redirects and robots.txt, too. `recent`
    says of the last pages whether they are relevant. `again` are the known pages that a refresh has read
    again; those that are not modified cost requests only.
    """

    pages: int = 0
    relevant: int = 0
    failed: int = 0
    requests: int = 0
    again: int = 0
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def restore(
        self, *, pages: int, relevant: int, failed: int, requests: int, recent: Iterable[bool] = ()
    ) -> None:
        """Go on counting from here."""
        self.pages, self.relevant, self.failed, self.requests = pages, relevant, failed, requests
        self.recent.clear()
        self.recent.extend(recent)

    def resume_refresh(self, again: int) -> None:
        """Go on with a refresh that has read so many known pages again."""
        self.again = again

    def count(self, result: PageResult) -> None:
        """Count one result."""
        self.pages += result.is_page
        known = result.page.link.known
        if known is None:
            self.relevant += result.relevant
        elif result.replaces:
            self.relevant += result.relevant - known.relevant
        self.again += result.is_read_again
        self.failed += result.is_failure
        self.requests += result.was_requested
        if result.is_page:
            self.recent.append(result.relevant)

    def forecast(self) -> YieldForecast | None:
        """Return what the next pages will bring; None before enough pages were read."""
        return forecast(sum(self.recent), len(self.recent))


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on pages and on requests over the whole life of a crawl, and on hours of one run; 0 means none.

    A page counts when it was read. Failures, redirects, robots.txt, sitemaps and feeds cost requests only.
    `least` are the relevant pages that the next 100 must promise; 0 to go on without any. Pages and requests
    up to `pages_before` and `requests_before` are not counted: a refresh has a budget of its own.
    """

    pages: int = 0
    hours: float = 0.0
    requests: int = 0
    least: float = 0.0
    pages_before: int = 0
    requests_before: int = 0

    def room(self, spent: Totals, under_way: int) -> bool:
        """Say whether one more page may be asked for, if each request under way brings one."""
        return (not self.pages or self.pages_spent(spent) + under_way < self.pages) and (
            not self.requests or self.requests_spent(spent) + under_way < self.requests
        )

    def pages_spent(self, spent: Totals) -> int:
        """Return the pages that count: those of the crawl, or of the refresh, read again or new."""
        return spent.pages + spent.again - self.pages_before

    def requests_spent(self, spent: Totals) -> int:
        """Return the requests that count: those of the crawl, or of the refresh."""
        return spent.requests - self.requests_before

    def over(self, spent: Totals, seconds: float) -> str:
        """Return which limit was reached, in words, or an empty string."""
        if self.pages and self.pages_spent(spent) >= self.pages:
            return f"the budget of {self.pages:,} pages is spent"
        if self.requests and self.requests_spent(spent) >= self.requests:
            return f"the budget of {self.requests:,} requests is spent"
        if self.hours and seconds >= self.hours * 3600:
            return f"{self.hours:g} hours are over"
        ahead = spent.forecast() if self.least else None
        if ahead and ahead.expected < self.least:
            return f"the next {AHEAD} pages promise fewer than {self.least:g} relevant ones"
        return ""
