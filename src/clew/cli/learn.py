"""`clew learn`: propose and edit topic terms, and show the learned models."""

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
from clew.cli.fetch_examples import fetch_examples
from clew.cli.learn_tree import learn_tree
from clew.cli.model_view import has_models, show_models
from clew.cli.text_cells import cut, fit, tidy
from clew.cli.topic_words import learn_words, show_words
from clew.config import Config
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.insight.preflight.folder_check import lock_holder
from clew.judge.term_list import read_terms, write_terms
from clew.services.labels.training_pages import (
    ProposedTerm,
    TrainingPages,
    collect_training_pages,
    merge_terms,
    set_weight,
    term_list_path,
    toggle_terms,
)

MOST = 40
"""Default number of terms: the strongest decide nearly every page."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_WEIGHTED_TERM = re.compile(r"\+?(?P<word>[^=]+?)(?:=(?P<weight>[-+]?\d+(?:[.,]\d+)?))?")
_DEFAULT_WEIGHT = 5.0  # of a term that was added without a weight


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
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch examples given as URLs first.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Grow the tree of the policy layout.")] = False,
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

    Nothing is fetched: examples given as URLs are used once the crawl has fetched them, or --fetch.

    --tree grows the decision tree of the policy layout (DIR/models/tree.tsv) from all links whose targets
    were fetched, with rank.options; clew new --like DIR --policy layout starts another crawl with it.

    --search queries the engines of seek.search for your topic, fetches the results, and writes topic terms
    to DIR/models/priority.tsv, for the policy reseed and for later searches; --stopwords also searches for
    ten unrelated topics, and drops terms found on pages of two or more of them. The fetched pages belong
    to the crawl and count towards its budget.

    --show prints the models of judge and policy in DIR/models; they are text files, and clew new --like
    copies them to another crawl.

    Example: clew learn wind --show
    """
    config = configuration.load(folder / "clew.toml")
    if search or stopwords:
        alone = configuration.load(folder / "clew.toml", ["rank.policy=reseed", "seek.reseed=false"])
        learn_words(folder, alone, others=stopwords)
        return
    if tree:
        learn_tree(folder, config)
        return
    if show:
        if not show_words(folder, terms, json=json) or has_models(folder):
            show_models(folder, config, most=terms, json=json)
        return
    if fetch:
        fetch_examples(folder, config, quiet=json)
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
    """Propose terms, apply the changes, print the list, and write it."""
    pages = collect_training_pages(folder, config)
    listed = merge_terms(folder, config, pages, most)
    listed = _changed(listed, *changes)
    if json:
        for each in listed:
            screen.echo(json_.dumps(each.as_dict(), ensure_ascii=False))
        if not any(changes):
            return
    else:
        _print(listed, pages)
        if not (any(changes) or edit) and sys.stdin.isatty() and sys.stdout.isatty():
            listed = _edit_interactively(listed, pages)
    path = term_list_path(folder)
    write_terms(path, (each.term for each in listed))
    if edit:
        _edit(path)
    if not json:
        _next(folder, config, path)


# ---- output -----------------------------------------------------------------------------------


def _print(listed: list[ProposedTerm], pages: TrainingPages) -> None:
    width = _columns()
    examples, others = len(pages.good), len(pages.bad) + len(pages.others)
    widest = min(24, max((len(each.word) for each in listed), default=4) + 2)
    screen.echo(f"     {'weight':>6}  {fit('term', widest)}  examples  others  context")
    for number, each in enumerate(listed, 1):
        term = each.term
        mark = {"strike": "✗", "keep": "›"}.get(term.use, " ")
        weight = "  out" if term.use == "strike" else f"{term.weight:+.1f}"
        counts = f"{term.examples:>3} of {examples:<3} {term.others:>3} of {others:<4}"
        line = f"{number:>3} {mark} {weight:>5}  {fit(tidy(each.word), widest)}  {counts}"
        screen.echo(cut(f"{line}  {tidy(each.sample)}", width))
    summary = f"from {examples:,} example page{'s' * (examples != 1)}, against {others:,} others"
    if pages.waiting:
        summary += f"; {len(pages.waiting)} more are used once the crawl has fetched them (or now: --fetch)"
    for line in folded(summary, width):
        screen.echo(line)


