"""The log of a teacher: every call to a language model, its answer and its cost, in `teacher.db`.

A file of its own beside crawl.db: a call is durable before it is made and when it has ended, apart from the
commits of the crawl; and crawls that were made before there were teachers can have one.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.errors import StoreError
from clew.store.database import BUSY_WAIT, store_errors

TEACHER_FILE = "teacher.db"
VERSION = 2

SCHEMA = """
CREATE TABLE calls (                    -- one row for each request to the model, written before it is sent
    id          INTEGER PRIMARY KEY,
    at          REAL NOT NULL,              -- Unix seconds
    purpose     TEXT NOT NULL,              -- page, check (once more), row, proposal
    subject     TEXT NOT NULL,              -- the URL; of a row also its number
    model       TEXT NOT NULL,
    prompt      TEXT NOT NULL,              -- digest of the whole prompt
    tokens      INTEGER NOT NULL,           -- counted against the budget: at most at first, then as reported
    cost        REAL NOT NULL,              -- the same in money
    ended_at    REAL,                       -- NULL while it runs, and when the run was killed
    answer      TEXT,                       -- as it came, its first 4,000 characters
    cause       TEXT                        -- why there is no answer to use; empty if there is one
);

CREATE TABLE answers (                  -- what the teacher said of pages; the last row for a URL counts
    id          INTEGER PRIMARY KEY,
    url         TEXT NOT NULL,
    relevant    INTEGER,                    -- 1, 0, NULL for unsure
    reason      TEXT NOT NULL,
    passage     TEXT NOT NULL,              -- the words of the page that decided
    verdict     REAL NOT NULL,              -- of the judge, when it was asked
    at          REAL NOT NULL,              -- Unix seconds
    label_at    REAL,                       -- time of its row in labels of crawl.db; NULL if it has none
    undone_at   REAL                        -- when a person removed it; NULL if it holds
);

CREATE TABLE proposals (                -- changes of the goal that the teacher proposed
    id          INTEGER PRIMARY KEY,
    at          REAL NOT NULL,
    kind        TEXT NOT NULL,              -- add, strike, example, keep, criterion
    value       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    decided     TEXT                        -- accepted, rejected, NULL while nobody has decided
);

CREATE TABLE row_answers (              -- what the teacher said of rows of the table; the last one counts
    id          INTEGER PRIMARY KEY,
    cells       TEXT NOT NULL,              -- values of the row, as in rows of crawl.db
    url         TEXT NOT NULL,              -- the page it was shown on
    word        TEXT NOT NULL,              -- right, off-topic, noise; empty for unsure
    reason      TEXT NOT NULL,
    at          REAL NOT NULL,              -- Unix seconds
    mark_at     REAL,                       -- time of its row in marks of crawl.db; NULL if it has none
    undone_at   REAL                        -- when a person removed it; NULL if it holds
);
"""

_ADDED_IN_2 = SCHEMA.rsplit("\n\n", maxsplit=1)[-1]

_SPENT = """
SELECT count(DISTINCT CASE WHEN purpose IN ('page', 'row') AND (ended_at IS NULL OR cause = '')
                           THEN purpose || subject END),
       ifnull(sum(tokens), 0), ifnull(sum(cost), 0.0), count(*),
       count(CASE WHEN ended_at NOT NULL AND cause != '' THEN 1 END),
       count(CASE WHEN ended_at IS NULL THEN 1 END)
