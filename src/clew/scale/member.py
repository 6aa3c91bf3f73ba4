"""One shard of a crawl: which hosts are its own, and what it needs to work beside the others."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from clew.config import Config
from clew.contracts import Fetcher, LinkSource
from clew.domain.partition import Partition
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.scale.coordinator import Coordinator
from clew.scale.exchange import ShardExchange
from clew.scale.lease_keeper import POLL, LeaseKeeper
from clew.scale.link_receiver import LinkReceiver
from clew.scale.link_server import LinkServer
from clew.scale.remote_outbox import LinkOutbox, RemoteOutbox, ShardAddresses
from clew.scale.shared_feedback import SharedFeedback
from clew.store.fence import StoreFence
from clew.store.outbox import SHARDS, Outbox
from clew.types import Link, Response


@dataclass(frozen=True, slots=True)
class FencedFetcher:
    """Ask nothing of anybody without a fresh lease."""

    fetcher: Fetcher
    keeper: LeaseKeeper

    async def fetch(self, link: Link) -> Response:
        """Fetch a link once the lease is fresh; raise `ShardTakenOver` if another process owns its host."""
        while not self.keeper.check():  # noqa: ASYNC110 - renewed by a thread
            await asyncio.sleep(POLL)
        return await self.fetcher.fetch(link)

    async def aclose(self) -> None:
        """Close the fetcher."""
        await self.fetcher.aclose()


@dataclass(slots=True, kw_only=True)
class Member:
    """A shard of the crawl in `crawl`, with its lease.

    With `links`, shards are on several machines and read each other's links over the network.
    """

    crawl: Path
    shards: int
    coordinator: Coordinator
    keeper: LeaseKeeper
    links: LinkServer | None = None

    @property
    def partition(self) -> Partition:
        """Which hosts are this shard's."""
        return Partition(self.shards, self.keeper.lease.shard)

    @property
    def folder(self) -> Path:
        """Where this shard stores its part of the crawl."""
        return shard_folder(self.crawl, self.keeper.lease.shard)

    @property
    def fence(self) -> StoreFence:
        """What keeps others from writing there."""
        return StoreFence(self.keeper.lease.epoch, self.keeper.wait_fresh)

    def guard(self, fetcher: Fetcher) -> Fetcher:
        """Return a fetcher that asks nothing without a lease."""
        return FencedFetcher(fetcher, self.keeper)

    def exchange(self, config: Config, engine: Engine, events: Events) -> LinkSource:
        """Return the service that brings the links of other shards."""
        feedback = SharedFeedback(engine=engine, coordinator=self.coordinator, folder=self.folder)
        return ShardExchange(
            config=config, engine=engine, events=events, coordinator=self.coordinator, keeper=self.keeper,
            receiver=LinkReceiver(engine=engine, outboxes=self._outboxes()), feedback=feedback,
            address=self.links.address if self.links else "",
        )  # fmt: skip

    def _outboxes(self) -> dict[int, LinkOutbox]:
        number, addresses = self.keeper.lease.shard, ShardAddresses(self.coordinator)

        def outbox(shard: int) -> LinkOutbox:
            if self.links is None:
                return Outbox(shard_folder(self.crawl, shard), number)
            return RemoteOutbox(
                sender=shard, receiver=number, addresses=addresses, token=self.links.token
            )  # fmt: skip

        return {shard: outbox(shard) for shard in range(self.shards) if shard != number}


def shard_folder(crawl: Path, shard: int) -> Path:
    """Return the folder of a shard."""
    return crawl / SHARDS / str(shard)
