"""What is new in a collection: new, changed and gone pages, as a list, a feed or a letter."""

from clew.insight.changes.dates import parse_date
from clew.insight.changes.report import ChangedPage, ChangeReport, describe_refresh, read_changes
from clew.insight.changes.writers import FORMATS, render, write_changes

__all__ = [
    "FORMATS",
    "ChangeReport",
    "ChangedPage",
    "describe_refresh",
    "parse_date",
    "read_changes",
    "render",
    "write_changes",
]
