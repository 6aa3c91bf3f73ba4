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
    """Tell why an address was followed, or why not: thread, score, verdict, rule."""
    answer = explain(folder, url)
    if json:
        screen.say(json_.dumps(answer.as_dict(), ensure_ascii=False))
        return
    for line in answer.lines():
        screen.say(line)
