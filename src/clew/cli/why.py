"""`clew why`: the thread to an address, its score, the verdict; or the rule that shut it out."""

import json as json_
from typing import Annotated

import typer

from clew.cli import screen
from clew.cli.arguments import Folder
from clew.why import explain


def why(
    folder: Folder,
    url: Annotated[str, typer.Argument(metavar="URL", help="An address, or a part of one.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Tell why an address was followed, or why not.

    For a page that was read: the thread from the seed with the link texts, the score its link had and
    what that was made of, the verdict and its reasons, the answer. For an open link: its place in the
    queue and what it waits for. For a refused one: the rule. For an address that was never met: what
    would become of it.

    A part of an address is enough if only one that was met contains it. Works while the crawl runs.
    """
    answer = explain(folder, url)
    if json:
        screen.say(json_.dumps(answer.as_dict(), ensure_ascii=False))
        return
    for line in answer.lines():
        screen.say(line)
