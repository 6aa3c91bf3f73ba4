"""Cycles in crawl paths: directories that lead to each other and back.

Pages of two generated directories that link to each other are always found from outside their own directory.
The crawl path shows the cycle: from the first directory to the second and to the first again.
"""

from functools import lru_cache
from typing import NamedTuple

from clew.frontier.traps.content_dedup import Recent
from clew.urls import fingerprint as name_of

MAX_LENGTH = 12
"""Directories of a path, and of a cycle, that are remembered: longer cycles consist of many small ones."""


class CrawlPath(NamedTuple):
    """The directories of a path, each where it was last, and those that are part of a cycle."""

    directories: tuple[str, ...] = ()
    cycle: frozenset[str] = frozenset()

    def cycle_through(self, directory: str) -> frozenset[str]:
        """Return the cycle that a link to `directory` is part of; empty if there is none."""
        if directory in self.cycle:
            return self.cycle
        if directory in self.directories[:-1]:
            return frozenset(self.directories[self.directories.index(directory) :])
        return _NONE


_NONE: frozenset[str] = frozenset()
_EMPTY_PATH = CrawlPath()


class PathCycles:
    """Remember the crawl paths to pages; of `size` pages at least, at most twice as many."""

    def __init__(self, *, size: int = 100_000) -> None:
        self._paths: Recent[CrawlPath] = Recent(size)

    def cycle(self, directory: str, source: str) -> frozenset[str]:
        """Return the directories of the cycle that a link from `source` to `directory` is part of, if any."""
        path = self._paths.find(name_of(source)) if source else None
        return path.cycle_through(directory) if path else _NONE

    def learn(self, url: str, directory: str, source: str) -> None:
        """Remember the path to a page that was read: that of its source, and its own directory."""
        path = self._paths.find(name_of(source)) if source else None
        self._paths.put(name_of(url), _extended(path or _EMPTY_PATH, directory))


@lru_cache(maxsize=8_192)
def _extended(path: CrawlPath, directory: str) -> CrawlPath:
    """Return `path` with `directory` added; one shared object for all pages with the same path."""
    directories = (*(each for each in path.directories if each != directory), directory)[-MAX_LENGTH:]
    joined = path.cycle | path.cycle_through(directory)
    return CrawlPath(directories, joined if len(joined) <= MAX_LENGTH else path.cycle)
