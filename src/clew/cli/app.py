"""The command-line program and its commands."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Annotated

import typer

from clew.cli.plain_help import PlainCommand
from clew.domain.installation import __version__

COMMANDS = {
    "try": "try_", "new": "new", "search": "search", "plan": "plan", "run": "run", "refresh": "refresh",
    "new-since": "new_since", "status": "status", "list": "list_", "why": "why", "label": "label",
    "records": "records", "learn": "learn", "teach": "teach", "sites": "sites", "exclude": "exclude",
    "export": "export", "text": "text", "forget": "forget", "restore": "restore", "doctor": "doctor",
    "recall": "recall", "import": "import_", "plugin": "plugin", "bug": "bug", "lab": "lab", "serve": "serve",
    "open": "open_",
}  # fmt: skip
"""Each command and its module; modules are imported only when needed (saves 0.3 s)."""


@cache
def full_app() -> typer.Typer:
    """Return the program with all its commands."""
    return build_app(COMMANDS)


def build_app(names: Iterable[str]) -> typer.Typer:
    """Return the program with some of its commands."""
    app = typer.Typer(
        name="clew",
        help="A focused web crawler: describe a topic, and it follows the links that lead to it.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        command = getattr(import_module(f"clew.cli.{COMMANDS[name]}"), COMMANDS[name])
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=PlainCommand)(command)
    return app


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"clew {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Hold the options of the program itself."""
