"""The two clocks of a crawl: one that never jumps, and the time of day. The lab brings its own."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds of a monotonic clock for delays, and of the wall clock for what is stored."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
