"""State of the frontier: of each link, of each origin, and of the clock that origins share."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.errors import ClewError
from clew.frontier.exclusions import host_matches
from clew.frontier.queue import ID_MASK, Queue
from clew.types import Ids

CLOSED = 0xFFFF_FFFF
"""Rank of a link that is in no queue."""


class LinkTable:
    """Rank and owner of every link, by id: 8 bytes each.

    While links are re-ranked there are two columns of ranks: `new_ranks` is valid for hosts with numbers
    below `swapped`, `ranks` for all others. `written` then collects, by host, the links whose ranks were
    set since the pass started; otherwise it is None. Ids below `size` are registered.
    """

    __slots__ = ("new_ranks", "owners", "ranks", "size", "swapped", "written")

    def __init__(self) -> None:
        self.ranks = np.full(1_024, CLOSED, np.uint32)
        self.owners = np.zeros(1_024, np.uint32)
        self.new_ranks: NDArray[np.uint32] | None = None
        self.written: defaultdict[int, list[int]] | None = None
        self.swapped = 0
        self.size = 0

    def grow(self, size: int) -> None:
        """Grow to hold the ids below `size`."""
        if size > ID_MASK:
            msg = f"a crawl holds at most {ID_MASK:,} links; continue in a new folder with a narrower [scope]"
            raise ClewError(msg)
        self.size = max(self.size, size)
        capacity = len(self.ranks)
        if size > capacity:
            more = max(size - capacity, capacity // 2)
            self.ranks = np.concatenate((self.ranks, np.full(more, CLOSED, np.uint32)))
            self.owners = np.concatenate((self.owners, np.zeros(more, np.uint32)))
        self.pad_new_ranks()

    def pad_new_ranks(self) -> None:
        """Extend `new_ranks` to the length of `ranks`."""
        if self.new_ranks is not None and len(self.new_ranks) < len(self.ranks):
            more = len(self.ranks) - len(self.new_ranks)
            self.new_ranks = np.concatenate((self.new_ranks, np.full(more, CLOSED, np.uint32)))

    def host_ranks(self, number: int) -> NDArray[np.uint32]:
        """Return the column of ranks that is valid for the links of a host."""
        return self.new_ranks if self.new_ranks is not None and number < self.swapped else self.ranks

    def current_ranks(self, ids: Ids) -> NDArray[np.uint32]:
        """Return the current ranks of links."""
        if self.new_ranks is None:
            return self.ranks[ids]
        return np.where(self.owners[ids] < self.swapped, self.new_ranks[ids], self.ranks[ids])

    def set_rank(self, number: int, id: int, rank: int) -> None:
        """Set the rank of one link of a host."""
        self.host_ranks(number)[id] = rank
        if self.written is not None and number >= self.swapped:
            self.written[number].append(id)

    def note_added(self, first: int, count: int) -> None:
        """Take new links, whose ranks and owners were entered, into a re-ranking that is under way."""
        if self.new_ranks is not None or self.written is not None:
            ids = np.arange(first, first + count)
            self.set_ranks(ids, self.ranks[ids])

    def set_ranks(self, ids: Ids, ranks: NDArray[np.uint32] | int) -> None:
        """Set the ranks of many links whose owners are known."""
        self.ranks[ids] = ranks
        if self.new_ranks is not None:
            self.new_ranks[ids] = ranks
        if self.written is not None:
            for number, id in zip(self.owners[ids].tolist(), ids.tolist(), strict=True):
                if number >= self.swapped:
                    self.written[number].append(id)


class HostClock:
    """When one server may be requested again: shared by the http and https origins of a host and port.

    `ready_key` is the key of this clock in the heap of ready clocks, 0 if it is not ready; `waiting_until`
    its time in the heap of waiting clocks, `soon_key` its key among those that wait for their delay only.
    """

    __slots__ = (
        "delay", "hosts", "in_flight", "index", "last_request", "least_delay", "next_at", "ready_key",
        "soon_key", "waiting_until",
    )  # fmt: skip

    def __init__(self, index: int, delay: float) -> None:
        self.index = index
        self.delay = delay
        self.least_delay = 0.0
        self.next_at = -math.inf
        self.last_request = -math.inf
        self.waiting_until = math.inf
        self.in_flight = 0
        self.ready_key = self.soon_key = 0
        self.hosts: list[Host] = []

    def update_delay(self, delay: float) -> None:
        """Set the delay: at least `delay`, what the user set for it, and what its robots.txt files ask."""
        self.delay = max(delay, self.least_delay, *(each.delay for each in self.hosts))
        self.next_at = max(self.next_at, self.last_request + self.delay)


class Host:
    """One origin: its open links, its robots.txt gate, and why it is suspended.

    `robots_link` is the id of the robots link to fetch first (0: rules are known); `robots_pending` is true
    while that link is in flight, waits for a retry, or was fetched and not yet parsed. `counted_open` is this
    host's share of `Frontier.open`. `priority` replaces the rank of its best link, if a policy has set it;
    `left_by_policy` is true when the policy itself suspended the host; `most_pages` is the user's limit for
    it.
    """

    __slots__ = (
        "clock", "counted_open", "delay", "left_by_policy", "most_pages", "number", "open", "pages",
        "priority", "queue", "robots_link", "robots_pending", "suspended",
    )  # fmt: skip

    def __init__(self, number: int, clock: HostClock) -> None:
        self.number = number
        self.clock = clock
        self.queue = Queue()
        self.delay = 0.0
        self.robots_link = 0
        self.robots_pending = False
        self.suspended = ""
        self.left_by_policy = False
        self.priority: int | None = None
        self.open = 0
        self.counted_open = 0
        self.pages = 0
        self.most_pages = 0

    def status(self, now: float, per_host: int, full: bool, paused: bool) -> str:
        """Return why links of this host cannot be taken now, or "ready"."""
        clock = self.clock
        if self.suspended:
            return f"suspended: {self.suspended}"
        if full:
            return "page limit reached"
        if clock.in_flight >= per_host:
            return "busy"
        if clock.next_at > now:
            return "paused" if paused else "waiting"
        return "fetching robots.txt" if self.robots_link else "ready"


class HostTable:
    """All known origins and their clocks, both also by number; `on_new` is called with each new one."""

    __slots__ = ("_by_origin", "_clocks", "by_number", "clocks", "delay", "on_new")

    def __init__(self, delay: float, on_new: Callable[["Host", str], None]) -> None:
        self.delay = delay
        self.on_new = on_new
        self._by_origin: dict[str, Host] = {}
        self._clocks: dict[str, HostClock] = {}
        self.by_number: list[Host] = []
        self.clocks: list[HostClock] = []

    def __len__(self) -> int:
        return len(self.by_number)

    def __contains__(self, origin: str) -> bool:
        return origin in self._by_origin

    def get(self, origin: str) -> Host:
        """Return the host of an origin; create it if it is new."""
        return self._by_origin.get(origin) or self._create(origin)

    def _create(self, origin: str) -> Host:
        name = urls.clock_key(origin)
        clock = self._clocks.get(name)
        if clock is None:
            clock = self._clocks[name] = HostClock(len(self.clocks), self.delay)
            self.clocks.append(clock)
        host = self._by_origin[origin] = Host(len(self.by_number), clock)
        self.by_number.append(host)
        clock.hosts.append(host)
        self.on_new(host, origin)
        return host

    def matching_origins(self, name: str) -> list[str]:
        """Return the origins whose host is `name`, or a subdomain of it for `*.name`."""
        return [origin for origin in self._by_origin if host_matches(name, urls.host(origin))]

    def suspended(self) -> dict[str, str]:
        """Return the suspended origins that have open links, with the reason."""
        return {
            origin: host.suspended for origin, host in self._by_origin.items() if host.suspended and host.open
        }

    def paused(self, until: Mapping[int, float]) -> tuple[tuple[str, float], ...]:
        """Return the names of paused clocks that have open links, the longest pause first."""
        names = list(self._clocks) if until else []  # in the order of their numbers
        pauses = [
            (names[index], at)
            for index, at in until.items()
            if any(host.open for host in self.clocks[index].hosts)
        ]
        return tuple(sorted(pauses, key=lambda pause: -pause[1]))

    def count_by_status(
        self, now: float, per_host: int, is_full: Callable[[Host], bool], paused_until: Mapping[int, float]
    ) -> dict[str, int]:
        """Count the hosts that have open links by status."""
        counts: Counter[str] = Counter()
        for host in self.by_number:
            if host.open:
                rests = paused_until.get(host.clock.index, -math.inf) > now
                counts[host.status(now, per_host, is_full(host), rests)] += 1
        return dict(counts)
