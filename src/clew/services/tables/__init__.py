"""The growing table: stored with every page, extended from stored pages, labelled by the user."""

from clew.services.tables.open_table import OpenedTable, open_table, table_path
from clew.services.tables.row_labels import (
    WORDS,
    RowLabel,
    keep_marks,
    no_table,
    read_marks_file,
    row_of,
    word_of,
)
from clew.services.tables.service import TableService
from clew.services.tables.table_sync import TableSync

__all__ = [
    "WORDS",
    "OpenedTable",
    "RowLabel",
    "TableService",
    "TableSync",
    "keep_marks",
    "no_table",
    "open_table",
    "read_marks_file",
    "row_of",
    "table_path",
    "word_of",
]
