"""`clew run`: start or resume a crawl."""

import asyncio
import shlex
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from clew import config as configuration
from clew.cli import screen, signals
from clew.cli.arguments import Policy, Settings, ShardedFolder, TeacherModel, TeacherUrl
from clew.cli.shard_count import number_of_shards
from clew.cli.terminal import can_paint
from clew.config import Config
from clew.config.template import quoted
from clew.errors import ConfigError
from clew.insight.diagnostics.counts import THIN
from clew.store.crawl_stats import has_links

Pages = Annotated[
    int | None, typer.Option(min=1, help="Stop when this many pages are read in all.", show_default=False)
]
Requests = Annotated[
    int | None, typer.Option(min=1, help="Stop after this many requests in all.", show_default=False)
]
Least = Annotated[
    float, typer.Option(min=0, max=100, help="Stop when 100 more pages promise fewer relevant ones.")
]

Shards = Annotated[
    int, typer.Option(min=0, help="Divide a new crawl between this many processes, each with its own hosts.")
]
Coordinator = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="With --shards: a PostgreSQL database instead of a file in DIR."),
]
On = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="Run the shards on a Ray cluster: ray://HOST:PORT, ray:HOST:PORT."),
]
Explore = Annotated[
    int, typer.Option(min=0, metavar="T", help="Policy sites: page budget of the exploration phase.")
]
Rerender = Annotated[
    bool, typer.Option("--rerender", help="Read pages that have almost no text again, in a browser.")
]


def run(
    folder: ShardedFolder,
    pages: Pages = None,
    requests: Requests = None,
    least: Least = 0,
    policy: Policy = "",
    explore: Explore = 0,
    teacher: TeacherUrl = "",
    model: TeacherModel = "",
    labels: Annotated[int, typer.Option(min=0, help="Pages that the teacher is asked about in all.")] = 0,
    rerender: Rerender = False,
    shards: Shards = 0,
    coordinator: Coordinator = "",
    on: On = "",
    setting: Settings = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live screen.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines: pages, notes, the end.")] = False,
) -> None:
    """Start a crawl, or resume it.

    The same command resumes a crawl, however the last run ended. --pages N stops when the crawl has
    read N pages in all, without failed requests. --requests N stops after N requests of any kind. --least N
    stops when, by the last 200 pages, the next 100 promise fewer than N relevant ones.

    The first Ctrl-C (or SIGTERM) waits for requests in flight, at most 20 seconds; the second stops at
    once. Nothing is lost either way, and the exit code is 3. SIGUSR1 pauses a run, SIGUSR2 resumes it.

    --rerender queues pages with almost no text again and renders them (fetch.browser = auto, more --pages).
    --explore T goes with the policy sites: it explores for T pages which sites are relevant, then collects
    from those; without it, exploration ends automatically (clew sites).
    --shards N divides a new crawl for good between N processes, here or on a Ray cluster (--on).
    --teacher URL --model NAME lets a language model label the most informative pages, 40 unless --labels
    says otherwise (clew teach). A key is read from the environment variable CLEW_TEACHER_KEY.

    On a terminal there is a live screen with keys: p pause, w why, l label pages, x exclude, i include
    again, q stop, ? help. Elsewhere, or with --plain, it prints a status line from time to time.

    --json prints one JSON object per line and nothing else. A page result has url, kind (page, robots,
    sitemap, feed), state (done, failed, refused, or open: it will be retried), status, error, verdict (0
    to 1, null if it was not judged), relevant, title, depth, score (of its link), links (found on it), and
    the totals after it: pages read, failed (requests without a page), requests in all, open (links queued).
    A note has note; one about applied labels (clew label) also has labels, the links that rose and fell,
    and the stored pages whose verdict changed. The last object has ended, pages, failed, relevant, notes.

    Example: clew run wind --pages 500
    """
    _check_output(plain=plain, json=json)
    given = _given(
        pages=pages, requests=requests, least=least, policy=policy, explore=explore, teacher=teacher,
        model=model, labels=labels,
    )  # fmt: skip
    settings = _settings(setting or [], given, shards=shards, rerender=rerender)
    config = _load(folder, settings, given)
    if (count := number_of_shards(folder, config, shards, rerender=rerender)) > 1 or on:
        settings.append(f"crawl.shards={count}")
        raise typer.Exit(_run_shards(folder, settings, (coordinator, on), plain=plain, json=json))
    if rerender:
        _reopen(folder, config)
    view = choose_view(folder, config, _again(folder, setting or [], given), plain=plain, json=json)
    raise typer.Exit(asyncio.run(signals.run(folder, config, view)))


