"""What outlives a run: the models of judge and ranker, all they have learned, and the features of open links.

Models are small files in `models/`, written by the parts themselves (`contracts.Persistent`). All that was
learned is written at the end of a run (`contracts.Resumable`, `LearnedFile`). Features are derived data in
`derived/`: what was not sealed there before a kill is computed again from the store.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

import numpy as np

from clew.contracts import FolderStore, LinearRanker, Persistent, RestoresRanking, Resumable
from clew.engine.engine import AfterCommit, Engine
from clew.engine.learned_file import FACT, LearnedFile, LearnedStates
from clew.engine.learned_file import FILE as LEARNED
from clew.engine.ranking_file import FILE, RankingFile
from clew.frontier import Frontier
from clew.frontier.feature_rows import FeatureHeader, FeatureRows
from clew.frontier.linear_scorer import make_scorer
from clew.registry import capabilities
from clew.registry.capabilities import Capabilities
from clew.types import Features, PageResult

MODELS, DERIVED = "models", "derived"
JUDGE, RANKER = "judge", "ranker"
"""The parts of an engine that learn."""

SAVE = 3.0
"""Seconds between two saves of the models, at least."""

SAVE_SHARE = 100
"""A save that took long waits longer for the next: this many times as long as it took."""

SEAL = 60.0
"""Seconds between two seals, at least; features since the last one are computed again after a kill."""


@dataclass(frozen=True, slots=True)
class PendingCommit:
    """What a commit that begins now makes safe: better features, all links and raised scores up to here.

    `learned` is what judge and ranker have learned from the same pages, at the end of a run.
    """

    better: Mapping[int, Features]
    links: int
    raised: int | None
    learned: LearnedStates | None = None


@dataclass(slots=True, kw_only=True)
class Checkpoint:
    """Save what was learned in the folder of a crawl; a service with a commit hook.

    `persistent` returns the parts with models as they are now (a judge may be replaced), `resumable` those
    that can go on as if nothing had happened, by their names; `ranking` is a ranker that knows all pages,
    `next_id` the id of the next link, `labels` are those that were taught; `made_by` names policy and goal:
    features of another one mean other things.
    """

    store: FolderStore
    frontier: Frontier
    linear: LinearRanker | None
    persistent: Callable[[], Sequence[Persistent]]
    resumable: Callable[[], Mapping[str, Resumable]]
    labels: Callable[[], Mapping[str, bool]]
    next_id: Callable[[], int]
    made_by: str
    ranking: RestoresRanking | None = None
    clock: Callable[[], float] = time.monotonic
    resumed: LearnedStates | None = None
    _agrees: bool = False
    _saved: dict[int, int] = field(default_factory=dict)
    _saved_at: float = 0.0
    _save_took: float = 0.0
    _sealed_at: float = 0.0

    def load_models(self) -> None:
        """Load the models of judge and ranker; if the last run was stopped, all they had learned."""
        for part in self.persistent():
            part.load(self.store.folder / MODELS)
            self._saved[id(part)] = part.learned
        name = self.store.reader.facts(FACT).get(FACT, "")
        self._agrees, parts = bool(name), self.resumable()
        self.resumed = self._learned_file().read(name) if name else None
        if self.resumed is not None and self.resumed.states.keys() != parts.keys():
            self.resumed = None
        for each, state in self.resumed.states.items() if self.resumed else ():
            parts[each].restore_state(state)
        self._saved_at = self._sealed_at = self.clock()

    def restored(self, name: str) -> bool:
        """Return whether a part goes on as if the crawl had not been stopped."""
        return self.resumed is not None and name in self.resumed.states

    def labels_of(self, name: str) -> Mapping[str, bool]:
        """Return the labels that a part has learned in the state it was restored to."""
        return self.resumed.labels if self.resumed is not None and self.restored(name) else {}

    def load_features(self) -> None:
        """Map the features of open links, compute those that are missing, and rank all links by them."""
        ranker = self.linear
        if ranker is None or (weights := ranker.weights()) is None:
            return
        scorer = make_scorer(weights)
        rows = FeatureRows(scorer.columns, self.store.folder / DERIVED)
        self.frontier.reranking.use_rows(rows)
        header = rows.open(self.made_by)
        for source, ids, links in self.store.reader.rescore_sources(header.links, header.raised):
            rows.write_committed(ids, np.asarray(ranker.features(source, links), np.uint32))
        self.frontier.reranking.apply_weights(scorer)

    def load_ranking(self) -> None:
        """Restore what the ranker knows of all pages."""
        if file := self._ranking_file():
            file.restore(self.store, self.frontier)

    def before_commit(self) -> AfterCommit:
        """Note what the commit that begins now makes safe; return what to write once it has."""
        return partial(self._settle, self._pending())

    def _pending(self, *, last: bool = False) -> PendingCommit:
        rows = self._rows()
        due = rows is not None and (last or self.clock() >= self._sealed_at + SEAL)
        better = rows.uncommitted() if rows is not None else {}
        raised = self.store.reader.last_raised() if due else None
        return PendingCommit(better, self.next_id(), raised, self._learned(last=last))

    def _learned(self, *, last: bool) -> LearnedStates | None:
        """Return what was learned at the end of a run; let the database forget an earlier state before it."""
        parts = self.resumable()
        if not last or not parts:
            if self._agrees:
                self.store.set_fact(FACT, "")
                self._agrees = False
            return None
        name = uuid4().hex
        self.store.set_fact(FACT, name)
        states = {each: dict(part.learned_state()) for each, part in parts.items()}
        return LearnedStates(name=name, states=states, labels=dict(self.labels()))

    async def _settle(self, safe: PendingCommit) -> None:
        """Write what a commit has made safe; save and seal from time to time."""
        rows, now = self._rows(), self.clock()
        if rows is not None:
            rows.commit(safe.better)
            if safe.raised is not None:
                self._sealed_at = now
                header = FeatureHeader(
                    made_by=self.made_by, columns=rows.columns, links=safe.links, raised=safe.raised
                )
                await asyncio.to_thread(rows.sync, header)
        if safe.learned is not None:
            self._learned_file().write(safe.learned)
            return  # the models were saved before this commit
        if now >= self._saved_at + min(max(SAVE, SAVE_SHARE * self._save_took), SEAL):
            begun = self.clock()
            self.save_models()
            self._saved_at = self.clock()
            self._save_took = self._saved_at - begun

    def save_models(self) -> None:
        """Write the models that have changed since they were written."""
        for part in self.persistent():
            if part.learned != self._saved.get(id(part)):
                part.save(self.store.folder / MODELS)
                self._saved[id(part)] = part.learned
        if file := self._ranking_file():
            file.save()

    async def start(self) -> None:
        """Do nothing: models and features are loaded before the first service starts."""

    def on_result(self, result: PageResult) -> None:
        """Do nothing: what was learned is saved with the commits."""

    async def close(self) -> None:
        """Save and seal at the end of a run; a store that has failed keeps the last seal."""
        self.save_models()
        await self.store.commit()
        safe = self._pending(last=True)
        await self.store.commit()
        await self._settle(safe)

    def _learned_file(self) -> LearnedFile:
        folder = self.store.folder
        return LearnedFile(path=folder / DERIVED / LEARNED, models=folder / MODELS, made_by=self.made_by)

    def _ranking_file(self) -> RankingFile | None:
        if self.ranking is None:
            return None
        path = self.store.folder / DERIVED / FILE
        return RankingFile(path=path, ranker=self.ranking, made_by=self.made_by)

    def _rows(self) -> FeatureRows | None:
        rows = self.frontier.reranking.features
        return rows if rows is not None and rows.folder is not None else None


def make_checkpoint(store: FolderStore, engine: Engine, can: Capabilities, made_by: str) -> Checkpoint:
    """Return the checkpoint of an engine whose parts have these capabilities."""
    evaluation, ranker = engine.evaluation, can.ranker

    def persistent() -> list[Persistent]:
        parts = evaluation.abilities.persistent, ranker.persistent, can.hosts.persistent
        return [part for part in parts if part is not None]

    def resumable() -> dict[str, Resumable]:
        parts = {JUDGE: evaluation.judge, RANKER: engine.scoring.ranker}
        able = {name: capabilities.resumable(part) for name, part in parts.items()}
        return {name: part for name, part in able.items() if part is not None}

    return Checkpoint(
        store=store, frontier=engine.frontier, linear=ranker.linear, persistent=persistent,
        resumable=resumable, labels=lambda: evaluation.labels, next_id=lambda: engine.intake.next_id,
        made_by=made_by, ranking=can.ranking,
    )  # fmt: skip
