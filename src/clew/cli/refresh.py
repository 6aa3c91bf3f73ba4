"""`clew refresh`: visit known pages again, and find what is new."""

import asyncio
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.builder import refresh_options
from clew.cli import screen, signals
from clew.cli.arguments import Folder, Settings
from clew.cli.run import choose_view
from clew.config.intervals import interval_seconds
from clew.errors import ConfigError, NothingFetched
from clew.insight.changes import describe_refresh
from clew.store.crawl_stats import has_links
from clew.store.refreshes import last_refresh_at

STOPPED = 3
"""Exit code of a run that was asked to stop."""

NAP = 1.0
"""Seconds between two looks at the clock: it may have been set."""

Pages = Annotated[
    int | None, typer.Option(min=1, help="Pages that the refresh reads; those not modified are free.")
]
Requests = Annotated[int | None, typer.Option(min=1, help="Requests that the refresh makes.")]
Every = Annotated[str, typer.Option(metavar="INTERVAL", help="Go on as a service: 12h, 7d, 2w.")]


def refresh(
    folder: Folder,
    pages: Pages = None,
    requests: Requests = None,
    every: Every = "",
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines, as clew run does.")] = False,
) -> None:
    """Visit known pages again that are worth it, and follow what is new there.

    What is worth a visit is estimated from how often each page has changed and how many relevant pages its
    links led to: by its own history, then that of its folder, host and type. Lists, feeds and sitemaps are
    visited where new relevant pages came from before, relevant pages when they have probably changed. New
    links are followed as in clew run; links that the crawl left open stay open for clew run.

    --pages N reads N pages; a page that is not modified (status 304) costs a request, but no page.
    --requests N makes N requests of any kind. Without either, refresh.pages and refresh.requests of
    clew.toml hold. A refresh that was stopped or killed goes on with its plan and its budget.

    --every 7d goes on: it refreshes when the last refresh began that long ago, then waits.

    clew new-since DIR DATE shows what was found.

    Example: clew refresh wind --pages 200
    """
    if plain and json:
        msg = "--plain and --json exclude each other; choose one"
        raise ConfigError(msg)
    interval = interval_seconds(every) if every else 0.0
    config = configuration.load(folder / "clew.toml", setting or [])
    if not has_links(folder):
        msg = f"{folder} has no pages yet; start the crawl with: clew run {folder}"
        raise ConfigError(msg)
    again = shlex.join(["clew", "refresh", str(folder)])

    def once() -> int:
        view = choose_view(folder, config, again, plain=plain, json=json)
        options = refresh_options(config, pages or 0, requests or 0)
        code = asyncio.run(signals.run(folder, config, view, brief=True, refresh=options))
        if not json:
            for line in describe_refresh(folder):
                screen.echo(line)
        return code

    raise typer.Exit(_serve(folder, once, interval) if interval else once())


def _serve(folder: Path, once: Callable[[], int], interval: float) -> int:
    """Refresh whenever it is due, until asked to stop; return the exit code."""
    try:
        while True:
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run sets and removes its own
            while (left := last_refresh_at(folder) + interval - time.time()) > 0:
                time.sleep(min(NAP, left))
            try:
                if once() == STOPPED:
                    return STOPPED
            except NothingFetched as error:  # the network may be there again next time
                screen.print_error(str(error))
                time.sleep(min(interval, 600.0))
    except KeyboardInterrupt:
        return STOPPED
