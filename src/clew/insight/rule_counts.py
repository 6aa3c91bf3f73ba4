"""Count the links that a user's rules on hosts and URLs concern."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.frontier import rule_matcher
from clew.store.crawl_stats import read_known_urls
from clew.types import State


@dataclass(slots=True)
class RuleCounts:
    """Links of one rule: queued ones, pages that were read, and all that are known."""

    open: int = 0
    read: int = 0
    known: int = 0


def count_rules(folder: Path, rules: Sequence[str]) -> list[RuleCounts]:
    """Count for each rule the page links that it concerns, in one pass over the links."""
    counted = [(rule_matcher(rule), RuleCounts()) for rule in rules]
    for url, state in read_known_urls(folder):
        for matches, counts in counted:
            if matches(url):
                counts.known += 1
                counts.open += state == State.OPEN
                counts.read += state == State.DONE
    return [counts for _, counts in counted]
