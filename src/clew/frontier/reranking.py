"""Rank open links anew while the crawl goes on.

A ranker that has changed its mind gives weights for features, or new scores for some links. A pass in
another thread finds the new rank of every open link and sorts them; then the queues are swapped host by host,
in slices between which the loop breathes. Until a host is swapped its links keep their old order. Whatever
is written meanwhile (links found, taken, raised, back) is noted and holds in the new order, too:

    weights ──▶ rank and sort, in a thread ──▶ swap a slice of hosts ──▶ swap the next … ──▶ one order
                    the crawl goes on              the loop breathes

With few open links, and where runs must be repeatable, all of it happens at once, before the next
link is taken.
"""

import asyncio
import gc
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import heappush

import numpy as np
from numpy.typing import NDArray

from clew.frontier.bulk_load import requeue
from clew.frontier.feature_rows import FeatureRows
from clew.frontier.hosts import CLOSED, Host, LinkTable
from clew.frontier.linear_scorer import LinearScorer, total
from clew.frontier.queue import ID_BITS, Queue, ranks_of
from clew.frontier.rerank_pass import Given, RerankPass
from clew.types import Features, Ids, Scores

FEW = 50_000
"""Up to so many open links everything is done at once: 10 to 20 ms."""

HANDFUL = 1_000
"""Links that get other scores one by one while a pass is under way: 5 ms."""

SLICE = 0.010
"""Seconds of swapping before the loop breathes."""

LOOK = 16
"""Hosts swapped between two looks at the clock: each takes some 5 µs."""


