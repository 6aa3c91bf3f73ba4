"""Reader, control and table of a crawl that has no past: they find nothing and record nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from clew.contracts import (
    CrawlState,
    FetchedPages,
    HostRows,
    HostStats,
    JudgedPage,
    LoggedSearch,
    Occurrence,
    RescoreSource,
    RevisionCounts,
    SearchAnswer,
    SearchQuery,
    StoredMarkup,
    StoredRow,
    StoredRowLabel,
    TableChange,
    WaitingLink,
)
from clew.types import Ids, Kind, Label, Page, Rule, Verdict

# ruff: noqa: ARG002 - whatever is asked for, there is nothing


class EmptyReader:
    """Find no labels, no rules and no pages."""

    def labels(self, since: float) -> Sequence[Label]:
        """Return no labels."""
        return []

    def label_stamp(self) -> tuple[int, float]:
        """Return the stamp of no labels."""
        return 0, 0.0

    def rules(self, after: int) -> Sequence[Rule]:
        """Return no rules."""
        return []

    def judged(self, urls: Sequence[str]) -> Sequence[Page]:
        """Return no pages."""
        return []

    def pages_by_url(self, urls: Sequence[str]) -> Sequence[JudgedPage]:
        """Return no pages."""
        return []

    def pages_by_id(self, ids: Sequence[int]) -> Sequence[JudgedPage]:
        """Return no pages."""
        return []

    def pages_after(self, id: int, most: int) -> Sequence[JudgedPage]:
        """Return no pages."""
        return []

    def waiting_links(self, after: int, most: int) -> Sequence[WaitingLink]:
        """Return no links."""
        return []

    def deferred_ids(self) -> Sequence[int]:
        """Return no links."""
        return []

    def link_sources(self) -> Ids:
        """Return no links."""
        return np.empty(0, np.int64)

    def facts(self, *keys: str) -> Mapping[str, str]:
        """Return no facts."""
        return {}

    def host_stats(self, keep: float) -> Sequence[HostStats]:
        """Return no hosts."""
        return []

    def seed_links(self, depth: int) -> Sequence[tuple[int, int, int]]:
        """Return nothing: no links of an earlier run are stored."""
        return ()

    def redirected_seeds(self) -> Sequence[str]:
        """Return no URLs."""
        return []

    def labelled_verdicts(self, why: str) -> Mapping[str, bool]:
        """Return no verdicts."""
        return {}

    def last_settings(self) -> str | None:
        """Return None: there was no earlier run."""
        return None

    def rescore_sources(self, first: int, raised: int) -> Iterator[RescoreSource]:
        """Yield nothing."""
        return iter(())

    def page_links(self) -> Iterator[RescoreSource]:
        """Yield nothing."""
        return iter(())

    def last_raised(self) -> int:
        """Return 0: no score was raised."""
        return 0


class EmptyControl:
    """Load an empty crawl; record no runs."""

    def load(self) -> CrawlState:
        """Return the state of a crawl that has not begun."""
        integers, no_hashes = np.empty(0, np.int64), np.empty(0, np.uint64)
        small, flags, times = np.empty(0, np.int8), np.empty(0, np.bool_), np.empty(0, np.float64)
        statuses = np.empty(0, np.int16)
        return CrawlState(
            ids=integers, hashes=no_hashes, scores=np.empty(0, np.float32), states=small, kinds=small,
            hosts=np.empty(0, np.int32),
            host_rows=HostRows(
                origins=[], next_at=times, robots_status=statuses, robots_texts=[], robots_at=times
            ),
            fetched=FetchedPages(
                ids=integers, urls=[], parents=integers, fingerprints=no_hashes, status=statuses,
                relevant=flags, kinds=small, read=flags, failed=flags,
            ),
            trap_state={}, robots_links={}, pages=0, relevant=0, failed=0, requests=0, bytes=0, next_id=1,
        )  # fmt: skip

    def begin_run(self, *, policy: str, judge: str, first_link: int, settings: str, round: int = 0) -> None:
        """Record nothing."""

    def end_run(self, why: str) -> None:
        """Record nothing."""

    def rejudge(self, judge: Callable[[Page], tuple[Verdict, bool]]) -> RevisionCounts:
        """Return zeros: no pages are stored."""
        return RevisionCounts()

    def rekeep(self, is_relevant: Callable[[float, bool], bool]) -> RevisionCounts:
        """Return zeros: no pages are stored."""
        return RevisionCounts()

    def rescope(self, rule: Callable[[str, int, Kind], str]) -> RevisionCounts:
        """Return zeros: no links of an earlier run are stored."""
        return RevisionCounts()

    def reopen_deferred(self) -> int:
        """Return 0: no links of an earlier run are stored."""
        return 0

    def reopen_suspects(self) -> int:
        """Return 0: no links of an earlier run are stored."""
        return 0


class EmptySearches:
    """Find no searches; record none."""

    def cached_answer(
        self, engine: str, query: SearchQuery | str, lang: str, *, asked: int
    ) -> tuple[int, SearchAnswer] | None:
        """Return None: no query was sent before."""
        return None

    def save_search(
        self, *, engine: str, query: SearchQuery | str, answer: SearchAnswer, asked: int, lang: str, why: str
    ) -> int:
        """Record nothing."""
        return 0

    def update_search(
        self,
        id: int,
        *,
        new: int | None = None,
        relevant: int | None = None,
        links: Mapping[str, int] | None = None,
    ) -> None:
        """Record nothing."""

    def searches(self) -> Sequence[LoggedSearch]:
        """Return no searches."""
        return []

    def fetched_results(self) -> Mapping[int, bool]:
        """Return no results."""
        return {}


class EmptyTable:
    """Find no rows; record none."""

    def save(self, change: TableChange) -> None:
        """Record nothing."""

    def begin(self, rows: Sequence[StoredRow], renamed: Mapping[int, int]) -> None:
        """Record nothing."""

    def rows(self) -> Sequence[StoredRow]:
        """Return no rows."""
        return []

    def occurrences(self) -> Sequence[Occurrence]:
        """Return no occurrences."""
        return []

    def rejected_patterns(self) -> set[int]:
        """Return no patterns."""
        return set()

    def row_labels(self, after: int) -> Sequence[tuple[int, StoredRowLabel]]:
        """Return no labels."""
        return []

    def stamp(self) -> tuple[int, int]:
        """Return the stamp of an empty table."""
        return 0, 0

    def markup(self, pages: Sequence[int]) -> Sequence[StoredMarkup]:
        """Return no pages."""
        return []

    def markup_after(self, id: int, most: int) -> Sequence[tuple[int, int]]:
        """Return no pages."""
        return []

    def markup_urls(self, last: int) -> Sequence[tuple[int, str]]:
        """Return no pages."""
        return []
