"""Topical tasks from clusters of texts: webs whose makers named no topics, and further topics of the others.

The main texts of a recorded web are grouped by spherical k-means over their tf-idf vectors. A cluster that holds
one to eight pages of a hundred is a task: its pages are the relevant ones, its four most typical words the goal. Every
second task also shows five of its pages as examples. No policy, judge or word list of the crawler takes part,
so no task was chosen because a policy is good at it; some clusters follow layout rather than topic.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clew import extract_text, urls
from clew.domain.text import STOP_WORDS
from clew.lab.cache import cache_root
from clew.lab.task import Graded, Task
from clew.lab.world import World
from clew.lab.world_graph import WorldGraph

TASKS = 6
"""Tasks of a web."""

TYPICAL, EXAMPLES = 4, 5
"""Words of a goal; example pages of every second task."""

VOCABULARY, PAGES_PER_CLUSTER, ROUNDS = 6_000, 70, 12
SMALLEST, LARGEST, FEWEST = 0.01, 0.08, 25
MIN_LENGTH = 200  # characters of a text

_WORD = re.compile(r"[a-zäöüßéèàç]{4,}|[\u4e00-\u9fff]{2,}|[\u30a0-\u30ffー]{3,}")

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Pages with similar texts, and the words that they have more often than other pages."""

    words: list[str]
    pages: list[str]


def with_cluster_tasks(world: World, graph: WorldGraph) -> World:
    """Return the web with tasks from clusters instead of its own; the clusters are made once."""
    file = cache_root().parent / "clusters" / f"{world.name}-{len(graph.page_urls)}.json"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps([[each.words, each.pages] for each in clusters(world, graph)]))
    found = [Cluster(*each) for each in json.loads(file.read_text())]
    tasks = [_task(cluster, number, world) for number, cluster in enumerate(found)]
    return replace(world, name=f"{world.name}-clusters", tasks=tasks)


def _task(cluster: Cluster, number: int, world: World) -> Task:
    pages = cluster.pages
    good = tuple(pages[1 :: max(1, len(pages) // EXAMPLES)][:EXAMPLES]) if number % 2 else ()
    truth = Graded({urls.fingerprint(url): 1.0 for url in pages if url not in good})
    starts = world.tasks[0].starts
    return Task(
        name=" ".join(cluster.words), about=" ".join(cluster.words), truth=truth, starts=starts, good=good
    )


def clusters(world: World, graph: WorldGraph) -> list[Cluster]:
    """Group the texts of a web; return a spread of the clusters from compact to loose."""
    found, texts = _texts(world, graph)
    vectors, names = _vectors(texts)
    count = max(12, len(texts) // PAGES_PER_CLUSTER)
    owner, centres = _spherical_means(vectors, count)
    rated: list[tuple[float, Cluster]] = []
    for cluster in range(count):
        inside = owner == cluster
        size = int(inside.sum())
        if size < FEWEST or not SMALLEST <= size / len(texts) <= LARGEST:
            continue
        compact = float((vectors[inside] @ centres[cluster]).mean())
        typical = vectors[inside].mean(axis=0) - vectors[~inside].mean(axis=0)
        words = [names[at] for at in np.argsort(-typical)[:TYPICAL].tolist()]
        rated.append((compact, Cluster(words, [found[at] for at in np.flatnonzero(inside).tolist()])))
    rated.sort(key=lambda pair: -pair[0])
    return [cluster for _, cluster in rated[:: max(1, len(rated) // TASKS)]][:TASKS]


def _texts(world: World, graph: WorldGraph) -> tuple[list[str], list[Counter[str]]]:
    """Return the URLs of the pages that have a text, with the words of each."""
    store = world.page_store
    assert store is not None, "a recorded web"
    found: list[str] = []
    texts: list[Counter[str]] = []
    for url in graph.page_urls:
        row = store.find(url)
        if row >= 0 and store.status[row] == 200:
            text = extract_text(world.recorded(row).body, url=url)
            if len(text) >= MIN_LENGTH:
                found.append(url)
                texts.append(Counter(word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS))
    return found, texts


def _vectors(texts: Sequence[Counter[str]]) -> tuple[Vectors, list[str]]:
    """Return unit tf-idf vectors over the words that are neither rare nor on every fourth page."""
    pages = Counter(word for text in texts for word in text)
    known = [(count, word) for word, count in pages.items() if 5 <= count <= len(texts) / 4]
    names = sorted(word for _, word in sorted(known, reverse=True)[:VOCABULARY])
    column = {word: at for at, word in enumerate(names)}
    vectors = np.zeros((len(texts), len(names)), np.float32)
    for row, text in enumerate(texts):
        for word, count in text.items():
            if (at := column.get(word)) is not None:
                vectors[row, at] = (1 + np.log(count)) * np.log(len(texts) / pages[word])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors, names


def _spherical_means(vectors: Vectors, count: int) -> tuple[NDArray[np.intp], Vectors]:
    """Return the cluster of each vector, and the unit centres; begun with some of the vectors, the same each time."""
    chosen = np.random.default_rng(0).choice(len(vectors), count, replace=False)
    centres = vectors[chosen].copy()
    owner = np.zeros(len(vectors), np.intp)
    for _ in range(ROUNDS):
        owner = (vectors @ centres.T).argmax(axis=1)
        for cluster in np.unique(owner).tolist():
            mean = vectors[owner == cluster].sum(axis=0)
            centres[cluster] = mean / max(float(np.linalg.norm(mean)), 1e-6)
    return owner, centres
