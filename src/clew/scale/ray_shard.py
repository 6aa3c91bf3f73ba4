"""The actor of a shard on a Ray cluster: it keeps the process of its shard running on its machine."""

import asyncio
import os
import platform
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from clew.domain.atomic_file import write_atomically
from clew.domain.installation import __version__
from clew.errors import ClewError, ConfigError, StoreError
from clew.scale.coordinator import ShardState
from clew.scale.lease_keeper import RunSuperseded
from clew.scale.ray_cluster import is_protected
from clew.scale.run_control import RunFailure
from clew.scale.shard_command import ShardOrder
from clew.scale.sql_coordinator import SqlCoordinator, open_coordinator
from clew.scale.supervisor import ShardFailed, Supervisor

NODE_FOLDER = "CLEW_NODE_FOLDER"
"""The environment variable of a machine that names the folder for its shards."""

MOST_LINES = 500
"""Lines of a shard that wait for a driver at most."""

WATCH_SECONDS = 0.5
"""Seconds between two looks at whether Ray on this machine still lives."""

RETRY_SECONDS = 2.0
"""Seconds until a coordinator that does not answer is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """What the actor of a shard is told: its order, and the files of the folder that the crawl needs.

    `crawl` names the crawl, `version` the program that the driver runs.
    """

    order: ShardOrder
    crawl: str
    files: Mapping[str, bytes] = field(repr=False, default_factory=dict)
    version: str = f"{__version__}, Python {platform.python_version()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorStatus:
    """How the actor of a shard is: on which machine, for which run, whether its work is over, what it says.

    `lines` are numbered up to `count`; a driver asks for those after the last one that it has seen.
    """

    node: str
    run: int
    done: bool
    count: int
    lines: Sequence[tuple[int, dict[str, Any]]]


class ShardActor:
    """Run the process of one shard until the crawl is over, from a thread of its own.

    Ray starts the actor again, here or elsewhere, when it or its machine dies. Its own process then ends with
    it (the kernel sees to that), and the lease keeps two owners apart.
    """

    def __init__(self, task: ShardTask) -> None:
        context = import_module("ray").get_runtime_context()
        self.task = task
        self.node = context.get_node_id()
        machine = import_module("ray.util").get_node_ip_address()
        self.order = replace(task.order, machine=machine, folder=str(crawl_folder(task)))
        self.done = False
        self._lines: deque[tuple[int, dict[str, Any]]] = deque(maxlen=MOST_LINES)
        self._count = 0
        self._supervisor: Supervisor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
        self._thread = threading.Thread(target=self._work, name="clew-shard", daemon=True)
        self._thread.start()

    # ---- called by a driver --------------------------------------------------------------------

    def status(self, after: int) -> ActorStatus:
        """Return how it is, with the lines after a number."""
        lines = [line for line in tuple(self._lines) if line[0] > after]
        return ActorStatus(node=self.node, run=self.order.run, done=self.done, count=self._count, lines=lines)

    def stop(self) -> None:
        """Stop the process of the shard cleanly, and wait for its end."""
        if self._loop and self._supervisor and not self.done:
            self._loop.call_soon_threadsafe(self._supervisor.stop)
        self._thread.join()

    def pause(self, paused: bool) -> None:
        """Let the shard take no more links, or go on."""
        if self._supervisor:
            self._supervisor.pause(paused=paused)

    # ---- as a view of the supervisor -----------------------------------------------------------

    def line(self, shard: int, fields: dict[str, Any]) -> None:  # noqa: ARG002 - there is one
        """Keep a line for the driver."""
        self._count += 1
        self._lines.append((self._count, fields))

    def note(self, text: str) -> None:
        """Keep a note for the driver."""
        self.line(self.order.shard, {"note": text})

    def states(self, states: Sequence[ShardState]) -> None:
        """Do nothing: the driver asks the coordinator."""

    # ---- in its thread -------------------------------------------------------------------------

    def _work(self) -> None:
        coordinator = open_coordinator(self.order.coordinator)
        try:
            self._keep_running(coordinator)
        finally:
            coordinator.close()
            self.done = True

    def _keep_running(self, coordinator: SqlCoordinator) -> None:
        while not self.done:
            try:
                self._prepare(coordinator)
                asyncio.run(self._supervise(coordinator))
            except RunSuperseded:
                return
            except StoreError as error:  # the coordinator does not answer
                self.note(str(error))
                time.sleep(RETRY_SECONDS)
                continue
            except ShardFailed as error:
                self._fail(coordinator, str(error).partition(": ")[2], error.exit_code)
            except ClewError as error:
                self._fail(coordinator, str(error), error.exit_code)
            return

    def _prepare(self, coordinator: SqlCoordinator) -> None:
        """Check that this machine can run the shard, and lay out the folder of the crawl."""
        if coordinator.control.run() != self.order.run or coordinator.control.ended():
            msg = "this run is over"
            raise RunSuperseded(msg)
        here = ShardTask(order=self.task.order, crawl="").version
        if self.task.version != here:
            msg = (
                f"machine {self.order.machine} has clew {here}, the driver {self.task.version}; "
                "install the same on all machines"
            )
            raise ConfigError(msg)
        if not is_protected([self.order.machine]):
            msg = (
                f"Ray on machine {self.order.machine} runs without a token; start it with RAY_AUTH_MODE=token"
            )
            raise ConfigError(msg)
        try:
            write_files(Path(self.order.folder), self.task.files)
        except (StoreError, OSError) as error:
            msg = f"shard {self.order.shard}: {error}"
            raise ShardFailed(msg, StoreError.exit_code) from error

    async def _supervise(self, coordinator: SqlCoordinator) -> None:
        self._loop = asyncio.get_running_loop()
        self._supervisor = Supervisor(
            coordinator=coordinator, shards=[self.order.shard], view=self, machine=self.order.machine,
            command=lambda _: self.order.command(),
        )  # fmt: skip
        await self._supervisor.run()

    def _fail(self, coordinator: SqlCoordinator, message: str, code: int) -> None:
        """End the crawl on all machines with the error of this shard."""
        self.note(message)
        while True:
            try:
                return coordinator.control.fail(RunFailure(self.order.shard, message, code))
            except StoreError:
                time.sleep(RETRY_SECONDS)


def crawl_folder(task: ShardTask) -> Path:
    """Return the folder of a crawl on this machine: the driver's path, or one below `CLEW_NODE_FOLDER`."""
    own = os.environ.get(NODE_FOLDER)
    return Path(own) / task.crawl.replace(" ", "-") if own else Path(task.order.folder)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Lay out the files of a crawl that are not there yet or have changed."""
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)


def _end_with_parent(parent: int) -> None:
    """End this process when Ray on this machine is gone; otherwise it would work on as an orphan."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
