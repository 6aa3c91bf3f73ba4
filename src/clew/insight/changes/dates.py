"""Dates as a person writes them."""

import time
from datetime import UTC, datetime

from clew.config.intervals import interval_seconds
from clew.errors import ConfigError


def parse_date(text: str, now: float | None = None) -> float:
    """Return a date, a date with a time (UTC unless it says so), or an interval before now, in seconds.

    >>> parse_date("2026-11-01"), parse_date("2026-11-01T12:00+01:00"), parse_date("7d", now=604_900.0)
    (1793491200.0, 1793530800.0, 100.0)
    """
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError:
        pass
    else:
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    try:
        return (time.time() if now is None else now) - interval_seconds(text)
    except ConfigError:
        msg = f"{text!r} is no date; write 2026-11-01, 2026-11-01T12:00, or an interval like 7d"
        raise ConfigError(msg) from None
