"""What the commands of the lab do; imported when one of them is called, because the lab is large."""

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


def run(settings: RaceSettings, out: Path, *, json: Path | None, jobs: int, png: bool) -> None:
    """Run a race and show how it ended; Ctrl-C leaves with 3 and loses at most the runs under way."""
    if png:
        need_matplotlib()
    printed = json is not None and str(json) == "-"
    watch = lab_screen.RaceProgress(silent=printed)
    try:
        with watch:
            account = race(settings, out, watch, jobs=jobs or max(1, (os.cpu_count() or 2) - 1))
    except KeyboardInterrupt:
        screen.complain(f"stopped; what was run is kept in {out}, the same command goes on")
        raise typer.Exit(3) from None
    if png:
        for name, lines, title in drawings(account):
            write_png(lines, out / PLOTS / f"{name}.png", title)
    if printed:
        screen.say(json_text(account).rstrip())
        return
    if json is not None:
        _write(json, json_text(account))
    _tell(account, out)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; choose another place"
        raise ConfigError(msg) from None


def _tell(account: RaceSummary, out: Path) -> None:
    for line in lab_screen.account(account):
        screen.say(line)
    screen.say(f"\n{printable(str(out / 'report.html'))}: curves, every measure, what is more than luck")


def show(folder: Path, *, json: bool) -> None:
    """Show a race from its folder."""
    account = read_race(folder)
    if json:
        screen.say(json_text(account).rstrip())
    else:
        _tell(account, folder)


def worlds(folder: Path | None, *, json: bool) -> None:
    """List the worlds of a folder."""
    for listed in catalogue(folder or Path(os.environ.get("CLEW_WORLDS", "") or ".")):
        for line in lab_screen.world(listed, json=json):
            screen.say(line)


def record(crawl: Path, world: Path) -> None:
    """Turn a crawl into a world."""
    count = record_crawl(crawl, world)
    screen.say(
        f"{printable(str(world))}: {count:,} answers; race on it with: clew lab race {printable(str(world))}"
    )
