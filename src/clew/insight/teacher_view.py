"""What a teacher did in a crawl: what it said of a page, how many labels hold, what they cost."""

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clew.domain.teacher_trust import Trust
from clew.domain.text import printable
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import TeacherLog, TeacherSpending
from clew.store.teacher_rows import TeacherRows

WORDS = {True: "yes", False: "no", None: "unsure"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeacherStatus:
    """How many pages a teacher called relevant, not relevant and unsure, how many labels of it hold.

    `same` of `compared` pages that a person has labelled too got the same label. `rows` counts the answers
    about rows of the table by their label.
    """

    yes: int
    no: int
    unsure: int
    held: int
    spent: TeacherSpending
    same: int
    compared: int
    rows: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        spent = self.spent
        parts = [f"{self.held} labels hold ({self.yes} yes, {self.no} no, {self.unsure} unsure)"]
        if self.rows:
            parts.append("rows: " + ", ".join(f"{count} {word}" for word, count in self.rows))
        parts.append(f"{spent.tokens:,} tokens" + (f", cost {spent.cost:.4f}" if spent.cost else ""))
        if spent.failed or spent.open:
            parts.append(f"{spent.failed + spent.open} of {spent.calls} calls without an answer")
        if self.compared:
            parts.append(f"you agree on {self.same} of {self.compared}")
        return "; ".join(parts)


def read_teacher_status(folder: Path) -> TeacherStatus | None:
    """Return what the teacher of a crawl did; None if it never had one."""
    log = TeacherLog(folder)
    if not log.exists:
        return None
    answers = TeacherAnswers(log)
    said = answers.all()
    words = [each.relevant for each in said]
    trust = Trust.of(
        {each.url: each.relevant for each in said if each.relevant is not None}, answers.persons_labels()
    )
    return TeacherStatus(
        yes=words.count(True), no=words.count(False), unsure=words.count(None),
        held=sum(each.label_at is not None for each in said), spent=log.spending(),
        same=trust.same, compared=trust.compared,
        rows=tuple(Counter(each.word or "unsure" for each in TeacherRows(log).all()).most_common()),
    )  # fmt: skip


def teacher_lines(folder: Path, url: str) -> list[str]:
    """Return what the teacher said of a page, whether it holds, and what it has cost; empty if nothing."""
    log = TeacherLog(folder)
    answers = TeacherAnswers(log)
    answer = answers.about(url)
    lines = []
    if answer:
        lines.append(f"{WORDS[answer.relevant]}: {printable(answer.reason) or 'no reason given'}")
        if answer.passage:
            lines.append(f"“{printable(answer.passage, 160)}”")
        lines.append(_standing(answer, answers.persons_labels().get(url)))
    for purpose, at, model, prompt, tokens, cost, cause in log.calls_about(url):
        asked = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
        price = f", cost {cost:.5f}" if cost else ""
        what = "asked once more with shuffled words" if purpose == "check" else "asked"
        failed = f"; no answer: {printable(cause)}" if cause else ""
        lines.append(
            f"{what} {asked}, {printable(model, 60)}, {tokens:,} tokens{price}, prompt {prompt}{failed}"
        )
    return lines


def gave_label(folder: Path, url: str) -> bool:
    """Return whether the label of a page is the teacher's."""
    answers = TeacherAnswers(TeacherLog(folder))
    answer = answers.about(url)
    return bool(answer and answer.label_at is not None and url not in answers.persons_labels())


def _standing(answer: StoredAnswer, person: bool | None) -> str:
    """Say whether an answer holds as a label."""
    if person is not None:
        agreed = (
            "you said the same" if person == answer.relevant else f"you said {WORDS[person]}, which counts"
        )
        return agreed if answer.relevant is not None else f"you said {WORDS[person]}"
    if answer.undone_at:
        return "removed by you"
    if answer.relevant is None:
        return "no label"
    return (
        "its label holds" if answer.label_at is not None else "set aside: you disagreed with others like it"
    )
