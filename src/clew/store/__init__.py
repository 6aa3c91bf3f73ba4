"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""

from clew.store.export import export
from clew.store.labels import add_label, add_rule
from clew.store.loading import Loaded
from clew.store.reading import Table, read_links, read_pages, read_sql
from clew.store.sqlite import SqliteStore

__all__ = [
    "Loaded",
    "SqliteStore",
    "Table",
    "add_label",
    "add_rule",
    "export",
    "read_links",
    "read_pages",
    "read_sql",
]
