"""Remember what is slow to compute, and compute it anew in the background while the old value is served."""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

SHARE = 0.05
"""Largest share of one core spent on computing values again beside a running crawl, all together."""

ASKED = 30.0
"""Seconds after which a value that nobody asks for no longer gets a part of that share."""

LEAST = 1.0
"""Seconds between two computations, at least."""

NICENESS = 5
"""By how much such a computation gives way to other work: a crawl that needs all cores goes first."""


class Cached(Generic[T]):
    """A value with the stamp of what it was computed from.

    `value` returns the current value, or the last one while a new one is computed in a thread; it waits
    for the first, and for one that took less time than the caller would wait. So a page is never slower
    than that, however large the crawl is. `sharing`
    returns the number of values that are asked for at present: together they use `SHARE` of one core.
    """

    def __init__(
        self, compute: Callable[[], T], stamp: Callable[[], object], sharing: Callable[[], int] = lambda: 1
    ) -> None:
        self.compute = compute
        self.stamp = stamp
        self.sharing = sharing
        self.seconds = 0.0
        self.asked = 0.0
        self._value: list[T] = []
        self._of: object = None
        self._next = 0.0
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self._done = threading.Condition()
        self.busy = False

    def value(self, wait: float = 10.0) -> T:
        """Return the value; raise `StillReading` if the first one takes longer than `wait` seconds."""
        self.start()
        with self._done:
            if not self._value:
                self._done.wait_for(lambda: self._value or not self.busy, timeout=wait)
            if self._value:
                if self.seconds < wait:  # a page that is loaded at the end of a crawl shows the end
                    self._done.wait_for(lambda: not self.busy, timeout=wait)
                return self._value[0]
            if self._error is not None:
                raise self._error
        raise StillReading

    def start(self) -> None:
        """Compute the value in a thread if it is old, and may be computed again."""
        self.asked = time.monotonic()
        with self._lock:
            if self.busy or time.monotonic() < self._next:
                return
            current = self.stamp()
            if self._value and current == self._of:
                return
            self.busy = True
        threading.Thread(target=self._compute, args=(current,), daemon=True).start()

    def _compute(self, of: object) -> None:
        _give_way()
        began = time.monotonic()
        value: list[T] = []
        error: Exception | None = None
        try:
            value = [self.compute()]
        except Exception as caught:  # noqa: BLE001 - raised where the value is asked for
            error = caught
        with self._done:
            self.seconds = time.monotonic() - began
            self._value = value or self._value
            self._error, self._of = error, of if value else None
            self._next = time.monotonic() + max(
                LEAST if value else 0.0, self.seconds * self.sharing() / SHARE
            )
            self.busy = False
            self._done.notify_all()


def _give_way() -> None:
    """Lower the priority of this thread, where priorities belong to threads (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


class StillReading(Exception):  # noqa: N818 - no error: come back later
    """A large crawl is being read for the first time."""
