"""Re-rank open links while the crawl goes on.

A ranker that has learned returns new weights for features, or new scores for some links. A pass in another
thread computes the new rank of every open link and sorts them; then the queues are swapped host by host, in
slices between which the event loop runs. Until a host is swapped its links keep their old order. Changes
made meanwhile (links found, taken, raised, retried) are recorded and applied to the new order, too:

    weights ──▶ rank and sort, in a thread ──▶ swap a slice of hosts ──▶ swap the next … ──▶ one order
                    the crawl goes on              the event loop runs

With few open links, and where runs must be reproducible, all of it happens synchronously, before the next
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

from clew.contracts import FeatureChange
from clew.frontier.bulk_load import apply_ranks
from clew.frontier.feature_rows import FeatureRows
from clew.frontier.hosts import CLOSED, Host, LinkTable
from clew.frontier.linear_scorer import LinearScorer
from clew.frontier.queue import ID_BITS, Queue, ranks_of
from clew.frontier.rerank_pass import RankUpdates, RerankPass
from clew.types import Features, Ids, Scores

SYNC_LIMIT = 50_000
"""Up to this many open links are re-ranked synchronously: 10 to 20 ms."""

DIRECT_LIMIT = 1_000
"""Up to this many links are rescored one by one while a pass is running: 5 ms."""

SLICE_SECONDS = 0.010
"""Seconds of swapping before control returns to the event loop."""

HOSTS_PER_CHECK = 16
"""Hosts swapped between two readings of the clock: each takes about 5 µs."""


class Reranking:
    """Store the features of links; reorder all open links when weights or scores change.

    With `background`, passes over many links run beside the crawl; then `run` must be running.
    """

    def __init__(self, table: LinkTable, hosts: Sequence[Host], update_host: Callable[[Host], None]) -> None:
        self.background = False
        self.features: FeatureRows | None = None
        self.scorer: LinearScorer | None = None
        self.previous_scorer: LinearScorer | None = None  # of links not swapped yet
        self.completed_passes = 0
        self._links = table
        self._hosts = hosts
        self._update_host = update_host
        self.current_pass: RerankPass | None = None
        self._weights_changed = False
        self._updates: RankUpdates | None = None
        self._pass_started = asyncio.Event()

    def run_in_background(self) -> None:
        """Let passes over many links run beside the crawl from now on."""
        self.background = True

    def use_rows(self, rows: FeatureRows) -> None:
        """Keep features in these rows from now on."""
        self.features = rows

    @property
    def active(self) -> bool:
        """Whether a pass is running."""
        return self.current_pass is not None

    @property
    def swapping(self) -> bool:
        """Whether a pass has computed its ranks and puts them into the queues, host by host."""
        return self._links.new_ranks is not None

    def ranks(self, ids: Ids) -> NDArray[np.uint32]:
        """Return the ranks that links are queued with; `CLOSED` for links that are not."""
        return self._links.ranks[ids]

    def add_features(self, first: int, features: Features) -> None:
        """Store the features of new links, the first of which has the id `first`."""
        self._feature_rows(features).append(first, features)

    def _feature_rows(self, features: Features) -> FeatureRows:
        self.features = self.features or FeatureRows(features.shape[1])
        return self.features

    def update_features(
        self, ids: Ids, scores: Scores, features: Features, risen: Sequence[int]
    ) -> list[int]:
        """Store better features of open links that were found again; return the rows that improved.

        `risen` are the rows that rose in their queues. While a pass is running that is not reliable: queues
        may still be in the old order. Then features are compared by the current weights.
        """
        improved = list(risen)
        stored, scorer = self._feature_rows(features), self.scorer
        if self.active and scorer is not None:
            rows, open = stored.read(ids), self._links.current_ranks(ids) != CLOSED
            known = open & (rows[:, 0] > 0)
            better = known & (scores > scorer.scores(rows))
            improved = sorted({*np.flatnonzero(better).tolist(), *(row for row in risen if not known[row])})
        stored.replace(ids[improved], features[improved])
        if self.active:
            for id in {*ids[improved].tolist(), *ids[list(risen)].tolist()}:
                self._refresh_rank(id)
        return improved

    def change_features(self, change: FeatureChange) -> None:
        """Change the features of all links; their ranks change with the next weights."""
        if self.features is not None:
            self.features.change(self._links.size, change)

    def current_rank(self, id: int, rank: int) -> int:
        """Return the rank of a link by the current weights; `rank` if it has no features."""
        if self.scorer is None or self.features is None:
            return rank
        row = self.features.row(id)
        return int(ranks_of(self.scorer.scores(row))[0]) if row[0, 0] else rank

    def score_parts(self, id: int, score: float) -> tuple[float, ...]:
        """Return the parts of the score that a link was just taken with; empty if they are unknown."""
        if self.features is None or self.scorer is None:
            return ()
        row = self.features.row(id)
        for scorer in (self.scorer, self.previous_scorer) if row[0, 0] else ():
            if scorer is None:
                continue
            scores, parts = scorer.scored(row)
            if scores.item() == score:
                return tuple(parts[0].tolist())
        return ()

    def apply_weights(self, scorer: LinearScorer) -> None:
        """Set new weights, and re-rank every open link by them."""
        self.previous_scorer, self.scorer = self.scorer, scorer
        if self.features is not None:
            self._weights_changed, self._updates = True, None
            self._request_pass()

    def rescore(self, ids: Ids, ranks: NDArray[np.int64]) -> None:
        """Set new ranks of links; links that are not queued are left as they are."""
        if self.active and len(ids) <= DIRECT_LIMIT:
            for id, rank in zip(ids.tolist(), ranks.tolist(), strict=True):
                self._set_rank(id, rank)
        elif not self.background or (len(ids) <= SYNC_LIMIT and not self.active):
            for host in apply_ranks(self._links, self._hosts, ids, ranks):
                self._update_host(host)
        else:
            self._updates = _merge(self._updates, (ids, ranks))
            self._request_pass()

    def _request_pass(self) -> None:
        """Start a pass: synchronously, in the background, or when the running swap has ended."""
        if not self.background or np.count_nonzero(self._links.ranks != CLOSED) <= SYNC_LIMIT:
            if not self.swapping:
                self._start_pass()
            self.finish()
        elif not self.swapping:
            self._start_pass()
            self._pass_started.set()

    def _start_pass(self) -> None:
        """Start a pass; a running one is cancelled, and its work becomes part of the new one."""
        if self.current_pass is not None:
            self.current_pass.cancelled = True
            if not self._weights_changed:
                self._updates = _merge(self.current_pass.updates, self._updates)
            self._weights_changed |= self.current_pass.scorer is not None
        rows = (
            self.features.rows_below(self._links.size)
            if self.features is not None and self._weights_changed
            else None
        )
        self._links.written = defaultdict(list)
        self.current_pass = RerankPass(
            self._links,
            scorer=self.scorer if self._weights_changed else None,
            rows=rows,
            updates=self._updates,
        )
        self._weights_changed, self._updates = False, None
        if self.features is not None and self.scorer is not None and (pending := self.features.uncommitted()):
            ranks = ranks_of(self.scorer.scores(np.array(list(pending.values()))))
            for id, rank in zip(pending, ranks.tolist(), strict=True):
                self._set_rank(id, rank)

    def _refresh_rank(self, id: int) -> None:
        """Re-rank one open link by current weights, as the pass may have missed it."""
        self._set_rank(
            id, self.current_rank(id, self._links.host_ranks(self._links.owners.item(id)).item(id))
        )

    def _set_rank(self, id: int, rank: int) -> None:
        """Set the rank of one link, better or worse, if it is queued."""
        table, number = self._links, self._links.owners.item(id)
        if table.host_ranks(number).item(id) != CLOSED:
            table.set_rank(number, id, rank)
            heappush(self._hosts[number].queue.heap, (rank << ID_BITS) | id)
            self._update_host(self._hosts[number])

    async def run(self) -> None:
        """Run passes beside the crawl until cancelled."""
        while True:
            await self._pass_started.wait()
            self._pass_started.clear()
            # Hosts and queues live as long as the crawl. A garbage collection over those of 100,000 hosts
            # takes half a second, and thousands of new queues would trigger one.
            gc.freeze()
            while (current := self.current_pass) is not None:
                await asyncio.to_thread(current.run)
                while current is self.current_pass:
                    self.swap(SLICE_SECONDS)
                    await asyncio.sleep(0)
            gc.freeze()

    def cancel(self) -> None:
        """Cancel a running background pass: the crawl has ended."""
        if self.current_pass is not None:
            self.current_pass.cancelled = True

    def finish(self) -> None:
        """Run all pending passes to completion, synchronously."""
        while self.current_pass is not None:
            if self._links.new_ranks is None:
                self.current_pass.run()
            self.swap()

    def swap(self, seconds: float = float("inf")) -> bool:
        """Replace old queues by new ones for some seconds; return whether all are replaced."""
        table, current = self._links, self.current_pass
        assert current is not None, "there is a pass to finish"
        if table.new_ranks is None:
            table.new_ranks = current.new_ranks[: len(table.ranks)]
            table.pad_new_ranks()
        until = time.perf_counter() + seconds
        while table.swapped < len(self._hosts):
            self._swap_host(current, self._hosts[table.swapped])
            if table.swapped % HOSTS_PER_CHECK == 0 and time.perf_counter() > until:
                return False
        table.ranks, table.new_ranks, table.written, table.swapped = table.new_ranks, None, None, 0
        self.current_pass, self.completed_passes = None, self.completed_passes + 1
        if self._weights_changed or self._updates is not None:
            self._start_pass()
        return True

    def _swap_host(self, current: RerankPass, host: Host) -> None:
        table, number = self._links, host.number
        assert table.new_ranks is not None, "the new ranks are computed"
        assert table.written is not None, "changes since the start are recorded"
        queue = Queue()
        keys = current.host_keys(number)
        # A view would keep the whole column alive for one host.
        queue.extend(keys if 4 * len(keys) > len(current.keys) else keys.copy())
        if written := table.written.pop(number, None):
            ids = np.array(written, np.int64)  # may hold duplicates: a stale key is skipped
            ranks = table.ranks[ids]
            table.new_ranks[ids] = ranks
            open = ranks != CLOSED
            queue.extend(np.sort((ranks[open].astype(np.int64) << ID_BITS) | ids[open]))
        host.queue = queue
        table.swapped = number + 1
        self._update_host(host)


def _merge(older: RankUpdates | None, newer: RankUpdates | None) -> RankUpdates | None:
    """Concatenate two updates; of two ranks for a link the newer one wins."""
    if older is None or newer is None:
        return newer or older
    return np.concatenate((older[0], newer[0])), np.concatenate((older[1], newer[1]))
