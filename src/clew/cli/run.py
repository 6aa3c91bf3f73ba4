"""`clew run`: start or resume a crawl."""

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
    pages: Annotated[int, typer.Option(min=0, help="Stop after this many pages in all.")] = 0,
    policy: Policy = "",
    explore: Annotated[
        int, typer.Option(min=0, metavar="T", help="Policy sites: page budget of the exploration phase.")
    ] = 0,
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines: pages, notes, the end.")] = False,
) -> None:
    """Start a crawl, or resume it.

    The same command resumes a crawl, however the last run ended. --pages N stops when the crawl has
    fetched N pages in all.

    The first Ctrl-C (or SIGTERM) waits for requests in flight, at most 20 seconds; the second stops at
    once. Nothing is lost either way, and the exit code is 3.

    --explore T goes with the policy sites: it explores for T pages which sites are relevant, then collects
    from those; without it, exploration ends automatically (clew sites).

    On a terminal there is a live screen with keys: p pause, w why, l label pages, x exclude a host, q
    stop, ? help. Elsewhere, or with --plain, it prints a status line every two seconds, after the first
    minute every ten. NO_COLOR is respected.

    --json prints one JSON object per line and nothing else. A page result has url, kind (page, robots,
    sitemap, feed), state (done, failed, refused, or open: it will be retried), status, error, verdict (0
    to 1, null if it was not judged), relevant, title, depth, score (of its link), links (found on it), and
    the totals after it: pages fetched, links queued. A note has note; one about applied labels (clew
    label) also has labels, the links that rose and fell, and the stored pages whose verdict changed. The
    last object has ended, pages, relevant and notes.
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
