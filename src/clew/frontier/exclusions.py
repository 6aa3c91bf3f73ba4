"""Rules that the user adds while a crawl runs: exclude, include or forget a host, exclude or include URLs."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from clew import urls
from clew.frontier.limit_rules import parse_limit
from clew.frontier.url_patterns import is_url_pattern, url_matcher
from clew.types import Rule

SITE_VERBS = ("yes", "no", "open")
"""Verbs of rules that label a site and do not say whether it may be fetched."""

_REASONS = {"exclude": "you excluded it", "forget": "it was forgotten"}


@dataclass(frozen=True, slots=True)
class UrlRule:
    """A rule for URLs, with the predicate of its pattern."""

    rule: Rule
    matches: Callable[[str], bool]


class Exclusions:
    """Keep the latest rule for each host and each URL pattern.

    Of the rules for a host the most specific name wins, of the patterns that match a URL the latest. A URL of
    an excluded host is excluded whatever its patterns say.

    >>> exclusions = Exclusions()
    >>> exclusions.add(Rule("*.example", "exclude", at=0.0, id=1))
    >>> exclusions.add(Rule("good.example", "include", at=5.0, id=2))
    >>> exclusions.reason("http://bad.example:8080"), exclusions.reason("https://good.example")
    ('you excluded it on 1970-01-01 at 00:00 UTC', '')
    >>> exclusions.add(Rule("good.example/old/", "exclude", at=6.0, id=3))
    >>> [rule.host for rule in exclusions.active()], [rule.host for rule in exclusions.exceptions()]
    (['*.example', 'good.example/old/'], ['good.example'])
    >>> exclusions.refusal("https://good.example/old/1"), exclusions.refusal("https://good.example/new/1")
    ('you excluded good.example/old/ on 1970-01-01 at 00:00 UTC', '')
    """

    def __init__(self) -> None:
        self.last_rule = 0
        self.any_forgotten = False
        self.excluded_origins: set[str] = set()
        self._rules: dict[str, Rule] = {}
        self._url_rules: dict[str, UrlRule] = {}  # the latest rule last

    def add(self, rule: Rule) -> None:
        """Add a rule, replacing an earlier one for the same name; others only advance `last_rule`."""
        if rule.verb in SITE_VERBS or parse_limit(rule.verb):
            self.last_rule = max(self.last_rule, rule.id)
            return
        if is_url_pattern(rule.host):
            self._url_rules.pop(rule.host, None)
            self._url_rules[rule.host] = UrlRule(rule, url_matcher(rule.host))
        else:
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
        return f"{_REASONS[rule.verb]} {_date(rule)}"

    def refusal(self, url: str) -> str:
        """Return why a URL is excluded, with its host or by a pattern, or an empty string."""
        if reason := self.reason(urls.origin(url)):
            return reason
        rule = self.pattern_of(url)
        return f"you excluded {rule.host} {_date(rule)}" if rule else ""

    def pattern_of(self, url: str) -> Rule | None:
        """Return the rule whose pattern excludes a URL, or None."""
        for each in reversed(self._url_rules.values()):
            if each.matches(url):
                return each.rule if each.rule.verb == "exclude" else None
        return None

    def active(self) -> list[Rule]:
        """Return the rules that exclude something, oldest first; forgotten hosts are not among them."""
        rules = [*self._rules.values(), *(each.rule for each in self._url_rules.values())]
        return sorted((rule for rule in rules if rule.verb == "exclude"), key=lambda rule: (rule.at, rule.id))

    def exceptions(self) -> list[Rule]:
        """Return the rules that include something in spite of a wider or earlier one, oldest first."""
        found = [
            rule
            for name, rule in self._rules.items()
            if rule.verb == "include" and self._is_excluded_around(name.removeprefix("*."))
        ]
        any_excluded = False
        for each in self._url_rules.values():
            any_excluded = any_excluded or each.rule.verb == "exclude"
            if any_excluded and each.rule.verb == "include":
                found.append(each.rule)
        return sorted(found, key=lambda rule: (rule.at, rule.id))

    def _is_excluded_around(self, name: str) -> bool:
        rule = self._wildcard_rule(name.partition(".")[2])
        return rule is not None and rule.verb in _REASONS

    def _latest_rule(self, origin: str) -> Rule | None:
        if not self._rules:
            return None
        host = urls.host(origin)
        return self._rules.get(host) or self._wildcard_rule(host)

    def _wildcard_rule(self, host: str) -> Rule | None:
        rule = None
        while rule is None and host:
            rule = self._rules.get(f"*.{host}")
            host = host.partition(".")[2]
        return rule


def _date(rule: Rule) -> str:
    return f"on {time.strftime('%Y-%m-%d at %H:%M', time.gmtime(rule.at))} UTC"


def rule_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a predicate for the URLs that a rule concerns: those of its hosts, or of its pattern."""
    if is_url_pattern(pattern):
        return url_matcher(pattern)
    return lambda url: host_matches(pattern, urls.host(url))


def host_matches(pattern: str, host: str) -> bool:
    """Return whether the pattern of a rule, a name or `*.name`, matches this host."""
    return host == pattern or (pattern.startswith("*.") and f".{host}".endswith(pattern[1:]))
