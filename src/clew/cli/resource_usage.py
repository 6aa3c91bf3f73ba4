"""What a run uses: memory and disk; and how to look seldom at what is dear to look at."""

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from clew.store.folder import DATABASE, PAGES

Seen = TypeVar("Seen")

SHARE = 0.005
"""Of the time, at most, is spent on one look: what took 10 ms is looked at again after two seconds."""

_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


class Throttled(Generic[Seen]):
    """Remember what a function returned, and ask it again only when that is cheap enough."""

    def __init__(self, look: Callable[[], Seen], every: float = 0.0) -> None:
        self.look = look
        self.every = every
        self._next = 0.0
        self._seen: Seen | None = None

    def __call__(self) -> Seen:
        began = time.monotonic()
        if self._seen is None or began >= self._next:
            self._seen = self.look()
            ended = time.monotonic()
            self._next = ended + max(self.every, (ended - began) / SHARE)
        return self._seen

    def forget(self) -> None:
        """Look again next time, whatever it costs: a person changed something and waits to see it."""
        self._next = 0.0


def memory(pids: Iterable[int]) -> tuple[int, int]:
    """Return the resident bytes of this process, and of others together."""
    own = _resident("self")
    if not own:  # no /proc here: the highest so far has to do
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
        pass  # somebody moves files about; the next look will tell
    return total
