"""What a ranker is asked: scores for found links, what they are made of, new scores for old links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.contracts import Ranker, Steering, Store, Weighing
from clew.frontier import Frontier
from clew.frontier.weighing import scale_of, total
from clew.store import as_kept
from clew.types import Features, Ids, Links, Outcome, Parts, Rule, Scores


@dataclass(frozen=True, slots=True)
class Appraised:
    """What a ranker said of the links of a page: scores and, if it says more, their parts and features."""

    scores: Scores
    parts: Parts | None = None
    features: Features | None = None

    def rows(self, rows: Ids | list[int]) -> "Appraised":
        """Return what was said of some of the links."""
        return Appraised(
            self.scores[rows],
            None if self.parts is None else self.parts[rows],
            None if self.features is None else self.features[rows],
        )


@dataclass(slots=True, kw_only=True)
class Appraisal:
    """Stand between the mind and its ranker, who may know more verbs than it must.

    A ranker with `parts` says what its scores are made of (`contracts.Explained`), one with `rerank`
    thinks again about links it has scored before (`contracts.Reranker`), one with `features` and
    `weights` lets the frontier do both (`contracts.Weighing`). `guide` decides between hosts, if one does.
    """

    ranker: Ranker
    frontier: Frontier
    store: Store
    names: tuple[str, ...] = ()
    guide: Steering | None = None
    _weighing: Weighing | None = field(init=False)  # the ranker, if it is one; asking costs as much as a link

    def __post_init__(self) -> None:
        self._weighing = self.ranker if isinstance(self.ranker, Weighing) else None
        if hasattr(self.ranker, "row_of"):
            self.ranker.row_of = self._row_of

    def scores(self, source: Outcome, links: Links) -> Appraised:
        """Ask for scores and, if the ranker can say, for what they are made of."""
        if self._weighing is not None:
            return self._weighed(self._weighing, source, links)
        explain = getattr(self.ranker, "parts", None)
        if explain is None:
            return Appraised(self.ranker.score(source, links))
        named: Mapping[str, Scores] = explain(source, links)
        self._name(tuple(named))
        parts = np.column_stack([np.asarray(column, np.float32) for column in named.values()])
        return Appraised(parts.sum(axis=1, dtype=np.float32), parts)

    def _weighed(self, ranker: Weighing, source: Outcome, links: Links) -> Appraised:
        if self.frontier.reranking.scale is None:
            self._think_again(ranker)
        features = np.asarray(ranker.features(source, as_kept(links)), np.uint32)
        scale = self.frontier.reranking.scale
        if scale is None:
            return Appraised(ranker.score(source, links), features=features)
        self._name(scale.names)
        parts = scale.parts_of(features)
        return Appraised(total(parts), parts, features)

    def _name(self, names: tuple[str, ...]) -> None:
        if names != self.names:
            self.names = names
            self.store.name_parts(names)

    def keep(self, first: int, said: Appraised) -> None:
        """Keep what is known of new links, to score them again later."""
        if said.features is not None:
            self.frontier.reranking.keep(first, said.features)

    def meet(self, ids: Ids, said: Appraised) -> list[int]:
        """Let links that were met again rise, and return which rows did."""
        risen = self.frontier.raise_scores(ids, said.scores)
        if said.features is not None:
            return self.frontier.reranking.replace(ids, said.scores, said.features, risen)
        return risen

    def revise(self, ids: Ids, said: Appraised) -> None:
        """Give links that are known other scores, better or worse, and keep what these are made of."""
        if said.features is not None and self.frontier.reranking.kept is not None:
            self.frontier.reranking.kept.replace(ids, said.features)
        self.frontier.rescore(ids, said.scores)

    def learn(self, outcome: Outcome) -> None:
        """Tell what a link led to; if that changes the ranker's mind about others, put them in new order."""
        self.ranker.learn(outcome)
        self.think_again()
        if self.guide:
            self.guide.steer(outcome)
            self.take_turns()

    def meet_hosts(self, origins: Sequence[str]) -> None:
        """Let a policy that decides between hosts know which there are."""
        if self.guide:
            self.guide.meet(origins)

    def overrule(self, rule: Rule) -> None:
        """Tell a policy that decides between hosts what a person says of a site."""
        if self.guide:
            self.guide.overrule(rule)
            self.take_turns()

    def run_dry(self) -> bool:
        """Say that nothing is left to fetch as things stand; True if that changes the order of hosts."""
        changed = self.guide is not None and self.guide.run_dry()
        self.take_turns()
        return changed

    def take_turns(self) -> None:
        """Let hosts compete as the policy that decides between them has it now."""
        for origin, turn in (self.guide.turns() if self.guide else {}).items():
            self.frontier.favour(origin, turn)

    def think_again(self) -> None:
        """Ask whether the ranker has changed its mind; then put the links it concerns in new order."""
        if self._weighing is not None:
            self._think_again(self._weighing)
            return
        rerank = getattr(self.ranker, "rerank", None)
        if rerank is None or (changed := rerank()) is None:
            return
        hashes, scores = changed
        ids = self.frontier.known(np.asarray(hashes, np.uint64))
        met = ids > 0
        self.frontier.rescore(ids[met], np.asarray(scores, np.float32)[met])

    def _row_of(self, id: int) -> Features | None:
        """Return the features that a link was kept with, None if there are none."""
        kept = self.frontier.reranking.kept
        row = None if kept is None else kept.row(id)[0]
        return None if row is None or not row[0] else row[1:]

    def _think_again(self, ranker: Weighing) -> None:
        if (weights := ranker.weights()) is not None:
            self.frontier.reranking.weigh_anew(scale_of(weights))
