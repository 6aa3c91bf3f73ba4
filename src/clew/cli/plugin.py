"""`clew plugin`: begin a package with components of your own."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from clew import registry
from clew.cli import screen
from clew.cli.plain_help import PlainCommand
from clew.cli.plugin_files import plugin_files
from clew.errors import ConfigError, StoreError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

plugin = typer.Typer(
    name="plugin",
    help="Write components of your own: a ranker, a judge.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@plugin.callback()
def _plugin() -> None:
    """Write components of your own: a ranker, a judge."""


@plugin.command("new", cls=PlainCommand)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words with hyphens: tide-tables.")],
    folder: Annotated[
        Path | None, typer.Option("--in", metavar="DIR", help="Where to write it; the current folder.")
    ] = None,
) -> None:
    """Write a package with a ranker and a judge that work, their tests and their entry points.

    After `pip install -e NAME` both are known to Clew as NAME: rank.policy=NAME, goal.judge=NAME. Change them
    to what you need; docs/extending.md says what they can do.

    Example: clew plugin new tide-tables
    """
    check_name(name)
    target = (folder or Path()) / name
    if target.exists():
        msg = f"{target} exists already; choose another name or place"
        raise ConfigError(msg)
    try:
        for path, text in plugin_files(name).items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            screen.echo(f"  {file}")
    except OSError as error:
        msg = f"{target} cannot be written: {error.strerror}; choose another place"
        raise StoreError(msg) from None
    screen.echo(f"next: pip install -e {target}, then: pytest {target}")


def check_name(name: str) -> None:
    """Refuse a name that is no name of a package, or that is taken."""
    if not _NAME.fullmatch(name):
        msg = f"{name!r} is no name for a package; write lower-case words with hyphens, such as tide-tables"
        raise ConfigError(msg)
    if find_spec(name.replace("-", "_")) is not None:
        msg = f"a package {name.replace('-', '_')} is installed already; try clew-{name}"
        raise ConfigError(msg)
    for kind in ("ranker", "judge"):
        if name in registry.names(kind):
            msg = f"Clew has a {kind} {name} already; choose another name"
            raise ConfigError(msg)