FROM calls"""
_CLIP = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TeacherBudget:
    """What a teacher may spend in all: labels, tokens, money; 0 tokens or money means no limit."""

    labels: int
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class TeacherSpending:
    """What a teacher has spent: labels asked for, tokens, money; calls in all, failed and not ended.

    Calls that have not ended count with what they may cost at most.
    """

    labels: int = 0
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0
    failed: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call to be made: what for, with which prompt, and what it costs at most."""

    purpose: str
    subject: str
    model: str
    prompt: str
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class TeacherLog:
    """Read and write the log; every method opens a connection of its own and may be called in any thread."""

    folder: Path

    @property
    def exists(self) -> bool:
        """Whether this crawl ever had a teacher."""
        return (self.folder / TEACHER_FILE).exists()

    def begin(self, call: PlannedCall, budget: TeacherBudget) -> int | str:
        """Record a call before it is made; return its id, or which budget does not allow it.

        Budget and record are one transaction: two programs together cannot spend more either.
        """
        with self.writing() as db:
            spent = TeacherSpending(*db.execute(_SPENT).fetchone())
            if refusal := _refusal(spent, call, budget):
                return refusal
            cursor = db.execute(
                "INSERT INTO calls (at, purpose, subject, model, prompt, tokens, cost)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (time.time(), call.purpose, call.subject, call.model, call.prompt, call.tokens, call.cost),
            )
            return int(cursor.lastrowid or 0)

    def end(self, id: int, *, tokens: int, cost: float, answer: str, cause: str) -> None:
        """Record the end of a call: its answer, or the cause why there is none, and what it has cost."""
        with self.writing() as db:
            db.execute(
                "UPDATE calls SET tokens = ?, cost = ?, ended_at = ?, answer = ?, cause = ? WHERE id = ?",
                (tokens, cost, time.time(), answer[:_CLIP], cause, id),
            )

    def spending(self) -> TeacherSpending:
        """Return what was spent so far."""
        if not self.exists:
            return TeacherSpending()
        with self.reading() as db:
            return TeacherSpending(*db.execute(_SPENT).fetchone())

    def asked(self) -> set[str]:
        """Return the URLs of pages that were asked about, with or without an answer."""
        if not self.exists:
            return set()
        with self.reading() as db:
            rows = db.execute("SELECT DISTINCT subject FROM calls WHERE purpose = 'page'")
            return {subject for (subject,) in rows}

    def unread(self) -> list[tuple[str, str]]:
        """Return the pages whose answer came and was not read before the run was killed, with the answer."""
        if not self.exists:
            return []
        with self.reading() as db:
            return db.execute(
                "SELECT subject, answer FROM calls WHERE purpose = 'page' AND cause = ''"
                " AND subject LIKE '%://%' AND subject NOT IN (SELECT url FROM answers)"
            ).fetchall()

    def causes(self, most: int = 5) -> list[tuple[str, int]]:
        """Return why calls brought no answer, the most frequent causes first."""
        with self.reading() as db:
            return db.execute(
                "SELECT cause, count(*) FROM calls WHERE cause != '' GROUP BY cause ORDER BY 2 DESC LIMIT ?",
                (most,),
            ).fetchall()

    def calls_about(self, subject: str) -> list[tuple[str, float, str, str, int, float, str]]:
        """Return the calls about a page: purpose, time, model, prompt, tokens, cost and cause."""
        if not self.exists:
            return []
        with self.reading() as db:
            return db.execute(
                "SELECT purpose, at, model, prompt, tokens, cost, ifnull(cause, 'the run was killed')"
                " FROM calls WHERE subject = ? AND purpose IN ('page', 'check') ORDER BY id",
                (subject,),
            ).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction, durable when it ends; make the file if there is none."""
        with store_errors(self.folder / TEACHER_FILE), closing(self._connect("rwc")) as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            self._check(version)
            if version < VERSION:
                _create(db, version)
                db.execute(f"PRAGMA user_version = {VERSION}")
            yield db
            db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file to read it; one that a killed run has not filled yet is empty.

        It is opened for writing: the first to open it after a kill takes half a transaction back.
        """
        with store_errors(self.folder / TEACHER_FILE), closing(self._connect("rw")) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            self._check(version)
            if 0 < version < VERSION:
                with self.writing():
                    """Bring it up to date."""
            if version:
                db.execute("PRAGMA query_only = ON")
                yield db
                return
        with closing(sqlite3.connect(":memory:")) as empty:
            _create(empty)
            yield empty

    def _connect(self, mode: str) -> sqlite3.Connection:
        path = (self.folder / TEACHER_FILE).absolute()
        return sqlite3.connect(
            f"{path.as_uri()}?mode={mode}", uri=True, timeout=BUSY_WAIT, isolation_level=None
        )

    def _check(self, version: int) -> None:
        if version > VERSION:
            path = self.folder / TEACHER_FILE
            msg = f"{path} was made by a newer clew; upgrade with: pip install -U clew"
            raise StoreError(msg)


def _create(db: sqlite3.Connection, version: int = 0) -> None:
    """Make the tables that a file of this version lacks."""
    for statement in [_ADDED_IN_2] if version else SCHEMA.split("\n\n"):
        db.execute(statement)


def _refusal(spent: TeacherSpending, call: PlannedCall, budget: TeacherBudget) -> str:
    """Return which budget a call would exceed, or an empty string."""
    labelled = call.purpose in ("page", "row")
    if labelled and spent.labels >= budget.labels:
        return f"its {budget.labels:,} labels are used up (teach.labels)"
    if budget.tokens and spent.tokens + call.tokens > budget.tokens:
        return f"its budget of {budget.tokens:,} tokens is used up (teach.tokens)"
    if budget.money and spent.cost + call.cost > budget.money:
        return f"its budget of {budget.money:g} is used up (teach.money)"
    return ""
