"""`clew export`: hand over what was found."""

from pathlib import Path
from typing import Annotated

import typer

from clew import store
from clew.cli import screen
from clew.cli.arguments import Folder
from clew.errors import ConfigError


def export(
    folder: Folder,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .jsonl .csv .parquet .warc.gz")],
    only: Annotated[str, typer.Option(help='"relevant" leaves everything else out.')] = "",
) -> None:
    """Hand over what was found, in the format of FILE's suffix."""
    if only not in ("", "relevant"):
        msg = f'--only {only}: the only choice is "relevant"'
        raise ConfigError(msg)
    rows = store.export(folder, target, only_relevant=bool(only))
    screen.say(f"wrote {rows:,} row{'s' * (rows != 1)} to {target}")
