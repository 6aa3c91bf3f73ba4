"""The result of a dry run: what a crawl would fetch, what its rules drop, and what it would cost."""

from dataclasses import asdict, dataclass, field
from typing import Any

PAGE_BYTES = 60_000.0
"""Bytes a page takes on disk before a measurement exists: compressed response, text and fifty links."""

PAGE_SECONDS = 0.5
"""Response time of a page before a measurement exists."""


@dataclass(slots=True, kw_only=True)
class HostPlan:
    """What is known of one origin. `may` is yes, no, in part or unknown; `why` the reason for it."""

    origin: str
    may: str = "yes"
    why: str = ""
    delay: float = 0.0
    crawl_delay: float | None = None
    sitemaps_read: int = 0
    sitemaps_left: int = 0
    offered: int = 0
    in_scope: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class TimeEstimate:
    """Seconds a run would take; None where there is nothing to fetch or no bound.

    `at_least` assumes that all known hosts are crawled in parallel, `at_most` that one host has all pages.
    """

    at_least: float | None = None
    at_most: float | None = None
    page_seconds: float = PAGE_SECONDS
    measured_seconds: bool = False


@dataclass(slots=True, kw_only=True)
class DiskEstimate:
    """Bytes a run would need, and bytes free."""

    page_bytes: float = PAGE_BYTES
    disk_bytes: float = 0.0
    disk_free: int = 0


@dataclass(slots=True, kw_only=True)
class CrawlPlan:
    """What a run would do. `seeds` maps each seed to the rule that refuses it, or to an empty string."""

    folder: str
    pages: int = 0
    relevant: int = 0
    budget_pages: int = 0
    budget_hours: float = 0.0
    to_fetch: int = 0
    time: TimeEstimate = field(default_factory=TimeEstimate)
    disk: DiskEstimate = field(default_factory=DiskEstimate)
    in_scope: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    hosts: list[HostPlan] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def nothing_to_fetch(self) -> bool:
        """Whether every seed is refused and there are no other links to fetch."""
        return bool(self.seeds) and all(self.seeds.values()) and not self.in_scope

    def as_dict(self) -> dict[str, Any]:
        """Return plain values with the estimates on the top level; the keys are part of the interface."""
        plain: dict[str, Any] = {}
        for name, value in asdict(self).items():
            plain |= value if name in ("time", "disk") else {name: value}
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The rule against one URL, empty if there is none; `known` is its state in the crawl so far."""

    url: str
    rule: str
    known: str = ""
