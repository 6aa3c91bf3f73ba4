"""Dates in sitemaps and feeds: when a listed page was last modified, by their own account."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST = 60
"""Characters of a date, at most."""


def seconds_of(text: str) -> float | None:
    """Return a date of a sitemap or a feed as Unix seconds, None if it is none; a day is its beginning.

    >>> seconds_of("2026-11-01"), seconds_of(" 2026-11-01T12:00:00+01:00 "), seconds_of("2026-11-01T11:00Z")
    (1793491200.0, 1793530800.0, 1793530800.0)
    >>> seconds_of("Sun, 01 Nov 2026 11:00:00 GMT"), seconds_of("yesterday"), seconds_of("")
    (1793530800.0, None, None)
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        return None
    try:
        iso = text[0].isdigit() and "-" in text
        date = datetime.fromisoformat(text) if iso else parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None
