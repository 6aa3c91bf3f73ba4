"""Which extractor made the stored texts: a crawl may go on for years, and with another version."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

EXTRACTORS = "text extractors"
"""The stored fact."""


@dataclass(frozen=True, slots=True)
class ExtractorHistory:
    """Names and versions of extractors, each with the time (Unix seconds) from which on it was used.

    >>> history = ExtractorHistory().with_run("clew-text/1", 100.0).with_run("clew-text/2", 200.0)
    >>> history.at(150.0), history.at(200.0), ExtractorHistory.of({EXTRACTORS: history.packed()}) == history
    ('clew-text/1', 'clew-text/2', True)
    >>> history.with_run("clew-text/2", 300.0) == history, history.at(50.0)
    (True, '')
    """

    since: tuple[tuple[float, str], ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, str]) -> "ExtractorHistory":
        """Read what is stored; crawls of older versions have nothing."""
        return cls(tuple((float(at), str(name)) for at, name in json.loads(facts.get(EXTRACTORS) or "[]")))

    def packed(self) -> str:
        """Return it as the text of a fact."""
        return json.dumps(self.since)

    def with_run(self, name: str, at: float) -> "ExtractorHistory":
        """Return it with a run that begins now."""
        same = bool(self.since) and self.since[-1][1] == name
        return self if same else ExtractorHistory((*self.since, (at, name)))

    def at(self, fetched: float) -> str:
        """Return what made the text of a page that was fetched then; empty if it is not known."""
        place = bisect_right([at for at, _ in self.since], fetched)
        return self.since[place - 1][1] if place else ""
