"""Records: a person's few example rows, and the table that grows from them while pages are read."""

from clew.records.book import Book, Event, Support

__all__ = ["Book", "Event", "Support"]
