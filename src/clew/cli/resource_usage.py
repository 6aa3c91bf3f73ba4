"""Memory and disk use of a run, and a cache for values that are slow to compute."""

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from clew.store.folder import DATABASE, PAGES

Value = TypeVar("Value")

SHARE = 0.005
"""Maximum share of the time spent on one value: a call of 10 ms is repeated after two seconds."""

_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


class Throttled(Generic[Value]):
    """Cache the result of a function, and limit the share of time spent on calling it."""

    def __init__(self, compute: Callable[[], Value], every: float = 0.0) -> None:
        self.compute = compute
        self.every = every
        self._next = 0.0
        self._value: Value | None = None

    def __call__(self) -> Value:
        began = time.monotonic()
        if self._value is None or began >= self._next:
            self._value = self.compute()
            ended = time.monotonic()
            self._next = ended + max(self.every, (ended - began) / SHARE)
        return self._value

    def invalidate(self) -> None:
        """Call the function again next time, because the user changed something."""
        self._next = 0.0


def memory(pids: Iterable[int]) -> tuple[int, int]:
    """Return the resident bytes of this process, and of others together."""
    own = _resident("self")
    if not own:  # no /proc: use the peak instead
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        own = peak if sys.platform == "darwin" else peak * 1024
    return own, sum(_resident(str(pid)) for pid in pids)


def _resident(pid: str) -> int:
    try:
        return int(Path("/proc", pid, "statm").read_text("ascii").split()[1]) * _PAGE_SIZE
    except (OSError, IndexError, ValueError):
        return 0


def disk(folder: Path) -> int:
    """Return the bytes of a crawl folder: its database and its few large WARC files."""
    total = 0
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            total += (folder / name).stat().st_size
        except OSError:
            continue
    try:
        with os.scandir(folder / PAGES) as entries:
            total += sum(entry.stat().st_size for entry in entries)
    except OSError:
        pass  # files are being moved; the next call counts them
    return total
