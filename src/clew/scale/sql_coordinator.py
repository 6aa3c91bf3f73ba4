"""A coordinator in SQL, the same for SQLite and PostgreSQL."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clew.errors import ConfigError
from clew.scale.coordinator import (
    LEASE_SECONDS,
    MOST_OUTCOMES,
    SLICE,
    CrawlLimits,
    LabelledText,
    Lease,
    Orders,
    ShardReport,
    ShardState,
    SharedLabel,
    SharedOutcomes,
)
from clew.scale.coordinator_tables import join_tables
from clew.scale.cut_off import cut_off, hosts_above
from clew.scale.databases import Database, Execute, PostgresDatabase, Row, SqliteDatabase
from clew.scale.run_control import RunControl, begin_run
from clew.store.outbox import link_of
from clew.types import Rule

FILE = "coordinator.db"

CUT_OFF_SECONDS = 0.25
"""Seconds after which the cut-off is computed again."""

_REPORT = """
UPDATE shards SET reported = {now}, until = {now} + ?, pages = ?, requests = ?, relevant = ?, failed = ?,
    open = ?, best = ?, sent = ?, pulled = ?, idle = ?, granted_pages = ?, granted_requests = ?,
    learned = ?, address = ?, stored = epoch
WHERE shard = ?"""
_STATES = """
SELECT shard, owner, epoch, until - {now}, {now} - reported, pages, relevant, failed, open, best, sent,
    pulled, idle, stored, address
