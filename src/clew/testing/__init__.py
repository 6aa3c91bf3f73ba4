"""Conformance tests: does a component satisfy its contract?

    from clew.testing import check_ranker
    check_ranker(MyRanker())

Each check raises `AssertionError` with a sentence that says what the contract requires and what the component
did instead. It also tries every optional ability that the component offers. Clew's own
components pass the same tests.
"""

from clew.testing.components import check_extractor, check_fetcher, check_judge, check_ranker
from clew.testing.samples import sample_link, sample_links, sample_outcome, sample_page
from clew.testing.stores import check_store

__all__ = [
    "check_extractor",
    "check_fetcher",
    "check_judge",
    "check_ranker",
    "check_store",
    "sample_link",
    "sample_links",
    "sample_outcome",
    "sample_page",
]
