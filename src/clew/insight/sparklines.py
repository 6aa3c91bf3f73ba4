"""Bars, curves and histograms in one line of text, and short forms of numbers."""

import math
from collections.abc import Sequence
from itertools import pairwise

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> tuple[str, str]:
    """Return the filled and the empty part of a progress bar.

    >>> bar(0.45, 10)
    ('████▌', '─────')
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    done = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return done, "─" * (width - len(done))


def curve(shares: Sequence[float], width: int) -> str:
    """Draw shares from 0 to 1 as a curve of at most `width` cells, the newest at the right.

    >>> curve([0.0, 0.25, 0.5, 1.0], 10)
    '▁▂▄█'
    """
    count = len(shares)
    if count > width:
        edges = [count * cell // width for cell in range(width + 1)]
        shares = [sum(shares[start:end]) / (end - start) for start, end in pairwise(edges)]
    return "".join(_LEVELS[min(7, int(max(0.0, share) * 7.99))] for share in shares)


def scale_top(shares: Sequence[float]) -> float:
    """Return a round upper limit for a curve, so that small shares are visible.

    >>> scale_top([0.0, 0.04]), scale_top([0.3, 0.1]), scale_top([])
    (0.05, 0.5, 1.0)
    """
    return next((top for top in (0.05, 0.1, 0.25, 0.5) if 0 < max(shares, default=1.0) <= top), 1.0)


def histogram(counts: Sequence[int]) -> str:
    """Draw a histogram with a logarithmic scale, so that small counts stay visible.

    >>> histogram([3, 0, 900, 70_000])
    '▁ ▅█'
    """
    top = math.log2(max(counts, default=0) + 1) or 1.0
    return "".join(
        _LEVELS[min(7, int(math.log2(count + 1) / top * 7.99))] if count else " " for count in counts
    )


def duration(seconds: float) -> str:
    """Return a duration as text.

    >>> duration(7), duration(252), duration(3_900), duration(200_000)
    ('0:07', '4:12', '1 h 05', '2 d 7 h')
    """
    whole = int(max(0.0, seconds))
    if whole < 3600:  # noqa: PLR2004
        return f"{whole // 60}:{whole % 60:02}"
    if whole < 86_400:  # noqa: PLR2004
        return f"{whole // 3600} h {whole % 3600 // 60:02}"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def rough_duration(seconds: float) -> str:
    """Return an estimated duration as text, rounded as coarsely as the estimate is.

    >>> rough_duration(4), rough_duration(12), rough_duration(66), rough_duration(130)
    ('4 s', '20 s', '70 s', '2 min')
    >>> rough_duration(3_900), rough_duration(18_000)
    ('1 h 05 min', '5 h')
    """
    if seconds <= 10:  # noqa: PLR2004
        return f"{max(1, math.ceil(seconds))} s"
    if seconds < 95:  # noqa: PLR2004
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = round(seconds / 60)
    if minutes < 60:  # noqa: PLR2004
        return f"{minutes} min"
    if minutes < 240:  # noqa: PLR2004
        return f"{minutes // 60} h {minutes % 60 // 5 * 5:02} min"
    return f"{round(minutes / 60)} h" if minutes < 2880 else f"{round(minutes / 1440)} days"  # noqa: PLR2004


def size(count: float) -> str:
    """Return a number of bytes as text.

    >>> size(812), size(96_300_000), size(1_530_000_000)
    ('1 kB', '96 MB', '1.5 GB')
    """
    for unit, limit in (("kB", 1e6), ("MB", 1e9)):
        if count < limit:
            return f"{max(1, round(count / limit * 1000))} {unit}"
    return f"{count / 1e9:.1f} GB"


def rate(number: float) -> str:
    """Return a rate per second as text, with about two significant digits.

    >>> rate(0.04), rate(9.83), rate(412.3)
    ('0.04', '9.8', '412')
    """
    return f"{number:.2f}" if 0 < number < 0.95 else f"{number:.1f}" if number < 99.5 else f"{number:,.0f}"  # noqa: PLR2004
