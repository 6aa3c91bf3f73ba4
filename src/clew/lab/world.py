"""A world: a part of the web that is served without the network, with tasks and their ground truth.

open_world("worlds/webkb")        a folder with pages.warc.gz, labels.tsv, seeds.txt, tasks.json
open_world("old.warc.gz")         any WARC file; no tasks, no truth
open_world("wind")                a crawl: its verdicts and the user's labels are the truth
open_world("madeup:1000000:7")    a synthetic web of that many pages, from that seed
"""

import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from clew import urls
from clew.errors import ConfigError
from clew.lab.build_page_store import Source
from clew.lab.cache import discard, open_page_store
from clew.lab.labels import read_rows
from clew.lab.page_store import Damaged, PageStore, Recorded
from clew.lab.recording import crawl_files, crawl_task, is_crawl
from clew.lab.synthetic_world import synthetic_world
from clew.lab.task import Task
from clew.lab.tasks_file import TaskFile
from clew.lab.warc_reader import is_warc

SYNTHETIC = "madeup"


class Pages(Protocol):
    """Recorded responses by row: `find` returns the row of a URL, -1 for none."""

    def __len__(self) -> int: ...

    def find(self, url: str) -> int: ...

    def url(self, row: int) -> str: ...

    def get(self, row: int) -> Recorded: ...


@dataclass(slots=True)
class World:
    """Recorded responses, and tasks; `notes` tell the user what was left out."""

    name: str
    pages: Pages
    tasks: list[Task] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    source: Source | None = None

    @property
    def page_store(self) -> PageStore | None:
        """The archive with the links between its pages; None for a synthetic web."""
        return self.pages if isinstance(self.pages, PageStore) else None

    def task(self, name: str | int) -> Task:
        """Return a task by its name, the beginning of it, or its number from 0."""
        if isinstance(name, int) or name.isdigit():
            if int(name) < len(self.tasks):
                return self.tasks[int(name)]
        else:
            for task in self.tasks:
                if task.name == name:
                    return task
            prefixed = [task for task in self.tasks if task.name.lower().startswith(name.lower())]
            if len(prefixed) == 1:
                return prefixed[0]
        known = [task.name for task in self.tasks]
        similar = get_close_matches(str(name), known, n=1)
        hint = f'did you mean "{similar[0]}"?' if similar else f"there are: {', '.join(known) or 'none'}"
        msg = f'the world {self.name} has no task "{name}"; {hint}'
        raise ConfigError(msg)

    def recorded(self, row: int) -> Recorded:
        """Return a recorded response; a damaged page store is rebuilt."""
        try:
            return self.pages.get(row)
        except Damaged:
            assert isinstance(self.pages, PageStore), "only page stores can be damaged"
            assert self.source is not None, "a page store has a source"
            discard(self.pages)
            self.pages = open_page_store(self.source)
            return self.pages.get(row)


def open_world(where: str | Path, *, plain: bool = False) -> World:
    """Open a folder, a WARC file, a crawl or a synthetic web; the first time its pages are parsed and cached.

    A name that is not a path is looked up in the folder CLEW_WORLDS. `plain` gives https pages under
    http, as a proxy without certificates does.
    """
    text = str(where)
    if text.partition(":")[0] == SYNTHETIC and not Path(text).exists():
        return World(text, *synthetic_world(text))
    path = _resolve_path(Path(where).expanduser())
    if is_crawl(path):
        return _crawl_world(path)
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if is_warc(file))
    if any(file.suffix != ".xz" for file in files):  # a copy that is quicker to read is beside it
        files = [file for file in files if file.suffix != ".xz"]
    if not files or not is_warc(files[0]):
        msg = (
            f"{path} holds no WARC file and no crawl; a world needs pages.warc.gz, "
            "or make one of a crawl with: clew lab record CRAWL WORLD"
        )
        raise ConfigError(msg)
    folder = path if path.is_dir() else path.parent
    aliases = read_rows(folder / "aliases.tsv") if path.is_dir() else []
    source = Source(
        files=tuple((file, None) for file in files),
        aliases={row["alias_host"]: row["host"] for row in aliases if "alias_host" in row and "host" in row},
        plain=plain,
    )
    world = _archive_world(path.name, source)
    if path.is_dir():
        assert isinstance(world.pages, PageStore), "it was just opened"
        facts = TaskFile(folder, urls.Canon(), frozenset(world.pages.names.tolist()), plain)
        world.tasks = facts.read()
        world.notes += facts.notes
    return world


def _resolve_path(path: Path) -> Path:
    if path.exists():
        return path
    home = os.environ.get("CLEW_WORLDS", "")
    if home and not path.is_absolute() and (Path(home) / path).exists():
        return Path(home) / path
    known = sorted(each.name for each in Path(home).iterdir() if each.is_dir()) if home else []
    similar = get_close_matches(path.name, known, n=1)
    hint = (
        f'did you mean "{similar[0]}"?'
        if similar
        else "give the folder of a recorded web or a crawl, a WARC file, or madeup:20000 for a synthetic web"
    )
    msg = f"there is no world {path}; {hint}"
    raise ConfigError(msg)


def _crawl_world(path: Path) -> World:
    world = _archive_world(path.name, Source(files=crawl_files(path)))
    assert isinstance(world.pages, PageStore), "it was just opened"
    task = crawl_task(path, frozenset(world.pages.names.tolist()))
    if task.truth.relevant:
        world.tasks.append(task)
    else:
        world.notes.append(f"{path}: none of its pages is relevant, so there is nothing to look for")
    return world


def _archive_world(name: str, source: Source) -> World:
    store = open_page_store(source)
    world = World(name.partition(".warc")[0], store, source=source)
    if store.bad:
        files = ", ".join(str(file) for file, _ in source.files)
        world.notes.append(f"{files}: {store.bad:,} damaged records were left out, {store.good:,} are used")
    if not len(store):
        msg = f"{name} holds no answer that can be replayed; a world needs WARC records of type response"
        raise ConfigError(msg)
    return world