def _run_shards(folder: Path, settings: list[str], where: tuple[str, str], *, plain: bool, json: bool) -> int:
    from clew.cli.shards import run_shards  # noqa: PLC0415 - slow to import, and rarely needed

    return run_shards(folder, settings, where, plain=plain, json=json)


def _check_output(*, plain: bool, json: bool) -> None:
    if plain and json:
        msg = "--plain and --json exclude each other; choose one"
        raise ConfigError(msg)


def _settings(setting: list[str], given: dict[str, object], *, shards: int, rerender: bool) -> list[str]:
    """Return the keys of clew.toml that the options set."""
    settings = [*setting, *(f"{_KEYS[name]}={quoted(value)}" for name, value in given.items())]
    if rerender and not any(each.startswith("fetch.browser") for each in settings):
        settings.append("fetch.browser=auto")
    return [*settings, f"crawl.shards={shards}"] if shards else settings


def _load(folder: Path, settings: list[str], given: dict[str, object]) -> Config:
    """Load clew.toml; errors of keys that options have set name the options."""
    try:
        return configuration.load(folder / "clew.toml", settings)
    except ConfigError as error:
        message = str(error)
        for name, value in given.items():
            message = message.replace(f"--set {_KEYS[name]}={quoted(value)}", f"--{name} {value}")
        raise ConfigError(message) from None


def _again(folder: Path, setting: list[str], given: dict[str, object]) -> str:
    """Return the command that goes on with this run."""
    args = [(f"--{name}", str(value)) for name, value in given.items()]
    args += [("--set", each) for each in setting]
    return shlex.join(["clew", "run", str(folder), *chain(*args)])


def choose_view(folder: Path, config: Config, again: str, *, plain: bool, json: bool) -> screen.RunView:
    """Return the view for the terminal, for plain lines or for programs."""
    if json:
        return screen.JsonView()
    if plain or not can_paint():
        return screen.LineView(folder, config, again)
    from clew.cli.live import LiveScreen  # noqa: PLC0415 - slow to import, and only needed on a terminal

    return LiveScreen(folder, config, again)


def _reopen(folder: Path, config: Config) -> None:
    """Queue the pages without text once more, and say how many."""
    from clew.fetch.browser_pool import BrowserPool  # noqa: PLC0415 - these are slow to import
    from clew.frontier import places_around  # noqa: PLC0415
    from clew.insight.preflight.folder_check import lock_holder  # noqa: PLC0415
    from clew.store.reopening import reopen_thin_pages  # noqa: PLC0415

    if holder := lock_holder(folder):
        msg = f"{folder} is being crawled by process {holder}; stop it first, then run this command again"
        raise ConfigError(msg)
    if not has_links(folder):
        msg = f"{folder} has read no page yet; render from the start: --set fetch.browser=auto"
        raise ConfigError(msg)
    BrowserPool(config.fetch.browsers).check()
    count = reopen_thin_pages(folder, THIN, places_around)
    screen.echo(f"{screen.many(count, 'page')} with almost no text will be read again, in a browser")


_KEYS = {
    "pages": "crawl.pages", "requests": "crawl.requests", "least": "crawl.least", "policy": "rank.policy",
    "explore": "rank.explore", "teacher": "teach.url", "model": "teach.model", "labels": "teach.labels",
}  # fmt: skip
"""The key of clew.toml that each option sets."""


def _given(**options: object) -> dict[str, object]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value}
