"""The one rule that says whether a page is relevant."""

from dataclasses import dataclass

from clew.types import Page, Verdict


@dataclass(frozen=True, slots=True)
class Relevance:
    """A page is relevant when its verdict reaches `keep` and it may be indexed.

    `obey` says whether the crawl honours robots directives; then a page marked noindex is never relevant.

    >>> from clew.testing import sample_page
    >>> Relevance(keep=0.5)(sample_page(), Verdict(0.7))
    True
    """

    keep: float = 0.5
    obey: bool = True

    def __call__(self, page: Page, verdict: Verdict) -> bool:
        return self.of(verdict.value, page.noindex)

    def of(self, value: float, noindex: bool) -> bool:
        """Decide by the value of a verdict and the page's noindex directive."""
        return value >= self.keep and not (noindex and self.obey)