FROM shards ORDER BY shard"""


def open_coordinator(place: Path | str) -> "SqlCoordinator":
    """Return the coordinator in the folder of a crawl, or the one at the address of a PostgreSQL server."""
    if isinstance(place, Path):
        return SqlCoordinator(SqliteDatabase(place / FILE))
    if not place.startswith(("postgresql://", "postgres://")):
        msg = f"{place}: a coordinator is a PostgreSQL database; write postgresql://user@host/database"
        raise ConfigError(msg)
    return SqlCoordinator(PostgresDatabase(place))


class SqlCoordinator:
    """Coordinate shards by rows in a database; see `Coordinator`."""

    def __init__(self, database: Database, *, lease: float = LEASE_SECONDS) -> None:
        self.database = database
        self.lease = lease

    # ---- the crawl -----------------------------------------------------------------------------

    def join(self, crawl: str, shards: int) -> None:
        """Make the tables for a crawl with so many shards, or check that they belong to it."""
        self.database.run(lambda execute: join_tables(execute, self.database.words, crawl, shards))

    def begin(self, limits: CrawlLimits) -> int:
        """Set what this run may spend, and forget how the last one ended; return the number of the run."""

        def work(execute: Execute) -> int:
            execute("DELETE FROM crawl WHERE name = 'limits'")
            values = json.dumps([limits.pages, limits.requests, limits.focus])
            execute("INSERT INTO crawl (name, value) VALUES ('limits', ?)", values)
            return begin_run(execute)

        return self.database.run(work)

    @property
    def control(self) -> RunControl:
        """Who drives the crawl, and whether it goes on."""
        return RunControl(self.database)

    # ---- leases --------------------------------------------------------------------------------

    def acquire(self, shard: int, owner: str, run: int = 0) -> Lease | None:
        """Give a shard to an owner if nobody holds it and its run is not over."""
        statement = (
            f"UPDATE shards SET owner = ?, epoch = epoch + 1, until = {self._now} + ?, idle = 0"  # noqa: S608
            f" WHERE shard = ? AND (until < {self._now} OR owner = '')"
            " AND (? = 0 OR EXISTS (SELECT 1 FROM crawl WHERE name = 'run' AND value = ?)) RETURNING epoch"
        )
        values = owner, self.lease, shard, run, str(run)
        rows = self.database.run(lambda execute: execute(statement, *values))
        return Lease(shard, owner, int(rows[0][0])) if rows else None

    def renew(self, lease: Lease) -> bool:
        """Let a lease hold again for its whole time; return whether it still has this owner."""
        statement = f"UPDATE shards SET until = {self._now} + ? WHERE shard = ? AND epoch = ? RETURNING shard"  # noqa: S608
        return bool(self.database.run(lambda run: run(statement, self.lease, lease.shard, lease.epoch)))

    def release(self, lease: Lease) -> None:
        """Give a lease up; also for an owner that is known to be dead."""
        statement = "UPDATE shards SET owner = '', until = 0 WHERE shard = ? AND epoch = ?"
        self.database.run(lambda execute: execute(statement, lease.shard, lease.epoch))

    # ---- reports -------------------------------------------------------------------------------

    def report(self, lease: Lease, report: ShardReport) -> Orders | None:
        """Take a report, renew the lease, and return how to go on; None if there is a later owner."""

        def work(execute: Execute) -> Orders | None:
            rows = execute("SELECT epoch FROM shards WHERE shard = ?", lease.shard)
            if not rows or rows[0][0] != lease.epoch:
                return None
            facts: dict[str, str] = dict(execute("SELECT name, value FROM crawl"))
            limits = CrawlLimits(*json.loads(facts.get("limits", "[0, 0, 0]")))
            others = execute(
                "SELECT granted_pages, granted_requests, pages, relevant FROM shards WHERE shard <> ?",
                lease.shard,
            )
            granted = _grant(report, limits, others)
            execute(
                _REPORT.format(now=self._now), self.lease, report.pages, report.spent[1], report.relevant,
                report.failed, report.open, json.dumps(list(report.best)), report.sent,
                json.dumps(list(report.pulled)), int(report.idle), *granted, report.learned,
                report.address, lease.shard,
            )  # fmt: skip
            pages = report.pages + sum(row[2] for row in others)
            cut = self._cut_off(execute, facts, limits) if limits.pages and limits.focus else 0.0
            ended = facts.get("ended") or self._ended(execute, limits, pages)
            if ended and "ended" not in facts:
                execute("INSERT INTO crawl (name, value) VALUES ('ended', ?)", ended)
            last = [int(execute(f"SELECT coalesce(max(id), 0) FROM {name}")[0][0]) for name in _SHARED]  # noqa: S608
            return Orders(
                allowed=granted, cut_off=cut, ended=ended,
                relevant=report.relevant + sum(row[3] for row in others),
                labels=last[0], rules=last[1], outcomes=last[2], texts=last[3],
            )  # fmt: skip

        return self.database.run(work)

    def _cut_off(self, execute: Execute, facts: dict[str, str], limits: CrawlLimits) -> float:
        """Return the cut-off, computed anew after `CUT_OFF_SECONDS`."""
        ((now,),) = execute(f"SELECT {self._now}")
        at, cut = json.loads(facts.get("cut_off", "[0, 0]"))
        if now - at < CUT_OFF_SECONDS:
            return float(cut)
        rows = [json.loads(best) for (best,) in execute("SELECT best FROM shards")]
        total = [sum(counts) for counts in zip(*(counts for counts in rows if counts), strict=True)]
        cut = cut_off(total, limits.focus)
        execute("DELETE FROM crawl WHERE name = 'cut_off'")
        values = json.dumps([float(now), cut])
        execute("INSERT INTO crawl (name, value) VALUES ('cut_off', ?)", values)
        return cut

    def _ended(self, execute: Execute, limits: CrawlLimits, pages: int) -> str:
        """Return why the crawl is over: its budget is spent, or all is fetched and every link delivered."""
        if limits.pages and pages >= limits.pages:
            return f"the budget of {limits.pages:,} pages is spent"
        rows = execute("SELECT idle, sent, pulled, requests FROM shards ORDER BY shard")
        if limits.requests and sum(row[3] for row in rows) >= limits.requests:
            return f"the budget of {limits.requests:,} requests is spent"
        sent = [row[1] for row in rows]
        for shard, (idle, _, pulled, _) in enumerate(rows):
            taken = json.loads(pulled)
            behind = len(taken) != len(sent) or any(
                taken[peer] < sent[peer] for peer in range(len(sent)) if peer != shard
            )
            if not idle or behind:
                return ""
        return "nothing is left to fetch"

    def states(self) -> list[ShardState]:
        """Return all shards."""

        def work(execute: Execute) -> tuple[Sequence[Row], Sequence[Row]]:
            cut = execute("SELECT value FROM crawl WHERE name = 'cut_off'")
            return execute(_STATES.format(now=self._now)), cut

        rows, cut = self.database.run(work)
        score = float(json.loads(cut[0][0])[1]) if cut else 0.0
        sent = [row[10] for row in rows]
        return [
            ShardState(
                shard=row[0], owner=row[1], epoch=row[2], left=max(0.0, row[3]),
                silent=row[4], pages=row[5], relevant=row[6], failed=row[7], open=row[8],
                above=hosts_above(json.loads(row[9]), score), lag=_lag(row[0], json.loads(row[11]), sent),
                idle=bool(row[12]), stored=row[13], address=row[14],
            )
            for row in rows
        ]  # fmt: skip

    # ---- what all shards learn -----------------------------------------------------------------

    def add_label(self, url: str, relevant: bool | None) -> None:
        """Add a user's label; None removes the one before."""
        good = None if relevant is None else int(relevant)
        statement = f"INSERT INTO labels (url, good, at) VALUES (?, ?, {self._now})"  # noqa: S608
        self.database.run(lambda execute: execute(statement, url, good))

    def labels(self, after: int) -> list[SharedLabel]:
        """Return the labels after a number, oldest first."""
        query = "SELECT id, url, good, at FROM labels WHERE id > ? ORDER BY id"
        rows = self.database.run(lambda execute: execute(query, after))
        return [SharedLabel(id, url, None if good is None else bool(good), at) for id, url, good, at in rows]

    def add_rule(self, rule: Rule) -> None:
        """Add a user's rule."""
        statement = "INSERT INTO rules (host, verb, at) VALUES (?, ?, ?)"
        self.database.run(lambda execute: execute(statement, rule.host, rule.verb, rule.at))

    def rules(self, after: int) -> list[Rule]:
        """Return the rules after a number, oldest first."""
        query = "SELECT host, verb, at, id FROM rules WHERE id > ? ORDER BY id"
        return [Rule(*row) for row in self.database.run(lambda execute: execute(query, after))]

    def add_outcomes(self, lease: Lease, packed: Mapping[str, bytes]) -> bool:
        """Add what a shard has learned, by kind, unless there is a later owner; drop what all have seen."""
        statement = (
            "INSERT INTO outcomes (shard, packed, kind) SELECT shard, ?, ? FROM shards"
            " WHERE shard = ? AND epoch = ? RETURNING id"
        )

        def work(execute: Execute) -> bool:
            execute("DELETE FROM outcomes WHERE id <= (SELECT min(learned) FROM shards)")
            rows = [execute(statement, each, kind, lease.shard, lease.epoch) for kind, each in packed.items()]
            return all(rows)

        return self.database.run(work)

    def outcomes(self, after: int, shard: int) -> list[SharedOutcomes]:
        """Return what other shards have learned after a number, oldest first."""
        query = "SELECT id, kind, packed FROM outcomes WHERE id > ? AND shard <> ? ORDER BY id LIMIT ?"
        rows = self.database.run(lambda execute: execute(query, after, shard, MOST_OUTCOMES))
        return [SharedOutcomes(id, kind, bytes(packed)) for id, kind, packed in rows]

    def forget(self, is_on_site: Callable[[str], bool]) -> None:
        """Erase labels and texts of a site; what shards share about pages at the moment goes with them."""

        def work(execute: Execute) -> None:
            for table in ("labels", "texts"):
                for id, url in execute(f"SELECT id, url FROM {table}"):  # noqa: S608 - ours
                    if is_on_site(url):
                        execute(f"DELETE FROM {table} WHERE id = ?", id)  # noqa: S608 - ours
            execute("DELETE FROM outcomes")

        self.database.run(work)

    def add_texts(self, texts: Sequence[LabelledText]) -> None:
        """Add pages that a user has labelled, each once."""
        statement = (
            "INSERT INTO texts (url, title, body, lang) SELECT ?, ?, ?, ?"
            " WHERE NOT EXISTS (SELECT 1 FROM texts WHERE url = ?)"
        )

        def work(execute: Execute) -> None:
            for each in texts:
                values = [value.replace("\0", " ") for value in (each.title, each.text, each.lang)]
                execute(statement, each.url, *values, each.url)

        self.database.run(work)

    def texts(self, after: int) -> list[LabelledText]:
        """Return the labelled pages after a number, oldest first."""
        query = "SELECT id, url, title, body, lang FROM texts WHERE id > ? ORDER BY id"
        return [LabelledText(*row) for row in self.database.run(lambda execute: execute(query, after))]

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    @property
    def _now(self) -> str:
        return self.database.now


_SHARED = ("labels", "rules", "outcomes", "texts")


def _grant(report: ShardReport, limits: CrawlLimits, others: Sequence[Row]) -> tuple[int, int]:
    """Return the pages and requests that a shard may have spent in all, so that no limit is exceeded."""
    granted = []
    for place, limit in enumerate((limits.pages, limits.requests)):
        spent = report.spent[place]
        left = limit - spent - sum(row[place] for row in others)
        share = min(SLICE, max(1, left // (len(others) + 1)))
        granted.append(spent + (min(share, max(0, left)) if report.wants else 0))
    return granted[0], granted[1]


def _lag(shard: int, pulled: Sequence[int], sent: Sequence[int]) -> int:
    return sum(
        max(0, link_of(last) - link_of(pulled[peer] if peer < len(pulled) else 0))
        for peer, last in enumerate(sent)
        if peer != shard
    )
