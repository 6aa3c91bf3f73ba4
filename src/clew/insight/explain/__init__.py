"""Why is this address here, why was it taken, why not: told from the rows of a crawl."""

from clew.insight.explain.card import Explanation, PathStep
from clew.insight.explain.history import exclusions
from clew.insight.explain.lookup import explain
from clew.insight.explain.searches import searches, told_searches

__all__ = ["Explanation", "PathStep", "exclusions", "explain", "searches", "told_searches"]
