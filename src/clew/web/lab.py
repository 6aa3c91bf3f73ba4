"""Lab: races of policies with their curves side by side, from the folders of `clew lab race`."""

import csv
import itertools
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from clew import registry
from clew.errors import ConfigError
from clew.web.crawls import UnknownCrawl
from clew.web.operations import Call, Changes, MissingThing, Nothing, Operation, WebPage

CURVES = "curves.csv"
SYNTHETIC = "madeup:20000:1"
MAX_ROWS = 400_000


class LabQuery(Nothing):
    """Which crawl to propose for a race."""

    world: str = Field(default="", max_length=80, description="Name of a crawl.")


class RaceBody(Changes):
    """A race: policies compared on a crawl of yours, or on a synthetic web."""

    name: str = Field(default="race", min_length=1, max_length=60)
    world: str = Field(default="", max_length=80, description="Name of a crawl; empty for a synthetic web.")
    task: str = Field(default="lighthouses", max_length=80, description="Task of the synthetic web.")
    policies: list[str] = Field(default=["clew", "best-first"], min_length=1, max_length=30)
    pages: int = Field(default=500, ge=10, le=100_000)
    runs: int = Field(default=2, ge=1, le=50)


@dataclass(frozen=True, slots=True)
class StartedRace:
    """A race that was started here; the file with what it prints is kept if it fails."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def state(self) -> dict[str, Any]:
        """Return how it stands: running, ended, or failed with its last line."""
        code = self.process.poll()
        if code is None:
            return {"state": "running", "words": ""}
        if not code:
            self.log.unlink(missing_ok=True)
            return {"state": "ended", "words": ""}
        lines = self.log.read_text("utf-8", "replace").strip().splitlines() if self.log.exists() else []
        return {"state": "failed", "words": lines[-1].removeprefix("clew: ") if lines else f"code {code}"}


def races(call: Call) -> dict[str, Any]:
    """Return the races beside the crawls, newest first, and those started here that go on or failed."""
    folders = _folders(call)
    found = sorted(folders.items(), key=lambda item: -(item[1] / CURVES).stat().st_mtime)
    started = [{"name": name, **each.state()} for name, each in call.server.races.items()]
    return {
        "races": [{"name": name, "at": (path / CURVES).stat().st_mtime} for name, path in found],
        "started": [each for each in started if each["state"] != "ended"],
        "free": next(
            name for n in itertools.count(1) if (name := f"race-{n}") not in {*folders, *call.server.races}
        ),
        "policies": [name for name in registry.names("ranker") if name != "reseed"],
        "crawls": list(call.server.crawls.all()),
    }


def _folders(call: Call) -> dict[str, Path]:
    home = call.server.crawls.home()
    try:
        return {path.name: path for path in home.iterdir() if (path / CURVES).is_file()}
    except OSError:
        return {}


def race(call: Call) -> dict[str, Any]:
    """Return the curves of one race, case by case."""
    folder = _folders(call).get(call.ids.get("race", ""))
    if folder is None:
        raise MissingThing
    cases: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    with (folder / CURVES).open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            if number > MAX_ROWS:
                break
            cap = f", at most {row['cap']} pages a host" if row["cap"] != "0" else ""
            cases[f"{row['world']}: {row['task']}{cap}"][row["policy"]].append(
                [float(row["fetches"]), float(row["recall"])]
            )
    listed = []
    for name, policies in cases.items():
        order = sorted(policies.items(), key=lambda item: -item[1][-1][1])
        listed.append(
            {"case": name, "policies": [{"policy": policy, "points": points} for policy, points in order]}
        )
    return {"race": folder.name, "cases": listed}


def start_race(call: Call) -> dict[str, Any]:
    """Run a race in a process of its own; its results appear here when it is done."""
    body: RaceBody = call.body
    folder = call.server.crawls.new_folder(body.name)
    known = registry.names("ranker")
    if unknown := [name for name in body.policies if name not in known]:
        msg = f"{unknown[0][:60]} is not a policy; known: {', '.join(known)}"
        raise ConfigError(msg)
    world = SYNTHETIC
    if body.world:
        try:
            world = str(call.server.crawls.folder(body.world).absolute())
        except UnknownCrawl:
            msg = f"{body.world} is not a crawl here"
            raise ConfigError(msg) from None
    command = [sys.executable, "-m", "clew", "lab", "race", world, "--out", str(folder.absolute())]
    command += ["--policies", ",".join(body.policies), "--pages", str(body.pages), "--runs", str(body.runs)]
    command += [] if body.world else ["--task", body.task]
    log = folder.with_name(f"{folder.name}.log")
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: S603 - our own program, no shell
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    call.server.races[folder.name] = StartedRace(child, log)
    return {
        "race": folder.name,
        "process": child.pid,
        "message": "started; the curves appear here when it is done",
    }


OPERATIONS = (
    Operation(method="GET", path="/lab", summary="All races.", run=races),
    Operation(method="GET", path="/lab/{race}", summary="The curves of one race.", run=race),
    Operation(method="POST", path="/lab", summary="Start a race.", run=start_race, body=RaceBody),
)
PAGES = (
    WebPage(
        path="/lab",
        template="lab.html",
        title="Lab",
        run=lambda call: {**races(call), "shown": None, "world": call.query.world},
        query=LabQuery,
    ),
    WebPage(
        path="/lab/{race}",
        template="lab.html",
        title="Lab",
        run=lambda call: {**races(call), "shown": race(call), "world": ""},
    ),
)
