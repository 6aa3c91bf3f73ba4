"""Rank all open links anew when a ranker has changed its mind."""

from clew.frontier.features import FeatureRows
from clew.frontier.frontier import Frontier
from clew.frontier.weighing import Scale
from clew.types import Features, Ids, Scores


class Reranking:
    """Keep the features of links, and give all open links new scores when weights change."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier
        self.kept: FeatureRows | None = None
        self.scale: Scale | None = None

    def keep(self, first: int, features: Features) -> None:
        """Keep the features of new links, the first of which has the id `first`."""
        if self.kept is None:
            self.kept = FeatureRows(features.shape[1])
        self.kept.put(first, features)

    def meet(self, ids: Ids, scores: Scores, features: Features | None) -> list[int]:
        """Let links that were met again rise, and return which rows did; their better features are kept."""
        risen = self.frontier.raise_scores(ids, scores)
        if features is not None and risen and self.kept is not None:
            self.kept.replace(ids[risen], features[risen])
        return risen

    def weigh_anew(self, scale: Scale) -> None:
        """Let other weights hold from now on, and score every open link with them."""
        self.scale = scale
        if self.kept is None:
            return
        ids = self.frontier.in_queue()
        rows = self.kept.read(ids)
        marked = rows[:, 0] > 0
        self.frontier.rescore(ids[marked], self.scale.scores(rows[marked]))

    def rescore(self, ids: Ids, scores: Scores) -> None:
        """Give the links named new scores."""
        self.frontier.rescore(ids, scores)
