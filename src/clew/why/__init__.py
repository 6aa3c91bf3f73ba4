"""Why is this address here, why was it taken, why not: told from the rows of a crawl."""

from clew.why.asking import explain
from clew.why.card import Knot, Why
from clew.why.searches import searches, told_searches
from clew.why.story import exclusions

__all__ = ["Knot", "Why", "exclusions", "explain", "searches", "told_searches"]
