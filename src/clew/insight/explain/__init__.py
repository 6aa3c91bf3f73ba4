"""Explain why a URL was or was not fetched, from the rows of a crawl."""

from clew.insight.explain.card import Explanation, PathStep
from clew.insight.explain.history import exclusions
from clew.insight.explain.lookup import UnclearUrl, explain, explain_link
from clew.insight.explain.searches import search_lines, searches

__all__ = [
    "Explanation",
    "PathStep",
    "UnclearUrl",
    "exclusions",
    "explain",
    "explain_link",
    "search_lines",
    "searches",
]
