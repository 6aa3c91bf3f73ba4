"""Learn a table of records from the user's few example rows while pages are read."""

from clew.domain.records.record_table import RecordTable, RowEvent, Support

__all__ = ["RecordTable", "RowEvent", "Support"]
