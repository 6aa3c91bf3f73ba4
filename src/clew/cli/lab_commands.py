"""The commands of the lab; imported only when one is called, because the lab is large."""

import os
from pathlib import Path

import typer

from clew.cli import lab_screen, screen
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.lab import record as record_crawl
from clew.lab.catalogue import catalogue
from clew.lab.pictures import need_matplotlib, write_png
from clew.lab.race import PLOTS, drawings, race, read_race
from clew.lab.race_summary import RaceSettings, RaceSummary
from clew.lab.results import json_text
from clew.lab.teacher import TeacherSpec


def run(settings: RaceSettings, out: Path, *, json: Path | None, jobs: int, png: bool) -> None:
    """Run a race and print its results; Ctrl-C exits with 3 and loses only the runs in progress."""
    if png:
        need_matplotlib()
    to_stdout = json is not None and str(json) == "-"
    progress = lab_screen.RaceProgress(silent=to_stdout)
    try:
        with progress:
            summary = race(settings, out, progress, jobs=jobs or max(1, (os.cpu_count() or 2) - 1))
    except KeyboardInterrupt:
        screen.print_error(f"stopped; finished runs are in {out}, the same command continues")
        raise typer.Exit(3) from None
    if png:
        for name, lines, title in drawings(summary):
            write_png(lines, out / PLOTS / f"{name}.png", title)
    if to_stdout:
        screen.echo(json_text(summary).rstrip())
        return
    if json is not None:
        _write(json, json_text(summary))
    _show(summary, out)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; choose another path"
        raise ConfigError(msg) from None


def _show(summary: RaceSummary, out: Path) -> None:
    for line in lab_screen.summary_lines(summary):
        screen.echo(line)
    screen.echo(f"\n{printable(str(out / 'report.html'))}: curves, all measures, significant differences")


def show(folder: Path, *, json: bool) -> None:
    """Show the results of a race from its folder."""
    summary = read_race(folder)
    if json:
        screen.echo(json_text(summary).rstrip())
    else:
        _show(summary, folder)


def worlds(folder: Path | None, *, json: bool) -> None:
    """List the worlds of a folder."""
    for entry in catalogue(folder or Path(os.environ.get("CLEW_WORLDS", "") or ".")):
        for line in lab_screen.world_lines(entry, json=json):
            screen.echo(line)


def record(crawl: Path, world: Path) -> None:
    """Convert a crawl to a world."""
    count = record_crawl(crawl, world)
    screen.echo(
        f"{printable(str(world))}: {count:,} responses; use it with: clew lab race {printable(str(world))}"
    )


def checked_teacher(spec: str) -> str:
    """Return the spec of a teacher as it was given; refuse one that cannot be read."""
    if spec:
        TeacherSpec.parse(spec)
    return spec
