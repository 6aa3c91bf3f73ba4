"""Small pictures in one line: a bar, a curve, how numbers are spread; and numbers as a person says them."""

import math
from collections.abc import Sequence
from itertools import pairwise

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> tuple[str, str]:
    """Return the done and the open part of a bar.

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


def height(shares: Sequence[float]) -> float:
    """Return a round share that a curve may go up to, so that rare finds are seen.

    >>> height([0.0, 0.04]), height([0.3, 0.1]), height([])
    (0.05, 0.5, 1.0)
    """
    return next((top for top in (0.05, 0.1, 0.25, 0.5) if 0 < max(shares, default=1.0) <= top), 1.0)


def spread(counts: Sequence[int]) -> str:
    """Draw how numbers are spread, each step of height twice as many: few good links stay visible.

    >>> spread([3, 0, 900, 70_000])
    '▁ ▅█'
    """
    top = math.log2(max(counts, default=0) + 1) or 1.0
    return "".join(
        _LEVELS[min(7, int(math.log2(count + 1) / top * 7.99))] if count else " " for count in counts
    )


def span(seconds: float) -> str:
    """Say a span of time.

    >>> span(7), span(252), span(3_900), span(200_000)
    ('0:07', '4:12', '1 h 05', '2 d 7 h')
    """
    whole = int(max(0.0, seconds))
    if whole < 3600:  # noqa: PLR2004
        return f"{whole // 60}:{whole % 60:02}"
    if whole < 86_400:  # noqa: PLR2004
        return f"{whole // 3600} h {whole % 3600 // 60:02}"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def about(seconds: float) -> str:
    """Say roughly how long something will take: more digits would be a lie.

    >>> about(4), about(12), about(66), about(130), about(3_900), about(18_000)
    ('4 s', '20 s', '70 s', '2 min', '1 h 05 min', '5 h')
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
    """Say how many bytes.

    >>> size(812), size(96_300_000), size(1_530_000_000)
    ('1 kB', '96 MB', '1.5 GB')
    """
    for unit, limit in (("kB", 1e6), ("MB", 1e9)):
        if count < limit:
            return f"{max(1, round(count / limit * 1000))} {unit}"
    return f"{count / 1e9:.1f} GB"


def rate(number: float) -> str:
    """Say a number of things a second with as many digits as it deserves.

    >>> rate(0.04), rate(9.83), rate(412.3)
    ('0.04', '9.8', '412')
    """
    return f"{number:.2f}" if 0 < number < 0.95 else f"{number:.1f}" if number < 99.5 else f"{number:,.0f}"  # noqa: PLR2004
