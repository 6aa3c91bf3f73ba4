"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""

from clew.store.addresses import met_like, met_near, spellings
from clew.store.export import export
from clew.store.labels import add_label, add_labels, add_rule, drop_labels
from clew.store.loading import Loaded
from clew.store.reading import Table, read_links, read_pages, read_sql
from clew.store.sqlite import SqliteStore

__all__ = [
    "Loaded",
    "SqliteStore",
    "Table",
    "add_label",
    "add_labels",
    "add_rule",
    "drop_labels",
    "export",
    "met_like",
    "met_near",
    "read_links",
    "read_pages",
    "read_sql",
    "spellings",
]
