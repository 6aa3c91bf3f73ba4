"""What the frontier remembers about a link, about an origin, and about the clock origins share."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.errors import ClewError
from clew.frontier.exclusions import names
from clew.frontier.queue import ID_MASK, Queue
from clew.types import Ids

CLOSED = 0xFFFF_FFFF
"""The rank of a link that stands in no queue."""


class LinkTable:
    """Rank and owner of every link, by id: 8 bytes each.

    While links are ranked anew there are two columns of ranks: `fresh` holds for the hosts with numbers
    below `swapped`, `ranks` for all others. `touched` then collects, by host, the links whose ranks were
    written since that began; otherwise it is None. Ids below `used` are registered.
    """

    __slots__ = ("fresh", "owners", "ranks", "swapped", "touched", "used")

    def __init__(self) -> None:
        self.ranks = np.full(1_024, CLOSED, np.uint32)
        self.owners = np.zeros(1_024, np.uint32)
        self.fresh: NDArray[np.uint32] | None = None
        self.touched: defaultdict[int, list[int]] | None = None
        self.swapped = 0
        self.used = 0

    def make_room(self, size: int) -> None:
        """Grow to hold the ids below `size`."""
        if size > ID_MASK:
            msg = f"a crawl holds at most {ID_MASK:,} links; continue in a new folder with a narrower [scope]"
            raise ClewError(msg)
        self.used = max(self.used, size)
        have = len(self.ranks)
        if size > have:
            more = max(size - have, have // 2)
            self.ranks = np.concatenate((self.ranks, np.full(more, CLOSED, np.uint32)))
            self.owners = np.concatenate((self.owners, np.zeros(more, np.uint32)))
        self.match()

    def match(self) -> None:
        """Let the fresh column be as long as the other."""
        if self.fresh is not None and len(self.fresh) < len(self.ranks):
            more = len(self.ranks) - len(self.fresh)
            self.fresh = np.concatenate((self.fresh, np.full(more, CLOSED, np.uint32)))

    def of(self, number: int) -> NDArray[np.uint32]:
        """Return the ranks that hold for the links of a host."""
        return self.fresh if self.fresh is not None and number < self.swapped else self.ranks

    def current(self, ids: Ids) -> NDArray[np.uint32]:
        """Return the ranks of links."""
        if self.fresh is None:
            return self.ranks[ids]
        return np.where(self.owners[ids] < self.swapped, self.fresh[ids], self.ranks[ids])

    def write(self, number: int, id: int, rank: int) -> None:
        """Give one link of a host a rank."""
        self.of(number)[id] = rank
        if self.touched is not None and number >= self.swapped:
            self.touched[number].append(id)

    def write_many(self, ids: Ids, ranks: NDArray[np.int64] | int) -> None:
        """Give many links ranks, when their owners are known."""
        self.ranks[ids] = ranks
        if self.fresh is not None:
            self.fresh[ids] = ranks
        if self.touched is not None:
            for number, id in zip(self.owners[ids].tolist(), ids.tolist(), strict=True):
                if number >= self.swapped:
                    self.touched[number].append(id)


class HostClock:
    """When one machine may be asked again: shared by the http and https origins of a host and port.

    `announced` is the key this clock stands with among the ready ones, 0 if it is not there; `wakes`
    the time it stands with among the waiting ones.
    """

    __slots__ = ("announced", "busy", "delay", "hosts", "index", "last", "next_at", "wakes")

    def __init__(self, index: int, delay: float) -> None:
        self.index = index
        self.delay = delay
        self.next_at = -math.inf
        self.last = -math.inf
        self.wakes = math.inf
        self.busy = 0
        self.announced = 0
        self.hosts: list[Host] = []


class Host:
    """One origin: its open links, the gate before them, and why it is not asked.

    `gate` is the robots link to be fetched first (0: rules are known), `gate_out` says that it is under
    way, due later, or answered and not yet understood.
    `counted` is this host's part of `Frontier.open`. `favour` is the rank it competes with instead of that of
    its best link, if a policy has set one; `left` says that it is held because the policy leaves it.
    """

    __slots__ = (
        "clock", "counted", "delay", "favour", "gate", "gate_out", "held", "left", "number", "open",
        "pages", "queue",
    )  # fmt: skip

    def __init__(self, number: int, clock: HostClock) -> None:
        self.number = number
        self.clock = clock
        self.queue = Queue()
        self.delay = 0.0
        self.gate = 0
        self.gate_out = False
        self.held = ""
        self.left = False
        self.favour: int | None = None
        self.open = 0
        self.counted = 0
        self.pages = 0

    def waits_for(self, now: float, per_host: int, full: bool, rests: bool) -> str:
        """Say in words what keeps the links of this host from being taken."""
        clock = self.clock
        if self.held:
            return f"held: {self.held}"
        if full:
            return "has given its pages"
        if clock.busy >= per_host:
            return "busy"
        if clock.next_at > now:
            return "resting" if rests else "waiting"
        return "asking for rules" if self.gate else "ready"


class HostTable:
    """All origins met, and their clocks, both also by number."""

    __slots__ = ("_by_origin", "_clocks", "by_number", "clocks", "delay")

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._by_origin: dict[str, Host] = {}
        self._clocks: dict[str, HostClock] = {}
        self.by_number: list[Host] = []
        self.clocks: list[HostClock] = []

    def __len__(self) -> int:
        return len(self.by_number)

    def __contains__(self, origin: str) -> bool:
        return origin in self._by_origin

    def of(self, origin: str) -> Host:
        """Return the host of an origin, made when it is met first."""
        return self._by_origin.get(origin) or self._make(origin)

    def _make(self, origin: str) -> Host:
        name = urls.clock_key(origin)
        clock = self._clocks.get(name)
        if clock is None:
            clock = self._clocks[name] = HostClock(len(self.clocks), self.delay)
            self.clocks.append(clock)
        host = self._by_origin[origin] = Host(len(self.by_number), clock)
        self.by_number.append(host)
        clock.hosts.append(host)
        return host

    def named(self, name: str) -> list[str]:
        """Return the origins whose host is `name`, or stands below it if that is `*.name`."""
        return [origin for origin in self._by_origin if names(name, urls.host(origin))]

    def held(self) -> dict[str, str]:
        """Return the origins given up while links of theirs are open, with the reason."""
        return {origin: host.held for origin, host in self._by_origin.items() if host.held and host.open}

    def resting(self, until: Mapping[int, float]) -> tuple[tuple[str, float], ...]:
        """Return the names of clocks that rest while links of theirs are open, the longest rest first."""
        names = list(self._clocks) if until else []  # in the order of their numbers
        rests = [
            (names[index], at)
            for index, at in until.items()
            if any(host.open for host in self.clocks[index].hosts)
        ]
        return tuple(sorted(rests, key=lambda rest: -rest[1]))

    def state(
        self, now: float, per_host: int, is_full: Callable[[Host], bool], resting: Mapping[int, float]
    ) -> dict[str, int]:
        """Count the hosts that have open links by what they wait for."""
        counts: Counter[str] = Counter()
        for host in self.by_number:
            if host.open:
                rests = resting.get(host.clock.index, -math.inf) > now
                counts[host.waits_for(now, per_host, is_full(host), rests)] += 1
        return dict(counts)
