"""Keep a lease: renew it beside the crawl, and know at every moment whether it still holds."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from clew.errors import StoreError
from clew.scale.coordinator import LEASE_SECONDS, Coordinator, Lease
from clew.scale.sql_coordinator import SqlCoordinator

T = TypeVar("T")

MARGIN = 0.2
"""Share of the lease that is not used: clocks of two machines run at slightly different speeds."""

PATIENCE = 120.0
"""Seconds for which a commit waits for a coordinator that does not answer."""

RETRY_SECONDS = 0.5
"""Seconds until a coordinator that did not answer is asked again."""

POLL = 0.05
"""Seconds between two looks at a lease that is waited for."""


class ShardTakenOver(StoreError):  # noqa: N818 - reads better without "Error"
    """Another process owns this shard now. The exit code tells a supervisor to try again."""

    exit_code = 75


class RunSuperseded(StoreError):  # noqa: N818
    """The crawl was started anew elsewhere. The exit code tells a supervisor that its work is over."""

    exit_code = 76


class LeaseKeeper:
    """Renew a lease from a thread of its own, so that a busy engine does not lose it.

    `began` is when the lease was asked for, by this machine's monotonic clock: its time counts from there.
    While it is not fresh, nothing may be requested and nothing written. A process that was frozen finds out
    by the same clock, which went on.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        lease: Lease,
        began: float,
        *,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.coordinator = coordinator
        self.lease = lease
        self.seconds = seconds
        self.clock = clock
        self.trouble = ""
        self._fresh_until = began + seconds * (1 - MARGIN)
        self._lost = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="clew-lease", daemon=True)

    def start(self) -> None:
        """Begin to renew the lease."""
        self._thread.start()

    @property
    def lost(self) -> bool:
        """Whether there is a later owner."""
        return self._lost

    def is_fresh(self) -> bool:
        """Return whether the lease holds for sure."""
        return not self._lost and self.clock() < self._fresh_until

    def check(self) -> bool:
        """Return whether the lease is fresh; raise `ShardTakenOver` if there is a later owner."""
        if self._lost:
            msg = f"shard {self.lease.shard} was taken over; nothing is lost, its new owner goes on"
            raise ShardTakenOver(msg)
        return self.is_fresh()

    def wait_fresh(self) -> None:
        """Wait until the lease is fresh; raise `ShardTakenOver` or, after `PATIENCE`, `StoreError`."""
        until = self.clock() + PATIENCE
        while not self.check():
            if self.clock() > until:
                msg = (
                    f"shard {self.lease.shard} could not renew its lease for {PATIENCE:g} s"
                    f"{self.trouble and f' ({self.trouble})'}; nothing is lost: run it again"
                )
                raise StoreError(msg)
            time.sleep(POLL)

    def renew(self) -> None:
        """Renew the lease once."""
        began = self.clock()
        try:
            held = self.coordinator.renew(self.lease)
        except StoreError as error:
            self.trouble = str(error).partition(";")[0]
            return
        self._lost = self._lost or not held
        if held:
            self.trouble = ""
            self._fresh_until = began + self.seconds * (1 - MARGIN)

    def _keep(self) -> None:
        while not self._lost and not self._closing.wait(self.seconds / 4):
            self.renew()

    def close(self, *, release: bool = True) -> None:
        """Stop renewing, and give the lease up."""
        self._closing.set()
        self._thread.join()
        if release and not self._lost:
            with suppress(StoreError):  # the lease runs out
                self.coordinator.release(self.lease)


def until_answered(work: Callable[[], T]) -> T:
    """Ask a coordinator, again while it does not answer; raise `StoreError` after `PATIENCE`."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except StoreError:
            if time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)


def acquire(
    coordinator: SqlCoordinator,
    shard: int,
    owner: str,
    *,
    run: int = 0,
    seconds: float = LEASE_SECONDS,
    patience: float = 3 * LEASE_SECONDS,
) -> LeaseKeeper:
    """Wait until a shard is free, and keep its lease from then on; raise `StoreError` if it never is.

    `run` is the number of the run that this process belongs to, 0 for any.
    """
    until = time.monotonic() + patience
    while True:
        began = time.monotonic()
        if lease := until_answered(lambda: coordinator.acquire(shard, owner, run)):
            keeper = LeaseKeeper(coordinator, lease, began, seconds=seconds)
            keeper.start()
            return keeper
        if run and until_answered(coordinator.control.run) != run:
            msg = "this crawl was started again elsewhere; nothing is lost, it goes on there"
            raise RunSuperseded(msg)
        if began > until:
            states = until_answered(coordinator.states)
            holder = next(state.owner for state in states if state.shard == shard)
            msg = f"shard {shard} is held by {holder}; stop that process, then run this one again"
            raise StoreError(msg)
        time.sleep(0.1)
