"""`clew label`: label pages as relevant or not relevant."""

import json as json_
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import ask_labels, screen
from clew.cli.arguments import Folder, read_given
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.services.labels import LabelAnswer, ask, keep_answers, kept_answers, meant, read_answers, said

ASKED = 10
"""Pages asked about when no number is given."""

_NAMED = 8
_SAID = {True: "yes", False: "no", None: "clear"}


def label(
    folder: Folder,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL … yes|no|clear]", help="URLs, or parts of them, and the label."),
    ] = None,
    ask_me: Annotated[
        bool, typer.Option("--ask", help="Ask about the most informative pages; a number may follow.")
    ] = False,
    file: Annotated[
        str, typer.Option(metavar="FILE", help="Labels as .tsv, .csv or .jsonl; - reads standard input.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Label pages as relevant or not relevant.

    clew label DIR URL yes labels one page, or several: URL URL yes URL no. A label overrides the verdict
    of the judge; the last label of a page counts, and clear removes it. A part of a URL is enough if it
    matches only one known URL. --file reads labels from a file: a URL and yes, no or clear on each line.

    --ask asks about the pages whose labels are most informative: verdicts close to goal.keep, pages whose
    verdict differs from the score of their link, pages with many queued links, on different hosts. Press
    y for yes, n for no, s to skip, q to quit. --ask 5 asks about five pages.

    Without any of these, the labels are listed.

    Labels are on disk when the command returns. A running crawl applies them within a second: the page
    gets your verdict, judge and policy learn from it, and the run reports what changed. Otherwise the
    next run applies them.
    """
    config = configuration.load(folder / "clew.toml")
    words = words or []
    if ask_me:
        _ask(folder, config, words, json)
    elif file and words:
        msg = "--file and addresses exclude each other; give one or the other"
        raise ConfigError(msg)
    elif file or words:
        given = read_answers(*read_given(file, "an address and yes or no")) if file else _pairs(words)
        answers = meant(folder, given, config.scope.drop_params, guess=not file)
        gone = keep_answers(folder, answers)
        _tell(folder, answers, json)
        if not gone and any(answer.good is None for answer in answers):
            screen.say("  nothing was removed: there was no label")
    else:
        _list(folder, config, json)


def _pairs(words: Sequence[str]) -> list[tuple[str, bool | None]]:
    """Give each address the answer that follows it."""
    pairs: list[tuple[str, bool | None]] = []
    waiting: list[str] = []
    for word in words:
        try:
            answer = said(word)
        except ValueError:
            waiting.append(word)
            continue
        if not waiting:
            msg = f"{word} answers nothing; the address comes first: clew label DIR URL {word}"
            raise ConfigError(msg)
        pairs += [(address, answer) for address in waiting]
        waiting = []
    if waiting:
        msg = f"what about {waiting[-1]}? Say yes, no or clear: clew label DIR {waiting[-1]} yes"
        raise ConfigError(msg)
    return pairs


# ---- questions ---------------------------------------------------------------------------------


def _ask(folder: Path, config: Config, words: Sequence[str], json: bool) -> None:
    if len(words) > 1 or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        msg = f"--ask takes a number of pages, not {' '.join(words)}; write: clew label {folder} --ask 5"
        raise ConfigError(msg)
    questions = ask(folder, int(words[0]) if words else ASKED, keep=config.goal.keep)
    if json:
        for question in questions:
            screen.say(json_.dumps(question.as_dict(), ensure_ascii=False))
        return
    if not questions:
        screen.say(f"nothing to ask: no page without a label has been judged in {printable(str(folder))}")
        return
    kept: list[LabelAnswer] = []
    stopped = False
    try:
        for question, good in ask_labels.answers(questions, config.goal.keep):
            answer = LabelAnswer(question.url, good, known=True, verdict=question.verdict)
            keep_answers(folder, [answer])
            kept.append(answer)
    except KeyboardInterrupt:
        screen.say("")
        stopped = True
    yes = sum(bool(answer.good) for answer in kept)
    screen.say(f"{_many(len(kept))} saved: {yes} yes, {len(kept) - yes} no")
    if kept:
        screen.say(f"  {_when(folder)}")
    if stopped:
        raise typer.Exit(3)


# ---- what is known -----------------------------------------------------------------------------


def _tell(folder: Path, answers: Sequence[LabelAnswer], json: bool) -> None:
    """Say what was kept, and when it counts."""
    if json:
        for answer in answers:
            row = {"url": answer.url, "good": answer.good, "met": answer.known, "verdict": answer.verdict}
            screen.say(json_.dumps(row, ensure_ascii=False))
        return
    for answer in answers if len(answers) <= _NAMED else ():
        if answer.good is None:
            thought = "label removed"
        elif not answer.known:
            thought = "not in this crawl yet: applied when the page is fetched"
        elif answer.verdict is None:
            thought = "not fetched yet: applied when it is"
        else:
            thought = f"its verdict was {answer.verdict:.2f}"
        screen.say(f"✓ {_SAID[answer.good]:<5}  {printable(answer.url, 200)}  ({thought})")
    if len(answers) > _NAMED:
        counts = {word: sum(answer.good is key for answer in answers) for key, word in _SAID.items()}
        told = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
        unmet = sum(not answer.known for answer in answers)
        more = f"; {unmet:,} of the URLs are not in this crawl yet" if unmet else ""
        screen.say(f"✓ {_many(len(answers))}: {told}{more}")
    screen.say(f"  saved; {_when(folder)}")


def _when(folder: Path) -> str:
    if holder := lock_holder(folder):
        return f"the crawl running as process {holder} applies it within a second"
    return f"the next run applies it: {printable(shlex.join(['clew', 'run', str(folder)]))}"


def _list(folder: Path, config: Config, json: bool) -> None:
    rows = list(kept_answers(folder))
    if json:
        for answer, at in rows:
            row = {"url": answer.url, "good": answer.good, "at": at, "met": answer.known}
            screen.say(json_.dumps(row, ensure_ascii=False))
        return
    name = printable(shlex.quote(str(folder)))
    if not rows:
        screen.say(f"no labels yet; let it ask you: clew label {name} --ask")
        return
    for answer, at in rows:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
        unmet = "" if answer.known else "  (not in this crawl yet)"
        screen.say(f"{when}  {_SAID[answer.good]:<3}  {printable(answer.url, 200)}{unmet}")
    yes = sum(bool(answer.good) for answer, _ in rows)
    examples = len(config.goal.good) + len(config.goal.bad)
    also = f"; {examples} more example{'s' * (examples != 1)} in clew.toml" if examples else ""
    screen.say(f"{_many(len(rows))}: {yes} yes, {len(rows) - yes} no{also}")


def _many(number: int) -> str:
    return f"{number:,} label{'s' * (number != 1)}"