def _columns() -> int:
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 110


def _next(folder: Path, config: Config, path: Path) -> None:
    screen.echo(f"✓ {printable(str(path))}: edit it there, or with this command")
    if config.goal.judge not in ("auto", "examples"):
        again = shlex.join(["clew", "run", str(folder), "--set", "goal.judge=examples"])
        screen.echo(
            f"  the judge {printable(config.goal.judge)} does not use it; the judge examples does: "
            f"{printable(again)}"
        )
    elif holder := lock_holder(folder):
        screen.echo(f"  the crawl running as process {holder} applies it within seconds")
    else:
        screen.echo(f"  the next run applies it: {printable(shlex.join(['clew', 'run', str(folder)]))}")


# ---- changes -----------------------------------------------------------------------------------


def _changed(listed: list[ProposedTerm], strike: list[str], add: list[str]) -> list[ProposedTerm]:
    for word in strike:
        wanted = word.strip().lower()
        positions = [at for at, each in enumerate(listed) if wanted in (each.term.term, each.word.lower())]
        if not positions:
            near = get_close_matches(wanted, [each.word.lower() for each in listed], n=1)
            hint = f"did you mean {near[0]}?" if near else "clew learn DIR lists the terms"
            msg = f"{word} is not in the list; {hint}"
            raise ConfigError(msg)
        listed = toggle_terms(listed, [at for at in positions if listed[at].term.use != "strike"])
    for word in add:
        listed = _added(listed, word)
    return listed


def _added(listed: list[ProposedTerm], text: str) -> list[ProposedTerm]:
    match = _WEIGHTED_TERM.fullmatch(text.strip())
    weight = float((match["weight"] or str(_DEFAULT_WEIGHT)).replace(",", ".")) if match else 99.0
    if not match or not match["word"].strip() or not -10 <= weight <= 10:  # noqa: PLR2004
        msg = f"{text}: write a term, or a term with a weight from -10 to 10: foghorn=8"
        raise ConfigError(msg)
    return set_weight(listed, printable(match["word"]).lower(), weight)


def _edit_interactively(listed: list[ProposedTerm], pages: TrainingPages) -> list[ProposedTerm]:
    """Apply typed changes until an empty line; Ctrl-C and Ctrl-D write nothing."""
    screen.echo("strike: 3 7-9    add: foghorn tide=-4    done: Enter")
    while True:
        try:
            line = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            screen.echo("\nstopped; nothing was written")
            raise typer.Exit(3) from None
        if not line:
            return listed
        changed = listed
        try:
            for word in re.split(r"[\s;]+|,\s*(?!\d)", line):
                changed = _apply(changed, word) if word else changed
        except ConfigError as error:
            screen.echo(f"  ! {printable(str(error))}")
            continue
        listed = changed
        _print(listed, pages)


def _apply(listed: list[ProposedTerm], word: str) -> list[ProposedTerm]:
    numbers = _RANGE.fullmatch(word)
    if not numbers:
        return _added(listed, word)
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    if not 1 <= first <= last <= len(listed):
        msg = f"{word}: the terms are numbered 1 to {len(listed)}"
        raise ConfigError(msg)
    return toggle_terms(listed, range(first - 1, last))


def _edit(path: Path, run: Callable[..., object] = subprocess.run) -> None:
    """Open the list in the user's editor, and check it afterwards."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        msg = f"no editor is set; set EDITOR, e.g. EDITOR=nano, or edit {path} yourself"
        raise ConfigError(msg)
    try:
        run([*shlex.split(editor), str(path)], check=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        msg = f"the editor {editor} failed ({error}); set EDITOR to another, or edit {path} yourself"
        raise ConfigError(msg) from None
    read_terms(path)
