"""`clew run`: crawl, or go on with it."""

import asyncio
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import running, screen
from clew.cli.arguments import Folder, Settings
from clew.errors import ConfigError


def run(
    folder: Folder,
    pages: Annotated[int, typer.Option(min=0, help="Stop when this many pages are read in all.")] = 0,
    policy: Annotated[
        str, typer.Option(help="Which links come first: best-first, breadth, module:Class.")
    ] = "",
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, no colours.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a page.")] = False,
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
    view = screen.Json() if json else screen.Lines(folder, config)
    raise typer.Exit(asyncio.run(running.run(folder, config, view)))
