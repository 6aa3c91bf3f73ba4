"""`clew learn`: the terms that tell your topic, proposed and changed; and what a crawl has learned."""

import json as json_
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.cli.ask_labels import folded
from clew.cli.model_view import has_models, show_models
from clew.cli.text_cells import cut, fit, tidy
from clew.cli.topic_words import learn_words, show_words
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.judge.term_list import read_terms, write_terms
from clew.services.labels.training_pages import (
    ProposedTerms,
    TrainingPages,
    lessons,
    list_of,
    proposed,
    struck,
    weighed,
)

MOST = 40
"""Terms shown and written unless another number is given: the strongest decide nearly every page."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_WEIGHED = re.compile(r"\+?(?P<word>[^=]+?)(?:=(?P<weight>[-+]?\d+(?:[.,]\d+)?))?")
_PLAIN = 5.0  # weight of a word that was added without one


def learn(
    folder: Folder,
    terms: Annotated[int, typer.Option(min=1, max=500, help="Number of terms to propose.")] = MOST,
    strike: Annotated[list[str] | None, typer.Option(metavar="WORD", help="A term to ignore.")] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD[=WEIGHT]", help="A term to add, weight -10 to 10 (default 5)."),
    ] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Edit the list in $EDITOR.")] = False,
    search: Annotated[bool, typer.Option("--search", help="Learn topic terms from a search engine.")] = False,
    stopwords: Annotated[
        bool, typer.Option("--stopwords", help="Learn stop words from unrelated topics.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Show the learned models of judge and policy.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Propose topic terms, and edit them.

    The terms are selected from your examples (goal.good, goal.bad, labels) and topic words, in contrast to
    other pages of the crawl. Each is shown with its weight, the number of examples and other pages that
    contain it, and an example of its use. The list is written to DIR/models/terms.tsv: auto is weighted by
    the judge, keep has a fixed weight, strike is ignored. On a terminal you can edit it at once: numbers
    strike terms (3 7-9), a word adds one (+foghorn, foghorn=8, tide=-4), Enter finishes. Elsewhere use
    --strike, --add, --edit or any editor: the judge `examples` reloads the file while the crawl runs, and
    stored pages are judged again within seconds.

    Nothing is fetched. Examples given as URLs are used once the crawl has fetched them.

    --search queries the engines of seek.search for your topic, fetches the results, and writes topic terms
    to DIR/models/priority.tsv, for the policy reseed and for later searches; --stopwords also searches for
    ten unrelated topics, and drops terms found on pages of two or more of them. The fetched pages belong
    to the crawl and count towards its budget.

    --show prints the models of judge and policy in DIR/models; they are text files, and clew new --like
    copies them to another crawl.
    """
    config = configuration.load(folder / "clew.toml")
    if search or stopwords:
        alone = configuration.load(folder / "clew.toml", ["rank.policy=reseed", "seek.reseed=false"])
        learn_words(folder, alone, others=stopwords)
        return
    if show:
        if not show_words(folder, terms, json=json) or has_models(folder):
            show_models(folder, config, most=terms, json=json)
        return
    _propose(folder, config, terms, ([*(strike or [])], [*(add or [])]), edit=edit, json=json)


def _propose(
    folder: Path,
    config: Config,
    most: int,
    changes: tuple[list[str], list[str]],
    *,
    edit: bool,
    json: bool,
) -> None:
    """Propose terms, take what is struck out and added, show the list, and write it."""
    found = lessons(folder, config)
    listed = proposed(folder, config, found, most)
    listed = _changed(listed, *changes)
    if json:
        for each in listed:
            screen.say(json_.dumps(each.as_dict(), ensure_ascii=False))
        if not any(changes):
            return
    else:
        _print(listed, found)
        if not (any(changes) or edit) and sys.stdin.isatty() and sys.stdout.isatty():
            listed = _talk(listed, found)
    path = list_of(folder)
    write_terms(path, (each.term for each in listed))
    if edit:
        _edit(path)
    if not json:
        _next(folder, config, path)


# ---- what is shown -----------------------------------------------------------------------------


