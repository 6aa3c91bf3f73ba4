"""One pass over all open links: their new ranks, and their keys in order, host by host.

A pass works on columns as they were when it was asked for and writes only into columns of its own, so it
can run in a thread beside the crawl: numpy lets go of the interpreter during each of its calls.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import CLOSED, LinkTable
from clew.frontier.linear_scorer import LinearScorer
from clew.frontier.queue import ID_BITS, ID_MASK, Keys, ranks_of
from clew.types import Features, Ids

Given: TypeAlias = tuple[Ids, NDArray[np.int64]]
"""Links, and a new rank for each."""

BLOCK = 32_768
"""Rows scored at a time. After each call of numpy a pass waits until a busy loop lets go: few calls, then."""

DIGIT = 16
"""Bits that numpy sorts by in one pass without comparing."""


class RerankPass:
    """Rank what stands in a queue by the features of links, or by ranks that were given for some of them.

    `fresh` are the new ranks by id, `keys` all open links, those of host `n` best first from `edges[n]` to
    `edges[n + 1]`.
    """

    def __init__(
        self,
        table: LinkTable,
        *,
        scale: LinearScorer | None = None,
        rows: Features | None = None,
        given: Given | None = None,
    ) -> None:
        self.scale = scale
        self.rows = rows
        self.given = given
        self.abandoned = False
        self.keys: Keys = np.empty(0, np.int64)
        self.edges: Ids = np.zeros(1, np.int64)
        self.fresh: NDArray[np.uint32] = np.empty(0, np.uint32)
        self._old, self._owners, self._used = table.ranks, table.owners, table.used

    def run(self) -> None:
        """Do all of it; an abandoned pass ends early and is of no use."""
        self.rank()
        if not self.abandoned:
            self.sort()

    def rank(self) -> None:
        """Find the new rank of every open link."""
        room = len(self._old) + len(self._old) // 2  # the table may grow; nobody waits here
        fresh = np.full(room, CLOSED, np.uint32)
        if self.scale is not None and self.rows is not None:
            for start in range(0, self._used, BLOCK):
                if self.abandoned:
                    return
                self._weigh(self.scale, self.rows, fresh, start, min(start + BLOCK, self._used))
        else:
            fresh[: self._used] = self._old[: self._used]
        if self.given is not None:
            ids, ranks = self.given
            open = fresh[ids] != CLOSED
            fresh[ids[open]] = ranks[open]
        self.fresh = fresh

    def _weigh(
        self, scale: LinearScorer, rows: Features, fresh: NDArray[np.uint32], start: int, end: int
    ) -> None:
        old = self._old[start:end]
        open = np.flatnonzero(old != CLOSED)
        if 2 * len(open) >= end - start:
            new = self._ranks(scale, rows[start:end], old)
            new[old == CLOSED] = CLOSED
            fresh[start:end] = new
        elif len(open):
            fresh[start + open] = self._ranks(scale, rows[start + open], old[open])

    def _ranks(self, scale: LinearScorer, rows: Features, old: NDArray[np.uint32]) -> NDArray[np.int64]:
        ranks = ranks_of(scale.scores(rows))
        bare = rows[:, 0] == 0
        if bare.any():
            ranks[bare] = old[bare]
        return ranks

    def sort(self) -> None:
        """Bring the keys of all open links in order, host by host."""
        ids = np.flatnonzero(self.fresh[: self._used] != CLOSED)
        keys = self.fresh[ids].astype(np.int64)
        keys <<= ID_BITS
        keys |= ids
        del ids
        keys.sort()
        owners = self._owners[keys & ID_MASK]
        hosts = int(owners.max(initial=0)) + 1
        for digit in range(0, hosts.bit_length() if hosts > 1 else 0, DIGIT):
            order = np.argsort((owners >> np.uint32(digit)).astype(np.uint16), kind="stable")
            keys, owners = keys[order], owners[order]
        self.keys = keys
        self.edges = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=hosts))))

    def of(self, number: int) -> Keys:
        """Return the keys of one host, best first."""
        if number + 1 >= len(self.edges):
            return self.keys[:0]
        return self.keys[self.edges[number] : self.edges[number + 1]]
