"""`clew run --shards`: run a crawl in several processes, on this machine or on a Ray cluster."""

import asyncio
import os
import shlex
import signal
from dataclasses import dataclass, replace
from pathlib import Path

from clew import config as configuration
from clew.cli.shard_views import JsonShards, LineShards, LiveShards, ShardsView
from clew.cli.terminal import can_paint
from clew.config import Config
from clew.errors import ConfigError, NothingFetched
from clew.scale.coordinator import CrawlLimits
from clew.scale.coordinator_file import CoordinatorPlace, read_place, settle_place
from clew.scale.crawl_files import settings_files
from clew.scale.limits import check_shards
from clew.scale.member import shard_folder
from clew.scale.ray_cluster import RayCluster
from clew.scale.ray_driver import RayDriver, ShardActors
from clew.scale.ray_shard import ShardTask
from clew.scale.shard_command import ShardOrder, shard_order
from clew.scale.sql_coordinator import SqlCoordinator
from clew.scale.supervisor import Supervisor, owner_name
from clew.store.folder import drop_lock, make_folder, take_lock


def run_shards(
    folder: Path, settings: list[str], where: tuple[str, str], *, plain: bool = False, json: bool = False
) -> int:
    """Run all shards of a crawl to their end; return the exit code.

    `where` are the addresses of a coordinator and of a cluster, empty for the folder and this machine.
    """
    config = configuration.load(folder / "clew.toml", settings)
    check_shards(config)
    view = JsonShards() if json else LineShards(config) if plain or not can_paint() else LiveShards(config)
    coordinator, on = where
    cluster = _connect(folder, coordinator, on)
    lock = take_lock(folder)
    try:
        for shard in range(config.crawl.shards):
            make_folder(shard_folder(folder, shard))
        place = settle_place(folder, coordinator, config.crawl.shards)
        shared = place.open(folder)
        try:
            shared.join(place.crawl, config.crawl.shards)
            run = _Run(folder, config, settings, place, shared, view)
            ended = asyncio.run(_drive(run.on_cluster(cluster) if cluster else run.on_this_machine(), view))
        finally:
            shared.close()
    finally:
        drop_lock(lock)
        if cluster:
            cluster.close()
    view.end(folder, ended)
    if ended != "stopped" and not view.pages:
        msg = f"nothing could be fetched; see why: clew why {shlex.quote(str(folder))} URL"
        raise NothingFetched(msg)
    return 3 if ended == "stopped" else 0


def _connect(folder: Path, coordinator: str, on: str) -> RayCluster | None:
    """Connect to the cluster, if one is named; it needs a coordinator that all machines reach."""
    if not on:
        return None
    known = read_place(folder)
    if not (coordinator or (known and known.address)):
        msg = "--on needs --coordinator postgresql://…: machines do not share the file of a single one"
        raise ConfigError(msg)
    cluster = RayCluster(on)
    cluster.connect()
    return cluster


@dataclass(frozen=True, slots=True)
class _Run:
    folder: Path
    config: Config
    settings: list[str]
    place: CoordinatorPlace
    coordinator: SqlCoordinator
    view: ShardsView

    def on_this_machine(self) -> Supervisor:
        """Return what runs the shards here."""
        self._check_driver()
        self._begin()
        return Supervisor(
            coordinator=self.coordinator, shards=range(self.config.crawl.shards), view=self.view,
            command=lambda shard: self._order(shard).command(),
        )  # fmt: skip

    def on_cluster(self, cluster: RayCluster) -> RayDriver:
        """Return what runs the shards on a cluster."""
        files = settings_files(self.folder)

        def task(shard: int, run: int) -> ShardTask:
            return ShardTask(order=replace(self._order(shard), run=run), crawl=self.place.crawl, files=files)

        actors = ShardActors(
            cluster=cluster, crawl=self.place.crawl, shards=self.config.crawl.shards, task=task,
            show=self.view.line,
        )  # fmt: skip
        return RayDriver(
            cluster=cluster, coordinator=self.coordinator, actors=actors, begin=self._begin, view=self.view
        )

    def _begin(self) -> int:
        crawl = self.config.crawl
        return self.coordinator.begin(CrawlLimits(crawl.pages, crawl.requests, self.config.fetch.focus))

    def _order(self, shard: int) -> ShardOrder:
        return shard_order(self.folder.resolve(), shard, self.settings, self.place.address)

    def _check_driver(self) -> None:
        """Refuse a crawl that is driven on a cluster at the moment."""
        control, name = self.coordinator.control, owner_name(os.getpid())
        control.drive(name)
        control.leave(name)


async def _drive(driver: Supervisor | RayDriver, view: ShardsView) -> str:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        again = "" if driver.stopping else " (again: stop at once; nothing is lost either way)"
        view.note(f"stopping all shards{again}")
        driver.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    loop.add_signal_handler(signal.SIGUSR1, lambda: driver.pause(paused=True))
    loop.add_signal_handler(signal.SIGUSR2, lambda: driver.pause(paused=False))
    view.begin(driver.count)
    try:
        return await driver.run()
    finally:
        view.close()
