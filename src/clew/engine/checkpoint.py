"""What outlives a run: what judge and ranker have learned, and the features of open links.

Models are small files in `models/`, written by the parts themselves (`contracts.Lasting`). Features are
derived data in `derived/`: what was not sealed there before a kill is made again from the store.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from clew.contracts import LinearRanker, Persistent
from clew.frontier import Frontier
from clew.frontier.feature_rows import FeatureHeader, FeatureRows
from clew.frontier.linear_scorer import make_scorer
from clew.store_contracts import FolderStore
from clew.types import Features

MODELS, DERIVED = "models", "derived"

SAVE = 3.0
"""Seconds between two savings of what was learned, at least."""

SPARING = 100
"""A saving that took long waits longer for the next: so many parts of the time go by for one spent so."""

SEAL = 60.0
"""Seconds between two seals, at least; what came since is made again after a kill."""


@dataclass(frozen=True, slots=True)
class PendingCommit:
    """What a commit that begins now will make safe: better features, all links and rises up to here."""

    better: Mapping[int, Features]
    links: int
    raised: int | None


@dataclass(slots=True, kw_only=True)
class Checkpoint:
    """Keep what was learned in the folder of a crawl.

    `parts` gives judge and ranker as they are now (a judge may be made anew), `next_id` the next link's id;
    `made_by` names policy and goal, for features of another one mean other things.
    """

    store: FolderStore
    frontier: Frontier
    parts: Callable[[], tuple[object, ...]]
    next_id: Callable[[], int]
    made_by: str
    clock: Callable[[], float] = time.monotonic
    _saved: dict[int, int] = field(default_factory=dict)
    _saved_at: float = 0.0
    _saving: float = 0.0
    _sealed_at: float = 0.0

    def load(self) -> None:
        """Let judge and ranker know again what they knew."""
        for part in self._lasting():
            part.load(self.store.folder / MODELS)
            self._saved[id(part)] = part.learned
        self._saved_at = self._sealed_at = self.clock()

    def recall(self) -> None:
        """Map the features of open links, make those again that are missing, and rank all by them."""
        ranker = self.parts()[1]
        weights = ranker.weights() if isinstance(ranker, LinearRanker) else None
        if weights is None or not isinstance(ranker, LinearRanker):
            return
        scale = make_scorer(weights)
        rows = self.frontier.reranking.features = FeatureRows(scale.columns, self.store.folder / DERIVED)
        seal = rows.open(self.made_by)
        for source, ids, links in self.store.reader.rescore_sources(seal.links, seal.raised):
            rows.write_committed(ids, np.asarray(ranker.features(source, links), np.uint32))
        self.frontier.reranking.apply_weights(scale)

    def begin(self, *, last: bool = False) -> PendingCommit:
        """Say what the commit that begins now will make safe; to be handed to `settle` when it has."""
        kept = self._kept()
        due = kept is not None and (last or self.clock() >= self._sealed_at + SEAL)
        better = kept.uncommitted() if kept is not None else {}
        return PendingCommit(better, self.next_id(), self.store.reader.last_raised() if due else None)

    async def settle(self, safe: PendingCommit) -> None:
        """Write what a commit has made safe; save and seal from time to time."""
        kept, now = self._kept(), self.clock()
        if kept is not None:
            kept.commit(safe.better)
            if safe.raised is not None:
                self._sealed_at = now
                seal = FeatureHeader(
                    made_by=self.made_by, columns=kept.columns, links=safe.links, raised=safe.raised
                )
                await asyncio.to_thread(kept.sync, seal)
        if now >= self._saved_at + min(max(SAVE, SPARING * self._saving), SEAL):
            begun = self.clock()
            self.save()
            self._saved_at = self.clock()
            self._saving = self._saved_at - begun

    def save(self) -> None:
        """Write models that have changed since they were written."""
        for part in self._lasting():
            if part.learned != self._saved.get(id(part)):
                part.save(self.store.folder / MODELS)
                self._saved[id(part)] = part.learned

    async def aclose(self) -> None:
        """Save and seal at the end of a run; a store that has failed keeps the last seal."""
        self.save()
        await self.store.commit()
        safe = self.begin(last=True)
        await self.store.commit()
        await self.settle(safe)

    def _kept(self) -> FeatureRows | None:
        kept = self.frontier.reranking.features
        return kept if kept is not None and kept.folder is not None else None

    def _lasting(self) -> list[Persistent]:
        return [part for part in self.parts() if isinstance(part, Persistent)]
