"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""

from clew.store.export import export
from clew.store.judged_pages import JudgedPage, read_after, read_named, read_numbered
from clew.store.labels import add_label, add_labels, add_rule, add_rules, drop_labels
from clew.store.loading import CrawlState
from clew.store.reading import StoredTable, read_links, read_pages, read_sql
from clew.store.rescore_source import as_stored, last_raised, read_source, read_sources
from clew.store.sqlite import SqliteStore
from clew.store.table import (
    COLUMNS,
    Occurrence,
    StoredMarkup,
    StoredPattern,
    StoredRow,
    StoredRowLabel,
    TableChange,
    add_marks,
    pages_after,
    read_markup,
    read_rows,
    read_stands,
    read_struck,
)
from clew.store.table_rows import TableRow, read_table_rows
from clew.store.url_lookup import met_like, met_near, spellings

__all__ = [
    "COLUMNS",
    "CrawlState",
    "JudgedPage",
    "Occurrence",
    "SqliteStore",
    "StoredMarkup",
    "StoredPattern",
    "StoredRow",
    "StoredRowLabel",
    "StoredTable",
    "TableChange",
    "TableRow",
    "add_label",
    "add_labels",
    "add_marks",
    "add_rule",
    "add_rules",
    "as_stored",
    "drop_labels",
    "export",
    "last_raised",
    "met_like",
    "met_near",
    "pages_after",
    "read_after",
    "read_links",
    "read_markup",
    "read_named",
    "read_numbered",
    "read_pages",
    "read_rows",
    "read_source",
    "read_sources",
    "read_sql",
    "read_stands",
    "read_struck",
    "read_table_rows",
    "spellings",
]