class Reranking:
    """Keep the features of links; put all open links in a new order when weights or scores change.

    `background` lets passes over many links run beside the crawl; then `attend` must be running.
    """

    def __init__(self, table: LinkTable, hosts: Sequence[Host], settle: Callable[[Host], None]) -> None:
        self.background = False
        self.kept: FeatureRows | None = None
        self.scale: LinearScorer | None = None
        self.before: LinearScorer | None = None  # by which links stand that a pass has not swapped yet
        self.passes = 0  # that reached their end
        self._table = table
        self._hosts = hosts
        self._settle = settle
        self._pass: RerankPass | None = None
        self._weigh = False
        self._given: Given | None = None
        self._asked = asyncio.Event()

    @property
    def active(self) -> bool:
        """Whether a pass is under way."""
        return self._pass is not None

    def keep(self, first: int, features: Features) -> None:
        """Keep the features of new links, the first of which has the id `first`."""
        self._rows(features).put(first, features)

    def _rows(self, features: Features) -> FeatureRows:
        self.kept = self.kept or FeatureRows(features.shape[1])
        return self.kept

    def replace(self, ids: Ids, scores: Scores, features: Features, risen: Sequence[int]) -> list[int]:
        """Keep the better features of open links that were met again; return the rows that gained.

        `risen` are the rows that rose in their queues. While a pass is under way that says nothing: queues
        may still be in the old order. Then features are compared, by the weights that hold now.
        """
        gained = list(risen)
        kept, scale = self._rows(features), self.scale
        if self.active and scale is not None:
            rows, open = kept.read(ids), self._table.current(ids) != CLOSED
            known = open & (rows[:, 0] > 0)
            better = known & (scores > scale.scores(rows))
            gained = sorted({*np.flatnonzero(better).tolist(), *(row for row in risen if not known[row])})
        kept.replace(ids[gained], features[gained])
        if self.active:
            for id in {*ids[gained].tolist(), *ids[list(risen)].tolist()}:
                self._set_right(id)
        return gained

    def rank_now(self, id: int, rank: int) -> int:
        """Return the rank of a link by the weights that hold now; `rank` if it has no features."""
        if self.scale is None or self.kept is None:
            return rank
        row = self.kept.row(id)
        return int(ranks_of(self.scale.scores(row))[0]) if row[0, 0] else rank

    def parts_now(self, id: int, score: float) -> tuple[float, ...]:
        """Return what the score is made of that a link was just taken with; empty where nobody can say."""
        if self.kept is None or self.scale is None:
            return ()
        row = self.kept.row(id)
        for scale in (self.scale, self.before) if row[0, 0] else ():
            if scale is not None and total(parts := scale.parts(row)).item() == score:
                return tuple(parts[0].tolist())
        return ()

    def weigh_anew(self, scale: LinearScorer) -> None:
        """Let other weights hold from now on, and rank every open link by them."""
        self.before, self.scale = self.scale, scale
        if self.kept is not None:
            self._weigh, self._given = True, None
            self._ask()

    def rescore(self, ids: Ids, ranks: NDArray[np.int64]) -> None:
        """Give links new ranks; those that stand in no queue are left as they are."""
        if self.active and len(ids) <= HANDFUL:
            for id, rank in zip(ids.tolist(), ranks.tolist(), strict=True):
                self._set(id, rank)
        elif not self.background or (len(ids) <= FEW and not self.active):
            for host in requeue(self._table, self._hosts, ids, ranks):
                self._settle(host)
        else:
            self._given = _joined(self._given, (ids, ranks))
            self._ask()

    def _ask(self) -> None:
        """Begin what is wanted: at once, beside the crawl, or when the swap under way has ended."""
        if not self.background or np.count_nonzero(self._table.ranks != CLOSED) <= FEW:
            if self._table.fresh is None:
                self._begin()
            self.finish()
        elif self._table.fresh is None:
            self._begin()
            self._asked.set()

    def _begin(self) -> None:
        """Begin a pass; an older one is abandoned, and what it was for is part of this one."""
        if self._pass is not None:
            self._pass.abandoned = True
            if not self._weigh:
                self._given = _joined(self._pass.given, self._given)
            self._weigh |= self._pass.scale is not None
        rows = self.kept.cover(self._table.used) if self.kept is not None and self._weigh else None
        self._table.touched = defaultdict(list)
        self._pass = RerankPass(
            self._table, scale=self.scale if self._weigh else None, rows=rows, given=self._given
        )
        self._weigh, self._given = False, None
        if self.kept is not None and self.scale is not None and (waiting := self.kept.unsettled()):
            ranks = ranks_of(self.scale.scores(np.array(list(waiting.values()))))
            for id, rank in zip(waiting, ranks.tolist(), strict=True):
                self._set(id, rank)

    def _set_right(self, id: int) -> None:
        """Rank one open link by what holds now, if the pass may not have seen it."""
        self._set(id, self.rank_now(id, self._table.of(self._table.owners.item(id)).item(id)))

    def _set(self, id: int, rank: int) -> None:
        """Give one link another rank, better or worse, if it stands in a queue."""
        table, number = self._table, self._table.owners.item(id)
        if table.of(number).item(id) != CLOSED:
            table.write(number, id, rank)
            heappush(self._hosts[number].queue.heap, (rank << ID_BITS) | id)
            self._settle(self._hosts[number])

    async def attend(self) -> None:
        """Run passes beside the crawl, for ever: to be cancelled when the crawl ends."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            # Hosts and queues live as long as the crawl. To walk through those of 100,000 hosts in search of
            # garbage takes half a second, and new queues by the thousand would be a reason to.
            gc.freeze()
            while (asked := self._pass) is not None:
                await asyncio.to_thread(asked.run)
                while asked is self._pass:
                    self.swap(SLICE)
                    await asyncio.sleep(0)
            gc.freeze()

    def abandon(self) -> None:
        """Let a pass that runs beside the crawl end early: the crawl is over."""
        if self._pass is not None:
            self._pass.abandoned = True

    def finish(self) -> None:
        """Bring everything that is under way to its end, now."""
        while self._pass is not None:
            if self._table.fresh is None:
                self._pass.run()
            self.swap()

    def swap(self, seconds: float = float("inf")) -> bool:
        """Put new queues in place of old ones for some seconds; say whether all are there."""
        table, asked = self._table, self._pass
        assert asked is not None, "there is a pass to end"
        if table.fresh is None:
            table.fresh = asked.fresh[: len(table.ranks)]
            table.match()
        until = time.perf_counter() + seconds
        while table.swapped < len(self._hosts):
            self._swap_host(asked, self._hosts[table.swapped])
            if table.swapped % LOOK == 0 and time.perf_counter() > until:
                return False
        table.ranks, table.fresh, table.touched, table.swapped = table.fresh, None, None, 0
        self._pass, self.passes = None, self.passes + 1
        if self._weigh or self._given is not None:
            self._begin()
        return True

    def _swap_host(self, asked: RerankPass, host: Host) -> None:
        table, number = self._table, host.number
        assert table.fresh is not None, "the new ranks are there"
        assert table.touched is not None, "what happened since is known"
        queue = Queue()
        keys = asked.of(number)
        # A view would keep the whole column alive for the sake of one host.
        queue.fill(keys if 4 * len(keys) > len(asked.keys) else keys.copy())
        if touched := table.touched.pop(number, None):
            ids = np.array(touched, np.int64)  # some twice: a key that was used is passed over
            ranks = table.ranks[ids]
            table.fresh[ids] = ranks
            open = ranks != CLOSED
            queue.fill(np.sort((ranks[open].astype(np.int64) << ID_BITS) | ids[open]))
        host.queue = queue
        table.swapped = number + 1
        self._settle(host)


def _joined(older: Given | None, newer: Given | None) -> Given | None:
    """Return what was given first and what was given then; of two ranks for a link the later counts."""
    if older is None or newer is None:
        return newer or older
    return np.concatenate((older[0], newer[0])), np.concatenate((older[1], newer[1]))
