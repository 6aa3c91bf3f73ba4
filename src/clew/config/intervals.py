"""Intervals as a person writes them."""

import re

from clew.errors import ConfigError

_INTERVAL = re.compile(r"(\d{1,6})\s*([mhdw])")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def interval_seconds(text: str) -> float:
    """Return the seconds of an interval like 30m, 12h, 7d or 2w.

    >>> interval_seconds("7d"), interval_seconds("30m")
    (604800.0, 1800.0)
    """
    known = _INTERVAL.fullmatch(text.strip().lower())
    if not known or not int(known[1]):
        msg = f"{text!r} is not an interval; write 30m, 12h, 7d or 2w"
        raise ConfigError(msg)
    return float(int(known[1]) * _SECONDS[known[2]])
