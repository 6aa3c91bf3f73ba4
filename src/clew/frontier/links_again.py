"""Links that are visited again: they are queued with the score of the visit, which no policy changes."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clew.frontier.hosts import HostTable, LinkTable
from clew.frontier.reranking import Reranking
from clew.types import Ids, Scores


class LinksAgain:
    """Queue links once more that were fetched before; `ids` are those of this run."""

    def __init__(
        self,
        links: LinkTable,
        hosts: HostTable,
        reranking: Reranking,
        reopen: Callable[[int, float], None],
    ) -> None:
        self.ids: set[int] = set()
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

    def others(self, ids: Ids, ranks: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
        """Return the links that are not visited again, with their ranks."""
        if not self.ids:
            return ids, ranks
        rows = np.flatnonzero([id not in self.ids for id in ids.tolist()])
        return ids[rows], ranks[rows]
