"""Who drives a crawl in shards, and whether it goes on: rows beside those of the coordinator."""

import json
from dataclasses import dataclass

from clew.errors import FolderBusy
from clew.scale.databases import Database, Execute

DRIVER_SECONDS = 5.0
"""Seconds for which nobody else can drive a crawl after its driver was last heard of."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a run ended: the error of a shard, with its exit code."""

    shard: int
    message: str
    exit_code: int


@dataclass(slots=True)
class RunControl:
    """Begin, end and drive the run of a crawl. Every method is one transaction.

    Each run has a number. Processes of an earlier run, on a machine that could not be reached when the run
    was begun, get no lease any more.
    """

    database: Database
    seconds: float = DRIVER_SECONDS

    def token(self) -> str:
        """Return the secret by which the shards of the crawl know each other."""
        return self._fact("token")

    def run(self) -> int:
        """Return the number of the run, 0 before the first."""
        return int(self._fact("run") or 0)

    def drive(self, name: str) -> None:
        """Become the driver of the crawl, or stay it; raise `FolderBusy` while another is."""

        def work(execute: Execute) -> str:
            rows = execute("SELECT value FROM crawl WHERE name = 'driver'")
            holder, until = json.loads(rows[0][0]) if rows else ("", 0.0)
            ((now,),) = execute(f"SELECT {self.database.now}")
            if holder and holder != name and until > now:
                return str(holder)
            _set(execute, "driver", json.dumps([name, float(now) + self.seconds]))
            return name

        if (holder := self.database.run(work)) != name:
            msg = (
                f"{holder} already drives this crawl; watch it there, or stop it there and run this again "
                f"({self.seconds:g} s later, if it was killed)"
            )
            raise FolderBusy(msg)

    def leave(self, name: str) -> None:
        """Let somebody else drive."""

        def work(execute: Execute) -> None:
            rows = execute("SELECT value FROM crawl WHERE name = 'driver'")
            if rows and json.loads(rows[0][0])[0] == name:
                execute("DELETE FROM crawl WHERE name = 'driver'")

        self.database.run(work)

    def end(self, reason: str) -> None:
        """Let all shards stop cleanly; the first reason counts."""
        self.database.run(lambda execute: _set_once(execute, "ended", reason))

    def ended(self) -> str:
        """Return why the run ended or is ending, empty while it goes on."""
        return self._fact("ended")

    def fail(self, failure: RunFailure) -> None:
        """End the run because of the error of a shard; the first one counts."""

        def work(execute: Execute) -> None:
            fields = [failure.shard, failure.message, failure.exit_code]
            _set_once(execute, "failure", json.dumps(fields))
            _set_once(execute, "ended", f"shard {failure.shard} failed")

        self.database.run(work)

    def failure(self) -> RunFailure | None:
        """Return the error that ended the run."""
        value = self._fact("failure")
        return RunFailure(*json.loads(value)) if value else None

    def _fact(self, name: str) -> str:
        query = "SELECT value FROM crawl WHERE name = ?"
        rows = self.database.run(lambda execute: execute(query, name))
        return str(rows[0][0]) if rows else ""


def begin_run(execute: Execute) -> int:
    """Give a new run its number, and forget how the last one ended; inside a transaction."""
    rows = execute("SELECT value FROM crawl WHERE name = 'run'")
    number = int(rows[0][0]) + 1 if rows else 1
    execute("DELETE FROM crawl WHERE name IN ('cut_off', 'ended', 'failure')")
    _set(execute, "run", str(number))
    # Whoever still holds a shard for an earlier run cannot renew its lease; the next owner waits for its end.
    execute("UPDATE shards SET idle = 0, epoch = epoch + 1")
    return number


def _set(execute: Execute, name: str, value: str) -> None:
    execute("DELETE FROM crawl WHERE name = ?", name)
    execute("INSERT INTO crawl (name, value) VALUES (?, ?)", name, value)


def _set_once(execute: Execute, name: str, value: str) -> None:
    if not execute("SELECT value FROM crawl WHERE name = ?", name):
        _set(execute, name, value)
