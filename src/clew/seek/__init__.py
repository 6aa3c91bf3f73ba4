"""Search engines as sources of seeds: their protocols, an index of one's own, faults as values."""

from clew.seek.index import Entry, Index
from clew.seek.local import LocalEngine, index_of_crawl
from clew.seek.merging import ask, merged
from clew.seek.opening import KINDS, open_engine, open_engines

__all__ = [
    "KINDS",
    "Entry",
    "Index",
    "LocalEngine",
    "ask",
    "index_of_crawl",
    "merged",
    "open_engine",
    "open_engines",
]
