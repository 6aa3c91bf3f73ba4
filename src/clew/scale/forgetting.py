"""Erase a site from a crawl in shards: from every shard, and from what the coordinator keeps for all."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from clew.errors import ConfigError
from clew.scale.coordinator_file import coordinator_of
from clew.scale.sql_coordinator import SqlCoordinator
from clew.store import crawl_stats
from clew.store.folder import DATABASE, drop_lock, take_lock
from clew.store.forget import Eraser, SiteShare, open_eraser
from clew.store.outbox import RESTORES, shard_folders


class ShardsEraser:
    """Measure what all shards hold of a site, and erase it; made by `open_shards_eraser`."""

    def __init__(self, name: str, erasers: Sequence[Eraser], coordinator: SqlCoordinator) -> None:
        self.name = name
        self.erasers = erasers
        self.coordinator = coordinator
        self._shares: list[SiteShare] = []

    def is_on_site(self, url: str) -> bool:
        """Return whether a canonical URL belongs to the site."""
        return self.erasers[0].is_on_site(url)

    def hosts(self) -> dict[str, int]:
        """Return all hosts, with their pages."""
        return dict(sum((Counter(eraser.hosts()) for eraser in self.erasers), Counter()))

    def was_forgotten(self) -> bool:
        """Return whether every shard was told to forget this name."""
        return all(eraser.was_forgotten() for eraser in self.erasers)

    def measure(self) -> SiteShare:
        """Return what all shards hold of the site."""
        shares = self._shares = [eraser.measure() for eraser in self.erasers]
        hosts: Counter[str] = Counter()
        for share in shares:
            hosts.update(share.hosts)
        return SiteShare(
            hosts=dict(hosts), links=sum(share.links for share in shares),
            records=sum(share.records for share in shares), labels=max(share.labels for share in shares),
            cuts=tuple(cut for share in shares for cut in share.cuts),
            missing=tuple(name for share in shares for name in share.missing),
            strange=tuple(name for share in shares for name in share.strange),
        )  # fmt: skip

    def erase(self, share: SiteShare) -> None:  # noqa: ARG002 - each shard erases its own part
        """Erase what `measure` found; what was interrupted is done by the next try."""
        self.coordinator.forget(self.is_on_site)
        for eraser, own in zip(self.erasers, self._shares, strict=True):
            eraser.erase(own)


@contextmanager
def open_shards_eraser(folder: Path, name: str) -> Iterator[ShardsEraser]:
    """Lock a crawl in shards and each of them; refuse one whose shards are not all in the folder."""
    lock = take_lock(folder)
    coordinator = coordinator_of(folder)
    try:
        coordinator.control.drive("clew forget")
        shards = shard_folders(folder)
        if away := [shard.name for shard in shards if not crawl_stats.has_links(shard)]:
            msg = (
                f"shard {away[0]} of {folder} is not on this computer; get all of them with: "
                f"clew restore {folder}, and forget the host on every machine that has one"
            )
            raise ConfigError(msg)
        with ExitStack() as stack:
            for shard in shards:
                _renumber(shard)
            yield ShardsEraser(
                name, [stack.enter_context(open_eraser(shard, name)) for shard in shards], coordinator
            )
    finally:
        coordinator.control.leave("clew forget")
        coordinator.close()
        drop_lock(lock)


def _renumber(shard: Path) -> None:
    """Let others read all links of a shard again: the numbers of those that are erased may be given anew."""
    with closing(sqlite3.connect(shard / DATABASE, timeout=30.0)) as db, db:
        (restores,) = db.execute("SELECT value FROM meta WHERE key = ?", (RESTORES,)).fetchone() or ("[]",)
        value = json.dumps([*json.loads(restores), 0])
        db.execute("REPLACE INTO meta (key, value) VALUES (?, ?)", (RESTORES, value))
