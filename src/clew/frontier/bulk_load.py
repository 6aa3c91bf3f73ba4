"""Put many links into the queues of their hosts at once: after a restart, and when all are ranked anew."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import CLOSED, Host, LinkTable
from clew.frontier.queue import ID_BITS, Keys, Queue

FEW = 0.2
"""Up to this share of all links, new keys are laid beside the old ones; beyond it queues are made anew."""


def fill(hosts: Sequence[Host], owners: NDArray[np.int64], keys: Keys) -> Iterator[tuple[Host, int]]:
    """Fill the queue of `hosts[owners[i]]` with `keys[i]`; yield each host with how many it got."""
    order = np.lexsort((keys, owners))
    owners, keys = owners[order], keys[order]
    edges = np.flatnonzero(np.diff(owners, prepend=-1, append=-1)).tolist()
    for start, end in pairwise(edges):
        host = hosts[owners[start]]
        host.queue.fill(keys[start:end].copy())
        yield host, end - start


def requeue(
    table: LinkTable, hosts: Sequence[Host], ids: NDArray[np.int64], ranks: NDArray[np.int64]
) -> Iterator[Host]:
    """Give links that stand in a queue new ranks; yield the hosts concerned.

    Old keys need not be looked for: a key whose rank is no longer that of its link is passed over.
    """
    current = table.ranks[ids]
    changed = (current != CLOSED) & (current != ranks)
    ids, ranks = ids[changed], ranks[changed]
    table.ranks[ids] = ranks
    if len(ids) > FEW * len(table.ranks):
        ids = np.flatnonzero(table.ranks != CLOSED)
        ranks = table.ranks[ids].astype(np.int64)
        for host in hosts:
            host.queue = Queue()
    for host, _ in fill(hosts, table.owners[ids].astype(np.int64), (ranks << ID_BITS) | ids):
        yield host
