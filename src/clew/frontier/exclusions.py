"""Rules on hosts that the user adds while a crawl runs: exclude, include or forget a host."""

import time

from clew import urls
from clew.types import Rule

SITE_VERBS = ("yes", "no", "open")
"""Verbs of rules that label a site and do not say whether it may be fetched."""

_REASONS = {"exclude": "you excluded it", "forget": "it was forgotten"}


class Exclusions:
    """Keep the latest rule for each host; the most specific name wins.

    >>> exclusions = Exclusions()
    >>> exclusions.add(Rule("*.example", "exclude", at=0.0, id=1))
    >>> exclusions.add(Rule("good.example", "include", at=5.0, id=2))
    >>> exclusions.reason("http://bad.example:8080"), exclusions.reason("https://good.example")
    ('you excluded it on 1970-01-01 at 00:00 UTC', '')
    """

    def __init__(self) -> None:
        self.last_rule = 0
        self.any_forgotten = False
        self.excluded_origins: set[str] = set()
        self._rules: dict[str, Rule] = {}

    def add(self, rule: Rule) -> None:
        """Add a rule, replacing an earlier one for the same name; site labels only advance `last_rule`."""
        if rule.verb in SITE_VERBS:
            self.last_rule = max(self.last_rule, rule.id)
            return
        self._rules[rule.host.lower()] = rule
        self.any_forgotten = self.any_forgotten or rule.verb == "forget"
        self.last_rule = max(self.last_rule, rule.id)

    def is_excluded(self, origin: str) -> bool:
        """Return whether an origin is excluded, and track it in `excluded_origins`."""
        if not (self._rules and self.reason(origin)):
            self.excluded_origins.discard(origin)
            return False
        self.excluded_origins.add(origin)
        return True

    def is_forgotten(self, origin: str) -> bool:
        """Return whether an origin was forgotten: then not even links to it are stored."""
        rule = self._latest_rule(origin)
        return rule is not None and rule.verb == "forget"

    def reason(self, origin: str) -> str:
        """Return why an origin is excluded, or an empty string."""
        rule = self._latest_rule(origin)
        if rule is None or rule.verb not in _REASONS:
            return ""
        return f"{_REASONS[rule.verb]} on {time.strftime('%Y-%m-%d at %H:%M', time.gmtime(rule.at))} UTC"

    def _latest_rule(self, origin: str) -> Rule | None:
        if not self._rules:
            return None
        host = urls.host(origin)
        rule = self._rules.get(host)
        while rule is None and host:
            rule = self._rules.get(f"*.{host}")
            host = host.partition(".")[2]
        return rule


def host_matches(pattern: str, host: str) -> bool:
    """Return whether the pattern of a rule, a name or `*.name`, matches this host."""
    return host == pattern or (pattern.startswith("*.") and f".{host}".endswith(pattern[1:]))
