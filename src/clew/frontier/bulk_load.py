"""Fill the queues of many hosts at once: new links of a page, after a restart, after a re-ranking."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import CLOSED, Host, HostTable, LinkTable
from clew.frontier.queue import ID_BITS, Keys, Queue

REBUILD_SHARE = 0.2
"""Up to this share of all links, new keys are added beside the old ones; beyond it queues are rebuilt."""


def push_links(
    hosts: HostTable, origins: Sequence[str], keys: Keys, open: NDArray[np.bool_]
) -> tuple[list[int], list[Host]]:
    """Push the keys of open links into the queues of their hosts; return each link's owner, and the hosts."""
    changed: dict[Host, None] = {}
    owners: list[int] = []
    last, number, heap = "", -1, []
    for origin, key, is_open in zip(origins, keys.tolist(), open.tolist(), strict=True):
        if origin != last:
            host = hosts.get(origin)
            last, number, heap = origin, host.number, host.queue.heap
            changed[host] = None
        owners.append(number)
        if is_open:
            heappush(heap, key)
            host.open += 1
    return owners, list(changed)


def load_hosts(
    table: HostTable, origins: Sequence[str], pages: Sequence[int], clocks: Mapping[str, float]
) -> list[Host]:
    """Register hosts with the number of pages fetched from each, and their next allowed requests."""
    hosts = [table.get(origin) for origin in origins]
    for host, count in zip(hosts, pages, strict=False):
        host.pages = count
    for origin, at in clocks.items():
        clock = table.get(origin).clock
        clock.next_at = max(clock.next_at, at)
    return hosts


def fill_queues(hosts: Sequence[Host], owners: NDArray[np.int64], keys: Keys) -> Iterator[tuple[Host, int]]:
    """Fill the queue of `hosts[owners[i]]` with `keys[i]`; yield each host with the number of keys it got."""
    order = np.lexsort((keys, owners))
    owners, keys = owners[order], keys[order]
    edges = np.flatnonzero(np.diff(owners, prepend=-1, append=-1)).tolist()
    for start, end in pairwise(edges):
        host = hosts[owners[start]]
        host.queue.extend(keys[start:end].copy())
        yield host, end - start


def apply_ranks(
    table: LinkTable, hosts: Sequence[Host], ids: NDArray[np.int64], ranks: NDArray[np.int64]
) -> Iterator[Host]:
    """Give queued links new ranks; yield the hosts whose queues changed.

    Old keys are not searched for: a key whose rank is no longer that of its link is skipped when popped.
    """
    current = table.ranks[ids]
    changed = (current != CLOSED) & (current != ranks)
    ids, ranks = ids[changed], ranks[changed]
    table.ranks[ids] = ranks
    if len(ids) > REBUILD_SHARE * len(table.ranks):
        ids = np.flatnonzero(table.ranks != CLOSED)
        ranks = table.ranks[ids].astype(np.int64)
        for host in hosts:
            host.queue = Queue()
    for host, _ in fill_queues(hosts, table.owners[ids].astype(np.int64), (ranks << ID_BITS) | ids):
        yield host
