"""What a person says about hosts while a crawl runs: leave this one alone, go on with that one."""

import time

from clew import urls
from clew.types import Rule

OPINIONS = ("yes", "no", "open")
"""Words on what a site holds, not on whether it may be fetched."""

_SAID = {"exclude": "you excluded it", "forget": "it was forgotten"}


class Exclusions:
    """Remember the last word on each host; the closest name counts.

    >>> said = Exclusions()
    >>> said.learn(Rule("*.example", "exclude", at=0.0, id=1))
    >>> said.learn(Rule("good.example", "include", at=5.0, id=2))
    >>> said.rule("http://bad.example:8080"), said.rule("https://good.example")
    ('you excluded it on 1970-01-01 at 00:00 UTC', '')
    """

    def __init__(self) -> None:
        self.last = 0
        self.forgetful = False
        self.held: set[str] = set()
        self._words: dict[str, Rule] = {}

    def learn(self, rule: Rule) -> None:
        """Take a rule; it replaces an earlier one for the same name. What a site holds is no matter here."""
        if rule.verb in OPINIONS:
            self.last = max(self.last, rule.id)
            return
        self._words[rule.host.lower()] = rule
        self.forgetful = self.forgetful or rule.verb == "forget"
        self.last = max(self.last, rule.id)

    def holds(self, origin: str) -> bool:
        """Say whether an origin is to be left alone, and remember that it was."""
        if not (self._words and self.rule(origin)):
            self.held.discard(origin)
            return False
        self.held.add(origin)
        return True

    def forgets(self, origin: str) -> bool:
        """Say whether an origin was forgotten: then not even links to it are kept."""
        rule = self._last_word(origin)
        return rule is not None and rule.verb == "forget"

    def rule(self, origin: str) -> str:
        """Return in words why an origin is left alone, or an empty string."""
        rule = self._last_word(origin)
        if rule is None or rule.verb not in _SAID:
            return ""
        return f"{_SAID[rule.verb]} on {time.strftime('%Y-%m-%d at %H:%M', time.gmtime(rule.at))} UTC"

    def _last_word(self, origin: str) -> Rule | None:
        if not self._words:
            return None
        host = urls.host(origin)
        rule = self._words.get(host)
        while rule is None and host:
            rule = self._words.get(f"*.{host}")
            host = host.partition(".")[2]
        return rule


def names(rule: str, host: str) -> bool:
    """Say whether the host of a rule, a name or `*.name`, means this host."""
    return host == rule or (rule.startswith("*.") and f".{host}".endswith(rule[1:]))
