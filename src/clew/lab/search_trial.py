"""Trials that begin with a search: an engine over a part of the world, and a judge trained from labels.

This is the experiment of the paper behind `reseed`: every policy starts from the ten best results for the
topic, `reseed` searches again, and the judge is a Bayesian filter trained on 50 relevant and 500 other pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew import registry, urls
from clew.contracts import SearchEngine
from clew.errors import ConfigError
from clew.lab.task import RELEVANT, Graded, Task
from clew.lab.trace import Trace
from clew.lab.trial import TrialSettings, run_on
from clew.lab.virtual_time import run_virtually
from clew.lab.world import World
from clew.lab.world_search import world_engine
from clew.registry import capabilities
from clew.search import LocalEngine

RESULTS = 10
"""Results of the first search that a crawl starts from."""

LARGE = 2_000
"""Indexed pages from which topic terms are learned from a hundred results, as in the paper; else from 20."""


@dataclass(slots=True)
class SearchTrials:
    """Run trials that begin with a search; the engine of the last world, share and seed is kept."""

    _known: tuple[object, ...] = ()
    _engines: list[LocalEngine] = field(default_factory=list)

    def run(self, world: World, task: Task, policy: str, settings: TrialSettings) -> Trace:
        """Run one trial."""
        engine = self._engine(world, settings)
        topic = topic_of(task)
        results = run_virtually(lambda: engine.search(topic, RESULTS)).results
        if not results:
            msg = f'a search for "{topic}" finds nothing in {world.name}; take a larger --search'
            raise ConfigError(msg)
        begun = replace(task, starts={settings.start: tuple(each.url for each in results)})
        begun = with_labelled_examples(world, begun, settings)
        searches = capabilities.of_ranker(registry.make("ranker", policy)).defers is not None
        learn = 100 if len(world.pages) * settings.search[0] >= LARGE else 20
        seek = {"seek.learn": learn, "seek.reseed": searches, **settings.settings}
        engines: Sequence[SearchEngine] = [engine] if searches else []
        return run_on(
            world, begun, policy, replace(settings, seed=0, settings=seek), engines=engines, topic=topic
        )

    def _engine(self, world: World, settings: TrialSettings) -> LocalEngine:
        wanted = world.name, settings.search[0], settings.seed
        if wanted != self._known or not self._engines:
            self._engines = [world_engine(world, share=settings.search[0], seed=settings.seed)]
            self._known = wanted
        return self._engines[0]


def topic_of(task: Task) -> str:
    """Return what is searched for: the first word of the topic."""
    words = task.about.split()
    if not words:
        msg = f'the task "{task.name}" has no words to search for; choose a task about a topic'
        raise ConfigError(msg)
    return words[0]


def with_labelled_examples(world: World, task: Task, settings: TrialSettings) -> Task:
    """Return a task whose examples are drawn from the labels: so many relevant pages, so many others."""
    good, bad = map(int, settings.search[1:])
    if not good and not bad:
        return task
    truth, store = task.truth, world.page_store
    if not isinstance(truth, Graded) or store is None:
        msg = f"{world.name} has no stored labels; examples can be drawn from labels in recorded worlds only"
        raise ConfigError(msg)
    rng = np.random.default_rng((settings.seed, 1))
    rows = rng.permutation(np.flatnonzero((store.status >= 200) & (store.status < 300))).tolist()  # noqa: PLR2004
    named = [store.url(row) for row in rows]
    relevant = [truth.grades.get(urls.fingerprint(url), 0.0) >= RELEVANT for url in named]
    chosen = [
        tuple(url for url, hit in zip(named, relevant, strict=True) if hit is wanted)[:most]
        for wanted, most in ((True, good), (False, bad))
    ]
    return replace(task, good=chosen[0], bad=chosen[1])
