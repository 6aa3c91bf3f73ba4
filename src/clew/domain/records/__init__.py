"""Records: a person's few example rows, and the table that grows from them while pages are read."""

from clew.domain.records.record_table import Event, RecordTable, Support

__all__ = ["Event", "RecordTable", "Support"]
