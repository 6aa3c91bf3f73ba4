"""The command line of the process of a shard, and what it is given."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOrder:
    """What the process of a shard is told.

    `settings` override clew.toml. `coordinator` is the address of a database, empty for the folder. `run` is
    the number of the run, 0 for any. `machine` names this machine to people and to other shards: where there
    are several, the process listens at this address for those that read its links; empty on a single one.
    """

    folder: str
    shard: int
    settings: Sequence[str] = ()
    coordinator: str = ""
    run: int = 0
    machine: str = ""
    parent: int = 0

    def command(self) -> list[str]:
        """Return the command line; the process ends with the one that starts it."""
        given = {**asdict(self), "parent": os.getpid()}
        return [sys.executable, "-m", "clew.cli.shard_process", json.dumps(given)]


def shard_order(folder: Path, shard: int, settings: Sequence[str], coordinator: str = "") -> ShardOrder:
    """Return what the process of a shard on this machine is told."""
    return ShardOrder(folder=str(folder), shard=shard, settings=list(settings), coordinator=coordinator)
