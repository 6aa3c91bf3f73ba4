"""Read the history of a URL in a crawl of many shards: ask the shard that owns its host."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew import urls
from clew.domain.partition import shard_of
from clew.frontier import Robots
from clew.insight.explain.card import Explanation, PathStep
from clew.insight.explain.history import read_history

MOST_STEPS = 100
"""Steps of a crawl path that are followed from shard to shard."""


@dataclass(frozen=True, slots=True)
class ShardedHistory:
    """Look up a URL in the shards of a crawl; their folders are in the order of their numbers."""

    folders: Sequence[Path]

    def __call__(self, url: str, robots: Robots) -> Explanation | None:
        """Return what is known about a canonical URL, with its path through all shards."""
        owner = self._owner(url)
        found = read_history(self.folders[owner], url, robots)
        if found is None:
            return self._sent(url, owner, robots)
        path = self._whole_path(found.path, owner, robots)
        finder = self._owner(path[-2].url) if len(path) > 1 else owner
        words = f"shard {owner}" if finder == owner else f"shard {owner}, found by shard {finder}"
        return replace(found, path=path, reason=f"{found.reason}; {words}" if found.reason else words)

    def _sent(self, url: str, owner: int, robots: Robots) -> Explanation | None:
        """Return a link that another shard has found, and its owner has not taken yet."""
        for shard, folder in enumerate(self.folders):
            if shard != owner and (found := read_history(folder, url, robots)):
                reason = f"found by shard {shard}; shard {owner} takes it when it runs"
                return replace(
                    found, state="open", reason=reason, path=self._whole_path(found.path, shard, robots)
                )
        return None

    def _whole_path(self, path: tuple[PathStep, ...], shard: int, robots: Robots) -> tuple[PathStep, ...]:
        """Replace steps that only stand for pages of other shards by the path that those shards know."""
        for place in range(len(path) - 2, -1, -1):
            reader = self._owner(path[place].url)
            if reader == shard:
                continue
            before = read_history(self.folders[reader], path[place].url, robots)
            if before is None or len(path) > MOST_STEPS:
                break
            return self._whole_path(before.path, reader, robots) + path[place + 1 :]
        return path

    def _owner(self, url: str) -> int:
        return shard_of(urls.origin(url), len(self.folders))
