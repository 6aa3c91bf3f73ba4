"""Search engines as sources of seeds: protocols of engines, a local index, errors as values."""

from clew.search.index import Index, IndexEntry
from clew.search.local_engine import LocalEngine, index_of_crawl
from clew.search.merging import merge_results, query_engines
from clew.search.setup import KINDS, open_engine, open_engines

__all__ = [
    "KINDS",
    "Index",
    "IndexEntry",
    "LocalEngine",
    "index_of_crawl",
    "merge_results",
    "open_engine",
    "open_engines",
    "query_engines",
]
