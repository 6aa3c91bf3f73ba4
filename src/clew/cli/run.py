"""`clew run`: crawl, or go on with it."""

import asyncio
import shlex
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen, signals
from clew.cli.arguments import Folder, Policy, Settings
from clew.cli.live import LiveScreen
from clew.cli.terminal import can_paint
from clew.errors import ConfigError


def run(
    folder: Folder,
    pages: Annotated[int, typer.Option(min=0, help="Stop when this many pages are read in all.")] = 0,
    policy: Policy = "",
    explore: Annotated[
        int, typer.Option(min=0, metavar="T", help="With policy sites: pages for finding out which hold it.")
    ] = 0,
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line: steps, notes, the end.")
    ] = False,
) -> None:
    """Crawl, from the beginning or from where it stopped.

    However the last run ended, the same command goes on; there is no other mode. --pages N means: until
    the crawl has read N pages in all.

    The first Ctrl-C (or SIGTERM) lets fetches under way come home, at most 20 seconds; the second stops
    at once. Nothing is lost either way, and the exit code is 3.

    --explore T goes with the policy sites: T pages are spent on finding out which sites hold what you look
    for, then it collects from those; without it, exploring goes on as long as it pays (clew sites).

    On a terminal there is a live screen with keys: p pause, w why, l label pages, x exclude a host, q
    stop, ? help. Elsewhere, or with --plain, there is a line every two seconds, after the first minute
    every ten. NO_COLOR is respected.

    --json prints one JSON object a line and nothing else. A step has url, kind (page, robots, sitemap,
    feed), state (done, failed, refused, or open: it will be tried again), status, error, verdict (0 to
    1, null when nobody judged), relevant, title, depth, score (what its link promised), links (found on
    it), and where the crawl stands after it: pages read, links open. A note has note; one about labels
    that were heard (clew label) also has labels, links that went up and down, and stored pages judged
    otherwise. The last object has ended, pages, relevant and notes.
    """
    if plain and json:
        msg = "--plain and --json exclude each other; choose one"
        raise ConfigError(msg)
    settings = [*(setting or [])]
    if policy:
        settings.append(f'rank.policy="{policy}"')
    if pages:
        settings.append(f"crawl.pages={pages}")
    if explore:
        settings.append(f"rank.explore={explore}")
    config = configuration.load(folder / "clew.toml", settings)
    given = [*(["--pages", str(pages)] if pages else []), *(["--policy", policy] if policy else [])]
    given += ["--explore", str(explore)] if explore else []
    given += [word for each in setting or [] for word in ("--set", each)]
    again = shlex.join(["clew", "run", str(folder), *given])
    view: screen.RunView
    if json:
        view = screen.JsonView()
    elif plain or not can_paint():
        view = screen.LineView(folder, config, again)
    else:
        view = LiveScreen(folder, config, again)
    raise typer.Exit(asyncio.run(signals.run(folder, config, view)))
