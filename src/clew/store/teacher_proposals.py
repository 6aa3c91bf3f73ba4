"""Changes of the goal that a teacher proposed; a person accepts them or not."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from clew.store.teacher_log import TeacherLog

_OPEN = "SELECT id, kind, value, reason FROM proposals WHERE decided IS NULL ORDER BY id"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change: add or strike a word, take an example page, set goal.keep, add a criterion."""

    id: int
    kind: str
    value: str
    reason: str = ""

    def __str__(self) -> str:
        what = {
            "add": "add the word", "strike": "strike the word", "example": "take as example",
            "keep": "set goal.keep to", "criterion": "add the criterion",
        }[self.kind]  # fmt: skip
        return f"{what} {self.value}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True, slots=True)
class TeacherProposals:
    """Read and write the proposals of a teacher."""

    log: TeacherLog

    def replace_open(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Store new proposals instead of those that nobody has decided; return them with their ids."""
        now = time.time()
        with self.log.writing() as db:
            db.execute("DELETE FROM proposals WHERE decided IS NULL")
            db.executemany(
                "INSERT INTO proposals (at, kind, value, reason) VALUES (?, ?, ?, ?)",
                [(now, each.kind, each.value, each.reason) for each in proposals],
            )
            return [Proposal(*row) for row in db.execute(_OPEN)]

    def open(self) -> list[Proposal]:
        """Return the proposals that nobody has decided."""
        if not self.log.exists:
            return []
        with self.log.reading() as db:
            return [Proposal(*row) for row in db.execute(_OPEN)]

    def decide(self, id: int, *, accepted: bool) -> None:
        """Record what a person has decided."""
        with self.log.writing() as db:
            word = "accepted" if accepted else "rejected"
            db.execute("UPDATE proposals SET decided = ? WHERE id = ?", (word, id))
