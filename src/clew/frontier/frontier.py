"""Which link may be fetched next, and when: hosts first, links second.

Every origin is a *host* with a queue of its open links. Hosts of one name share a *clock*: http and
https of a machine are one machine. A clock that may be asked now stands in one heap, by its best link;
a clock that must wait stands in another, by time. So taking a link never looks at more than the hosts
it concerns, and the link taken is always the best one that politeness allows.

    add ──▶ queue of its host ──▶ take ──▶ under way ──▶ done | drop
                  ▲                            │
                  └───────── later ◀── back ◀──┘

`now` is always given, in seconds that never run backwards.
"""

import math
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from clew.frontier.bulk_load import fill
from clew.frontier.host_scheduler import HostScheduler
from clew.frontier.hosts import CLOSED, Host, HostClock, HostTable, LinkTable
from clew.frontier.queue import ID_BITS, ID_MASK, SPILL, ranks_of, score_of
from clew.frontier.reranking import Reranking
from clew.frontier.stats import BINS, FrontierStats, spread
from clew.frontier.url_index import Ids, UrlIndex
from clew.types import Hashes, Scores

_GATE = -1  # stands for the rank of a robots link under way


class Frontier:
    """Give out the best link whose host may be asked now.

    `delay` is the least time from the end of a request to a clock, and from its start, to the next start;
    `per_host` limits the requests under way at a clock, `pages_per_host` the pages of one origin in this run.

    >>> frontier = Frontier(delay=1.0)
    >>> hashes, scores = np.array([1, 2], np.uint64), np.array([0.2, 0.9], np.float32)
    >>> frontier.add(1, ["http://a.example"] * 2, hashes, scores, np.array([True, True]))
    >>> frontier.take(0.0), frontier.take(0.5)
    (2, None)
    >>> frontier.done(2, 0.25)
    >>> frontier.wake_at(0.5), frontier.take(1.25)
    (1.25, 1)
    """

    def __init__(self, *, delay: float = 1.0, per_host: int = 1, pages_per_host: int = 0) -> None:
        self.delay = delay
        self.per_host = per_host
        self.pages_per_host = pages_per_host
        self.open = 0  # links in a queue or waiting for their next try, at hosts not given up
        self._seen = UrlIndex()
        self._hosts = HostTable(delay)
        self._table = LinkTable()
        self._turns = HostScheduler(self._hosts.clocks, self._table, per_host)
        self.reranking = Reranking(self._table, self._hosts.by_number, self._settle)
        self._later: list[tuple[float, int]] = []
        self._delayed: dict[int, tuple[Host, int]] = {}
        self._out: dict[int, tuple[Host, int, float, float]] = {}
        self._resting: dict[int, float] = {}

    @property
    def hosts(self) -> int:
        """How many origins have been met."""
        return len(self._hosts)

    @property
    def under_way(self) -> int:
        """How many links were taken and have not come back."""
        return len(self._out)

    def known(self, hashes: Hashes) -> Ids:
        """Return the link id of each URL hash, 0 for those never met."""
        return self._seen.find(hashes)

    def origins(self, name: str) -> list[str]:
        """Return the origins met whose host is `name`, or stands below it if that is `*.name`."""
        return self._hosts.named(name)

    def next_at(self, origin: str) -> float:
        """Return when an origin may be asked next."""
        return self._hosts.of(origin).clock.next_at

    def held(self) -> dict[str, str]:
        """Return the origins given up for this run while links of theirs are open, with the reason."""
        return self._hosts.held()

    def census(self, now: float) -> FrontierStats:
        """Count hosts by what they wait for, and links by score. Looks at every host: for the screen."""
        self._resting = {clock: until for clock, until in self._resting.items() if until > now}
        return FrontierStats(
            waits=self._hosts.state(now, self.per_host, self._is_full, self._resting),
            resting=self._hosts.resting(self._resting),
            held=self.held(),
            scores=spread(self._table.ranks, BINS),
        )

    def add(
        self, first_id: int, origins: Sequence[str], hashes: Hashes, scores: Scores, open: NDArray[np.bool_]
    ) -> None:
        """Register the links `first_id`, `first_id + 1` …; those marked `open` may be taken from now on."""
        count = len(origins)
        self._table.make_room(first_id + count)
        self._seen.add(first_id, hashes)
        ranks = ranks_of(scores)
        keys = (ranks << ID_BITS) | np.arange(first_id, first_id + count)
        touched: list[Host] = []
        owners, last, number, heap = [], "", -1, []
        for origin, key, wanted in zip(origins, keys.tolist(), open.tolist(), strict=True):
            if origin != last:
                host = self._hosts.of(origin)
                last, number, heap = origin, host.number, host.queue.heap
                touched.append(host)
            owners.append(number)
            if wanted:
                heappush(heap, key)
                host.open += 1
        self._table.owners[first_id : first_id + count] = owners
        self._table.write_many(np.arange(first_id, first_id + count), np.where(open, ranks, CLOSED))
        for host in dict.fromkeys(touched):
            self._settle_pushed(host)

    def load(
        self,
        *,
        ids: Ids,
        hashes: Hashes,
        scores: Scores,
        open: NDArray[np.bool_],
        origins: Sequence[str],
        owners: NDArray[np.int64],
        clocks: Mapping[str, float] | None = None,
        pages: Sequence[int] = (),
    ) -> None:
        """Build from stored columns: link `i` belongs to `origins[owners[i]]`.

        `clocks` gives the next allowed request by origin, so that a restart cannot begin with a burst;
        `pages` how many pages each origin has given already.
        """
        hosts = [self._hosts.of(origin) for origin in origins]
        for host, count in zip(hosts, pages, strict=False):
            host.pages = count
        for origin, at in (clocks or {}).items():
            clock = self._hosts.of(origin).clock
            clock.next_at = max(clock.next_at, at)
        if len(ids):
            self._table.make_room(int(ids.max()) + 1)
        self._seen.load(ids, hashes)
        ranks = ranks_of(scores)
        self._table.ranks[ids] = np.where(open, ranks, CLOSED)
        self._table.owners[ids] = np.array([host.number for host in hosts], np.uint32)[owners]
        for host, count in fill(hosts, owners[open], ((ranks << ID_BITS) | ids)[open]):
            host.open += count
            self._settle(host)

    def raise_scores(self, ids: Ids, scores: Scores) -> list[int]:
        """Let links that were met again rise if they are in a queue and gain, and return which rows did."""
        ranks = ranks_of(scores)
        current = self._table.current(ids)
        risen = []
        for at in np.flatnonzero((ranks < current) & (current != CLOSED)).tolist():
            id, rank = int(ids[at]), int(ranks[at])
            number = self._table.owners.item(id)
            if rank < self._table.of(number).item(id):  # else: twice in one batch
                self._push(self._hosts.by_number[number], id, rank)
                risen.append(at)
        return risen

    def rescore(self, ids: Ids, scores: Scores) -> None:
        """Give links new scores, better or worse; those that stand in no queue are left as they are."""
        self.reranking.rescore(ids, ranks_of(scores))

    def standing(self, ids: Ids) -> NDArray[np.bool_]:
        """Say which links stand in a queue."""
        stands: NDArray[np.bool_] = self._table.current(ids) != CLOSED
        return stands

    def standings(self) -> NDArray[np.uint32]:
        """Return where every link stands, by id, to be compared with `moved` later; smaller is better."""
        return self._table.current(np.arange(self._table.used))

    def close(self, ids: Ids) -> None:
        """Take links out of their queues, if they stand in one; `reopen` brings them back."""
        ids = ids[self.standing(ids)]
        self._table.write_many(ids, CLOSED)  # their keys are passed over from now on
        for number, count in zip(*np.unique(self._table.owners[ids], return_counts=True), strict=True):
            host = self._hosts.by_number[int(number)]
            host.open -= int(count)
            self._settle(host)

    def score(self, id: int) -> float:
        """Return the score with which a link under way was taken."""
        return score_of(self._out[id][1])

    def gate(self, origin: str, id: int) -> None:
        """Let nothing of `origin` be taken before the robots link `id` was, and `open_gate` was called."""
        host = self._hosts.of(origin)
        host.gate, host.gate_out = id, False
        self._turns.place(host.clock)

    def open_gate(self, origin: str, delay: float | None = None) -> None:
        """Let links of `origin` be taken: its rules are known, with the Crawl-delay they ask for."""
        host = self._hosts.of(origin)
        host.gate, host.gate_out = 0, False
        host.delay = delay or 0.0
        clock = host.clock
        clock.delay = max(self.delay, *(each.delay for each in clock.hosts))
        clock.next_at = max(clock.next_at, clock.last + clock.delay)
        self._turns.place(clock)

    def take(self, now: float) -> int | None:
        """Return the best link whose host may be asked now, or None; it is under way from then on."""
        self._advance(now)
        turn = self._turns.first()
        return self._give(turn[0]) if turn else None

    def done(self, id: int, now: float, *, rest: float = 0.0) -> None:
        """Record that the request ended; its host is asked again after the delay, or after `rest`."""
        self._end(self._out.pop(id)[0].clock, now, rest)

    def back(self, id: int, now: float, retry_at: float) -> None:
        """Record that the request ended and the link is to be taken again, but not before `retry_at`."""
        host, rank, *_ = self._out.pop(id)
        self._delayed[id] = (host, rank)
        heappush(self._later, (retry_at, id))
        if rank != _GATE:
            host.pages -= 1
            host.open += 1
            self._count(host)
        self._end(host.clock, now, 0.0)

    def drop(self, id: int) -> None:
        """Release a link that was taken but never requested: the clock stands as if it had not been."""
        host, rank, before, after = self._out.pop(id)
        clock = host.clock
        clock.busy -= 1
        if clock.next_at == after:
            clock.next_at = before
        if rank != _GATE:
            host.pages -= 1
            self._count(host)
        self._turns.place(clock)

    def put_back(self, id: int) -> None:
        """Release a link that was taken but never requested, into the place where it stood."""
        host, rank, *_ = self._out[id]
        self.drop(id)
        self._delayed[id] = (host, rank)
        host.open += rank != _GATE
        self._return(id)

    def rest(self, origin: str, until: float) -> None:
        """Leave a host (and its twin of the other scheme) alone until a time."""
        clock = self._hosts.of(origin).clock
        clock.next_at = max(clock.next_at, until)
        self._resting[clock.index] = clock.next_at
        self._turns.place(clock)

    def reopen(self, id: int, score: float) -> None:
        """Put a link that was dropped back into its queue."""
        host = self._hosts.by_number[self._table.owners.item(id)]
        self._delayed[id] = (host, int(ranks_of(np.array([score], np.float32))[0]))
        host.open += 1
        self._return(id)

    def hold(self, origin: str, reason: str = "given up") -> int:
        """Give a host up for this run: its links stay open in the store; return how many there are."""
        host = self._hosts.of(origin)
        host.held, host.left = reason, False
        self._settle(host)
        return host.open

    def favour(self, origin: str, turn: float | str | None) -> None:
        """Let a host compete by a number from 0 to 1; by its best link again for None.

        A reason in words leaves it alone until the next turn; hosts that are held for another reason stay so.
        """
        host = self._hosts.of(origin)
        left = isinstance(turn, str)
        if host.left or not host.held:
            host.held, host.left = turn if isinstance(turn, str) else "", left
        if not isinstance(turn, str):
            host.favour = None if turn is None else int(ranks_of(np.array([turn], np.float32))[0])
        self._settle(host)

    def release(self, origin: str) -> int:
        """Go on with a host that was held; return how many links are open there."""
        host = self._hosts.of(origin)
        host.held = ""
        self._settle(host)
        return host.open

    def wake_at(self, now: float) -> float | None:
        """Return when a link may next be taken: `now`, a later time, or None when no link is open.

        Infinity says that links are open, but only a request under way can set one free.
        """
        self._advance(now)
        if not self.open:
            return None
        earliest = self._turns.earliest()
        if earliest == -math.inf:
            return now
        return min(earliest, self._later[0][0]) if self._later else earliest

    def _advance(self, now: float) -> None:
        """Let time pass: links due for another try enter their queues, clocks that waited get ready."""
        self._turns.now = max(self._turns.now, now)
        while self._later and self._later[0][0] <= now:
            self._return(heappop(self._later)[1])
        self._turns.advance(now)

    def _return(self, id: int) -> None:
        host, rank = self._delayed.pop(id)
        if rank != _GATE:
            rank = self.reranking.rank_now(id, rank)
            self._table.write(host.number, id, rank)
            heappush(host.queue.heap, (rank << ID_BITS) | id)
        elif host.gate == id and id not in self._out:
            host.gate_out = False
        self._settle(host)

    def _push(self, host: Host, id: int, rank: int) -> None:
        """Give a link that stands in a queue another rank; its old key is passed over from now on."""
        self._table.write(host.number, id, rank)
        heappush(host.queue.heap, (rank << ID_BITS) | id)
        self._settle_pushed(host)

    def _is_full(self, host: Host) -> bool:
        return bool(self.pages_per_host) and host.pages >= self.pages_per_host

    def _settle(self, host: Host) -> None:
        """Bring counters and standing up to date after the links of a host changed."""
        self._count(host)
        self._turns.place(host.clock)

    def _settle_pushed(self, host: Host) -> None:
        """Do the same when links were only pushed: most often the host's standing is not touched."""
        self._count(host)
        clock, heap = host.clock, host.queue.heap
        if not heap:
            return
        waits = clock.wakes == clock.next_at or clock.busy >= self.per_host
        stands = clock.announced <= heap[0] if clock.announced else waits
        if len(heap) > SPILL:
            host.queue.spill()
        if not stands:
            self._settle(host)

    def _count(self, host: Host) -> None:
        counts = 0 if host.held or self._is_full(host) else host.open
        self.open += counts - host.counted
        host.counted = counts

    def _give(self, clock: HostClock) -> int:
        _, key, host = self._turns.best(clock)
        assert host is not None, "an announced clock has a link"
        id = key & ID_MASK
        if host.gate:
            host.gate_out, rank = True, _GATE
        else:
            heappop(host.queue.heap)
            rank = key >> ID_BITS
            self._table.write(host.number, id, CLOSED)
            host.open -= 1
            host.pages += 1
        before, clock.next_at = clock.next_at, max(clock.next_at, self._turns.now + clock.delay)
        self._out[id] = (host, rank, before, clock.next_at)
        clock.last = self._turns.now
        clock.busy += 1
        clock.announced = 0
        self._count(host)
        self._turns.place(clock)
        return id

    def _end(self, clock: HostClock, now: float, rest: float) -> None:
        self._turns.now = max(self._turns.now, now)
        clock.busy -= 1
        clock.last = max(clock.last, now)
        clock.next_at = max(clock.next_at, now + clock.delay, now + rest)
        if rest > clock.delay:
            self._resting[clock.index] = clock.next_at
        self._turns.place(clock)
