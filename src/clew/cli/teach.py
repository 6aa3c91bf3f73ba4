"""`clew teach`: see what a teacher did, check it, undo it."""

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import ask_labels, screen
from clew.cli.arguments import Folder
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.teacher_view import WORDS, read_teacher_status
from clew.services.labels import LabelAnswer, LabelQuestion, store_answers
from clew.services.labels.questions import excerpt
from clew.store import SqliteLabelReader
from clew.store.teacher_answers import StoredAnswer, TeacherAnswers
from clew.store.teacher_log import TeacherLog


def teach(
    folder: Folder,
    review: Annotated[int, typer.Option(min=0, help="Label so many of its pages yourself.")] = 0,
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

    --undo removes all its labels and none of yours; they do not come back. clew label DIR URL clear removes
    one.

    Example: clew teach wind --review 10
    """
    config = configuration.load(folder / "clew.toml")
    answers = TeacherAnswers(TeacherLog(folder))
    if not answers.log.exists:
        msg = f"{folder} has had no teacher yet; run: clew run {folder} --teacher URL --model NAME"
        raise ConfigError(msg)
    if undo:
        gone = answers.drop_labels(answers.all(), undo=True)
        screen.echo(f"{screen.many(gone, 'label')} of the teacher removed; yours are as they were")
    elif review:
        _review(folder, config, answers, review)
    else:
        _list(folder, answers, json)


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
