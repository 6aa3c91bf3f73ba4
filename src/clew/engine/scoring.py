"""Scores for links: new ones when they are found, and known ones again when the ranker has learned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.contracts import HostPolicy, LinearRanker, Ranker, Store
from clew.frontier import Frontier
from clew.frontier.linear_scorer import make_scorer
from clew.registry import capabilities
from clew.registry.capabilities import RankerCapabilities
from clew.store import as_stored
from clew.types import Features, Ids, Links, Outcome, Rule, ScoreParts, Scores


@dataclass(frozen=True, slots=True)
class LinkScores:
    """Scores of the links of a page and, if the ranker has them, their parts and features."""

    scores: Scores
    parts: ScoreParts | None = None
    features: Features | None = None

    def rows(self, rows: Ids | list[int]) -> "LinkScores":
        """Return the scores of some of the links."""
        return LinkScores(
            self.scores[rows],
            None if self.parts is None else self.parts[rows],
            None if self.features is None else self.features[rows],
        )


@dataclass(slots=True, kw_only=True)
class Scoring:
    """Call the ranker by what it can do.

    An `ExplainedRanker` gives scores as sums of parts, a `Reranker` new scores for links it has scored
    before, a `LinearRanker` lets the frontier do both. `host_policy` chooses between hosts, if there is one.
    """

    ranker: Ranker
    abilities: RankerCapabilities
    frontier: Frontier
    store: Store
    host_policy: HostPolicy | None = None
    part_names: tuple[str, ...] = ()

    def scores(self, source: Outcome, links: Links) -> LinkScores:
        """Score the links of a page, with the parts of each score if the ranker names them."""
        if self.abilities.linear is not None:
            return self._linear_scores(self.abilities.linear, source, links)
        if self.abilities.explained is None:
            return LinkScores(self.ranker.score(source, links))
        named = self.abilities.explained.parts(source, links)
        self._name_parts(tuple(named))
        parts = np.column_stack([np.asarray(column, np.float32) for column in named.values()])
        return LinkScores(parts.sum(axis=1, dtype=np.float32), parts)

    def _linear_scores(self, ranker: LinearRanker, source: Outcome, links: Links) -> LinkScores:
        if self.frontier.reranking.scorer is None:
            self._apply_weights(ranker)
        features = np.asarray(
            ranker.features(source, as_stored(links, layout=self.abilities.needs_layout)), np.uint32
        )
        scorer = self.frontier.reranking.scorer
        if scorer is None:
            return LinkScores(ranker.score(source, links), features=features)
        self._name_parts(scorer.names)
        return LinkScores(*scorer.scored_features(features), features)

    def _name_parts(self, names: tuple[str, ...]) -> None:
        if names != self.part_names:
            self.part_names = names
            self.store.name_score_parts(names)

    def keep(self, first: int, scored: LinkScores) -> None:
        """Keep the features of new links, to score them again later."""
        if scored.features is not None:
            self.frontier.reranking.add_features(first, scored.features)

    def meet(self, ids: Ids, scored: LinkScores, again: Ids) -> Ids:
        """Raise links that were found again with a better score; return which of the rows `again` rose."""
        known, reranking = ids[again], self.frontier.reranking
        risen = self.frontier.raise_scores(known, scored.scores[again])
        if scored.features is None:
            return again[risen]
        if risen or reranking.active:
            better = scored.features[again]
            risen = reranking.update_features(known, scored.scores[again], better, risen)
        if columns := capabilities.link_columns(self.ranker):
            others = np.delete(again, risen)
            self._update_columns(ids[others], scored.features[others][:, columns], columns)
        return again[risen]

    def _update_columns(self, ids: Ids, latest: Features, columns: list[int]) -> None:
        """Store what is known now of open links wherever they stand, and score those again that changed."""
        stored, scorer = self.frontier.reranking.features, self.frontier.reranking.scorer
        if stored is None or scorer is None:
            return
        open = self.frontier.is_queued(ids)
        ids, latest, rows = ids[open], latest[open], stored.read(ids[open])
        made = rows[:, 1:]
        changed = (rows[:, 0] > 0) & (made[:, columns] != latest).any(axis=1)
        if changed.any():
            made[:, columns] = latest
            scores, _ = scorer.scored_features(made[changed])
            self.revise(ids[changed], LinkScores(scores, features=made[changed]))

    def revise(self, ids: Ids, scored: LinkScores) -> None:
        """Give known links other scores, better or worse, and keep their features."""
        if scored.features is not None and self.frontier.reranking.features is not None:
            self.frontier.reranking.features.replace(ids, scored.features)
        self.frontier.rescore(ids, scored.scores)

    def revise_outcome(self, outcome: Outcome, ids: Ids) -> None:
        """Let the ranker learn another verdict on a page, and score its open links with these ids again.

        The scores of other links change with the next `refresh_weights`.
        """
        ranker = capabilities.reviser(self.ranker)
        if ranker is None:
            return
        ids = ids[self.frontier.is_queued(ids)] if len(ids) else ids
        stored, scorer = self.frontier.reranking.features, self.frontier.reranking.scorer
        columns = 0 if stored is None else stored.columns
        rows = np.zeros((0, columns + 1), np.uint32) if stored is None else stored.read(ids)
        known = rows[:, 0] > 0
        features = ranker.revise_outcome(outcome, rows[known, 1:])
        if scorer is not None and known.any():
            scored = LinkScores(*scorer.scored_features(features), features)
            self.revise(ids[known], scored)
            self.store.raise_scores(ids[known], scored.scores, outcome.page.link.id, scored.parts)

    def learn_revisions(self, verdicts: Mapping[str, float]) -> None:
        """Let the ranker learn pages again with the verdicts that they would get now, if it can."""
        if verdicts and (ranker := capabilities.learns_revisions(self.ranker)) is not None:
            self.frontier.reranking.change_features(ranker.learn_revisions(verdicts))

    def learn(self, outcome: Outcome) -> None:
        """Pass on what a link led to; if that changes the ranker's scores for others, reorder those."""
        self.ranker.learn(outcome)
        self.refresh_weights()
        if self.host_policy:
            self.host_policy.learn_page(outcome)
            self.apply_host_priorities()

    def add_hosts(self, origins: Sequence[str]) -> None:
        """Tell the host policy of hosts that links lead to."""
        if self.host_policy:
            self.host_policy.add_hosts(origins)

    def apply_rule(self, rule: Rule) -> None:
        """Pass a user's rule for a site to the host policy."""
        if self.host_policy:
            self.host_policy.apply_rule(rule)
            self.apply_host_priorities()

    def on_exhausted(self) -> bool:
        """Tell the host policy that nothing is left to fetch; return whether that changes anything."""
        changed = self.host_policy is not None and self.host_policy.on_exhausted()
        self.apply_host_priorities()
        return changed

    def apply_host_priorities(self) -> None:
        """Let hosts compete by the priorities that the host policy gives them now."""
        for origin, priority in (self.host_policy.host_priorities() if self.host_policy else {}).items():
            self.frontier.set_priority(origin, priority)

    def refresh_weights(self) -> None:
        """Take new weights or scores from the ranker, if it has any, and reorder the links they concern."""
        if self.abilities.linear is not None:
            self._apply_weights(self.abilities.linear)
            return
        if self.abilities.reranker is None or (changed := self.abilities.reranker.rerank()) is None:
            return
        hashes, scores = changed
        ids = self.frontier.find_ids(np.asarray(hashes, np.uint64))
        known = ids > 0
        self.frontier.rescore(ids[known], np.asarray(scores, np.float32)[known])

    def stored_features(self, id: int) -> Features | None:
        """Return the features that a link was stored with, None if there are none."""
        kept = self.frontier.reranking.features
        row = None if kept is None else kept.row(id)[0]
        return None if row is None or not row[0] else row[1:]

    def _apply_weights(self, ranker: LinearRanker) -> None:
        if (weights := ranker.weights()) is not None:
            self.frontier.reranking.apply_weights(make_scorer(weights))
