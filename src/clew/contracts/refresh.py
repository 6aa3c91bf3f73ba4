"""What a refresh needs of the store: the history of pages, its plan, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clew.types import Ids, KnownVersion, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitColumns:
    """Visits to known pages that told whether they have changed, oldest first.

    `rows` are places in the columns of `PageHistory`, `seconds` the time since the visit before, `links` the
    new links found on each that may be followed.
    """

    rows: Ids
    seconds: NDArray[np.float64]
    changed: NDArray[np.bool_]
    links: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """Every page, sitemap and feed that could be visited again, as columns, with what earlier visits told.

    `seen_at` is the last visit, `stable_at` when the version then read was last modified by its own account
    (NaN if it gave none), both in Unix seconds; `lost` says that it was not found then. `first_children`
    are the new links found on its first visit, without those that may not be followed; of the links of all
    visits `read` were read, and `hits` of them were relevant.
    """

    ids: Ids
    urls: list[str]
    kinds: NDArray[np.int8]
    types: list[str]
    verdicts: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    seen_at: NDArray[np.float64]
    stable_at: NDArray[np.float64]
    lost: NDArray[np.bool_]
    first_children: NDArray[np.int64]
    read: NDArray[np.int64]
    hits: NDArray[np.int64]
    visits: VisitColumns

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A refresh that is under way: its budget, what it has still to visit, and what it leaves alone.

    `pages_before` and `requests_before` are those of the crawl when it began, `read_again` the pages that it
    has read again so far. `parked` are open links that no refresh has found: they wait for `clew run`.
    `found` are those that refreshes have found, with the scores they were given.
    """

    id: int
    started_at: float
    pages: int
    requests: int
    pages_before: int
    requests_before: int
    read_again: int
    ids: Ids
    scores: Scores
    parked: Ids
    found: Ids
    found_scores: Scores


class RevisitPlanner(Protocol):
    """Say what is worth visiting again: a score from 0 to 1 for each page of the history, 0 for never."""

    def __call__(self, history: PageHistory, now: float) -> Scores: ...


@runtime_checkable
class RoundStore(Protocol):
    """Store refreshes. All but `skip` and `replan` are durable when they return; while no batch is written.

    `last_seen` returns of known pages id, last visit and verdict, 0 for one that is not relevant; `replan`
    gives a page another score in the plan, None takes it out.
    """

    def history(self) -> PageHistory: ...

    def unfinished(self) -> Round | None: ...

    def begin(self, *, at: float, pages: int, requests: int, ids: Ids, scores: Scores) -> Round: ...

    def end(self, at: float) -> None: ...

    def known_version(self, id: int) -> KnownVersion: ...

    def skip(self, id: int, at: float, reason: str) -> None: ...

    def last_seen(self, ids: Sequence[int]) -> list[tuple[int, float, float]]: ...

    def replan(self, id: int, score: float | None) -> None: ...
