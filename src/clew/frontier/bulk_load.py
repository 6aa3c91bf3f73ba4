"""Fill the queues of many hosts at once: after a restart, and when many links are re-ranked."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import CLOSED, Host, LinkTable
from clew.frontier.queue import ID_BITS, Keys, Queue

REBUILD_SHARE = 0.2
"""Up to this share of all links, new keys are added beside the old ones; beyond it queues are rebuilt."""


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
