"""Limits that the user sets for hosts while a crawl runs: a longer delay, a number of pages."""

from collections.abc import Callable

from clew.frontier.hosts import Host, HostTable
from clew.frontier.limit_rules import DELAY, PAGES, parse_limit
from clew.types import Rule
from clew.urls import host as host_of


class HostLimits:
    """Apply limits to the hosts of a frontier, also to those found later; the latest for a name counts.

    `update` is called with each host whose limits have changed.
    """

    def __init__(self, hosts: HostTable, update: Callable[[Host], None]) -> None:
        self.hosts = hosts
        self.update = update
        self._limits: dict[tuple[str, str], float] = {}
        hosts.on_new = self._apply

    def add(self, rule: Rule) -> int:
        """Apply a rule; return how many open links of known hosts it concerns."""
        limit = parse_limit(rule.verb)
        if limit is None:
            return 0
        kind, value = limit
        self._limits[kind, rule.host.lower()] = value
        concerned = 0
        for origin in self.hosts.matching_origins(rule.host):
            host = self.hosts.get(origin)
            self._apply(host, origin)
            self.update(host)
            concerned += host.open
        return concerned

    def _apply(self, host: Host, origin: str) -> None:
        if self._limits:
            host.most_pages = int(self._of(PAGES, origin))
            host.clock.least_delay = self._of(DELAY, origin)
            host.clock.update_delay(self.hosts.delay)

    def _of(self, kind: str, origin: str) -> float:
        """Return the limit of the most specific name."""
        name = host_of(origin)
        value = self._limits.get((kind, name))
        while value is None and name:
            value = self._limits.get((kind, f"*.{name}"))
            name = name.partition(".")[2]
        return value or 0.0
