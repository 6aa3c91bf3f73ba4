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
from clew.cli.arguments import ShardedFolder, read_input
from clew.cli.shard_feedback import (
    answers_in_shards,
    ask_in_shards,
    begun_shards,
    find_in_shards,
    store_in_shards,
)
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.services.labels import (
    LabelAnswer,
    ask,
    find_pages,
    parse_answer,
    read_answers,
    store_answers,
    stored_answers,
)

QUESTIONS = 10
"""Number of pages to ask about unless a number is given."""

_LISTED = 8
_LABEL_NAMES = {True: "yes", False: "no", None: "clear"}


def label(
    folder: ShardedFolder,
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

    Example: clew label wind --ask
    """
    config = configuration.load(folder / "clew.toml")
    words = words or []
    if ask_me:
        _ask(folder, config, words, json)
    elif file and words:
        msg = "--file and URLs exclude each other; give one or the other"
        raise ConfigError(msg)
    elif file or words:
        pairs = read_answers(*read_input(file, "a URL and yes or no")) if file else _pairs(folder, words)
        if shards := begun_shards(folder):
            answers = find_in_shards(shards, pairs, config.scope.drop_params, guess=not file)
        else:
            answers = find_pages(folder, pairs, config.scope.drop_params, guess=not file)
        removed = _store(folder, answers)
        _report(folder, answers, json)
        if not removed and any(answer.good is None for answer in answers):
            screen.echo("  nothing was removed: there was no label")
    else:
        _list(folder, config, json)


def _pairs(folder: Path, words: Sequence[str]) -> list[tuple[str, bool | None]]:
    """Return each URL with the label that follows it."""
    pairs: list[tuple[str, bool | None]] = []
    unlabelled: list[str] = []
    for word in words:
        try:
            label = parse_answer(word)
        except ValueError:
            unlabelled.append(word)
            continue
        if not unlabelled:
            msg = f"{word} has no URL; write the URL first: clew label {folder} URL {word}"
            raise ConfigError(msg)
        pairs += [(url, label) for url in unlabelled]
        unlabelled = []
    if unlabelled:
        url = unlabelled[-1]
        if len(unlabelled) > 1 and not any(char in url for char in "./:"):
            msg = f"{url} is no label; write yes, no or clear: clew label {folder} {unlabelled[-2]} yes"
            raise ConfigError(msg)
        msg = f"{url} has no label; add yes, no or clear: clew label {folder} {url} yes"
        raise ConfigError(msg)
    return pairs


# ---- questions ---------------------------------------------------------------------------------


def _ask(folder: Path, config: Config, words: Sequence[str], json: bool) -> None:
    if len(words) > 1 or not all(word.isascii() and word.isdigit() and int(word) for word in words):
        msg = f"--ask takes a number of pages, not {' '.join(words)}; write: clew label {folder} --ask 5"
        raise ConfigError(msg)
    number, shards = int(words[0]) if words else QUESTIONS, begun_shards(folder)
    questions = (
        ask_in_shards(shards, number, keep=config.goal.keep)
        if shards
        else ask(folder, number, keep=config.goal.keep)
    )
    if json:
        for question in questions:
            screen.echo(json_.dumps(question.as_dict(), ensure_ascii=False))
        return
    if not questions:
        screen.echo(f"nothing to ask: no page without a label has been judged in {printable(str(folder))}")
        return
    saved: list[LabelAnswer] = []
    stopped = False
    try:
        for question, good in ask_labels.ask_each(questions, config.goal.keep):
            answer = LabelAnswer(question.url, good, known=True, verdict=question.verdict)
            _store(folder, [answer])
            saved.append(answer)
    except KeyboardInterrupt:
        screen.echo("")
        stopped = True
    yes = sum(bool(answer.good) for answer in saved)
    screen.echo(f"{_many(len(saved))} saved: {yes} yes, {len(saved) - yes} no")
    if saved:
        screen.echo(f"  {_when(folder)}")
    if stopped:
        raise typer.Exit(3)


def _store(folder: Path, answers: Sequence[LabelAnswer]) -> int:
    """Store answers as labels; return how many labels were removed."""
    return store_in_shards(folder, answers) if begun_shards(folder) else store_answers(folder, answers)


# ---- output ------------------------------------------------------------------------------------


def _report(folder: Path, answers: Sequence[LabelAnswer], json: bool) -> None:
    """Print the saved labels, and when they are applied."""
    if json:
        for answer in answers:
            row = {"url": answer.url, "good": answer.good, "met": answer.known, "verdict": answer.verdict}
            screen.echo(json_.dumps(row, ensure_ascii=False))
        return
    for answer in answers if len(answers) <= _LISTED else ():
        screen.echo(f"✓ {_LABEL_NAMES[answer.good]:<5}  {printable(answer.url, 200)}  ({answer.effect()})")
    if len(answers) > _LISTED:
        counts = {word: sum(answer.good is key for answer in answers) for key, word in _LABEL_NAMES.items()}
        totals = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
        unknown = sum(not answer.known for answer in answers)
        more = f"; {unknown:,} of the URLs are not in this crawl yet" if unknown else ""
        screen.echo(f"✓ {_many(len(answers))}: {totals}{more}")
    screen.echo(f"  saved; {_when(folder)}")


def _when(folder: Path) -> str:
    if holder := lock_holder(folder):
        return f"the crawl running as process {holder} applies it within a second"
    return f"the next run applies it: {printable(shlex.join(['clew', 'run', str(folder)]))}"


def _list(folder: Path, config: Config, json: bool) -> None:
    rows = answers_in_shards(folder) if begun_shards(folder) else list(stored_answers(folder))
    if json:
        for answer, at in rows:
            row = {"url": answer.url, "good": answer.good, "at": at, "met": answer.known}
            screen.echo(json_.dumps(row, ensure_ascii=False))
        return
    name = printable(shlex.quote(str(folder)))
    if not rows:
        screen.echo(f"no labels yet; let it ask you: clew label {name} --ask")
        return
    for answer, at in rows:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
        unknown = "" if answer.known else "  (not in this crawl yet)"
        screen.echo(f"{when}  {_LABEL_NAMES[answer.good]:<3}  {printable(answer.url, 200)}{unknown}")
    yes = sum(bool(answer.good) for answer, _ in rows)
    examples = len(config.goal.good) + len(config.goal.bad)
    also = f"; {examples} more example{'s' * (examples != 1)} in clew.toml" if examples else ""
    screen.echo(f"{_many(len(rows))}: {yes} yes, {len(rows) - yes} no{also}")


def _many(number: int) -> str:
    return f"{number:,} label{'s' * (number != 1)}"
