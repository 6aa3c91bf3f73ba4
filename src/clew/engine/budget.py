"""How much a crawl may spend: pages in all, hours in this run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on pages over the whole life of a crawl, and on hours of one run; 0 means none.

    Redirects, robots.txt, sitemaps and feeds cost nothing: a page budget is about pages.
    """

    pages: int = 0
    hours: float = 0.0

    def room(self, pages: int, under_way: int) -> bool:
        """Say whether one more page may be asked for."""
        return not self.pages or pages + under_way < self.pages

    def over(self, pages: int, seconds: float) -> str:
        """Return which limit was reached, in words, or an empty string."""
        if self.pages and pages >= self.pages:
            return f"the budget of {self.pages:,} pages is spent"
        if self.hours and seconds >= self.hours * 3600:
            return f"{self.hours:g} hours are over"
        return ""
