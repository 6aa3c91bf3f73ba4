"""Limits that the user sets for hosts while a crawl runs: a longer delay, a number of pages."""

from collections.abc import Callable

from clew.frontier.hosts import Host, HostTable
from clew.frontier.limit_rules import DELAY, PAGES, parse_limit
from clew.types import Rule
from clew.urls import host as host_of


class LimitsByName:
    """The limits that were set, by kind and host name; the latest counts, the most specific name first.

    `delay` is that of hosts without a limit.
    """

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._limits: dict[tuple[str, str], float] = {}

    def add(self, kind: str, name: str, value: float) -> None:
        """Set a limit for a host, or for all hosts below a name: `*.name`."""
        self._limits[kind, name.lower()] = value

    def apply(self, host: Host, origin: str) -> None:
        """Apply the limits to a host."""
        if self._limits:
            host.most_pages = int(self._of(PAGES, origin))
            host.clock.least_delay = self._of(DELAY, origin)
            host.clock.update_delay(self.delay)

    def _of(self, kind: str, origin: str) -> float:
        name = host_of(origin)
        value = self._limits.get((kind, name))
        while value is None and name:
            value = self._limits.get((kind, f"*.{name}"))
            name = name.partition(".")[2]
        return value or 0.0


class HostLimits:
    """Apply limits to the known hosts of a frontier; its table applies them to those found later.

    `update` is called with each host whose limits have changed.
    """

    def __init__(self, limits: LimitsByName, hosts: HostTable, update: Callable[[Host], None]) -> None:
        self.limits = limits
        self.hosts = hosts
        self.update = update

    def add(self, rule: Rule) -> int:
        """Apply a rule; return how many open links of known hosts it concerns."""
        limit = parse_limit(rule.verb)
        if limit is None:
            return 0
        self.limits.add(limit[0], rule.host, limit[1])
        concerned = 0
        for origin in self.hosts.matching_origins(rule.host):
            host = self.hosts.get(origin)
            self.limits.apply(host, origin)
            self.update(host)
            concerned += host.open
        return concerned
