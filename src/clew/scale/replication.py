"""Keep a copy of a crawl up to date while it runs, and begin from it where the folder is lost."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.errors import StoreError
from clew.scale.coordinator import Coordinator, Lease
from clew.scale.lease_keeper import until_answered
from clew.scale.replica import Replica, stored_epoch

SECONDS = 60.0
"""Seconds between two copies, at least."""

SHARE = 0.05
"""Share of the time that is spent on copies, at most."""


def replica_url(base: str, shard: int) -> str:
    """Return where the copy of a shard is."""
    return f"{base.rstrip('/')}/shards/{shard}"


@contextmanager
def replicating(
    folder: Path, url: str, notify: Callable[[str], None], *, epoch: int = 0, seconds: float = SECONDS
) -> Iterator[None]:
    """Save a crawl to a URL from time to time, and when the block has ended; an empty URL saves nothing.

    A copy that fails is tried again; the crawl goes on without it.
    """
    if not url:
        yield
        return
    replica, closing = Replica(url, epoch=epoch), threading.Event()

    def save() -> float:
        began = time.monotonic()
        try:
            replica.save(folder)
        except StoreError as error:
            notify(str(error))
        return max(seconds, (time.monotonic() - began) / SHARE)

    def work() -> None:
        pause = seconds
        while not closing.wait(pause):
            pause = save()

    thread = threading.Thread(target=work, name="clew-replica", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closing.set()
        thread.join()
        save()


def restore_if_needed(folder: Path, base: str, lease: Lease, coordinator: Coordinator) -> str:
    """Put the last copy of a shard into its folder if a later state was stored elsewhere, or lost.

    Returns what was done, empty if nothing had to be. Without a copy, raises `StoreError`.
    """
    state = next(state for state in until_answered(coordinator.states) if state.shard == lease.shard)
    if stored_epoch(folder) >= state.stored:
        return ""
    if not base:
        msg = (
            f"the pages of shard {lease.shard} are not in {folder}: they are on another machine, or lost; "
            "put the folder on a volume that all machines see, or name a place for copies: crawl.replicate"
        )
        raise StoreError(msg)
    manifest = Replica(replica_url(base, lease.shard), epoch=lease.epoch).restore(folder)
    age = max(0.0, time.time() - manifest.saved)
    return f"shard {lease.shard} goes on from its copy of {age / 60:.0f} min ago; later pages are read again"
