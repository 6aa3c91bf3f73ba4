"""`clew lab`: compare policies on recorded webs."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from clew import registry
from clew.cli.arguments import folders
from clew.errors import ConfigError

HERE = ("madeup:20000:1",)
HERE_TASKS = ("lighthouses", "bees", "castles")
"""The default world and tasks, which need no download."""

lab = typer.Typer(
    name="lab",
    help="Compare policies on recorded webs, offline: curves with confidence intervals.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@lab.command("race")
def race_(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORLD", help="Folder, WARC file, crawl, or madeup:PAGES:SEED."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A task, or a prefix of its name (default: all)."),
    ] = None,
    policies: Annotated[
        str, typer.Option(metavar="A,B,…", help="Policies, also as module:Class (default: all).")
    ] = "",
    pages: Annotated[int, typer.Option(min=10, help="Page budget of each run.")] = 1000,
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Runs of each policy on each task.")] = 5,
    caps: Annotated[str, typer.Option(metavar="N,…", help="Maximum pages per host; 0 means no limit.")] = "0",
    judge: Annotated[str, typer.Option(help="words, labels (a perfect judge) or module:Class.")] = "words",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The results folder.")] = Path("race"),
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all results as JSON; - prints them.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Worker processes; 0 means all cores but one.")] = 0,
    png: Annotated[bool, typer.Option("--png", help="Write the plots as PNG too.")] = False,
    dead_ends: Annotated[
        bool, typer.Option("--dead-ends", help="Include links to pages outside the archive.")
    ] = False,
    no_traps: Annotated[bool, typer.Option("--no-traps", help="Disable trap detection.")] = False,
) -> None:
    """Compare policies by the relevant pages they find over time.

    Without a WORLD, a synthetic web is used. Breadth-first and an oracle that knows all links and labels are
    always included, as bounds. An existing results folder is continued: only missing runs are executed, so
    policies and runs can be added later. Ctrl-C stops; the same command resumes.

    It writes report.html, results.csv, curves.csv and plots/*.svg to DIR.
    """
    racing = _racing()
    settings = racing.RaceSettings(
        worlds=tuple(dict.fromkeys(worlds or HERE)),
        tasks=tuple(task or (() if worlds else HERE_TASKS)),
        policies=tuple(_parts(policies)) or tuple(registry.names("ranker")),
        pages=pages,
        runs=runs,
        caps=_caps(caps),
        judge=judge,
        dead_ends=dead_ends,
        traps=not no_traps,
    )
    racing.run(settings, out, json=json, jobs=jobs, png=png)


def _racing() -> ModuleType:
    """Import the lab lazily: it adds half as much again to the start-up time."""
    return import_module("clew.cli.lab_commands")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _caps(text: str) -> tuple[int, ...]:
    parts = _parts(text)
    if not parts or not all(part.isdigit() or part == "none" for part in parts):
        msg = f"--caps {text!r}: write numbers of pages with commas, such as 0,100,10,5 (0 means no limit)"
        raise ConfigError(msg)
    return tuple(
        sorted({0 if part == "none" else int(part) for part in parts}, key=lambda cap: cap or 1e9)[::-1]
    )


@lab.command()
def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.", autocompletion=folders)],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the results of a comparison, finished or not."""
    _racing().show(folder, json=json)


@lab.command()
def worlds(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="The folder of worlds (default: $CLEW_WORLDS)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per world.")] = False,
) -> None:
    """List worlds with their pages and tasks.

    For each: pages, hosts, languages, tasks, and the share of relevant pages.
    """
    _racing().worlds(folder, json=json)


@lab.command()
def record(
    crawl: Annotated[
        Path, typer.Argument(metavar="CRAWL", help="The folder of a crawl.", autocompletion=folders)
    ],
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A new folder for the world.")],
) -> None:
    """Convert a crawl to a world for clew lab race.

    The world has the responses and seeds of the crawl; its ground truth is your labels, else the verdicts.
    """
    _racing().record(crawl, world)
