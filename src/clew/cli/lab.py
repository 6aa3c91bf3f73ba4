"""`clew lab`: let policies race over recorded webs, and see by how much one is better than another."""

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
"""The world and the tasks of those who name none: they need no download."""

lab = typer.Typer(
    name="lab",
    help="Let policies race over recorded webs, without the network: curves with error bars.",
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
        typer.Option(metavar="NAME", help="A task, or how its name begins. All, if not given."),
    ] = None,
    policies: Annotated[
        str, typer.Option(metavar="A,B,…", help="Policies, also as module:Class. All, if not given.")
    ] = "",
    pages: Annotated[int, typer.Option(min=10, help="Fetches a run may make.")] = 1000,
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Runs of each policy on each task.")] = 5,
    caps: Annotated[
        str, typer.Option(metavar="N,…", help="Pages a host may give; 0 means any number.")
    ] = "0",
    judge: Annotated[str, typer.Option(help="words, labels (a perfect judge) or module:Class.")] = "words",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the race.")] = Path("race"),
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="All results as JSON; - prints them.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 means all cores but one.")] = 0,
    png: Annotated[bool, typer.Option("--png", help="Drawings as PNG, too.")] = False,
    dead_ends: Annotated[
        bool, typer.Option("--dead-ends", help="Show links that lead out of an archive.")
    ] = False,
    no_traps: Annotated[bool, typer.Option("--no-traps", help="Run without the trap guard.")] = False,
) -> None:
    """Let policies race: which finds more, and sooner?

    Without a WORLD, a synthetic web is used. Breadth-first and an oracle that knows all links and labels are
    always in it, as limits. A folder of a race that was started before is gone on with: only runs that are
    missing are made, so policies and runs can be added later. Ctrl-C stops, the same command goes on.

    DIR holds in the end report.html, results.csv, curves.csv and plots/*.svg.
    """
    racing = _racing()
    settings = racing.Settings(
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
    """Import the lab: half as much again as all the rest, so nobody else should wait for it."""
    return import_module("clew.cli.lab_commands")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _caps(text: str) -> tuple[int, ...]:
    parts = _parts(text)
    if not parts or not all(part.isdigit() or part == "none" for part in parts):
        msg = f"--caps {text!r}: write numbers of pages by commas, such as 0,100,10,5 (0 means any number)"
        raise ConfigError(msg)
    return tuple(
        sorted({0 if part == "none" else int(part) for part in parts}, key=lambda cap: cap or 1e9)[::-1]
    )


@lab.command()
def show(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a race.", autocompletion=folders)
    ],
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show a race again, also one that is not finished."""
    _racing().show(folder, json=json)


@lab.command()
def worlds(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where worlds lie; $CLEW_WORLDS, if not given."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for each world.")] = False,
) -> None:
    """List worlds with their pages and tasks.

    For each: pages, hosts, languages, what can be asked of it, and how rare the relevant pages are.
    """
    _racing().worlds(folder, json=json)


@lab.command()
def record(
    crawl: Annotated[
        Path, typer.Argument(metavar="CRAWL", help="The folder of a crawl.", autocompletion=folders)
    ],
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="A new folder for the world.")],
) -> None:
    """Turn a crawl into a world to race on.

    The world gets its answers and its seeds; the truth is its verdicts, and your labels where you gave any.
    """
    _racing().record(crawl, world)
