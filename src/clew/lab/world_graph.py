"""The complete link graph of a world, for evaluation: every page, its links, and which pages are relevant.

Redirects, feeds and sitemaps are no pages: they cost nothing here, because no trace counts them. Pages that
robots.txt forbids are left out: no crawl may fetch them. A synthetic web is explored once from all its start
sets, and its graph is cached.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.frontier import Robots
from clew.lab.cache import cache_root
from clew.lab.exploration import WebExplorer
from clew.lab.page_store import PageStore
from clew.lab.sparse import Flags, Rows, SparseGraph
from clew.lab.task import RELEVANT, Task
from clew.lab.versions import INVENTING, version_of
from clew.lab.world import World, open_world

LARGEST = 60_000
"""Synthetic pages that are explored: a minute or two, once. Of larger webs only a bound is known."""

_HOPS = 10


@dataclass(frozen=True, slots=True)
class WorldGraph:
    """A world as a graph, with the URLs of its rows; `settled` is the row that a URL ends at, by its hash.

    `pages` counts the rows that are pages (not redirects, not errors), `hosts` their hosts.
    """

    graph: SparseGraph
    pages: int
    hosts: int
    page_urls: list[str] = field(repr=False)
    settled: dict[int, int] = field(repr=False)

    def rows(self, wanted: Iterable[str]) -> Rows:
        """Return the rows that URLs lead to, without unknown URLs."""
        found = {self.settled.get(urls.fingerprint(url), -1) for url in wanted}
        return np.array(sorted(found - {-1}), np.int32)

    def wanted(self, task: Task) -> Flags:
        """Mark the pages that are relevant to a task, without its examples."""
        examples = {*task.good, *task.bad}
        return np.array(
            [url not in examples and task.truth.grade(url) >= RELEVANT for url in self.page_urls], np.bool_
        )


def world_graph_of(world: World) -> WorldGraph | None:
    """Return the graph of a world; None for a synthetic web too large to explore."""
    if world.page_store is not None:
        return _archive_graph(world.page_store)
    return _synthetic_graph(world) if len(world.pages) <= LARGEST else None


def is_cached(world: World) -> bool:
    """Tell whether the graph of a world is cached, or will not be computed."""
    return world.page_store is not None or len(world.pages) > LARGEST or _cache_path(world).exists()


def _cache_path(world: World) -> Path:
    """Return the cache file of the graph of a synthetic web, by its name and the code that computes it."""
    made_by = version_of(
        *INVENTING, "parse/**/*.*", "lab/synthetic_world.py", "lab/exploration.py", "lab/world_graph.py"
    )
    return cache_root() / f"{world.name.replace(':', '-')}-{made_by}.npz"


def _archive_graph(store: PageStore) -> WorldGraph:
    """Return the graph of an archive: its links are known, redirects are followed to their end."""
    count = len(store)
    final = np.arange(count, dtype=np.int32)
    for _ in range(_HOPS):
        moved = store.moved[final]
        final = np.where(moved >= 0, moved, final).astype(np.int32)
    page_urls = [store.url(row) for row in range(count)]
    sources = np.repeat(np.arange(count, dtype=np.int32), np.diff(store.starts))
    inside = (store.ways >= 0) & (store.moved[sources] < 0)
    sources, targets = sources[inside], final[store.ways[inside]]
    allowed = ~_forbidden(store, page_urls)
    permitted = allowed[targets]
    settled = {urls.fingerprint(url): int(row) for url, row in zip(page_urls, final.tolist(), strict=True)}
    graph = _graph(count, sources[permitted], targets[permitted], page_urls)
    answered = (store.status >= 200) & (store.status < 300) & (store.moved < 0)  # noqa: PLR2004
    hosts = len(np.unique(graph.hosts[answered]))
    return WorldGraph(graph, int(answered.sum()), hosts, page_urls, settled)


def _forbidden(store: PageStore, page_urls: list[str]) -> Flags:
    """Mark the pages that the archive's own robots.txt files forbid."""
    robots = Robots()
    ruled = set()
    for origin in {urls.origin(url) for url in page_urls}:
        row = store.find(f"{origin}/robots.txt")
        if row >= 0 and store.status[row] == 200:  # noqa: PLR2004
            robots.learn(origin, 200, "", store.get(row).body.decode("utf-8", "replace"), 0.0)
            ruled.add(origin)
    return np.array([urls.origin(url) in ruled and bool(robots.refusal(url)) for url in page_urls], np.bool_)


def _graph(
    count: int, sources: NDArray[np.int32], targets: NDArray[np.int32], page_urls: list[str]
) -> SparseGraph:
    """Return links as compressed rows, each once."""
    pairs = np.unique(sources.astype(np.int64) * count + targets)
    lengths = np.bincount(pairs // count, minlength=count)
    origins: dict[str, int] = {}
    hosts = [origins.setdefault(urls.origin(url), len(origins)) for url in page_urls]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return SparseGraph(starts, (pairs % count).astype(np.int32), np.array(hosts, np.int32))


def _synthetic_graph(world: World) -> WorldGraph:
    """Return the graph of a synthetic web, from the cache if it is there."""
    path = _cache_path(world)
    with suppress(OSError, ValueError, KeyError, EOFError):
        return _load(path)
    # A separate web: rows are numbered as they are requested, and this must not change those of a trial.
    explorer = WebExplorer(open_world(world.name).pages)
    explorer.go({url for task in world.tasks for start in task.starts.values() for url in start})
    sources, targets = explorer.links()
    graph = _graph(len(explorer.pages), sources, targets, explorer.pages)
    hosts = len(np.unique(graph.hosts))
    explored = WorldGraph(graph, explorer.answered, hosts, explorer.pages, explorer.final_pages())
    _save(explored, path)
    return explored


def _load(path: Path) -> WorldGraph:
    with np.load(path) as columns:
        graph = SparseGraph(columns["starts"], columns["targets"], columns["hosts"])
        page_urls = bytes(columns["addresses"]).decode().split("\n")
        settled = dict(zip(columns["names"].tolist(), columns["rows"].tolist(), strict=True))
        pages = int(columns["pages"])
    return WorldGraph(graph, pages, len(np.unique(graph.hosts)), page_urls, settled)


def _save(graph: WorldGraph, path: Path) -> None:
    """Cache a graph; of two processes at once the last one wins."""
    with NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
        np.savez_compressed(
            file,
            pages=np.array(graph.pages),
            starts=graph.graph.starts,
            targets=graph.graph.targets,
            hosts=graph.graph.hosts,
            addresses=np.frombuffer("\n".join(graph.page_urls).encode(), np.uint8),
            names=np.array(list(graph.settled), np.uint64),
            rows=np.array(list(graph.settled.values()), np.int32),
        )
    Path(file.name).replace(path)
