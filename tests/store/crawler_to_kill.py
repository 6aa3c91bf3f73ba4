"""A process that commits pages until it is killed: python crawler_to_kill.py FOLDER WAY [GROUPS].

It says "ready" when the folder is its own, and the id of the last page after each commit that returned.
WAY is "loop", "hold" (only keep the lock), "fork" (keep it, with a child that sleeps), or the name of an
instant inside the third commit at which the process kills itself.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import numpy as np
from store_kit import some_found, some_step

from clew.store.sqlite import SqliteStore

INSTANTS = {
    "before warc": ("_make_durable", "before"),
    "after warc, before database": ("_transact", "before"),
    "after database": ("_transact", "after"),
}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying_store(way: str) -> type[SqliteStore]:
    """A real store that is killed at the named instant of its third commit."""
    method, when = INSTANTS[way]
    calls = 0

    def instead(self, *args, **options):
        nonlocal calls
        calls += 1
        if calls == 3 and when == "before":
            die()
        getattr(SqliteStore, method)(self, *args, **options)
        if calls == 3:
            die()

    return type("DyingStore", (SqliteStore,), {method: instead})


def body_of(id: int) -> bytes:
    random = np.random.default_rng(id)
    return random.bytes(int(random.integers(1, 200_000)))


async def crawl(folder: Path, way: str) -> None:
    kind = dying_store(way) if way in INSTANTS else SqliteStore
    store = kind(folder, warc_size=4, min_free=0)
    store.open()
    loaded = store.control.load()
    if way == "fork" and os.fork() == 0:
        signal.pause()
    print("ready", flush=True)
    if way in ("hold", "fork"):
        signal.pause()
    open_links = loaded.ids[loaded.states == 0].tolist()
    next_id = loaded.next_id
    if not open_links:
        store.add_links(some_found(1, ["http://a.test/1"], depth=0))
        open_links, next_id = [1], 2
    while True:
        for _ in range(min(4, len(open_links))):
            id = open_links.pop(0)
            new = list(range(next_id, next_id + 3))
            found = some_found(next_id, [f"http://a.test/{i}" for i in new])
            next_id += 3
            open_links += new
            store.add(some_step(store.link(id), visit={"body": body_of(id)}, new_links=found))
        await store.commit()
        print(id, flush=True)


if __name__ == "__main__":
    asyncio.run(crawl(Path(sys.argv[1]), sys.argv[2]))
