"""What the shards of a crawl share: leases, the budget, the cut-off, labels, rules and outcomes.

A coordinator is a small database: a file in the folder of the crawl for one machine, PostgreSQL for many.
It holds no pages and no links.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew.types import Rule

LEASE_SECONDS = 5.0
"""How long a lease holds without being renewed. A shard renews it four times in this time."""

SLICE = 64
"""Pages or requests of the budget that a shard gets at a time."""

LINKS, PAGES = "links", "pages"
"""What is shared between shards: outcomes of links for policies, pages for judges."""

BINS = 64
"""Bins of the histogram of scores that a shard reports."""

MOST_OUTCOMES = 1_000
"""Batches of outcomes that are read at a time."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a shard; each owner has a larger epoch than those before it."""

    shard: int
    owner: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardReport:
    """What a shard reports each second.

    `spent` are the pages and the requests that are committed or in flight. `best` counts the hosts that can
    be asked now or soon, by the score of their best link, from low to high; `wants` says that some of them
    are above the cut-off. `sent` is the position of the last link that it has found, `pulled` by shard that
    of the last one that it has seen there; `idle` says that there is nothing to fetch and nothing in flight.
    `learned` is the number up to which it has learned from outcomes of others, for good. `address` is where
    other machines read its links, empty if they need not.
    """

    spent: tuple[int, int] = (0, 0)
    pages: int = 0
    relevant: int = 0
    failed: int = 0
    open: int = 0
    wants: bool = False
    best: Sequence[int] = (0,) * BINS
    sent: int = 0
    pulled: Sequence[int] = ()
    idle: bool = False
    learned: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a coordinator answers to a report.

    `allowed` are the pages and the requests that the shard may have spent in all, `cut_off` is the score
    below which nothing is fetched. `ended` says why the crawl is over, empty while it goes on. `labels`,
    `rules`, `outcomes` and `texts` are the numbers of the last ones. `relevant` counts relevant pages of all
    shards.
    """

    allowed: tuple[int, int] = (0, 0)
    cut_off: float = 0.0
    ended: str = ""
    relevant: int = 0
    labels: int = 0
    rules: int = 0
    outcomes: int = 0
    texts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardState:
    """A shard as the coordinator knows it.

    `silent` are the seconds since its last report, `left` those that its lease still holds. `above` counts
    the hosts with a link above the cut-off, `lag` the links of other shards that it has not looked at yet.
    `stored` is the epoch of the last owner that has written to its folder, `address` where that owner lets
    others read its links.
    """

    shard: int
    owner: str = ""
    epoch: int = 0
    left: float = 0.0
    silent: float = 0.0
    pages: int = 0
    relevant: int = 0
    failed: int = 0
    open: int = 0
    above: int = 0
    lag: int = 0
    idle: bool = False
    stored: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class SharedLabel:
    """A user's label for all shards; `relevant` is None where a label was removed."""

    id: int
    url: str
    relevant: bool | None
    at: float


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """What all shards together may spend, 0 for no limit; `focus` as in fetch.focus."""

    pages: int = 0
    requests: int = 0
    focus: int = 0


@dataclass(frozen=True, slots=True)
class SharedOutcomes:
    """What a shard has learned: outcomes of links, packed by its policy, or pages, packed by its judge."""

    id: int
    kind: str
    packed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A page with a user's label, as far as a judge needs it; `id` grows with each that is added."""

    id: int
    url: str
    title: str
    text: str = field(repr=False)
    lang: str = ""


class Coordinator(Protocol):
    """Let shards work together. Every method is one transaction, durable when it returns, in any thread.

    `join` makes the tables for a crawl, or checks that they belong to it. `acquire` gives a free shard to an
    owner, None while another holds it or if the crawl has begun a later run. `renew`, `report` and
    `add_outcomes` return nothing useful once the lease has a later owner: False or None. Times are those of
    the database.
    """

    def join(self, crawl: str, shards: int) -> None: ...

    def begin(self, limits: CrawlLimits) -> int: ...

    def acquire(self, shard: int, owner: str, run: int = 0) -> Lease | None: ...

    def renew(self, lease: Lease) -> bool: ...

    def release(self, lease: Lease) -> None: ...

    def report(self, lease: Lease, report: ShardReport) -> Orders | None: ...

    def states(self) -> list[ShardState]: ...

    def add_label(self, url: str, relevant: bool | None) -> None: ...

    def labels(self, after: int) -> list[SharedLabel]: ...

    def add_rule(self, rule: Rule) -> None: ...

    def rules(self, after: int) -> list[Rule]: ...

    def add_outcomes(self, lease: Lease, packed: Mapping[str, bytes]) -> bool: ...

    def outcomes(self, after: int, shard: int) -> list[SharedOutcomes]: ...

    def add_texts(self, texts: Sequence[LabelledText]) -> None: ...

    def texts(self, after: int) -> list[LabelledText]: ...

    def close(self) -> None: ...
