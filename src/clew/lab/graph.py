"""Which pages of an archive can be reached from which, over its links and redirects."""

import numpy as np
from numpy.typing import NDArray

from clew.lab.page_store import PageStore

FAR = -1
"""The distance of pages that cannot be reached."""


def distances(store: PageStore, begin: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each row how many links away it is from the rows to begin with; redirects cost nothing."""
    hops = np.full(len(store), FAR, np.int32)
    front, step = follow_redirects(store, begin), 0
    while len(front):
        front = np.unique(front[hops[front] == FAR])
        hops[front] = step
        front, step = follow_redirects(store, _targets(store, front)), step + 1
    return hops


def _targets(store: PageStore, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    pieces = [store.ways[store.starts[row] : store.starts[row + 1]] for row in rows.tolist()]
    return np.concatenate(pieces) if pieces else np.empty(0, np.int32)


def follow_redirects(store: PageStore, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Follow redirects, all at once, at most as many as a crawl would."""
    rows = rows[rows >= 0]
    for _ in range(10):
        further = store.moved[rows]
        if (further < 0).all():
            break
        rows = np.where(further >= 0, further, rows)
    return rows
