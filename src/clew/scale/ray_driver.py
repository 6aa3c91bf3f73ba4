"""Drive a crawl on a Ray cluster: start or find the actors of its shards, watch them, move them, end them."""

import asyncio
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from clew.errors import FolderBusy, StoreError
from clew.scale.coordinator import ShardState
from clew.scale.ray_cluster import RayNode
from clew.scale.ray_shard import ActorStatus, ShardActor, ShardTask
from clew.scale.sql_coordinator import SqlCoordinator
from clew.scale.supervisor import ShardFailed, ShardView

T = TypeVar("T")

WATCH_SECONDS = 1.0
"""Seconds between two looks at actors and leases."""

MOVE_SECONDS = 3.0
"""Seconds between two moves of a shard to a machine with fewer."""

CLUSTER_SECONDS = 45.0
"""Seconds for which a cluster may be silent before the driver gives up."""


class Cluster(Protocol):
    """What a driver needs of a cluster; see `RayCluster`."""

    def nodes(self) -> list[RayNode]: ...

    def find(self, name: str) -> Any | None: ...  # noqa: ANN401

    def create(self, name: str, actor: type, node: str, *values: object) -> Any: ...  # noqa: ANN401

    def ask(self, questions: Sequence[Any]) -> list[Any]: ...

    def kill(self, actor: Any) -> None: ...  # noqa: ANN401


@dataclass(slots=True, kw_only=True)
class ShardActors:
    """The actors of a crawl: find them, ask them, start and end them.

    `task` returns what the actor of a shard is told in a run, `show` shows a line that it prints.
    """

    cluster: Cluster
    crawl: str
    shards: int
    task: Callable[[int, int], ShardTask]
    show: Callable[[int, dict[str, Any]], None]
    run: int = 0
    statuses: dict[int, ActorStatus] = field(default_factory=dict)
    _actors: dict[int, Any] = field(default_factory=dict)
    _seen: Counter[int] = field(default_factory=Counter)

    def find(self) -> None:
        """Find those that a cluster has, and ask them."""
        found = {shard: self.cluster.find(self._name(shard)) for shard in range(self.shards)}
        self._actors = {shard: actor for shard, actor in found.items() if actor is not None}
        self.ask()

    def ask(self) -> int:
        """Ask all how they are; return how many have answered."""
        shards = sorted(self._actors)
        questions = [self._actors[shard].status.remote(self._seen[shard]) for shard in shards]
        answers = dict(zip(shards, self.cluster.ask(questions), strict=True))
        found = {shard: status for shard, status in answers.items() if status is not None}
        for shard, status in found.items():
            if status.count < self._seen[shard]:
                self._seen[shard] = 0  # the actor was started again
            for number, fields in status.lines:
                self._seen[shard] = number
                self.show(shard, fields)
        self.statuses.update(found)
        return len(found)

    def is_running(self) -> bool:
        """Return whether some work for the run."""
        return any(status.run == self.run and not status.done for status in self.statuses.values())

    def are_done(self) -> bool:
        """Return whether the work of all is over."""
        return len(self.statuses) == self.shards and all(status.done for status in self.statuses.values())

    def load(self, nodes: Sequence[RayNode]) -> Counter[str]:
        """Count the shards of each machine."""
        places = Counter(status.node for status in self.statuses.values())
        return Counter({node.id: places[node.id] for node in nodes})

    def create_missing(self) -> None:
        """Start an actor for each shard that has none, on the machine with the fewest."""
        nodes = self.cluster.nodes()
        if not nodes:
            msg = "no machine of the Ray cluster has a free processor; add one with: ray start --address"
            raise StoreError(msg)
        load = self.load(nodes)
        for shard in sorted(set(range(self.shards)) - self._actors.keys()):
            node = min(nodes, key=lambda node: load[node.id])
            load[node.id] += 1
            self._create(shard, node)

    def move(self, shard: int, node: RayNode) -> None:
        """Stop a shard cleanly, and start it on another machine."""
        self.cluster.ask([self._actors[shard].stop.remote()])
        self.cluster.kill(self._actors[shard])
        self._create(shard, node)

    def _create(self, shard: int, node: RayNode) -> None:
        self.statuses.pop(shard, None)
        self._seen[shard] = 0
        for _ in range(100):  # Ray needs a moment to forget the name of an actor that was ended
            try:
                task = self.task(shard, self.run)
                self._actors[shard] = self.cluster.create(self._name(shard), ShardActor, node.id, task)
            except ValueError:
                time.sleep(0.1)
            else:
                return
        msg = f"Ray does not release the name of shard {shard}; run the same command again"
        raise StoreError(msg)

    def _name(self, shard: int) -> str:
        return f"{self.crawl} shard {shard}"

    def pause(self, *, paused: bool) -> None:
        """Let the shards take no more links, or go on."""
        for actor in self._actors.values():
            actor.pause.remote(paused)

    def end(self) -> None:
        """End all for good."""
        for actor in self._actors.values():
            with suppress(StoreError):
                self.cluster.kill(actor)
        self._actors, self.statuses = {}, {}


