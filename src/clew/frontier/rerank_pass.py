"""One pass over all open links: compute their new ranks, and sort their keys host by host.

A pass reads the columns as they were when it was created and writes only into columns of its own, so it
can run in a thread beside the crawl: numpy releases the interpreter lock during each of its calls.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import CLOSED, LinkTable
from clew.frontier.linear_scorer import LinearScorer
from clew.frontier.queue import ID_BITS, ID_MASK, Keys, ranks_of
from clew.types import Features, Ids

RankUpdates: TypeAlias = tuple[Ids, NDArray[np.int64]]
"""Links, and a new rank for each."""

BLOCK = 32_768
"""Rows scored at a time. After each numpy call a pass waits for the interpreter lock: hence few calls."""

RADIX_BITS = 16
"""Bits per radix-sort pass of numpy."""


class RerankPass:
    """Re-rank queued links by their features, or by explicit `updates` for some of them.

    `new_ranks` are the ranks by id; `keys` are all open links, those of host `n` best first from
    `host_edges[n]` to `host_edges[n + 1]`.
    """

    def __init__(
        self,
        table: LinkTable,
        *,
        scorer: LinearScorer | None = None,
        rows: Features | None = None,
        updates: RankUpdates | None = None,
    ) -> None:
        self.scorer = scorer
        self.rows = rows
        self.updates = updates
        self.cancelled = False
        self.keys: Keys = np.empty(0, np.int64)
        self.host_edges: Ids = np.zeros(1, np.int64)
        self.new_ranks: NDArray[np.uint32] = np.empty(0, np.uint32)
        self._old_ranks, self._owners, self._size = table.ranks, table.owners, table.size

    def run(self) -> None:
        """Rank and sort; a cancelled pass ends early and its results are not usable."""
        self.rank()
        if not self.cancelled:
            self.sort()

    def rank(self) -> None:
        """Compute the new rank of every open link."""
        capacity = len(self._old_ranks) + len(self._old_ranks) // 2  # the table may grow meanwhile
        new_ranks = np.full(capacity, CLOSED, np.uint32)
        if self.scorer is not None and self.rows is not None:
            for start in range(0, self._size, BLOCK):
                if self.cancelled:
                    return
                self._score_block(self.scorer, self.rows, new_ranks, start, min(start + BLOCK, self._size))
        else:
            new_ranks[: self._size] = self._old_ranks[: self._size]
        if self.updates is not None:
            ids, ranks = self.updates
            open = new_ranks[ids] != CLOSED
            new_ranks[ids[open]] = ranks[open]
        self.new_ranks = new_ranks

    def _score_block(
        self, scorer: LinearScorer, rows: Features, new_ranks: NDArray[np.uint32], start: int, end: int
    ) -> None:
        old = self._old_ranks[start:end]
        open = np.flatnonzero(old != CLOSED)
        if 2 * len(open) >= end - start:
            ranks = self._rank_rows(scorer, rows[start:end], old)
            ranks[old == CLOSED] = CLOSED
            new_ranks[start:end] = ranks
        elif len(open):
            new_ranks[start + open] = self._rank_rows(scorer, rows[start + open], old[open])

    def _rank_rows(self, scorer: LinearScorer, rows: Features, old: NDArray[np.uint32]) -> NDArray[np.int64]:
        ranks = ranks_of(scorer.scores(rows))
        without_features = rows[:, 0] == 0
        if without_features.any():
            ranks[without_features] = old[without_features]
        return ranks

    def sort(self) -> None:
        """Sort the keys of all open links, host by host."""
        ids = np.flatnonzero(self.new_ranks[: self._size] != CLOSED)
        keys = self.new_ranks[ids].astype(np.int64)
        keys <<= ID_BITS
        keys |= ids
        del ids
        keys.sort()
        owners = self._owners[keys & ID_MASK]
        hosts = int(owners.max(initial=0)) + 1
        for digit in range(0, hosts.bit_length() if hosts > 1 else 0, RADIX_BITS):
            order = np.argsort((owners >> np.uint32(digit)).astype(np.uint16), kind="stable")
            keys, owners = keys[order], owners[order]
        self.keys = keys
        self.host_edges = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=hosts))))

    def host_keys(self, number: int) -> Keys:
        """Return the keys of one host, best first."""
        if number + 1 >= len(self.host_edges):
            return self.keys[:0]
        return self.keys[self.host_edges[number] : self.host_edges[number + 1]]
