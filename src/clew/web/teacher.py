"""The teacher of a crawl: what it said, what holds, what it has spent; take its labels back."""

from pathlib import Path
from typing import Any

from pydantic import Field

from clew import config as configuration
from clew.config.tables import TeachTable
from clew.insight.teacher_view import WORDS, read_teacher_status
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import TeacherLog
from clew.store.teacher_rows import TeacherRows
from clew.web.operations import Call, Changes, Operation, Paging, WebPage

LATEST = 20
"""Answers that the page shows, newest first."""


class UndoBody(Changes):
    """The pages whose labels are taken back; all labels, of rows too, if none is named."""

    urls: list[str] = Field(default=[], max_length=10_000)


def teacher_of(folder: Path, offset: int = 0, limit: int = LATEST) -> dict[str, Any] | None:
    """Return what the teacher did, newest answers first; None if there never was one."""
    status = read_teacher_status(folder)
    if status is None:
        return None
    answers = TeacherAnswers(TeacherLog(folder))
    person = answers.persons_labels()
    given = sorted(answers.all(), key=lambda each: -each.at)
    budget = configuration.load_folder(folder).teach
    return {
        "model": budget.model,
        "counts": {"yes": status.yes, "no": status.no, "unsure": status.unsure, "held": status.held},
        "rows": dict(status.rows),
        "agreement": {"same": status.same, "compared": status.compared},
        "spent": {
            "labels": status.spent.labels,
            "tokens": status.spent.tokens,
            "money": status.spent.cost,
            "calls": status.spent.calls,
            "failed": status.spent.failed,
        },
        "budget": {"labels": budget.labels, "tokens": budget.tokens, "money": budget.money},
        "summary": str(status),
        "left": _left(status.spent.labels, budget),
        "total": len(given),
        "answers": [_described(each, person.get(each.url)) for each in given[offset : offset + limit]],
    }


def _left(labels: int, budget: TeachTable) -> str:
    """Say how much of the budget is spent.

    >>> _left(12, TeachTable(labels=40, tokens=50_000))
    '12 of 40 labels, at most 50,000 tokens'
    """
    limits = [f"at most {budget.tokens:,} tokens"] if budget.tokens else []
    limits += [f"at most {budget.money:g} in money"] if budget.money else []
    return ", ".join([f"{labels:,} of {budget.labels:,} labels", *limits])


def _described(answer: StoredAnswer, person: bool | None) -> dict[str, Any]:
    return {
        "url": answer.url,
        "said": WORDS[answer.relevant],
        "reason": answer.reason,
        "passage": answer.passage,
        "at": answer.at,
        "holds": answer.label_at is not None and person is None,
        "undone": answer.undone_at is not None,
        "person": None if person is None else WORDS[person],
    }


def show(call: Call) -> dict[str, Any]:
    """Return what the teacher did."""
    found = teacher_of(call.folder, call.query.offset, call.query.limit)
    return {"teacher": found}


def undo(call: Call) -> dict[str, Any]:
    """Remove labels of the teacher and none of a person; they do not come back."""
    answers = TeacherAnswers(TeacherLog(call.folder))
    wanted = set(call.body.urls)
    chosen = (
        [each for each in answers.all() if not wanted or each.url in wanted] if answers.log.exists else []
    )
    removed = answers.drop_labels(chosen, undo=True) if chosen else 0
    if answers.log.exists and not wanted:
        removed += TeacherRows(answers.log).undo()
    return {
        "removed": removed,
        "message": f"{removed:,} label{'s' * (removed != 1)} of the teacher removed; yours are as they were",
    }


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/teacher",
        summary="What the teacher said, and what it has spent.",
        run=show,
        query=Paging,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/teacher/undo",
        summary="Remove labels of the teacher.",
        run=undo,
        body=UndoBody,
    ),
)
PAGES: tuple[WebPage, ...] = ()
