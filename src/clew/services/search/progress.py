"""What the search service keeps count of: recent pages, pages to learn from, and failed queries."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from clew.services.search.judge_training import ALL_BUT

SOONEST, LATEST = 5.0, 320.0
"""Seconds until a query that failed is tried again; four times as long each time."""


RECENT = "recent"
"""The fact in the store that holds the relevance of the last pages."""


@dataclass(slots=True)
class RecentPages:
    """The relevance of the last `size` pages, and the results of the last query still to be read."""

    size: int
    window: deque[bool] = field(default_factory=deque)
    awaited: set[int] = field(default_factory=set)
    since: int = 0  # pages read since the last query
    searching: bool = False  # a search is under way because few of them were relevant

    def add(self, relevant: bool) -> None:
        """Count a page."""
        self.window.append(relevant)
        if len(self.window) > self.size:
            self.window.popleft()
        self.since += 1

    def expect(self, links: Iterable[int]) -> None:
        """Begin to count anew, with the results of a query."""
        self.awaited, self.since = set(links), 0

    def search(self, *, under_way: bool) -> None:
        """Note that a search begins because few pages were relevant, or that it has ended."""
        self.searching = under_way

    def pack(self) -> str:
        """Return the counts as text, for the store."""
        return f"{self.since} {''.join('01'[relevant] for relevant in self.window)}"

    def restore(self, packed: str) -> None:
        """Continue with the counts that `pack` returned; results of the last query need not come any more."""
        since, _, pages = packed.partition(" ")
        self.window.extend(mark == "1" for mark in pages[-self.size :])
        self.since = int(since) if since.isdigit() else 0

    @property
    def full(self) -> bool:
        """Whether enough pages were read to tell a share."""
        return len(self.window) >= self.size

    @property
    def share(self) -> float:
        """The share of relevant pages."""
        return sum(self.window) / self.size


@dataclass(slots=True)
class LearningProgress:
    """Pages that the topic terms are learned from: those still to come, and whether it is time to publish.

    `size` is how many were expected, 0 once nearly all have come or when none are. `ripe` says that enough
    pages were counted for new terms, `complete` that nearly all expected ones have come.
    """

    pending: set[int] = field(default_factory=set)
    size: int = 0
    ripe: bool = False
    complete: bool = False

    def expect(self, links: Iterable[int]) -> None:
        """Wait for these pages, too."""
        self.pending.update(links)
        self.size = len(self.pending)

    def count(self, ripe: bool) -> None:
        """Note whether a page that was learned from makes it time to publish."""
        self.ripe |= ripe

    def check(self) -> None:
        """Note that nearly all expected pages have come, if they have."""
        if self.size and len(self.pending) <= ALL_BUT * self.size:
            self.complete, self.size = True, 0

    def finish(self, fresh: bool) -> None:
        """Wait for no more pages; `fresh` says that some were not published yet."""
        self.complete |= fresh
        self.pending.clear()

    def published(self) -> None:
        """Note that the policy has what was learned."""
        self.ripe = self.complete = False


@dataclass(slots=True)
class Backoff:
    """Failed queries in a row, and when the next may be asked."""

    failures: int = 0
    not_before: float = 0.0

    def fail(self, now: float) -> None:
        """Count a failure: wait longer each time."""
        self.not_before = now + min(LATEST, SOONEST * 4**self.failures)
        self.failures += 1

    def reset(self) -> None:
        """Count from the beginning: a query was answered."""
        self.failures = 0
