"""Whose turn it is: clocks that may be asked stand by their best link, clocks that must wait by time.

Both heaps hold entries that may be outdated; an entry counts only while its clock says the same of itself
(`announced`, `wakes`). So a clock changes its place by being entered again, and nothing is searched for.
"""

import math
from heapq import heapify, heappop, heappush

from clew.frontier.hosts import Host, HostClock, LinkTable
from clew.frontier.queue import ID_BITS, ID_MASK

CLOCK_BITS = 32
"""Key and clock in one integer: unlike pairs, the garbage collector need not look at a hundred thousand."""

CLOCKS = (1 << CLOCK_BITS) - 1


class HostScheduler:
    """Keep the clocks in two heaps, ready and waiting; `now` is the latest time it was told of."""

    __slots__ = ("_clocks", "_ready", "_table", "_waiting", "now", "per_host")

    def __init__(self, clocks: list[HostClock], table: LinkTable, per_host: int) -> None:
        self.per_host = per_host
        self.now = -math.inf
        self._clocks = clocks
        self._table = table
        self._ready: list[int] = []
        self._waiting: list[tuple[float, int]] = []

    def advance(self, now: float) -> None:
        """Let time pass: clocks that waited get ready."""
        self.now = max(self.now, now)
        while self._waiting and self._waiting[0][0] <= now:
            at, index = heappop(self._waiting)
            clock = self._clocks[index]
            if clock.wakes == at:
                clock.wakes = math.inf
                self.place(clock)

    def first(self) -> tuple[HostClock, int] | None:
        """Return the ready clock with the best key, which leaves the heap; None when no clock is ready."""
        while self._ready:
            entry = heappop(self._ready)
            clock, key = self._clocks[entry & CLOCKS], entry >> CLOCK_BITS
            if clock.announced == key:
                return clock, key
        return None

    def earliest(self) -> float:
        """Return when a clock is ready: minus infinity for at once, infinity for never as things stand."""
        while self._ready:
            entry = self._ready[0]
            if self._clocks[entry & CLOCKS].announced == entry >> CLOCK_BITS:
                return -math.inf
            heappop(self._ready)
        while self._waiting and self._clocks[self._waiting[0][1]].wakes != self._waiting[0][0]:
            heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else math.inf

    def place(self, clock: HostClock) -> None:
        """Put a clock where it belongs: among the ready by its best link, among the waiting, or nowhere."""
        key = self.best(clock)[0] if clock.busy < self.per_host else 0
        if not key:
            clock.announced = 0
        elif clock.next_at > self.now:
            clock.announced = 0
            if clock.wakes != clock.next_at:
                clock.wakes = clock.next_at
                heappush(self._waiting, (clock.next_at, clock.index))
        elif clock.announced != key:
            clock.announced = key
            heappush(self._ready, key << CLOCK_BITS | clock.index)
            if len(self._ready) > 4 * len(self._clocks) + 64:  # mostly outdated: make it anew
                self._ready = [
                    each.announced << CLOCK_BITS | each.index for each in self._clocks if each.announced
                ]
                heapify(self._ready)

    def best(self, clock: HostClock) -> tuple[int, int, Host | None]:
        """Return the key a clock competes with, the key of the link it gives, and its host; 0 for none.

        The two differ where a policy has set the rank of the host.
        """
        stands, best, whose = 0, 0, None
        for host in clock.hosts:
            if not host.counted or host.gate_out:
                continue
            key = self._top(host)
            if key and host.gate:
                key = key >> ID_BITS << ID_BITS | host.gate
            against = key if host.favour is None else host.favour << ID_BITS | key & ID_MASK
            if key and (not stands or against < stands):
                stands, best, whose = against, key, host
        return stands, best, whose

    def _top(self, host: Host) -> int:
        queue, ranks = host.queue, self._table.of(host.number)
        while (key := queue.top()) and ranks.item(key & ID_MASK) != key >> ID_BITS:
            heappop(queue.heap)  # the link was closed, or has another rank now and was queued again
        return key
