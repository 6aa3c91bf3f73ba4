"""What a ranker is asked: scores for found links, what they are made of, new scores for old links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew import capabilities
from clew.contracts import HostPolicy, LinearRanker, Ranker
from clew.frontier import Frontier
from clew.frontier.linear_scorer import make_scorer, sum_parts
from clew.store import as_stored
from clew.store_contracts import Store
from clew.types import Features, Ids, Links, Outcome, Rule, ScoreParts, Scores


@dataclass(frozen=True, slots=True)
class LinkScores:
    """What a ranker said of the links of a page: scores and, if it says more, their parts and features."""

    scores: Scores
    parts: ScoreParts | None = None
    features: Features | None = None

    def rows(self, rows: Ids | list[int]) -> "LinkScores":
        """Return what was said of some of the links."""
        return LinkScores(
            self.scores[rows],
            None if self.parts is None else self.parts[rows],
            None if self.features is None else self.features[rows],
        )


@dataclass(slots=True, kw_only=True)
class Scoring:
    """Stand between the mind and its ranker, who may know more verbs than it must.

    A ranker with `parts` says what its scores are made of (`contracts.Explained`), one with `rerank`
    thinks again about links it has scored before (`contracts.Reranker`), one with `features` and
    `weights` lets the frontier do both (`contracts.Weighing`). `guide` decides between hosts, if one does.
    """

    ranker: Ranker
    frontier: Frontier
    store: Store
    names: tuple[str, ...] = ()
    guide: HostPolicy | None = None
    _weighing: LinearRanker | None = field(
        init=False
    )  # the ranker, if it is one; asking costs as much as a link

    def __post_init__(self) -> None:
        self._weighing = self.ranker if isinstance(self.ranker, LinearRanker) else None
        if user := capabilities.of_ranker(self.ranker).uses_features:
            user.use_features(self._row_of)

    def scores(self, source: Outcome, links: Links) -> LinkScores:
        """Ask for scores and, if the ranker can say, for what they are made of."""
        if self._weighing is not None:
            return self._weighed(self._weighing, source, links)
        explain = getattr(self.ranker, "parts", None)
        if explain is None:
            return LinkScores(self.ranker.score(source, links))
        named: Mapping[str, Scores] = explain(source, links)
        self._name(tuple(named))
        parts = np.column_stack([np.asarray(column, np.float32) for column in named.values()])
        return LinkScores(parts.sum(axis=1, dtype=np.float32), parts)

    def _weighed(self, ranker: LinearRanker, source: Outcome, links: Links) -> LinkScores:
        if self.frontier.reranking.scorer is None:
            self._think_again(ranker)
        features = np.asarray(ranker.features(source, as_stored(links)), np.uint32)
        scale = self.frontier.reranking.scorer
        if scale is None:
            return LinkScores(ranker.score(source, links), features=features)
        self._name(scale.names)
        parts = scale.parts_of_features(features)
        return LinkScores(sum_parts(parts), parts, features)

    def _name(self, names: tuple[str, ...]) -> None:
        if names != self.names:
            self.names = names
            self.store.name_score_parts(names)

    def keep(self, first: int, said: LinkScores) -> None:
        """Keep what is known of new links, to score them again later."""
        if said.features is not None:
            self.frontier.reranking.add_features(first, said.features)

    def meet(self, ids: Ids, said: LinkScores) -> list[int]:
        """Let links that were met again rise, and return which rows did."""
        risen = self.frontier.raise_scores(ids, said.scores)
        if said.features is not None:
            return self.frontier.reranking.update_features(ids, said.scores, said.features, risen)
        return risen

    def revise(self, ids: Ids, said: LinkScores) -> None:
        """Give links that are known other scores, better or worse, and keep what these are made of."""
        if said.features is not None and self.frontier.reranking.features is not None:
            self.frontier.reranking.features.replace(ids, said.features)
        self.frontier.rescore(ids, said.scores)

    def learn(self, outcome: Outcome) -> None:
        """Tell what a link led to; if that changes the ranker's mind about others, put them in new order."""
        self.ranker.learn(outcome)
        self.refresh_weights()
        if self.guide:
            self.guide.learn_page(outcome)
            self.apply_host_priorities()

    def meet_hosts(self, origins: Sequence[str]) -> None:
        """Let a policy that decides between hosts know which there are."""
        if self.guide:
            self.guide.add_hosts(origins)

    def overrule(self, rule: Rule) -> None:
        """Tell a policy that decides between hosts what a person says of a site."""
        if self.guide:
            self.guide.apply_rule(rule)
            self.apply_host_priorities()

    def run_dry(self) -> bool:
        """Say that nothing is left to fetch as things stand; True if that changes the order of hosts."""
        changed = self.guide is not None and self.guide.on_exhausted()
        self.apply_host_priorities()
        return changed

    def apply_host_priorities(self) -> None:
        """Let hosts compete as the policy that decides between them has it now."""
        for origin, turn in (self.guide.host_priorities() if self.guide else {}).items():
            self.frontier.set_priority(origin, turn)

    def refresh_weights(self) -> None:
        """Ask whether the ranker has changed its mind; then put the links it concerns in new order."""
        if self._weighing is not None:
            self._think_again(self._weighing)
            return
        rerank = getattr(self.ranker, "rerank", None)
        if rerank is None or (changed := rerank()) is None:
            return
        hashes, scores = changed
        ids = self.frontier.find_ids(np.asarray(hashes, np.uint64))
        met = ids > 0
        self.frontier.rescore(ids[met], np.asarray(scores, np.float32)[met])

    def _row_of(self, id: int) -> Features | None:
        """Return the features that a link was kept with, None if there are none."""
        kept = self.frontier.reranking.features
        row = None if kept is None else kept.row(id)[0]
        return None if row is None or not row[0] else row[1:]

    def _think_again(self, ranker: LinearRanker) -> None:
        if (weights := ranker.weights()) is not None:
            self.frontier.reranking.apply_weights(make_scorer(weights))
