"""The store: a crawl in a folder. Database, WARC files, exports, and the promise that nothing is lost."""

from clew.store.archived import read_archived
from clew.store.escaping import safe_json
from clew.store.export import export
from clew.store.judged_pages import read_after, read_by_url
from clew.store.label_reader import SqliteLabelReader
from clew.store.labels import add_label, add_labels, add_rule, add_rules, drop_labels
from clew.store.queries import read_host_stats
from clew.store.reading import StoredTable, read_links, read_pages, read_sql
from clew.store.rescore_source import as_stored, read_source
from clew.store.row_export import read_rows_near
from clew.store.schema import IS_FAILURE, IS_PAGE
from clew.store.sqlite import SqliteStore
from clew.store.table import COLUMNS, add_row_labels
from clew.store.table_rows import TableRow, read_table_rows
from clew.store.url_lookup import find_similar_urls, find_urls, url_variants

__all__ = [
    "COLUMNS",
    "IS_FAILURE",
    "IS_PAGE",
    "SqliteLabelReader",
    "SqliteStore",
    "StoredTable",
    "TableRow",
    "add_label",
    "add_labels",
    "add_row_labels",
    "add_rule",
    "add_rules",
    "as_stored",
    "drop_labels",
    "export",
    "find_similar_urls",
    "find_urls",
    "read_after",
    "read_archived",
    "read_by_url",
    "read_host_stats",
    "read_links",
    "read_pages",
    "read_rows_near",
    "read_source",
    "read_sql",
    "read_table_rows",
    "safe_json",
    "url_variants",
]
