"""`clew restore`: put the copies of a crawl (crawl.replicate) into its folder."""

import time
from pathlib import Path

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import ShardedFolder
from clew.errors import ConfigError
from clew.scale.coordinator_file import coordinator_of, read_place
from clew.scale.member import shard_folder
from clew.scale.replica import Replica, stored_epoch
from clew.scale.replication import replica_url
from clew.store.folder import DATABASE, drop_lock, take_lock


def restore(folder: ShardedFolder) -> None:
    """Put the last copy of a crawl into its folder, where that is older or lost.

    The copies are those that clew run keeps at crawl.replicate. Of a crawl in shards, only those shards are
    restored that were last stored on another machine, or are lost; what was there is kept beside them. Use
    it after the loss of a disk, or to look at a crawl on other machines and export it here.

    Example: clew restore wind
    """
    url = configuration.load(folder / "clew.toml").crawl.replicate
    if not url:
        msg = f"crawl.replicate is empty in {folder / 'clew.toml'}: name the place of the copies there"
        raise ConfigError(msg)
    lock = take_lock(folder)
    try:
        done = _restore_shards(folder, url) if read_place(folder) else _restore_whole(folder, url)
    finally:
        drop_lock(lock)
    if not done:
        screen.echo("nothing to restore: the folder holds the last state")


def _restore_whole(folder: Path, url: str) -> int:
    if (folder / DATABASE).exists():
        return 0
    _put(folder, url, "the crawl")
    return 1


def _restore_shards(folder: Path, url: str) -> int:
    coordinator = coordinator_of(folder)
    try:
        states = coordinator.states()
    finally:
        coordinator.close()
    older = [
        state.shard for state in states if stored_epoch(shard_folder(folder, state.shard)) < state.stored
    ]
    for shard in older:
        _put(shard_folder(folder, shard), replica_url(url, shard), f"shard {shard}")
    return len(older)


def _put(folder: Path, url: str, what: str) -> None:
    manifest = Replica(url).restore(folder)
    minutes = max(0.0, time.time() - manifest.saved) / 60
    screen.echo(f"{what} is as it was {minutes:.0f} min ago")
