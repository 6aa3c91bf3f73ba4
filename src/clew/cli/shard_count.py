"""How many shards a crawl has: most have none, and then nothing else of the shards is loaded."""

from pathlib import Path

from clew.cli.shard_feedback import check_not_sharded
from clew.config import Config
from clew.errors import ConfigError
from clew.scale.coordinator_file import read_place
from clew.store.folder import DATABASE
from clew.store.outbox import shard_folders


def number_of_shards(folder: Path, config: Config, given: int, *, rerender: bool = False) -> int:
    """Return how many shards the crawl of a folder has: as it was begun, or as wanted for a new one."""
    if rerender:
        check_not_sharded(folder, "--rerender")
    place = read_place(folder)
    found = (place.shards if place else 0) or len(shard_folders(folder))
    wanted = given or config.crawl.shards
    if found:
        if given and given != found:
            msg = (
                f"{folder} has {found} shards, and their number cannot change; "
                f"run it with --shards {found}, or begin anew in another folder"
            )
            raise ConfigError(msg)
        return found
    if wanted > 1 and (folder / DATABASE).exists():
        msg = (
            f"{folder} was begun without shards and cannot be divided; "
            f"run it as it is: clew run {folder} --shards 1, or begin anew in another folder"
        )
        raise ConfigError(msg)
    return wanted
