"""Schedule hosts: ready clocks ordered by their best link, waiting clocks ordered by time.

Both heaps may hold stale entries; an entry is valid only while it equals the value stored in its clock
(`ready_key`, `waiting_until`). So a clock is moved by pushing a new entry, and nothing is searched for.
"""

import math
from heapq import heapify, heappop, heappush
from typing import Literal

from clew.frontier.hosts import Host, HostClock, LinkTable
from clew.frontier.queue import ID_BITS, ID_MASK

CLOCK_BITS = 32
"""Key and clock share one integer: unlike tuples, integers are not traversed by the garbage collector."""

CLOCK_MASK = (1 << CLOCK_BITS) - 1

SOON = 2.0
"""Delays within which a waiting host is worth waiting for: longer pauses are not its usual pace."""

OVERDUE = 2.0
"""Seconds after which a request is no longer waited for: slow hosts must not slow down all others."""


class HostScheduler:
    """Keep the clocks in two heaps, ready and waiting; `now` is the latest time passed in."""

    __slots__ = ("_clocks", "_links", "_ready", "_soon", "_waiting", "now", "per_host", "soon")

    def __init__(self, clocks: list[HostClock], table: LinkTable, per_host: int, soon: float = 0.0) -> None:
        self.per_host = per_host
        self.soon = soon
        self.now = -math.inf
        self._soon: list[int] = []
        self._clocks = clocks
        self._links = table
        self._ready: list[int] = []
        self._waiting: list[tuple[float, int]] = []

    def advance(self, now: float) -> None:
        """Advance time: clocks whose wait is over become ready."""
        self.now = max(self.now, now)
        while self._waiting and self._waiting[0][0] <= now:
            at, index = heappop(self._waiting)
            clock = self._clocks[index]
            if clock.waiting_until == at:
                clock.waiting_until = math.inf
                self.update(clock)

    def pop_best(self) -> tuple[HostClock, int] | None:
        """Return the ready clock with the best key, which leaves the heap; None when no clock is ready."""
        while self._ready:
            entry = heappop(self._ready)
            clock, key = self._clocks[entry & CLOCK_MASK], entry >> CLOCK_BITS
            if clock.ready_key == key:
                return clock, key
        return None

    def best_ready(self) -> int:
        """Return the best key of the ready clocks, 0 if no clock is ready."""
        while self._ready:
            entry = self._ready[0]
            if self._clocks[entry & CLOCK_MASK].ready_key == entry >> CLOCK_BITS:
                return entry >> CLOCK_BITS
            heappop(self._ready)
        return 0

    def ready_or_soon(self) -> list[int]:
        """Return the best key of every clock that is ready now or soon."""
        return [key for clock in self._clocks if (key := clock.ready_key or clock.soon_key)]

    def better_soon(self) -> bool:
        """Return whether a clock that waits no longer than `soon` has a better key than all ready ones."""
        while self._soon:
            entry = self._soon[0]
            clock, key, ready = self._clocks[entry & CLOCK_MASK], entry >> CLOCK_BITS, self.best_ready()
            if clock.in_flight >= self.per_host and not self.is_prompt(clock.last_request):
                clock.soon_key = 0
            if clock.soon_key == key:
                return not ready or key < ready
            heappop(self._soon)
        return False

    def is_prompt(self, started: float) -> bool:
        """Return whether a request that is in flight is worth waiting for."""
        return self.now - started <= max(OVERDUE, self.soon)

    def earliest_ready(self, *, waiting: bool = False) -> float:
        """Return when the next clock is ready: -inf for now, inf if no clock is ready or waiting.

        With `waiting`, return when the next of those is ready that are not ready now.
        """
        if not waiting and self.best_ready():
            return -math.inf
        while self._waiting and self._clocks[self._waiting[0][1]].waiting_until != self._waiting[0][0]:
            heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else math.inf

    def update(self, clock: HostClock) -> None:
        """Put a clock into the ready heap, the waiting heap, or neither."""
        best = self.best_link(clock)[0]
        key = best if clock.in_flight < self.per_host else 0
        self._update_soon(clock, best)
        if not key:
            clock.ready_key = 0
        elif clock.next_at > self.now:
            clock.ready_key = 0
            if clock.waiting_until != clock.next_at:
                clock.waiting_until = clock.next_at
                heappush(self._waiting, (clock.next_at, clock.index))
        elif clock.ready_key != key:
            clock.ready_key = key
            heappush(self._ready, key << CLOCK_BITS | clock.index)
            self._ready = self._without_stale(self._ready, "ready_key")

    def _without_stale(self, heap: list[int], name: Literal["ready_key", "soon_key"]) -> list[int]:
        """Return the heap, rebuilt if most of its entries are stale."""
        if len(heap) <= 4 * len(self._clocks) + 64:
            return heap
        keys = ((getattr(clock, name), clock.index) for clock in self._clocks)
        heap = [key << CLOCK_BITS | index for key, index in keys if key]
        heapify(heap)
        return heap

    def _update_soon(self, clock: HostClock, best: int) -> None:
        """Put a clock that must wait, but not for long, among those that are ready soon."""
        busy = clock.in_flight >= self.per_host and clock.delay <= self.soon
        waits = self.now < clock.next_at <= self.now + self.soon
        key = best if busy or waits else 0
        if clock.soon_key != key:
            clock.soon_key = key
            if key:
                heappush(self._soon, key << CLOCK_BITS | clock.index)
                self._soon = self._without_stale(self._soon, "soon_key")

    def best_link(self, clock: HostClock) -> tuple[int, int, Host | None]:
        """Return the scheduling key of a clock, the key of its best link, and its host; 0 for none.

        The two keys differ where a policy has set the priority of the host.
        """
        best_order, best_key, best_host = 0, 0, None
        for host in clock.hosts:
            if not host.counted_open or host.robots_pending:
                continue
            key = self._top_key(host)
            if key and host.robots_link:
                key = key >> ID_BITS << ID_BITS | host.robots_link
            order = key if host.priority is None else host.priority << ID_BITS | key & ID_MASK
            if key and (not best_order or order < best_order):
                best_order, best_key, best_host = order, key, host
        return best_order, best_key, best_host

    def _top_key(self, host: Host) -> int:
        queue, ranks = host.queue, self._links.host_ranks(host.number)
        while (key := queue.peek()) and ranks.item(key & ID_MASK) != key >> ID_BITS:
            heappop(queue.heap)  # the link was closed, or has another rank and was pushed again
        return key
