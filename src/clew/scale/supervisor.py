"""Keep the shards of a crawl running on this machine: start them, watch them, start them again."""

import asyncio
import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from clew.errors import ClewError, StoreError
from clew.scale.coordinator import Coordinator, Lease, ShardState
from clew.scale.lease_keeper import RunSuperseded, ShardTakenOver

WATCH_SECONDS = 1.0
"""Seconds between two looks at the leases."""

FROZEN_SECONDS = 3.0
"""Seconds after the end of its lease for which a live process may still renew it."""

MAX_DEATHS = 5
"""Deaths in a row, each soon after the start, after which a shard is given up."""

SOON = 10.0
"""A process that dies within so many seconds of its start has died soon."""

LINE = 16 << 20
"""Bytes of the longest line that a shard may print."""

_PR_SET_PDEATHSIG = 1


class ShardView(Protocol):
    """Show a crawl in shards: what each prints, and every second where all of them are."""

    def line(self, shard: int, fields: dict[str, Any]) -> None: ...

    def note(self, text: str) -> None: ...

    def states(self, states: Sequence[ShardState]) -> None: ...


class ShardFailed(ClewError):  # noqa: N818
    """A shard has ended with an error; `exit_code` is its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(slots=True, kw_only=True)
class Supervisor:
    """Run the processes of `shards` until the crawl is over; `command` returns the command line of one.

    A process that was killed is started again at once: its lease is given up for it. One that lives but does
    not renew its lease (it is frozen) is killed first. One that ends with an error ends the crawl.
    """

    coordinator: Coordinator
    shards: Sequence[int]
    command: Callable[[int], Sequence[str]]
    view: ShardView
    machine: str = ""
    stopping: bool = False
    error: ShardFailed | None = None
    ended: str = ""
    _processes: dict[int, asyncio.subprocess.Process] = field(default_factory=dict)
    _started: dict[int, float] = field(default_factory=dict)
    _late_since: dict[int, float] = field(default_factory=dict)

    async def run(self) -> str:
        """Run all shards to their end; return why the crawl ended."""
        watch = asyncio.create_task(self._watch())
        try:
            await asyncio.gather(*(self._keep(shard) for shard in self.shards))
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        await self._look()
        if self.error:
            raise self.error
        return "stopped" if self.stopping else self.ended or "stopped"

    def stop(self) -> None:
        """Stop all shards cleanly; on the second call, at once."""
        self.stopping = True
        self._signal_all(signal.SIGTERM)

    @property
    def count(self) -> int:
        """The number of shards."""
        return len(self.shards)

    def pause(self, *, paused: bool) -> None:
        """Let the shards take no more links, or go on."""
        self._signal_all(signal.SIGUSR1 if paused else signal.SIGUSR2)

    def _signal_all(self, number: int) -> None:
        for process in self._processes.values():
            with suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self, shard: int) -> None:
        """Run one shard, again and again while it is killed."""
        deaths = 0
        while not self.stopping:
            code, errors = await self._run_once(shard)
            if code in (0, 3, RunSuperseded.exit_code):
                return
            if code > 0 and code != ShardTakenOver.exit_code:
                self._fail(shard, errors or f"it ended with exit code {code}", code)
                return
            if self.stopping:
                return
            deaths = deaths + 1 if time.monotonic() < self._started[shard] + SOON else 1
            cause = f"signal {-code}" if code < 0 else "its lease was lost"
            if deaths > MAX_DEATHS:
                self._fail(
                    shard, f"it died {deaths} times in a row ({cause}); see {errors or 'its folder'}", 1
                )
                return
            self.view.note(f"shard {shard} ended ({cause}) and is started again; nothing is lost")
            await asyncio.to_thread(self._give_up_lease, shard)

    async def _run_once(self, shard: int) -> tuple[int, str]:
        """Start the process of a shard and wait for its end; return its exit code and its last error."""
        process = await asyncio.create_subprocess_exec(
            *self.command(shard), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, start_new_session=True, limit=LINE,
        )  # fmt: skip
        self._processes[shard], self._started[shard] = process, time.monotonic()
        assert process.stdout
        assert process.stderr
        _, errors = await asyncio.gather(self._read(shard, process.stdout), process.stderr.read(LINE))
        code = await process.wait()
        return code, errors.decode("utf-8", "replace").strip().removeprefix("clew: ")

    async def _read(self, shard: int, output: asyncio.StreamReader) -> None:
        async for line in output:
            try:
                fields = json.loads(line)
            except ValueError:  # cut by a kill
                continue
            self.ended = self.ended or ("" if fields.get("ended") == "stopped" else fields.get("ended", ""))
            self.view.line(shard, fields)

    def _fail(self, shard: int, message: str, code: int) -> None:
        """End the crawl because of the error of one shard; the first error counts."""
        self.error = self.error or ShardFailed(f"shard {shard}: {message}", code)
        self.stop()

    def _give_up_lease(self, shard: int) -> None:
        """Release the lease of a process that is dead, if it is still the last owner."""
        with suppress(StoreError):
            state = next(state for state in self.coordinator.states() if state.shard == shard)
            if state.owner == owner_name(self._processes[shard].pid, self.machine):
                self.coordinator.release(Lease(shard, state.owner, state.epoch))

    async def _watch(self) -> None:
        """Look at the leases; kill processes that are frozen."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            states = {state.shard: state for state in await self._look() if state.shard in self.shards}
            late = {shard for shard in states if self._is_late(states[shard])}
            # While the coordinator is away, nobody can renew a lease: time counts from when it was seen.
            now = time.monotonic()
            self._late_since = {shard: self._late_since.get(shard, now) for shard in late}
            for shard, since in self._late_since.items():
                if now - since > FROZEN_SECONDS:
                    self.view.note(f"shard {shard} silent for {states[shard].silent:.0f} s; it is taken over")
                    with suppress(ProcessLookupError):
                        self._processes[shard].kill()

    def _is_late(self, state: ShardState) -> bool:
        """Return whether a live process has let its lease run out."""
        process = self._processes.get(state.shard)
        alive = process is not None and process.returncode is None
        return (
            alive
            and not state.left
            and state.owner == owner_name(process.pid if process else 0, self.machine)
        )

    async def _look(self) -> list[ShardState]:
        try:
            states = await asyncio.to_thread(self.coordinator.states)
        except StoreError:
            return []  # the shards say so
        self.view.states(states)
        return states


def owner_name(process: int, machine: str = "") -> str:
    """Return the name by which a process of a machine, by default this one, holds leases."""
    return f"{machine or socket.gethostname()}:{process}"


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent ends, also by kill -9 (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(3)
