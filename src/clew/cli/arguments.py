"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the crawl.")]

Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change a key for this run.")
]
