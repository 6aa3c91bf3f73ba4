"""The catalogue of worlds, with their sizes, languages and tasks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clew import urls
from clew.errors import ClewError, ConfigError
from clew.lab.page_store import PageStore
from clew.lab.recording import is_crawl
from clew.lab.warc_reader import is_warc
from clew.lab.world import World, open_world
from clew.parse import ipc
from clew.types import Link, Response

SAMPLE = 200
"""Pages whose language is looked at."""

RARE = 0.05
"""Languages of fewer pages than this share of the sample are not named."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A world in the list: counts, languages by share, tasks with their relevant pages, or an error."""

    name: str
    pages: int = 0
    hosts: int = 0
    languages: tuple[str, ...] = ()
    tasks: tuple[tuple[str, int, str], ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        tasks = [{"name": name, "relevant": count, "kind": kind} for name, count, kind in self.tasks]
        return {
            "name": self.name, "pages": self.pages, "hosts": self.hosts, "languages": list(self.languages),
            "tasks": tasks, "notes": list(self.notes),
        }  # fmt: skip


def catalogue(home: Path) -> Iterator[CatalogueEntry]:
    """Yield the worlds of a folder, or the one world that it is."""
    if not home.is_dir():
        msg = f"there is no folder {home}; name one that holds worlds, or set CLEW_WORLDS"
        raise ConfigError(msg)
    if _is_world(home):
        yield _listed(home)
        return
    found = sorted(path for path in home.iterdir() if _is_world(path))
    if not found:
        msg = f"{home} holds no worlds; a world is a folder with pages.warc.gz, or a crawl"
        raise ConfigError(msg)
    for path in found:
        yield _listed(path)


def _is_world(path: Path) -> bool:
    return path.is_dir() and (is_crawl(path) or any(is_warc(file) for file in path.iterdir()))


def _listed(path: Path) -> CatalogueEntry:
    try:
        world = open_world(path)
    except ClewError as error:
        return CatalogueEntry(path.name, notes=(str(error),))
    store = world.page_store
    assert store is not None, "only synthetic webs have none"
    answered = np.flatnonzero((store.status >= 200) & (store.status < 300) & (store.moved < 0))  # noqa: PLR2004
    hosts = {urls.origin(store.url(row)) for row in answered.tolist()}
    return CatalogueEntry(
        world.name,
        len(answered),
        len(hosts),
        _languages(world, store, answered[:: max(1, len(answered) // SAMPLE)].tolist()),
        tuple((task.name, task.truth.relevant, task.kind) for task in world.tasks),
        tuple(world.notes),
    )


def _languages(world: World, store: PageStore, rows: list[int]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for row in rows:
        link = Link(id=0, url=store.url(row), origin="")
        page = ipc.page_of(world.recorded(row).page, Response(link=link, started=0.0, ended=0.0))
        if page.lang:
            counts[page.lang.partition("-")[0].lower()] += 1
    total = sum(counts.values())
    return tuple(lang for lang, count in counts.most_common() if count >= RARE * total)
