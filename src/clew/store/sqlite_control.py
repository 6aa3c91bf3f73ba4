"""What happens to a stored crawl around a run: load its state, revise it, record the run."""

import time
from collections.abc import Callable

from clew.contracts import CrawlState, RevisionCounts
from clew.store import loading, rejudge
from clew.store.batch_queue import BatchQueue
from clew.store.connections import Connections
from clew.types import Kind, Page, Verdict


class SqliteControl:
    """Load and revise a crawl before it goes on; `begin_run` and `end_run` count from the next commit on."""

    def __init__(self, connections: Connections, queue: BatchQueue, software: str) -> None:
        self._connections = connections
        self._queue = queue
        self._software = software

    def load(self) -> CrawlState:
        """Read the state of the crawl, to go on from it."""
        with self._connections.errors():
            return loading.load(self._connections.reader)

    def begin_run(self, *, policy: str, judge: str, first_link: int, settings: str, round: int = 0) -> None:
        """Record that the crawl was started, and how."""
        row = (time.time(), first_link, self._software, policy, judge, settings, round or None)
        self._queue.current.runs.append(row)

    def end_run(self, why: str) -> None:
        """Record that this run is over."""
        self._queue.current.ends.append((time.time(), why))

    def rejudge(self, judge: Callable[[Page], tuple[Verdict, bool]]) -> RevisionCounts:
        """Judge every stored page again."""
        with self._connections.transaction() as db:
            return rejudge.rejudge(db, judge)

    def rekeep(self, is_relevant: Callable[[float, bool], bool]) -> RevisionCounts:
        """Decide again which pages are relevant, by the verdicts they have."""
        with self._connections.transaction() as db:
            return rejudge.rekeep(db, is_relevant)

    def rescope(self, rule: Callable[[str, int, Kind], str]) -> RevisionCounts:
        """Apply the scope again to stored links."""
        with self._connections.transaction() as db:
            return rejudge.rescope(db, rule)

    def reopen_suspects(self) -> int:
        """Open every link that was left because its place is suspect; return how many there were."""
        with self._connections.transaction() as db:
            return rejudge.reopen_suspects(db)

    def reopen_deferred(self) -> int:
        """Open every link that a policy deferred; return how many there were."""
        with self._connections.transaction() as db:
            return rejudge.reopen_deferred(db)
