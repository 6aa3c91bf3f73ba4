"""`clew run`: crawl, or go on with it."""

import asyncio
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import running, screen
from clew.cli.arguments import Folder, Settings
from clew.cli.live import Live
from clew.cli.terminal import can_paint
from clew.errors import ConfigError


def run(
    folder: Folder,
    pages: Annotated[int, typer.Option(min=0, help="Stop when this many pages are read in all.")] = 0,
    policy: Annotated[
        str, typer.Option(help="Which links come first: best-first, breadth, module:Class.")
    ] = "",
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line: steps, notes, the end.")
    ] = False,
) -> None:
    """Crawl, from the beginning or from where it stopped; there is no other mode."""
    if plain and json:
        msg = "--plain and --json exclude each other; choose one"
        raise ConfigError(msg)
    settings = [*(setting or [])]
    if policy:
        settings.append(f'rank.policy="{policy}"')
    if pages:
        settings.append(f"crawl.pages={pages}")
    config = configuration.load(folder / "clew.toml", settings)
    view: screen.View
    if json:
        view = screen.Json()
    elif plain or not can_paint():
        view = screen.Lines(folder, config)
    else:
        view = Live(folder, config)
    raise typer.Exit(asyncio.run(running.run(folder, config, view)))
