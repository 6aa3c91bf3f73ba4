"""What a teacher said of rows of the table, and which of it holds as a row label."""

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from clew.domain.teacher_trust import Trust
from clew.store.database import open_for_labels, open_reader, store_errors
from clew.store.folder import DATABASE
from clew.store.teacher_log import TeacherLog

RIGHT = "right"

_ALL = """SELECT id, cells, url, word, reason, at, mark_at, undone_at FROM row_answers
WHERE id IN (SELECT max(id) FROM row_answers GROUP BY cells) ORDER BY id"""
_INSERT = """INSERT INTO marks (row, cells, word, at)
SELECT id, cells, ?2, ?3 FROM rows WHERE cells = ?1 AND ?2 != ifnull(
    (SELECT word FROM marks WHERE marks.row = rows.id ORDER BY marks.id DESC LIMIT 1), '')"""


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """What a teacher said of a row: `word` is a row label, or empty if it was unsure.

    `cells` are the values of the row as stored; they name it also after the table was built anew.
    `mark_at` is the time of its label in the crawl, if it has one; `undone_at` when a person removed it.
    """

    id: int
    cells: str
    url: str
    word: str
    reason: str
    at: float
    mark_at: float | None
    undone_at: float | None

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the row."""
        return tuple(json.loads(self.cells))


@dataclass(frozen=True, slots=True)
class _RowMarks:
    """The labels on rows in the crawl, by the values of the row, oldest first."""

    by_cells: dict[str, list[tuple[str, float]]]

    def is_there(self, answer: RowAnswer) -> bool:
        return any(at == answer.mark_at for _, at in self.by_cells.get(answer.cells, ()))

    def last(self, answer: RowAnswer) -> tuple[str, float]:
        return self.by_cells.get(answer.cells, [("", 0.0)])[-1]


@dataclass(frozen=True, slots=True)
class TeacherRows:
    """Read and write a teacher's answers about rows and their labels, also while the crawl runs.

    A teacher's label is a row in `marks` of crawl.db, as a person's is; its time says whose it is, and is
    noted before it is written, so that a kill between the two leaves nothing unclear. It is written only
    where no label is.
    """

    log: TeacherLog

    def add(self, values: Sequence[str], url: str, word: str, reason: str) -> None:
        """Store an answer; `sync` makes it a row label."""
        row = (json.dumps(values, ensure_ascii=False), url, word, reason, time.time())
        with self.log.writing() as db:
            db.execute("INSERT INTO row_answers (cells, url, word, reason, at) VALUES (?, ?, ?, ?, ?)", row)

    def all(self) -> list[RowAnswer]:
        """Return the last answer for each row, oldest first."""
        if not self.log.exists:
            return []
        with self.log.reading() as db:
            return [RowAnswer(*row) for row in db.execute(_ALL)]

    def sync(self) -> Trust:
        """Let answers hold as row labels as far as the teacher is trusted; return how far that is."""
        marks = self._marks()
        gone = [each for each in self.all() if _removed(each, marks)]
        self._note(gone, mark_at=None, undone_at=time.time())
        answers = [each for each in self.all() if each.word]
        trust = self.trust(marks)
        usable = [each for each in answers if not each.undone_at]
        held = [each for each in usable if trust.holds(each.word == RIGHT)]
        lost = [each for each in usable if each.mark_at and not trust.holds(each.word == RIGHT)]
        self._write([each for each in held if not marks.last(each)[0]], marks)
        self._clear(lost, marks)
        return trust

    def trust(self, marks: _RowMarks | None = None) -> Trust:
        """Compare the answers with the labels of a person: rows called right, and all others."""
        marks = marks or self._marks()
        answers = [each for each in self.all() if each.word]
        own = {(each.cells, each.mark_at) for each in answers}
        person = {
            cells: rows[-1][0] == RIGHT
            for cells, rows in marks.by_cells.items()
            if rows[-1][0] and (cells, rows[-1][1]) not in own
        }
        return Trust.of({each.cells: each.word == RIGHT for each in answers}, person)

    def undo(self) -> int:
        """Remove all row labels of the teacher, and none of a person; they do not come back."""
        marks, answers = self._marks(), self.all()
        removed = self._clear([each for each in answers if each.mark_at], marks)
        self._note(answers, mark_at=None, undone_at=time.time())
        return removed

    def _write(self, answers: Sequence[RowAnswer], marks: _RowMarks) -> None:
        """Write row labels, each at the time that is noted for it first."""
        latest = max((at for rows in marks.by_cells.values() for _, at in rows), default=0.0)
        start = max(time.time(), latest + 1e-6)
        times = {each.id: each.mark_at or start + 1e-6 * n for n, each in enumerate(answers)}
        with self.log.writing() as db:
            db.executemany(
                "UPDATE row_answers SET mark_at = ? WHERE id = ?", [(at, id) for id, at in times.items()]
            )
        self._insert((each.cells, each.word, times[each.id]) for each in answers)

    def _clear(self, answers: Sequence[RowAnswer], marks: _RowMarks) -> int:
        """Remove the labels of answers where no later one overrides them; return how many there were."""
        held = [each for each in answers if marks.last(each)[1] == each.mark_at]
        now = time.time()
        self._insert((each.cells, "", max(now, (each.mark_at or 0) + 1e-6)) for each in held)
        self._note(answers, mark_at=None, undone_at=None)
        return len(held)

    def _insert(self, marks: Iterable[tuple[str, str, float]]) -> None:
        with closing(open_for_labels(self.log.folder)) as db, store_errors(self.log.folder / DATABASE):
            db.execute("BEGIN IMMEDIATE")
            db.executemany(_INSERT, list(marks))
            db.execute("COMMIT")

    def _note(self, answers: Sequence[RowAnswer], *, mark_at: float | None, undone_at: float | None) -> None:
        if answers:
            with self.log.writing() as db:
                db.executemany(
                    "UPDATE row_answers SET mark_at = ?, undone_at = ifnull(undone_at, ?) WHERE id = ?",
                    [(mark_at, undone_at, each.id) for each in answers],
                )

    def _marks(self) -> _RowMarks:
        found: dict[str, list[tuple[str, float]]] = {}
        with closing(open_reader(self.log.folder)) as db, store_errors(self.log.folder / DATABASE):
            for cells, word, at in db.execute("SELECT cells, word, at FROM marks ORDER BY id"):
                found.setdefault(cells, []).append((word, at))
        return _RowMarks(found)


def _removed(answer: RowAnswer, marks: _RowMarks) -> bool:
    """Return whether a person has removed the label of an answer."""
    word, at = marks.last(answer)
    return bool(answer.mark_at) and marks.is_there(answer) and not word and at != answer.mark_at
