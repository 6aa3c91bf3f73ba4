"""Virtual time: an event loop that jumps to its next timer instead of waiting for it.

Politeness, latency and retries are timers. Without a network nothing can happen between two of them, so a
crawl of hours is over as soon as its pages are read, in the same order each time.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from clew.errors import ClewError

Result = TypeVar("Result")

EPOCH = 1_700_000_000.0
"""Wall time at the start of every virtual run: one fixed moment, so that a trace never depends on the day."""


class _Jumping(selectors.DefaultSelector):
    """Return at once without events, and count the seconds that would have passed."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            msg = "a virtual run waits for something that is not a timer; use parts that need no network"
            raise ClewError(msg)
        self.passed += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when there is nothing else to do.

    >>> with asyncio.Runner(loop_factory=VirtualLoop) as runner:
    ...     runner.run(asyncio.sleep(3600))
    ...     runner.get_loop().time() >= 3600
    True
    """

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds that have passed on this loop."""
        return self._jumping.passed

    def wall(self) -> float:
        """Return the same as wall time, counted from `EPOCH`."""
        return EPOCH + self._jumping.passed


def run_virtually(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run a coroutine to its end on a loop of virtual time; inside a notebook, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    with ThreadPoolExecutor(1, thread_name_prefix="clew-lab") as thread:
        return thread.submit(_run, work).result()


def _run(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work())
