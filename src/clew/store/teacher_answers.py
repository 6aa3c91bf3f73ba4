"""What a teacher said of pages, and which of it holds as labels of the crawl."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from clew.store.database import open_for_labels, open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.teacher_log import TeacherLog

_COLUMNS = "id, url, relevant, reason, passage, verdict, at, label_at, undone_at"
_LAST = "id IN (SELECT max(id) FROM answers GROUP BY url)"
_FORGET = (
    "DELETE FROM answers WHERE url = ?",
    "DELETE FROM row_answers WHERE url = ?",
    "DELETE FROM proposals WHERE value = ?",
    "UPDATE calls SET subject = 'forgotten ' || id, answer = '', prompt = '' WHERE subject = ?",
)
_INSERT = """INSERT INTO labels (url, good, at)
SELECT ?1, ?2, max(?3, ifnull((SELECT max(at) FROM labels) + 1e-6, 0))
WHERE NOT EXISTS (SELECT 1 FROM labels WHERE url = ?1) RETURNING at"""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What a teacher said of a page; `relevant` is None if it was unsure.

    `label_at` is the time of its label in the crawl, if it has one; `undone_at` when a person removed it.
    """

    id: int
    url: str
    relevant: bool | None
    reason: str
    passage: str
    verdict: float
    at: float
    label_at: float | None
    undone_at: float | None


@dataclass(frozen=True, slots=True)
class TeacherAnswers:
    """Read and write a teacher's answers and their labels, also while the crawl runs.

    A teacher's label is a row in `labels` of crawl.db, as a person's is; its time says whose it is. It is
    added only where no other label is, and a later one of a person overrides it.
    """

    log: TeacherLog

    def add(
        self, url: str, relevant: bool | None, *, reason: str, passage: str, verdict: float
    ) -> StoredAnswer:
        """Store an answer; it becomes a label with `add_label`."""
        row = (url, relevant, reason, passage, verdict, time.time())
        with self.log.writing() as db:
            cursor = db.execute(
                "INSERT INTO answers (url, relevant, reason, passage, verdict, at) VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            return StoredAnswer(int(cursor.lastrowid or 0), *row, None, None)

    def all(self) -> list[StoredAnswer]:
        """Return the last answer for each page, oldest first."""
        if not self.log.exists:
            return []
        with self.log.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM answers WHERE {_LAST} ORDER BY id")  # noqa: S608 - ours
            return [_answer(row) for row in rows]

    def about(self, url: str) -> StoredAnswer | None:
        """Return the last answer for a page."""
        return next((answer for answer in self.all() if answer.url == url), None)

    def add_labels(self, answers: Iterable[StoredAnswer]) -> None:
        """Make answers labels of the crawl, where no label is; a running crawl applies them."""
        for answer in answers:
            with closing(open_for_labels(self.log.folder)) as db, store_errors(self.log.folder / DATABASE):
                added = db.execute(_INSERT, (answer.url, int(bool(answer.relevant)), time.time())).fetchone()
            at = added[0] if added else self._unowned_row(answer)
            if at is not None:
                self._set_label_time(answer, at)

    def _unowned_row(self, answer: StoredAnswer) -> float | None:
        """Return the time of a label that a killed run added without noting it; None if a person gave it."""
        rows = [(bool(good), at) for url, good, at in self._rows() if url == answer.url]
        own = len(rows) == 1 and rows[0][0] == answer.relevant and 0 <= rows[0][1] - answer.at < _INTERRUPTED
        return rows[0][1] if own else None

    def drop_labels(self, answers: Sequence[StoredAnswer], *, undo: bool = False) -> int:
        """Remove the labels of answers, and no label of a person; with `undo` they never come back."""
        rows = [(each.url, each.label_at) for each in answers if each.label_at is not None]
        gone = 0
        if rows:
            with closing(open_for_labels(self.log.folder)) as db, store_errors(self.log.folder / DATABASE):
                db.execute("BEGIN IMMEDIATE")
                gone = db.executemany("DELETE FROM labels WHERE url = ? AND at = ?", rows).rowcount
                db.execute("COMMIT")
        undone = time.time() if undo else None
        with self.log.writing() as db:
            db.executemany(
                "UPDATE answers SET label_at = NULL, undone_at = ifnull(undone_at, ?) WHERE id = ?",
                [(undone, each.id) for each in answers],
            )
        return gone

    def persons_labels(self) -> dict[str, bool]:
        """Return the last label of each page that a person gave."""
        own = {(each.url, each.label_at) for each in self.all()}
        return {url: bool(good) for url, good, at in self._rows() if (url, at) not in own}

    def note_removed(self) -> None:
        """Note which labels of the teacher a person has removed: they do not come back."""
        there = {(url, at) for url, _, at in self._rows()}
        gone = [each for each in self.all() if each.label_at and (each.url, each.label_at) not in there]
        if gone:
            self.drop_labels(gone, undo=True)

    def forget(self, is_gone: Callable[[str], bool]) -> None:
        """Delete what was asked, said and proposed about pages and their rows; what it has cost stays."""
        if not self.log.exists:
            return
        with self.log.writing() as db:
            db.execute("PRAGMA secure_delete = ON")
            found = db.execute(
                "SELECT url FROM answers UNION SELECT url FROM row_answers"
                " UNION SELECT subject FROM calls UNION SELECT value FROM proposals"
            )
            rows = [(url,) for (url,) in found.fetchall() if "://" in url and is_gone(url)]
            for statement in _FORGET:
                db.executemany(statement, rows)
            if rows:  # answers to these quote many pages
                db.execute("UPDATE calls SET answer = '' WHERE purpose = 'proposal'")

    def _set_label_time(self, answer: StoredAnswer, at: float) -> None:
        with self.log.writing() as db:
            db.execute("UPDATE answers SET label_at = ? WHERE id = ?", (at, answer.id))

    def _rows(self) -> list[tuple[str, int, float]]:
        """Return all labels of the crawl, oldest first."""
        with closing(open_reader(self.log.folder)) as db, store_errors(self.log.folder / DATABASE):
            return db.execute("SELECT url, good, at FROM labels ORDER BY at, id").fetchall()


_INTERRUPTED = 5.0
"""Seconds between an answer and its label within which a label without an owner is the teacher's."""


def _answer(row: Sequence[object]) -> StoredAnswer:
    id, url, relevant, *rest = row
    return StoredAnswer(id, url, None if relevant is None else bool(relevant), *rest)  # type: ignore[arg-type]
