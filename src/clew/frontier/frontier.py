"""Decide which link may be fetched next, and when: hosts first, links second.

Every origin is a *host* with a queue of its open links. Origins with the same host name share a politeness
*clock*: http and https of a server are one server. Clocks that may send a request now are in one heap,
ordered by their best link; clocks that must wait are in another, ordered by time. So taking a link only
examines the hosts concerned, and the link taken is always the best one that politeness allows.

    add ──▶ queue of its host ──▶ take ──▶ in flight ──▶ done | cancel
                  ▲                            │
                  └────── waiting ◀── retry_later

Callers pass `now`, in seconds that never run backwards.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from clew.frontier.availability import Availability
from clew.frontier.bulk_load import fill_queues, load_hosts, push_links
from clew.frontier.discounts import Discounts
from clew.frontier.host_limits import HostLimits, LimitsByName
from clew.frontier.host_scheduler import SOON, HostScheduler
from clew.frontier.hosts import CLOSED, Host, HostClock, HostTable, LinkTable
from clew.frontier.links_again import LinksAgain
from clew.frontier.queue import ID_BITS, ID_MASK, MAX_HEAP, ranks_of, score_of
from clew.frontier.reranking import Reranking
from clew.frontier.stats import FrontierStats, frontier_stats
from clew.frontier.url_index import Ids, UrlIndex
from clew.types import Hashes, Scores

_ROBOTS_RANK = -1  # rank of a robots link in flight


class Frontier:
    """Return the best link whose host may be requested now.

    `delay` is the least time from the start, and from the end, of a request to the start of the next one of
    the same clock; `per_host` limits the requests in flight per clock, `pages_per_host` the pages per origin.

    >>> frontier = Frontier(delay=1.0)
    >>> hashes, scores = np.array([1, 2], np.uint64), np.array([0.2, 0.9], np.float32)
    >>> frontier.add(1, ["http://a.example"] * 2, hashes, scores, np.array([True, True]))
    >>> frontier.take(0.0), frontier.take(0.5)
    (2, None)
    >>> frontier.done(2, 0.25)
    >>> frontier.next_ready_at(0.5), frontier.take(1.25)
    (1.25, 1)
    """

    def __init__(self, *, delay: float = 1.0, per_host: int = 1, pages_per_host: int = 0) -> None:
        self.pages_per_host = pages_per_host
        self.open = 0  # links in a queue or waiting for a retry, at hosts that are not suspended
        self._url_index = UrlIndex()
        limits = LimitsByName(delay)
        self._hosts = HostTable(delay, limits.apply)
        self._links = LinkTable()
        self._scheduler = HostScheduler(self._hosts.clocks, self._links, per_host, SOON * delay)
        self.availability = Availability(self._scheduler, self._advance)
        self.reranking = Reranking(self._links, self._hosts.by_number, self._update_host)
        self._retry_heap: list[tuple[float, int]] = []
        self._waiting: dict[int, tuple[Host, int]] = {}
        self._in_flight: dict[int, tuple[Host, int, float, float]] = {}
        self._paused_until: dict[int, float] = {}
        self.discounts = Discounts(self._links, self._update_rank)
        self.limits = HostLimits(limits, self._hosts, self._update_host)
        self.again = LinksAgain(self._links, self._hosts, self.reranking, self.reopen)

    @property
    def hosts(self) -> int:
        """Number of known origins."""
        return len(self._hosts)

    @property
    def in_flight(self) -> int:
        """Number of links taken whose request has not ended."""
        return len(self._in_flight)

    def prompt_requests(self) -> int:
        """Return the number of requests in flight that are not overdue."""
        flights = self._in_flight.values()
        return sum(self._scheduler.is_prompt(after - host.clock.delay) for host, _, _, after in flights)

    def find_ids(self, hashes: Hashes) -> Ids:
        """Return the link id of each URL hash, 0 for unknown ones."""
        return self._url_index.find(hashes)

    def matching_origins(self, name: str) -> list[str]:
        """Return the known origins whose host is `name`, or a subdomain of it for `*.name`."""
        return self._hosts.matching_origins(name)

    def next_request_at(self, origin: str) -> float:
        """Return when an origin may be requested next."""
        return self._hosts.get(origin).clock.next_at

    def suspended(self) -> dict[str, str]:
        """Return the suspended origins that have open links, with the reason."""
        return self._hosts.suspended()

    def stats(self, now: float) -> FrontierStats:
        """Count hosts by status and links by score. It visits every host: meant for the dashboard."""
        self._paused_until = {clock: until for clock, until in self._paused_until.items() if until > now}
        status = self._hosts.count_by_status(now, self._scheduler.per_host, self._is_full, self._paused_until)
        return frontier_stats(self._hosts, status, self._paused_until, self._links.ranks)

    def add(
        self, first_id: int, origins: Sequence[str], hashes: Hashes, scores: Scores, open: NDArray[np.bool_]
    ) -> None:
        """Register the links `first_id`, `first_id + 1` …; those marked `open` may be taken from now on."""
        self._links.grow(first_id + len(origins))
        self._url_index.add(first_id, hashes)
        changed = push_links(self._hosts, list(origins), scores, open, first_id, self._links)
        self._links.note_added(first_id, len(origins))
        for host in changed:
            self._update_pushed_host(host)

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

        `clocks` gives the next allowed request by origin, `pages` the pages already fetched from each.
        """
        hosts = load_hosts(self._hosts, origins, pages, clocks or {})
        if len(ids):
            self._links.grow(int(ids.max()) + 1)
        self._url_index.load(ids, hashes)
        ranks = ranks_of(scores)
        self._links.ranks[ids] = np.where(open, ranks, CLOSED)
        self._links.owners[ids] = np.array([host.number for host in hosts], np.uint32)[owners]
        for host, count in fill_queues(hosts, owners[open], ((ranks << ID_BITS) | ids)[open]):
            host.open += count
            self._update_host(host)

    def raise_scores(self, ids: Ids, scores: Scores) -> list[int]:
        """Raise the scores of queued links where the new score is better; return the rows that rose."""
        ranks = ranks_of(scores)
        current = self._links.current_ranks(ids)
        risen = []
        for at in np.flatnonzero((ranks < current) & (current != CLOSED)).tolist():
            id, rank = int(ids[at]), int(ranks[at])
            before = self._links.host_ranks(self._links.owners.item(id)).item(id)
            if id not in self.again.ids and rank < self.discounts.own_rank(id, before):  # else twice here
                self._update_rank(id, rank)
                self.discounts.drop_other(id, rank)
                risen.append(at)
        return risen

    def rescore(self, ids: Ids, scores: Scores) -> None:
        """Set new scores of links, better or worse; links that are not queued are left as they are."""
        self.reranking.rescore(*self.again.others(ids, ranks_of(scores)))
        self.discounts.drop_reranked()

    def is_queued(self, ids: Ids) -> NDArray[np.bool_]:
        """Return for each link whether it is in a queue."""
        return np.asarray(self._links.current_ranks(ids) != CLOSED)

    def rank_snapshot(self) -> NDArray[np.uint32]:
        """Return the rank of every link by id, for `count_moves`; smaller is better."""
        return self._links.current_ranks(np.arange(self._links.size))

    def close(self, ids: Ids) -> None:
        """Remove links from their queues; `reopen` puts one back."""
        ids = ids[self.is_queued(ids)]
        self._links.set_ranks(ids, CLOSED)  # their keys are skipped from now on
        for number, count in zip(*np.unique(self._links.owners[ids], return_counts=True), strict=True):
            host = self._hosts.by_number[int(number)]
            host.open -= int(count)
            self._update_host(host)

    def score(self, id: int) -> float:
        """Return the score of a link in flight, without its discount."""
        return score_of(self.discounts.own_rank(id, self._in_flight[id][1]))

    def close_gate(self, origin: str, id: int) -> None:
        """Block all links of `origin` until its robots link `id` was fetched and `open_gate` is called."""
        host = self._hosts.get(origin)
        host.robots_link, host.robots_pending = id, False
        self._scheduler.update(host.clock)

    def open_gate(self, origin: str, delay: float | None = None) -> None:
        """Unblock links of `origin`: its robots rules are known; `delay` is their Crawl-delay."""
        host = self._hosts.get(origin)
        host.robots_link, host.robots_pending = 0, False
        host.delay = delay or 0.0
        host.clock.update_delay(self._hosts.delay)
        self._scheduler.update(host.clock)

    def take(self, now: float) -> int | None:
        """Return the best link whose host may be requested now, or None; the link is then in flight."""
        self._advance(now)
        best = self._scheduler.pop_best()
        return self._lease(best[0]) if best else None

    def better_soon(self, now: float) -> bool:
        """Return whether a host that waits for its delay has a better link than all that are ready now."""
        self._advance(now)
        return self._scheduler.better_soon()

    def take_link(self, id: int, now: float) -> bool | None:
        """Take a link out of turn; return False if its host must wait, None if the link is not queued."""
        self._advance(now)
        host = self._hosts.by_number[self._links.owners.item(id)]
        clock, rank = host.clock, self._links.host_ranks(host.number).item(id)
        waits = clock.in_flight >= self._scheduler.per_host or clock.next_at > now or host.robots_link
        if rank == CLOSED or waits or not host.counted_open:
            return None if rank == CLOSED else False
        return bool(self._begin_request(host, id, rank))

    def discount(self, id: int, factor: float) -> bool:
        """Put a link that was just taken back if `factor` lowers its score; return whether it did."""
        host, rank, *_ = self._in_flight[id]
        lowered = self.discounts.lowered(id, rank, factor)
        if lowered is not None:
            self.cancel(id)
            host.open += 1
            self._update_rank(id, lowered)
        return lowered is not None

    def done(self, id: int, now: float, *, pause: float = 0.0) -> None:
        """Record that the request ended; the next one to its host starts after the delay or `pause`."""
        self.discounts.states.drop(id)
        self._end_request(self._in_flight.pop(id)[0].clock, now, pause)

    def retry_later(self, id: int, now: float, retry_at: float) -> None:
        """Record that the request ended and queue the link again at `retry_at`."""
        host, rank, *_ = self._in_flight.pop(id)
        self._waiting[id] = (host, rank)
        heappush(self._retry_heap, (retry_at, id))
        if rank != _ROBOTS_RANK:
            host.pages -= 1
            host.open += 1
            self._update_open(host)
        self._end_request(host.clock, now, 0.0)

    def cancel(self, id: int) -> None:
        """Release a link that was taken but never requested, and restore the clock of its host."""
        host, rank, before, after = self._in_flight.pop(id)
        clock = host.clock
        clock.in_flight -= 1
        if clock.next_at == after:
            clock.next_at = before
        if rank != _ROBOTS_RANK:
            host.pages -= 1
            self._update_open(host)
        self._scheduler.update(clock)

    def requeue(self, id: int) -> None:
        """Put a link that was taken but never requested back into its queue."""
        host, rank, *_ = self._in_flight[id]
        self.cancel(id)
        self._waiting[id] = (host, rank)
        host.open += rank != _ROBOTS_RANK
        self._enqueue(id)

    def pause_host(self, origin: str, until: float) -> None:
        """Send no request to a host, with either scheme, until a time."""
        clock = self._hosts.get(origin).clock
        clock.next_at = max(clock.next_at, until)
        self._paused_until[clock.index] = clock.next_at
        self._scheduler.update(clock)

    def reopen(self, id: int, score: float) -> None:
        """Put a closed or cancelled link back into its queue."""
        host = self._hosts.by_number[self._links.owners.item(id)]
        self._waiting[id] = (host, int(ranks_of(np.array([score], np.float32))[0]))
        host.open += 1
        self._enqueue(id)

    def suspend(self, origin: str, reason: str = "given up") -> int:
        """Suspend a host for this run; its links stay open in the store. Return their number."""
        host = self._hosts.get(origin)
        host.suspended, host.left_by_policy = reason, False
        self._update_host(host)
        return host.open

    def set_priority(self, origin: str, priority: float | str | None) -> None:
        """Set the priority of a host, from 0 to 1; None orders it by its best link again.

        A string is a reason to suspend it until the next call, unless it is suspended for another reason.
        """
        host = self._hosts.get(origin)
        left = isinstance(priority, str)
        if host.left_by_policy or not host.suspended:
            host.suspended, host.left_by_policy = priority if isinstance(priority, str) else "", left
        if not isinstance(priority, str):
            host.priority = None if priority is None else int(ranks_of(np.array([priority], np.float32))[0])
        self._update_host(host)

    def resume(self, origin: str) -> int:
        """Resume a suspended host; return the number of its open links."""
        host = self._hosts.get(origin)
        host.suspended = ""
        self._update_host(host)
        return host.open

    def next_ready_at(self, now: float, *, waiting: bool = False) -> float | None:
        """Return when a link may be taken; None if none is open, infinity if all wait for one in flight."""
        self._advance(now)
        if not self.open:
            return None
        earliest = max(now, self._scheduler.earliest_ready(waiting=waiting))
        return min(earliest, self._retry_heap[0][0]) if self._retry_heap else earliest

    def _advance(self, now: float) -> None:
        """Advance time: queue links whose retry is due, make clocks ready whose wait is over."""
        while self._retry_heap and self._retry_heap[0][0] <= now:
            self._enqueue(heappop(self._retry_heap)[1])
        self._scheduler.advance(now)

    def _enqueue(self, id: int) -> None:
        host, rank = self._waiting.pop(id)
        if rank != _ROBOTS_RANK:
            rank = self.reranking.current_rank(id, rank)
            self.discounts.drop_other(id, rank)
            self._links.set_rank(host.number, id, rank)
            heappush(host.queue.heap, (rank << ID_BITS) | id)
        elif host.robots_link == id and id not in self._in_flight:
            host.robots_pending = False
        self._update_host(host)

    def _update_rank(self, id: int, rank: int) -> None:
        """Set another rank of a queued link; its old key is skipped from now on."""
        host = self._hosts.by_number[self._links.owners.item(id)]
        self._links.set_rank(host.number, id, rank)
        heappush(host.queue.heap, (rank << ID_BITS) | id)
        self._update_pushed_host(host)

    def _is_full(self, host: Host) -> bool:
        return 0 < (host.most_pages or self.pages_per_host) <= host.pages

    def _update_host(self, host: Host) -> None:
        """Update counters and schedule after the links of a host changed."""
        self._update_open(host)
        self._scheduler.update(host.clock)

    def _update_pushed_host(self, host: Host) -> None:
        """Do the same when links were only pushed: most often the schedule need not change."""
        self._update_open(host)
        clock, heap = host.clock, host.queue.heap
        if heap:
            waits = clock.waiting_until == clock.next_at or clock.in_flight >= self._scheduler.per_host
            key = clock.ready_key or clock.soon_key
            is_current = key <= heap[0] if key else waits
            if len(heap) > MAX_HEAP:
                host.queue.spill()
            if not is_current:
                self._update_host(host)

    def _update_open(self, host: Host) -> None:
        before = host.counted_open
        host.counted_open = 0 if host.suspended or self._is_full(host) else host.open
        self.open += host.counted_open - before

    def _lease(self, clock: HostClock) -> int:
        _, key, host = self._scheduler.best_link(clock)
        assert host is not None, "a ready clock has a link"
        if not host.robots_link:
            heappop(host.queue.heap)
        return self._begin_request(host, key & ID_MASK, key >> ID_BITS)

    def _begin_request(self, host: Host, id: int, rank: int) -> int:
        clock = host.clock
        if host.robots_link:
            host.robots_pending, rank = True, _ROBOTS_RANK
        else:
            self._links.set_rank(host.number, id, CLOSED)
            host.open -= 1
            host.pages += 1
        before, clock.next_at = clock.next_at, max(clock.next_at, self._scheduler.now + clock.delay)
        self._in_flight[id] = (host, rank, before, clock.next_at)
        clock.last_request = self._scheduler.now
        clock.in_flight += 1
        clock.ready_key = 0
        self._update_open(host)
        self._scheduler.update(clock)
        return id

    def _end_request(self, clock: HostClock, now: float, rest: float) -> None:
        self._scheduler.now = max(self._scheduler.now, now)
        clock.in_flight -= 1
        clock.last_request = max(clock.last_request, now)
        clock.next_at = max(clock.next_at, now + clock.delay, now + rest)
        if rest > clock.delay:
            self._paused_until[clock.index] = clock.next_at
        self._scheduler.update(clock)
