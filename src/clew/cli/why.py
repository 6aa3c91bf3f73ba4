"""`clew why`: the thread to an address, its score, the verdict; or the rule that shut it out."""

import json as json_
import sys
from shutil import get_terminal_size
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.arguments import Folder
from clew.cli.text_cells import folded
from clew.errors import ConfigError
from clew.insight.explain import explain, search_lines, searches

_UNDER_PARTS = 18  # cells before the name of a part


def why(
    folder: Folder,
    url: Annotated[str, typer.Argument(metavar="URL", help="An address, or a part of one.")] = "",
    asked: Annotated[
        bool, typer.Option("--searches", help="What was searched for, why, and what it brought.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Tell why an address was followed, or why not.

    For a page that was read: the thread from the seed with the link texts, the score its link had and
    what that was made of, the verdict and its reasons, the answer. For an open link: its place in the
    queue and what it waits for. For a refused one: the rule. For an address that was never met: what
    would become of it.

    For an address that a search engine named: the query, when it was asked, and why. --searches lists all
    queries with what they brought; no URL is needed then.

    A part of an address is enough if only one that was met contains it. Works while the crawl runs.
    """
    if asked:
        rows = map(json_.dumps, searches(folder)) if json else search_lines(folder)
        for line in rows:
            screen.say(line)
        return
    if not url:
        msg = f"say which address: clew why {folder} URL, or --searches for what was searched for"
        raise ConfigError(msg)
    answer = explain(folder, url)
    if json:
        screen.say(json_.dumps(answer.as_dict(), ensure_ascii=False))
        return
    wide = get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in answer.lines():
        for piece in folded(line, wide, _UNDER_PARTS) if wide else [line]:
            screen.say(piece)
