"""The process of one shard: started by `clew run --shards`, it prints JSON lines for that."""

import asyncio
import json
import os
import sys
from pathlib import Path

from clew import config as configuration
from clew.builder import open_crawl
from clew.cli import screen, signals
from clew.cli.shared_view import SharedView
from clew.config import Config
from clew.errors import ClewError
from clew.insight.diagnostics import Advisor
from clew.scale.coordinator import Coordinator
from clew.scale.lease_keeper import acquire
from clew.scale.member import Member
from clew.scale.sql_coordinator import open_coordinator
from clew.scale.supervisor import die_with_parent, owner_name


def command(folder: Path, shard: int, settings: list[str], coordinator: str = "") -> list[str]:
    """Return the command line that starts the process of a shard."""
    given = {"folder": str(folder), "shard": shard, "settings": settings, "coordinator": coordinator,
             "parent": os.getpid()}  # fmt: skip
    return [sys.executable, "-m", "clew.cli.shard_process", json.dumps(given)]


def main() -> None:
    """Run one shard to its end and exit as the command line does."""
    given = json.loads(sys.argv[1])
    die_with_parent(given["parent"])
    folder = Path(given["folder"])
    try:
        config = configuration.load(folder / "clew.toml", given["settings"])
        coordinator = open_coordinator(given["coordinator"] or folder)
        code = asyncio.run(_run(folder, config, coordinator, given["shard"]))
    except ClewError as error:
        screen.print_error(str(error))
        code = error.exit_code
    sys.exit(code)


async def _run(folder: Path, config: Config, coordinator: Coordinator, shard: int) -> int:
    keeper = acquire(coordinator, shard, owner_name(os.getpid()))
    member = Member(crawl=folder, shards=config.crawl.shards, coordinator=coordinator, keeper=keeper)
    try:
        view = SharedView(member.folder, screen.JsonView())
        async with open_crawl(folder, config, shard=member) as crawl_run:
            ended = await signals.show(crawl_run, view, Advisor(config, member.folder))
    finally:
        keeper.close()
        coordinator.close()
    screen.echo(json.dumps({"ended": ended}))
    return 3 if ended == "stopped" else 0


if __name__ == "__main__":
    main()
