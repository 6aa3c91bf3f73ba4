"""What a store promises, and the nouns it gives back.

Any database can stand behind these Protocols; `clew.testing.check_store` checks an implementation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clew.types import (
    Hashes,
    Ids,
    Kind,
    Label,
    Link,
    Links,
    NewLinks,
    Outcome,
    Page,
    PageResult,
    Rule,
    ScoreParts,
    Scores,
    Verdict,
)

RescoreSource: TypeAlias = tuple[Outcome, Ids, Links]
"""A page with its verdict, the ids of links on it, and these links."""

WaitingLink: TypeAlias = tuple[int, str, str]
"""The id of a link, its text, and the language of the page it was found on."""

HostStats: TypeAlias = tuple[str, int, float, float, float]
"""An origin, its judged pages, the sum of their verdicts and of their squares, its relevant pages."""


# ---- a crawl that goes on ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRows:
    """Every origin with its next request time and its robots.txt; `robots_status` is -1 if never fetched."""

    origins: list[str]
    next_at: NDArray[np.float64]
    robots_status: NDArray[np.int16]
    robots_texts: list[str]
    robots_at: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPages:
    """Every fetched URL, in the order of the ids: what trap detection is restored from."""

    ids: NDArray[np.int64]
    urls: list[str]
    parents: NDArray[np.int64]
    fingerprints: Hashes
    status: NDArray[np.int16]
    relevant: NDArray[np.bool_]
    kinds: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlState:
    """The state of a crawl. `hosts[i]` of a link is the index into `host_rows.origins`.

    `robots_links` maps an origin to the id of its own robots.txt link, if there is one. `pages` counts URLs
    of kind PAGE that were fetched, successfully or not, and did not redirect elsewhere; `relevant` those of
    them that are relevant, `bytes` all bodies of every kind.
    """

    ids: NDArray[np.int64]
    hashes: Hashes
    scores: Scores
    states: NDArray[np.int8]
    kinds: NDArray[np.int8]
    hosts: NDArray[np.int32]
    host_rows: HostRows
    fetched: FetchedPages
    trap_state: dict[str, str]
    robots_links: dict[str, int]
    pages: int
    relevant: int
    bytes: int
    next_id: int


@dataclass(frozen=True, slots=True)
class RevisionCounts:
    """Rows examined by a revision; relevant (or reopened) after it, relevant before it (or refused by it)."""

    seen: int = 0
    after: int = 0
    before: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPage:
    """A judged page with its stored verdict; `link_ids` are its open links, the rows of `page.links`.

    Links whose score was raised by another page are left out: they keep the score of that page.
    """

    page: Page
    verdict: float
    relevant: bool
    why: str
    link_ids: Ids


# ---- the growing table ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row of the table; `given` is True for an example row of the user."""

    id: int
    values: tuple[str, ...]
    given: bool
    confidence: float
    found_at: float


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a row was found: a page, the pattern that matched, the index of its text node."""

    row: int
    page: int
    pattern: int
    position: int = 0
    confidence: float = 1.0
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredPattern:
    """A pattern in readable form."""

    id: int
    prefix: str
    confidence: float
    words: str


@dataclass(frozen=True, slots=True)
class StoredRowLabel:
    """A user's label on a row: `right`, `off-topic`, `noise`, or empty when it was taken back."""

    row: int
    label: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredMarkup:
    """A page as clean markup."""

    page: int
    url: str
    at: float
    markup: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """What changed in the table since the last commit."""

    rows: Sequence[StoredRow] = ()
    occurrences: Sequence[Occurrence] = ()
    removed: Sequence[Occurrence] = ()
    patterns: Sequence[StoredPattern] = ()

    def __bool__(self) -> bool:
        return bool(self.rows or self.occurrences or self.removed or self.patterns)


# ---- the contracts -------------------------------------------------------------------------------