def _print(listed: list[ProposedTerms], found: TrainingPages) -> None:
    width = _columns()
    examples, others = len(found.good), len(found.bad) + len(found.others)
    widest = min(24, max((len(each.word) for each in listed), default=4) + 2)
    screen.say(f"     {'weight':>6}  {fit('term', widest)}  examples  others  used, for example")
    for number, each in enumerate(listed, 1):
        term = each.term
        mark = {"strike": "✗", "keep": "›"}.get(term.use, " ")
        weight = "  out" if term.use == "strike" else f"{term.weight:+.1f}"
        counts = f"{term.examples:>3} of {examples:<3} {term.others:>3} of {others:<4}"
        line = f"{number:>3} {mark} {weight:>5}  {fit(tidy(each.word), widest)}  {counts}"
        screen.say(cut(f"{line}  {tidy(each.sample)}", width))
    words = f"from {examples} example page{'s' * (examples != 1)}, against {others} others"
    if found.waiting:
        words += f"; {len(found.waiting)} more will be learned when the crawl has read them"
    for line in folded(words, width):
        screen.say(line)


def _columns() -> int:
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 110


def _next(folder: Path, config: Config, path: Path) -> None:
    screen.say(f"✓ {printable(str(path))}: change it there, or here again")
    if config.goal.judge not in ("auto", "examples"):
        again = shlex.join(["clew", "run", str(folder), "--set", "goal.judge=examples"])
        screen.say(
            f"  the judge {printable(config.goal.judge)} does not read it; the one that does: "
            f"{printable(again)}"
        )
    elif holder := lock_holder(folder):
        screen.say(f"  the crawl running as process {holder} applies it within seconds")
    else:
        screen.say(f"  the next run applies it: {printable(shlex.join(['clew', 'run', str(folder)]))}")


# ---- what is changed ---------------------------------------------------------------------------


def _changed(listed: list[ProposedTerms], strike: list[str], add: list[str]) -> list[ProposedTerms]:
    for word in strike:
        wanted = word.strip().lower()
        places = [at for at, each in enumerate(listed) if wanted in (each.term.term, each.word.lower())]
        if not places:
            near = get_close_matches(wanted, [each.word.lower() for each in listed], n=1)
            hint = f"did you mean {near[0]}?" if near else "the list shows those that are: clew learn DIR"
            msg = f"{word} is no term of the list; {hint}"
            raise ConfigError(msg)
        listed = struck(listed, [at for at in places if listed[at].term.use != "strike"])
    for word in add:
        listed = _added(listed, word)
    return listed


def _added(listed: list[ProposedTerms], text: str) -> list[ProposedTerms]:
    made = _WEIGHED.fullmatch(text.strip())
    weight = float((made["weight"] or str(_PLAIN)).replace(",", ".")) if made else 99.0
    if not made or not made["word"].strip() or not -10 <= weight <= 10:  # noqa: PLR2004
        msg = f"{text}: write a word, or a word and its weight from -10 to 10: foghorn=8"
        raise ConfigError(msg)
    return weighed(listed, printable(made["word"]).lower(), weight)


def _talk(listed: list[ProposedTerms], found: TrainingPages) -> list[ProposedTerms]:
    """Let a person change the list until they are content; Ctrl-C and Ctrl-D leave it as it was."""
    screen.say("strike out: 3 7-9    add: foghorn tide=-4    done: Enter")
    while True:
        try:
            said = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            screen.say("\nleft as it was; nothing was written")
            raise typer.Exit(3) from None
        if not said:
            return listed
        changed = listed
        try:
            for word in re.split(r"[\s;]+|,\s*(?!\d)", said):
                changed = _said(changed, word) if word else changed
        except ConfigError as error:
            screen.say(f"  ! {printable(str(error))}")
            continue
        listed = changed
        _print(listed, found)


def _said(listed: list[ProposedTerms], word: str) -> list[ProposedTerms]:
    numbers = _RANGE.fullmatch(word)
    if not numbers:
        return _added(listed, word)
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    if not 1 <= first <= last <= len(listed):
        msg = f"{word}: the terms have the numbers 1 to {len(listed)}"
        raise ConfigError(msg)
    return struck(listed, range(first - 1, last))


def _edit(path: Path, run: Callable[..., object] = subprocess.run) -> None:
    """Open the list in the person's editor, and read it again when that is closed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        msg = f"no editor is known: set EDITOR, e.g. EDITOR=nano, or open {path} yourself"
        raise ConfigError(msg)
    try:
        run([*shlex.split(editor), str(path)], check=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        msg = f"the editor {editor} failed ({error}); set EDITOR to another, or open {path} yourself"
        raise ConfigError(msg) from None
    read_terms(path)
