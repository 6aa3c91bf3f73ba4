"""The state of the server: which crawls it serves, what it remembers of them, and what it may do."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from clew.store.folder import DATABASE
from clew.store.outbox import shard_folders
from clew.web.cached import ASKED, Cached
from clew.web.crawls import CrawlFolders
from clew.web.processes import CrawlProcesses

if TYPE_CHECKING:
    from clew.web.lab import StartedRace

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class ServerState:
    """Everything the operations share. With `trust`, settings that open doors may be changed from the web."""

    crawls: CrawlFolders
    trust: bool = False
    token: str = ""
    hooks: tuple[str, ...] = ()
    closing: threading.Event = field(default_factory=threading.Event)
    processes: CrawlProcesses = field(default_factory=CrawlProcesses)
    races: "dict[str, StartedRace]" = field(default_factory=dict)
    _cache: dict[tuple[str, Path], Cached[object]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cached(self, what: str, folder: Path, compute: Callable[[], T]) -> Cached[T]:
        """Return the memory for something computed from the database of a crawl, anew when it has changed."""
        key = (what, folder)
        with self._lock:
            known = self._cache.get(key)
            if known is None:
                known = self._cache[key] = Cached(compute, lambda: stamp(folder), self._asked_for)
        return known  # type: ignore[return-value]

    def remembered(self) -> list[Cached[object]]:
        """Return everything that is remembered."""
        with self._lock:
            return list(self._cache.values())

    def _asked_for(self) -> int:
        since = time.monotonic() - ASKED
        return max(1, sum(each.asked >= since for each in self.remembered()))

    def forget(self, what: str, folder: Path) -> None:
        """Compute something anew at the next call, because its files outside the database have changed."""
        with self._lock:
            self._cache.pop((what, folder), None)


def stamp(folder: Path) -> tuple[int, ...]:
    """Return numbers that change whenever the database of a crawl does."""
    numbers: list[int] = []
    for place in (folder, *shard_folders(folder)):
        numbers += _stamp(place)
    return tuple(numbers)


def _stamp(folder: Path) -> list[int]:
    numbers: list[int] = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            state = (folder / name).stat()
        except OSError:
            continue
        numbers += [state.st_mtime_ns, state.st_size]
    return numbers
