"""Fill the queues of many hosts at once: new links of a page, after a restart, after a re-ranking."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.frontier.hosts import CLOSED, Host, HostTable, LinkTable
from clew.frontier.queue import ID_BITS, Keys, Queue, ranks_of
from clew.types import Scores

_push_links = compiled("clew.frontier._new_links", "push_links")

REBUILD_SHARE = 0.2
"""Up to this share of all links, new keys are added beside the old ones; beyond it queues are rebuilt."""


def push_links(  # noqa: PLR0917 - columns of the same links
    hosts: HostTable,
    origins: list[str],
    scores: Scores,
    open: NDArray[np.bool_],
    first_id: int,
    table: LinkTable,
) -> list[Host]:
    """Push the open ones of the links `first_id` and so on into the queues of their hosts.

    Rank and owner of each are entered in the table; the hosts of these links are returned.
    """
    place = slice(first_id, first_id + len(origins))
    if _push_links is not None:
        columns = np.ascontiguousarray(scores, np.float32), open.view(np.uint8), first_id
        changed: list[Host] = _push_links(hosts, origins, *columns, table.ranks[place], table.owners[place])
        return changed
    ranks, found = ranks_of(scores), dict[Host, None]()
    keys = (ranks << ID_BITS) | np.arange(place.start, place.stop)
    for row, (origin, key, is_open) in enumerate(zip(origins, keys.tolist(), open.tolist(), strict=True)):
        host = hosts.get(origin)
        found[host] = None
        table.owners[first_id + row] = host.number
        if is_open:
            heappush(host.queue.heap, key)
            host.open += 1
    table.ranks[place] = np.where(open, ranks, CLOSED)
    return list(found)


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
