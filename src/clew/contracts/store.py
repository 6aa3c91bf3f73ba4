"""What a store must do, one Protocol for each of its users.

Any database can stand behind these Protocols; `clew.testing.check_store` checks an implementation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from clew.contracts.refresh import RoundStore
from clew.contracts.search import SearchAnswer, SearchQuery
from clew.contracts.stored import (
    CrawlState,
    HostStats,
    JudgedPage,
    KnownUrl,
    LabelCandidate,
    LoggedSearch,
    Occurrence,
    RescoreSource,
    RevisionCounts,
    StoredMarkup,
    StoredRow,
    StoredRowLabel,
    StoredText,
    TableChange,
    WaitingLink,
)
from clew.types import (
    Ids,
    Kind,
    Label,
    Link,
    Links,
    NewLinks,
    Page,
    PageResult,
    Rule,
    ScoreParts,
    Scores,
    Verdict,
)


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

    def link_sources(self) -> Ids: ...

    def facts(self, *keys: str) -> Mapping[str, str]: ...

    def host_stats(self, keep: float) -> Sequence[HostStats]: ...

    def redirected_seeds(self) -> Sequence[str]: ...

    def seed_links(self, depth: int) -> Sequence[tuple[int, int, int]]: ...

    def labelled_verdicts(self, why: str) -> Mapping[str, bool]: ...

    def last_settings(self) -> str | None: ...

    def rescore_sources(self, first: int, raised: int) -> Iterator[RescoreSource]: ...

    def last_raised(self) -> int: ...

    def page_links(self) -> Iterator[RescoreSource]: ...


@runtime_checkable
class StoreControl(Protocol):
    """Load and revise a stored crawl before it goes on; record its runs."""

    def load(self) -> CrawlState: ...

    def begin_run(
        self, *, policy: str, judge: str, first_link: int, settings: str, round: int = 0
    ) -> None: ...

    def end_run(self, why: str) -> None: ...

    def rejudge(self, judge: Callable[[Page], tuple[Verdict, bool]]) -> RevisionCounts: ...

    def rekeep(self, is_relevant: Callable[[float, bool], bool]) -> RevisionCounts: ...

    def rescope(self, rule: Callable[[str, int, Kind], str]) -> RevisionCounts: ...

    def reopen_deferred(self) -> int: ...

    def reopen_suspects(self) -> int: ...


@runtime_checkable
class LabelReader(Protocol):
    """Read what is needed to choose pages for labels, and to find the page that a label is for.

    All methods may be called from any thread and from any process, also while the crawl runs.
    """

    def known_urls(self, urls: Sequence[str]) -> Mapping[str, KnownUrl]: ...

    def candidates(self) -> Sequence[LabelCandidate]: ...

    def text(self, page: int) -> StoredText: ...

    def latest_labels(self) -> Sequence[Label]: ...


@runtime_checkable
class SearchStore(Protocol):
    """Store search queries with their results; each method is durable when it returns, in any thread."""

    def cached_answer(
        self, engine: str, query: SearchQuery | str, lang: str, *, asked: int
    ) -> tuple[int, SearchAnswer] | None: ...

    def save_search(
        self, *, engine: str, query: SearchQuery | str, answer: SearchAnswer, asked: int, lang: str, why: str
    ) -> int: ...

    def update_search(
        self,
        id: int,
        *,
        new: int | None = None,
        relevant: int | None = None,
        links: Mapping[str, int] | None = None,
    ) -> None: ...

    def searches(self) -> Sequence[LoggedSearch]: ...

    def fetched_results(self) -> Mapping[int, bool]: ...


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
    """Store pages and links so that nothing committed is ever lost.

    `open` comes first: it locks the store for this process, creates it if it does not exist, and removes what
    a killed run left half-written, or raises `StoreError`. `aclose` commits the rest and unlocks it. All
    methods but these, `link` and `commit` only collect: from then on `link` sees what they added. `commit`
    makes it durable together, or raises `StoreError`; nothing counts as done before it returned. `reader`,
    `control`, `table` and `searches` see what was committed.
    """

    def open(self) -> None: ...

    @property
    def reader(self) -> StoreReader: ...

    @property
    def control(self) -> StoreControl: ...

    @property
    def table(self) -> TableStore: ...

    @property
    def searches(self) -> SearchStore: ...

    def link(self, id: int) -> Link: ...

    def add_links(self, found: NewLinks, parent: int = 0) -> None: ...

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


@runtime_checkable
class RefreshableStore(FolderStore, Protocol):
    """A store whose pages can be visited again."""

    @property
    def rounds(self) -> RoundStore: ...
