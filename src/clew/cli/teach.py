"""`clew teach`: see what a teacher did, check it, undo it."""

import json as json_
import shlex
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import ask_labels, screen
from clew.cli.arguments import Folder, TeacherModel, TeacherUrl
from clew.config import Config
from clew.config.template import quoted
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.teacher_view import WORDS, read_teacher_status
from clew.services.labels import LabelAnswer, LabelQuestion, store_answers
from clew.services.labels.questions import excerpt
from clew.services.teacher import Teacher
from clew.services.teacher.accepting import accept
from clew.services.teacher.asking import Result, with_teacher
from clew.services.teacher.proposals import propose
from clew.services.teacher.row_checks import RowCheck, check_rows
from clew.store import SqliteLabelReader, TableRow
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import TeacherLog
from clew.store.teacher_proposals import TeacherProposals
from clew.store.teacher_rows import TeacherRows


def teach(
    folder: Folder,
    review: Annotated[int, typer.Option(min=0, help="Label so many of its pages yourself.")] = 0,
    propose_: Annotated[bool, typer.Option("--propose", help="Ask it how to say the goal better.")] = False,
    accept_: Annotated[
        str, typer.Option("--accept", metavar="N,…", help="Accept proposals by their numbers, or all.")
    ] = "",
    reject: Annotated[str, typer.Option(metavar="N,…", help="Reject proposals, or all.")] = "",
    rows: Annotated[int, typer.Option(min=0, help="Let it check so many rows of the table.")] = 0,
    teacher: TeacherUrl = "",
    model: TeacherModel = "",
    undo: Annotated[bool, typer.Option("--undo", help="Remove all labels of the teacher.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Show what the teacher said, what it cost, and how far it can be trusted.

    A teacher is a language model that labels pages beside the crawl: clew run DIR --teacher URL --model
    NAME, or [teach] in clew.toml. This command lists its answers with their reasons; clew why shows each
    call about a page.

    Your word counts more than the teacher's, whoever spoke first. --review 10 asks you about pages that it
    has labelled, without showing its labels, oldest first. Where you disagree too often, its labels of that
    kind (yes or no) are set aside: they hold while at least two of three are expected to be right.

    --propose asks the teacher for words to add to or strike from the topic terms, example pages and
    criteria, and proposes goal.keep by its labels. Nothing changes until you accept: --accept 1,3 or all;
    --reject 2. Words go to the list of clew learn, examples become your labels, the rest goes to clew.toml.

    --rows 20 lets it check rows of a table that grew from examples: each becomes right, off-topic or noise,
    as if you had used clew records --mark, also beside a running crawl. Rows that you have labelled are not
    asked about; of each pattern the least sure row comes first.

    --teacher URL --model NAME name the model to ask where clew.toml has no [teach], as for clew run.

    --undo removes all its labels and none of yours; they do not come back. clew label DIR URL clear removes
    one.

    Example: clew teach wind --review 10
    """
    config = _config(folder, {"teach.url": teacher, "teach.model": model})
    answers = TeacherAnswers(TeacherLog(folder))
    if propose_:
        _propose(folder, config)
        return
    if rows:
        _check_rows(folder, config, rows)
        return
    if not answers.log.exists:
        msg = f"{folder} has had no teacher yet; run: clew run {folder} --teacher URL --model NAME"
        raise ConfigError(msg)
    if undo:
        gone = answers.drop_labels(answers.all(), undo=True) + TeacherRows(answers.log).undo()
        screen.echo(f"{screen.many(gone, 'label')} of the teacher removed; yours are as they were")
    elif accept_ or reject:
        _decide(folder, accept_, accepted=True)
        _decide(folder, reject, accepted=False)
    elif review:
        _review(folder, config, answers, review)
    else:
        _list(folder, answers, json)


def _config(folder: Path, given: dict[str, str]) -> Config:
    """Return the configuration of a crawl, with the options that were given."""
    settings = [f"{key}={quoted(value)}" for key, value in given.items() if value]
    return configuration.load(folder / "clew.toml", settings)


def _with_teacher(
    folder: Path, config: Config, ask: Callable[[Teacher], Coroutine[None, None, Result]]
) -> Result:
    """Return what the teacher of a crawl is asked."""
    if not config.teach.url:
        msg = "there is no teacher; add --teacher URL --model NAME, or set both in [teach] of clew.toml"
        raise ConfigError(msg)
    return with_teacher(folder, config, ask)


def _check_rows(folder: Path, config: Config, number: int) -> None:
    """Let the teacher check rows, and print what it says of each."""
    asked = 0

    def report(row: TableRow, found: RowCheck) -> None:
        nonlocal asked
        asked += 1
        told = f"no answer: {found.cause}" if found.cause else found.word or "unsure"
        screen.echo(f"{row.id:>5}  {printable(told, 200):<9}  {printable(' · '.join(row.values), 200)}")
        if found.reason:
            screen.echo(f"{'':18}{printable(found.reason, 200)}")

    stopped = _with_teacher(folder, config, lambda teacher: check_rows(teacher, folder, number, report))
    if stopped:
        screen.echo(f"the teacher has stopped: {printable(stopped, 200)}")
    elif not asked:
        screen.echo("nothing to check: every row is yours, labelled, or was asked about")
    else:
        name = printable(shlex.quote(str(folder)))
        screen.echo(f"{screen.many(asked, 'row')} asked about; see them all: clew records {name} --all")


def _propose(folder: Path, config: Config) -> None:
    """Ask for proposals, and print them."""
    proposed, cause = _with_teacher(folder, config, lambda teacher: propose(teacher, folder, config))
    if cause:
        screen.echo(f"the teacher gave no answer: {printable(cause, 200)}")
    for number, each in enumerate(proposed, 1):
        screen.echo(f"{number:>3}  {printable(str(each), 300)}")
    if proposed:
        screen.echo(f"accept some or all: clew teach {printable(shlex.quote(str(folder)))} --accept 1,2")
    elif not cause:
        screen.echo("the teacher proposes no change")


def _decide(folder: Path, numbers: str, *, accepted: bool) -> None:
    """Accept or reject proposals by their numbers in the list."""
    proposals = TeacherProposals(TeacherLog(folder))
    listed = proposals.open()
    wanted = range(1, len(listed) + 1) if numbers.strip() == "all" else _numbers(numbers, len(listed))
    for number in wanted:
        each = listed[number - 1]
        if accepted:
            accept(folder, each)
        proposals.decide(each.id, accepted=accepted)
        screen.echo(f"{'✓' if accepted else '✗'} {printable(str(each), 300)}")


def _numbers(text: str, most: int) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() and 1 <= int(word) <= most for word in words):
        msg = f"{text}: the proposals are numbered 1 to {most}; ask for some with --propose"
        raise ConfigError(msg)
    return [int(word) for word in words]


def _list(folder: Path, answers: TeacherAnswers, json: bool) -> None:
    """Print the answers, oldest first, and what all of it cost."""
    for each in answers.all():
        if json:
            screen.echo(json_.dumps(asdict(each), ensure_ascii=False))
            continue
        holds = "" if each.label_at is not None or each.relevant is None else "  (does not hold)"
        screen.echo(f"{WORDS[each.relevant]:<6}  {printable(each.url, 200)}{holds}")
        if each.reason:
            screen.echo(f"        {printable(each.reason, 200)}")
    for row in TeacherRows(answers.log).all():
        if json:
            screen.echo(json_.dumps(asdict(row) | {"cells": row.values}, ensure_ascii=False))
            continue
        holds = "" if row.mark_at is not None or not row.word else "  (does not hold)"
        screen.echo(f"{row.word or 'unsure':<9}  {printable(' · '.join(row.values), 200)}{holds}")
        if row.reason:
            screen.echo(f"           {printable(row.reason, 200)}")
    if json:
        return
    for cause, count in answers.log.causes():
        screen.echo(f"{screen.many(count, 'call')} without an answer: {printable(cause, 200)}")
    screen.echo(f"{read_teacher_status(folder)}")


def _review(folder: Path, config: Config, answers: TeacherAnswers, number: int) -> None:
    """Ask the user about pages that the teacher has labelled, and say where they differ."""
    person = answers.persons_labels()
    open_ = [each for each in answers.all() if each.relevant is not None and each.url not in person][:number]
    if not open_:
        screen.echo("nothing to review: you have labelled every page that the teacher has labelled")
        return
    questions = list(map(_question, [folder] * len(open_), open_))
    said = {each.url: each for each in open_}
    same = asked = 0
    for question, good in ask_labels.ask_each(questions, config.goal.keep):
        store_answers(folder, [LabelAnswer(question.url, good, known=True, verdict=question.verdict)])
        asked += 1
        same += good == said[question.url].relevant
        if good != said[question.url].relevant:
            reason = printable(said[question.url].reason, 200)
            screen.echo(f"  the teacher said {WORDS[said[question.url].relevant]}: {reason}")
    screen.echo(f"{screen.many(asked, 'page')} reviewed; you agree on {same}")


def _question(folder: Path, answer: StoredAnswer) -> LabelQuestion:
    """Return a page that the teacher has labelled as a question to the user."""
    reader = SqliteLabelReader(folder)
    ids = {page.url: page.id for page in reader.candidates()}
    stored = reader.text(ids[answer.url])
    return LabelQuestion(
        url=answer.url, title=stored.title, excerpt=excerpt(stored.text, [answer.passage]),
        verdict=answer.verdict, why="hidden until you have answered", score=0.0, behind=0, help=0.0,
        because=("the teacher has labelled it",),
    )  # fmt: skip
