"""What a ranker is asked: scores for found links, what they are made of, new scores for old links."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clew.contracts import Ranker, Store
from clew.frontier import Frontier
from clew.types import Links, Outcome, Parts, Scores


@dataclass(slots=True, kw_only=True)
class Appraisal:
    """Stand between the mind and its ranker, who may know two verbs more than it must.

    A ranker with `parts` says what its scores are made of (`contracts.Explained`), one with `rerank`
    thinks again about links it has scored before (`contracts.Reranker`).
    """

    ranker: Ranker
    frontier: Frontier
    store: Store
    names: tuple[str, ...] = ()

    def scores(self, source: Outcome, links: Links) -> tuple[Scores, Parts | None]:
        """Ask for scores and, if the ranker can say, for what they are made of."""
        explain = getattr(self.ranker, "parts", None)
        if explain is None:
            return self.ranker.score(source, links), None
        named: Mapping[str, Scores] = explain(source, links)
        if tuple(named) != self.names:
            self.names = tuple(named)
            self.store.name_parts(self.names)
        parts = np.column_stack([np.asarray(column, np.float32) for column in named.values()])
        return parts.sum(axis=1, dtype=np.float32), parts

    def learn(self, outcome: Outcome) -> None:
        """Tell what a link led to; if that changes the ranker's mind about others, put them in new order."""
        self.ranker.learn(outcome)
        rerank = getattr(self.ranker, "rerank", None)
        if rerank is None or (changed := rerank()) is None:
            return
        hashes, scores = changed
        ids = self.frontier.known(np.asarray(hashes, np.uint64))
        met = ids > 0
        self.frontier.rescore(ids[met], np.asarray(scores, np.float32)[met])