@dataclass(slots=True, kw_only=True)
class RayDriver:
    """Run a crawl on a cluster to its end; `begin` begins a run and returns its number.

    The actors work without a driver as well: a killed one leaves the crawl running, and the next finds it.
    What decides is in the coordinator: who drives, whether the run goes on, who owns a shard.
    """

    cluster: Cluster
    coordinator: SqlCoordinator
    actors: ShardActors
    begin: Callable[[], int]
    view: ShardView
    name: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    stopping: bool = False
    _at_once: bool = False
    _owners: dict[int, ShardState] = field(default_factory=dict)
    _heard: float = 0.0
    _moved: float = 0.0
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "clew-ray"))

    async def run(self) -> str:
        """Run all shards to their end; return why the crawl ended."""
        control = self.coordinator.control
        await self._call(partial(control.drive, self.name))
        try:
            await self._call(self._attach)
            self._heard = self._moved = time.monotonic()
            while not await self._is_over():  # noqa: ASYNC110 - looks around each time
                await asyncio.sleep(WATCH_SECONDS)
            await self._call(self.actors.end)
            ended, failure = await self._call(control.ended), await self._call(control.failure)
        finally:
            with suppress(StoreError):
                await self._call(partial(control.leave, self.name))
            self._thread.shutdown(wait=False)
        if failure:
            msg = f"shard {failure.shard}: {failure.message}"
            raise ShardFailed(msg, failure.exit_code)
        return ended or "stopped"

    def stop(self) -> None:
        """Stop all shards cleanly; on the second call, at once."""
        self._at_once, self.stopping = self.stopping, True

    @property
    def count(self) -> int:
        """The number of shards."""
        return self.actors.shards

    def pause(self, *, paused: bool) -> None:
        """Let the shards take no more links, or go on."""
        self._thread.submit(partial(self.actors.pause, paused=paused))

    def _attach(self) -> None:
        """Find the actors of a run that goes on, or begin a run."""
        self.actors.run = self.coordinator.control.run()
        self.actors.find()
        if self.actors.is_running() and not self.coordinator.control.ended():
            nodes = len(self.cluster.nodes())
            machines = f"{nodes} machine{'' if nodes == 1 else 's'}"
            self.view.note(f"this crawl is running on {machines}; watching it again")
        else:
            self.actors.end()
            self.actors.run = self.begin()
        self.actors.create_missing()

    async def _is_over(self) -> bool:
        """Look at everything once; return whether the run is over."""
        try:
            states = await self._call(self._look_at_coordinator)
        except FolderBusy:
            raise
        except StoreError:
            return False  # the shards say so, and wait
        self._note_take_overs(states)
        self.view.states(states)
        if self._at_once:
            return True
        try:
            await self._call(self._look_at_cluster)
            self._heard = time.monotonic()
        except StoreError as error:
            if time.monotonic() > self._heard + CLUSTER_SECONDS:
                msg = (
                    f"{error}; shards that still run go on, and nothing is lost: "
                    "start the cluster again, then run the same command"
                )
                raise StoreError(msg) from error
        return self.actors.are_done()

    def _look_at_coordinator(self) -> list[ShardState]:
        """Stay the driver, and pass on that the crawl is to stop; return the shards."""
        control = self.coordinator.control
        control.drive(self.name)
        if self.stopping:
            control.end("stopped")
        return self.coordinator.states()

    def _look_at_cluster(self) -> None:
        """Ask the actors; let a machine with fewer shards take one over."""
        answered = self.actors.ask()
        if not answered:
            self.cluster.nodes()  # raises if the cluster is away
        done = any(status.done for status in self.actors.statuses.values())
        if answered == self.count and not done and time.monotonic() > self._moved + MOVE_SECONDS:
            self._moved = time.monotonic()
            self._balance()

    def _balance(self) -> None:
        """Move one shard from the machine with the most to the one with the fewest, if they differ by two."""
        nodes = self.cluster.nodes()
        load = self.actors.load(nodes)
        if not load:
            return
        most, fewest = max(nodes, key=lambda node: load[node.id]), min(nodes, key=lambda node: load[node.id])
        if load[most.id] >= load[fewest.id] + 2:
            shard = max(shard for shard, status in self.actors.statuses.items() if status.node == most.id)
            self.view.note(f"shard {shard} moves from {most.address} to {fewest.address}")
            self.actors.move(shard, fewest)

    def _note_take_overs(self, states: Sequence[ShardState]) -> None:
        """Tell of shards whose owner has changed."""
        for state in states:
            before = self._owners.get(state.shard)
            if before and state.owner and before.owner != state.owner:
                silent = f" silent for {before.silent:.0f} s," if before.silent > WATCH_SECONDS + 1 else ""
                self.view.note(f"shard {state.shard}{silent} taken over by {state.owner}")
            if state.owner:
                self._owners[state.shard] = state

    async def _call(self, work: Callable[[], T]) -> T:
        """Run something that may block in the thread of this driver."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
