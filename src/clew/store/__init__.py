"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""

from clew.store.addresses import met_like, met_near, spellings
from clew.store.export import export
from clew.store.labels import add_label, add_labels, add_rule, drop_labels
from clew.store.loading import Loaded
from clew.store.reading import Table, read_links, read_pages, read_sql
from clew.store.sources import as_kept, last_raised, read_source, read_sources
from clew.store.sqlite import SqliteStore
from clew.store.standing import Standing, read_after, read_named

__all__ = [
    "Loaded",
    "SqliteStore",
    "Standing",
    "Table",
    "add_label",
    "add_labels",
    "add_rule",
    "as_kept",
    "drop_labels",
    "export",
    "last_raised",
    "met_like",
    "met_near",
    "read_after",
    "read_links",
    "read_named",
    "read_pages",
    "read_source",
    "read_sources",
    "read_sql",
    "spellings",
]
