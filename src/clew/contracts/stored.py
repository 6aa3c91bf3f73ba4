"""What a store returns: the state of a crawl, judged pages, rows of the growing table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.types import Hashes, Ids, Links, Outcome, Page, Scores

RescoreSource: TypeAlias = tuple[Outcome, Ids, Links]
"""A page with its verdict, the ids of links on it, and these links."""

WaitingLink: TypeAlias = tuple[int, str, str]
"""The id of a link, its text, and the language of the page it was found on."""

HostStats: TypeAlias = tuple[str, int, float, float, float]
"""An origin, its judged pages, sums of their verdicts and of the squares, verdicts that reach `keep`."""


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
    """Every fetched URL, in the order of the ids: what trap detection is restored from.

    `recent` says of the last pages read, in the order of reading, whether they are relevant.
    """

    ids: NDArray[np.int64]
    urls: list[str]
    parents: NDArray[np.int64]
    fingerprints: Hashes
    status: NDArray[np.int16]
    relevant: NDArray[np.bool_]
    kinds: NDArray[np.int8]
    read: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    recent: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlState:
    """The state of a crawl. `hosts[i]` of a link is the index into `host_rows.origins`.

    `robots_links` maps an origin to the id of its own robots.txt link, if there is one. `pages` counts URLs
    of kind PAGE that were read (2xx with a body, no redirect), `failed` those that ended without a page;
    `relevant` are the relevant pages, `requests` all requests and `bytes` all bodies of every kind.
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
    failed: int
    requests: int
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


# ---- labels and searches -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnownUrl:
    """A URL of a crawl: its verdict if it was judged, and the URL it redirects to, if it does."""

    url: str
    verdict: float | None = None
    redirect: str | None = None


@dataclass(frozen=True, slots=True)
class LabelCandidate:
    """A judged page that could get a label; `score` is that of its link, `open_links` counts links on it."""

    id: int
    url: str
    host: int
    score: float
    verdict: float
    fingerprint: int
    open_links: int
    labelled: bool


@dataclass(frozen=True, slots=True)
class StoredText:
    """What is shown of a stored page: its title, the reasons of its verdict, its text."""

    title: str
    why: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedSearch:
    """One query with its results: `new` URLs and `relevant` pages are None until counted.

    `results` are the URLs in the order of the engine, each with the id of its link (0: not added).
    """

    id: int
    at: float
    engine: str
    query: str
    lang: str
    why: str
    asked: int
    count: int
    new: int | None
    relevant: int | None
    error: str
    results: tuple[tuple[str, int], ...] = ()


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
    """A user's label on a row: `right`, `off-topic`, `noise`, or empty when it was removed."""

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
