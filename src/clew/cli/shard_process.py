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
from clew.scale.coordinator import LEASE_SECONDS
from clew.scale.lease_keeper import acquire, until_answered
from clew.scale.link_server import LinkServer
from clew.scale.member import Member, shard_folder
from clew.scale.replication import replica_url, replicating, restore_if_needed
from clew.scale.shard_command import ShardOrder
from clew.scale.sql_coordinator import SqlCoordinator, open_coordinator
from clew.scale.supervisor import die_with_parent, owner_name

PATIENCE = 3 * LEASE_SECONDS
"""Seconds for which a shard may still be held by a process of this machine."""

CLUSTER_PATIENCE = 180.0
"""Seconds for which another machine may still hold a shard: one that is cut off gives up after a minute."""


def main() -> None:
    """Run one shard to its end and exit as the command line does."""
    order = ShardOrder(**json.loads(sys.argv[1]))
    die_with_parent(order.parent)
    folder = Path(order.folder)
    try:
        config = configuration.load(folder / "clew.toml", list(order.settings))
        coordinator = open_coordinator(order.coordinator or folder)
        code = asyncio.run(_run(order, config, coordinator))
    except ClewError as error:
        screen.print_error(str(error))
        code = error.exit_code
    sys.exit(code)


async def _run(order: ShardOrder, config: Config, coordinator: SqlCoordinator) -> int:
    own = shard_folder(Path(order.folder), order.shard)
    patience = CLUSTER_PATIENCE if order.machine else PATIENCE
    owner = owner_name(os.getpid(), order.machine)
    keeper = acquire(coordinator, order.shard, owner, run=order.run, patience=patience)
    links: LinkServer | None = None
    try:
        if restored := restore_if_needed(own, config.crawl.replicate, keeper.lease, coordinator):
            _note(restored)
        links = _serve_links(order, coordinator)
        member = Member(
            crawl=Path(order.folder), shards=config.crawl.shards, coordinator=coordinator, keeper=keeper,
            links=links,
        )  # fmt: skip
        ended = await _crawl(order, config, member)
    finally:
        if links:
            links.close()
        keeper.close()
        coordinator.close()
    screen.echo(json.dumps({"ended": ended}))
    return 3 if ended == "stopped" else 0


async def _crawl(order: ShardOrder, config: Config, member: Member) -> str:
    """Run the engine of the shard to its end, and keep its copy up to date; return why it ended."""
    base, own = config.crawl.replicate, member.folder
    copy = replica_url(base, order.shard) if base else ""
    view = SharedView(own, screen.JsonView())
    with replicating(own, copy, _note, epoch=member.keeper.lease.epoch):
        async with open_crawl(Path(order.folder), config, shard=member) as crawl_run:
            return await signals.show(crawl_run, view, Advisor(config, own))


def _note(text: str) -> None:
    screen.echo(json.dumps({"note": text}))


def _serve_links(order: ShardOrder, coordinator: SqlCoordinator) -> LinkServer | None:
    """Let shards on other machines read the links of this one, if there are any."""
    if not order.machine:
        return None
    folder = shard_folder(Path(order.folder), order.shard)
    server = LinkServer(folder, order.machine, until_answered(coordinator.control.token))
    server.start()
    return server


if __name__ == "__main__":
    main()
