"""The growing table beside a crawl: kept with every page, grown on old ones too, marked by a person."""

from clew.harvesting.ledger import Ledger
from clew.harvesting.marks import WORDS, Marking, keep_marks, no_table, read_marks_file, row_of, word_of
from clew.harvesting.opening import Opened, open_table, table_path
from clew.harvesting.service import Harvesting

__all__ = [
    "WORDS",
    "Harvesting",
    "Ledger",
    "Marking",
    "Opened",
    "keep_marks",
    "no_table",
    "open_table",
    "read_marks_file",
    "row_of",
    "table_path",
    "word_of",
]
