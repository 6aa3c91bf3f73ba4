"""Links that are visited again: they are queued with the score of the visit, which no policy changes."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import HostTable, LinkTable
from clew.frontier.queue import ranks_of
from clew.frontier.reranking import Reranking
from clew.types import Ids, Scores


class LinksAgain:
    """Queue links once more that were fetched before; `ids` are those of this run.

    `valued` are new links whose scores no policy changes either.
    """

    def __init__(
        self,
        links: LinkTable,
        hosts: HostTable,
        reranking: Reranking,
        reopen: Callable[[int, float], None],
    ) -> None:
        self.ids: set[int] = set()
        self.valued: set[int] = set()
        self._links = links
        self._hosts = hosts
        self._reranking = reranking
        self._reopen = reopen

    def add(self, ids: Ids, scores: Scores) -> None:
        """Queue links with these scores; the limit of pages per host counts each of them once."""
        if self._reranking.features is not None:
            self._reranking.features.clear(ids)  # else they would be ranked anew by them
        self.ids.update(ids.tolist())
        for id, score in zip(ids.tolist(), scores.tolist(), strict=True):
            self._hosts.by_number[self._links.owners.item(id)].pages -= 1
            self._reopen(id, score)

    def raise_to(self, id: int, score: float) -> bool:
        """Queue a link with a score, or raise it to that; return whether anything has changed."""
        ids, scores = np.array([id], np.int64), np.array([score], np.float32)
        if id not in self.ids:
            if score > 0:
                self.add(ids, scores)
            return score > 0
        ranks = ranks_of(scores)
        if ranks[0] >= self._links.current_ranks(ids)[0]:
            return False
        self._reranking.rescore(ids, ranks)
        return True

    def keep_scores(self, ids: Ids, scores: Scores) -> None:
        """Queue open links with these scores, whatever a policy says."""
        if self._reranking.features is not None:
            self._reranking.features.clear(ids)
        self._reranking.rescore(ids, ranks_of(scores))
        self.valued.update(ids.tolist())

    def others(self, ids: Ids, ranks: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
        """Return the links whose scores a policy may change, with their ranks."""
        if not self.ids and not self.valued:
            return ids, ranks
        rows = np.flatnonzero([id not in self.ids and id not in self.valued for id in ids.tolist()])
        return ids[rows], ranks[rows]