@runtime_checkable
class StoreReader(Protocol):
    """Read what was committed: labels, rules, pages, links and facts.

    `pages_by_url`, `pages_by_id`, `pages_after` and `rescore_sources` may be called from any thread; the
    others from the thread that opened the store.
    """

    def labels(self, since: float) -> Sequence[Label]: ...

    def label_stamp(self) -> tuple[int, float]: ...

    def rules(self, after: int) -> Sequence[Rule]: ...

    def judged(self, urls: Sequence[str]) -> Sequence[Page]: ...

    def pages_by_url(self, urls: Sequence[str]) -> Sequence[JudgedPage]: ...

    def pages_by_id(self, ids: Sequence[int]) -> Sequence[JudgedPage]: ...

    def pages_after(self, id: int, most: int) -> Sequence[JudgedPage]: ...

    def waiting_links(self, after: int, most: int) -> Sequence[WaitingLink]: ...

    def deferred_ids(self) -> Sequence[int]: ...

    def facts(self, *keys: str) -> Mapping[str, str]: ...

    def host_stats(self) -> Sequence[HostStats]: ...

    def redirected_seeds(self) -> Sequence[str]: ...

    def labelled_verdicts(self, why: str) -> Mapping[str, bool]: ...

    def last_settings(self) -> str | None: ...

    def rescore_sources(self, first: int, raised: int) -> Iterator[RescoreSource]: ...

    def last_raised(self) -> int: ...


@runtime_checkable
class StoreControl(Protocol):
    """Load and revise a stored crawl before it goes on; record its runs."""

    def load(self) -> CrawlState: ...

    def begin_run(self, *, policy: str, judge: str, first_link: int, settings: str) -> None: ...

    def end_run(self, why: str) -> None: ...

    def rejudge(self, judge: Callable[[Page], tuple[Verdict, bool]]) -> RevisionCounts: ...

    def rekeep(self, is_relevant: Callable[[float, bool], bool]) -> RevisionCounts: ...

    def rescope(self, rule: Callable[[str, int, Kind], str]) -> RevisionCounts: ...

    def reopen_deferred(self) -> int: ...


@runtime_checkable
class TableStore(Protocol):
    """Read and write the growing table. `save` only collects; `commit` of the store makes it durable.

    All readers but `row_labels` and `stamp` may be called from any thread.
    """

    def save(self, change: TableChange) -> None: ...

    def begin(self, rows: Sequence[StoredRow], renamed: Mapping[int, int]) -> None: ...

    def rows(self) -> Sequence[StoredRow]: ...

    def occurrences(self) -> Sequence[Occurrence]: ...

    def rejected_patterns(self) -> set[int]: ...

    def row_labels(self, after: int) -> Sequence[tuple[int, StoredRowLabel]]: ...

    def stamp(self) -> tuple[int, int]: ...

    def markup(self, pages: Sequence[int]) -> Sequence[StoredMarkup]: ...

    def markup_after(self, id: int, most: int) -> Sequence[tuple[int, int]]: ...

    def markup_urls(self, last: int) -> Sequence[tuple[int, str]]: ...


@runtime_checkable
class Store(Protocol):
    """Keep everything, lose nothing.

    All methods but `link`, `commit` and `aclose` only collect: from then on `link` sees what they brought.
    `commit` makes it durable together, or raises `StoreError`; nothing counts as done before it returned.
    `reader`, `control` and `table` see what was committed.
    """

    @property
    def reader(self) -> StoreReader: ...

    @property
    def control(self) -> StoreControl: ...

    @property
    def table(self) -> TableStore: ...

    def link(self, id: int) -> Link: ...

    def add_links(self, found: NewLinks) -> None: ...

    def add(self, result: PageResult) -> None: ...

    def refuse(self, id: int, reason: str) -> None: ...

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None: ...

    def reopen(self, ids: Ids) -> None: ...

    def raise_scores(
        self,
        ids: Ids,
        scores: Scores,
        source: int = 0,
        parts: ScoreParts | None = None,
        links: Links | None = None,
    ) -> None: ...

    def name_score_parts(self, names: Sequence[str]) -> None: ...

    def add_rule(self, rule: Rule) -> None: ...

    def save_trap_state(self, states: Mapping[str, str]) -> None: ...

    def set_fact(self, key: str, value: str) -> None: ...

    async def commit(self) -> None: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class FolderStore(Store, Protocol):
    """A store with a folder beside it, for model files (`models/`) and derived data (`derived/`)."""

    @property
    def folder(self) -> Path: ...
