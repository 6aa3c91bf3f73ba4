"""The teacher of a crawl: what it said, what holds, what it has spent; take its labels back."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from clew import config as configuration
from clew.config import Config
from clew.config.tables import TeachTable
from clew.errors import ConfigError
from clew.insight.teacher_view import WORDS, read_teacher_status
from clew.services.teacher.accepting import accept
from clew.services.teacher.asking import with_teacher
from clew.services.teacher.proposals import propose
from clew.services.teacher.row_checks import RowCheck, check_rows
from clew.store import TableRow
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import TeacherLog
from clew.store.teacher_proposals import Proposal, TeacherProposals
from clew.store.teacher_rows import TeacherRows
from clew.web.operations import Call, Changes, Operation, Paging, WebPage

LATEST = 20
"""Answers that the page shows, newest first."""


class UndoBody(Changes):
    """The pages whose labels are taken back; all labels, of rows too, if none is named."""

    urls: list[str] = Field(default=[], max_length=10_000)


class DecideBody(Changes):
    """Proposals by their ids."""

    accept: list[int] = Field(default=[], max_length=500)
    reject: list[int] = Field(default=[], max_length=500)


class CheckBody(Changes):
    """How many rows the teacher is asked about."""

    rows: int = Field(default=20, ge=1, le=1_000)


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
        "proposals": _listed(TeacherProposals(answers.log).open()),
        "can_ask": bool(budget.url),
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


def ask_proposals(call: Call) -> dict[str, Any]:
    """Ask the teacher how to say the goal better; nothing changes until a proposal is accepted."""
    config = _config_with_teacher(call.folder)
    found, cause = with_teacher(call.folder, config, lambda teacher: propose(teacher, call.folder, config))
    if cause:
        msg = f"the teacher gave no answer: {cause}"
        raise ConfigError(msg)
    return {
        "proposals": _listed(found),
        "message": f"{len(found)} proposals" if found else "no change proposed",
    }


def decide(call: Call) -> dict[str, Any]:
    """Accept and reject proposals."""
    body: DecideBody = call.body
    proposals = TeacherProposals(TeacherLog(call.folder))
    known = {each.id: each for each in proposals.open()}
    for id, accepted in [(id, True) for id in body.accept] + [(id, False) for id in body.reject]:
        if id not in known:
            msg = f"there is no open proposal {id}"
            raise ConfigError(msg)
        if accepted:
            accept(call.folder, known[id])
        proposals.decide(id, accepted=accepted)
    call.server.forget("terms", call.folder)
    return {"message": f"{len(body.accept)} accepted, {len(body.reject)} rejected"}


def check_table(call: Call) -> dict[str, Any]:
    """Let the teacher check rows of the table, as if a person had marked them."""
    config = _config_with_teacher(call.folder)
    said: list[str] = []

    def report(_: TableRow, found: RowCheck) -> None:
        said.append(found.word or "unsure")

    stopped = with_teacher(
        call.folder, config, lambda teacher: check_rows(teacher, call.folder, call.body.rows, report)
    )
    if stopped:
        msg = f"the teacher has stopped: {stopped}"
        raise ConfigError(msg)
    counts = Counter(said)
    words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    return {
        "rows": dict(counts),
        "message": f"asked about {len(said)}: {words}" if said else "nothing to check",
    }


def _config_with_teacher(folder: Path) -> Config:
    config = configuration.load_folder(folder)
    if not config.teach.url:
        msg = "this crawl has no teacher; set teach.url and teach.model in the settings"
        raise ConfigError(msg)
    return config


def _listed(proposals: Sequence[Proposal]) -> list[dict[str, Any]]:
    return [{"id": each.id, "kind": each.kind, "value": each.value, "text": str(each)} for each in proposals]


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
    Operation(
        method="POST",
        path="/crawls/{name}/teacher/propose",
        summary="Ask the teacher how to say the goal better.",
        run=ask_proposals,
        body=Changes,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/teacher/decide",
        summary="Accept or reject what the teacher proposes.",
        run=decide,
        body=DecideBody,
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/teacher/rows",
        summary="Let the teacher check rows of the table.",
        run=check_table,
        body=CheckBody,
    ),
)
PAGES: tuple[WebPage, ...] = ()
