"""What the next pages of a crawl will bring, by what the last ones brought."""

import math
from dataclasses import dataclass

WINDOW = 200
"""The last pages that a forecast is made from; there is none before so many were read."""

AHEAD = 100
"""Pages that it looks ahead."""

_LESS, _MORE = 3.6, 1.7
"""How far the root of a count fell below, or rose above, that of its forecast in nine of ten cases, on crawls
of recorded webs up to half of each: a policy takes the best links first, so it falls more often."""


@dataclass(frozen=True, slots=True)
class YieldForecast:
    """Relevant pages expected among the next 100; nine times of ten it is from `low` to `high`."""

    expected: float
    low: int
    high: int

    def __str__(self) -> str:
        return f"about {self.expected:.0f} of the next {AHEAD} ({self.low} to {self.high})"


def forecast(relevant: int, pages: int) -> YieldForecast | None:
    """Return the forecast after `relevant` of the last `pages`, None if these are too few.

    >>> print(forecast(30, 200))
    about 15 of the next 100 (0 to 32)
    >>> forecast(30, 150) is None
    True
    """
    if pages < WINDOW:
        return None
    expected = relevant * AHEAD / pages
    root = math.sqrt(expected + 0.375)  # counts have about the same spread everywhere after the root
    low = max(0.0, root - _LESS) ** 2 - 0.375
    high = (root + _MORE) ** 2 - 0.375
    return YieldForecast(expected, max(0, math.floor(low)), min(AHEAD, math.ceil(high)))
