"""Links that wait at a lower rank than their score gives them, because their neighbours bring no pages.

A link is discounted when it comes to the head of its queue, not before: so a change of failure rates costs
nothing for the links behind it, and a link is put back at most a few times. Links that are re-ranked lose
their discounts until they come to the head again.
"""

from collections.abc import Callable, Iterator

import numpy as np

from clew.frontier.hosts import CLOSED, LinkTable
from clew.frontier.link_states import LinkStates
from clew.frontier.queue import ranks_of, score_of

HALF = 0.5
"""A link is put back when it loses at least half of its score: when links like it rather fail than not.

A smaller loss changes nothing: a policy that gives equal scores would put a folder with a few dead links
behind all others.
"""


class Discounts:
    """Remember for each discounted link its own rank and the lower one that it waits with.

    `set_rank` gives a queued link another rank. `states` outlive a restart.
    """

    __slots__ = ("_links", "_passes", "_set_rank", "states")

    def __init__(self, links: LinkTable, set_rank: Callable[[int, int], None]) -> None:
        self._links = links
        self._set_rank = set_rank
        self._passes = 0
        self.states: LinkStates[tuple[int, int]] = LinkStates("discounts")

    def own_rank(self, id: int, rank: int) -> int:
        """Return the rank that the policy gave a link which has `rank` now."""
        own, lowered = self.states.find(id) or (rank, rank)
        return own if lowered == rank else rank  # another rank means that it was re-ranked since

    def lowered(self, id: int, rank: int, factor: float) -> int | None:
        """Return the rank to put a link back with, if `factor` takes half of its score or more; else None."""
        if factor == 1.0:
            return None
        own, current = self.own_rank(id, rank), score_of(rank)
        score = score_of(own) * factor
        if not current or score > HALF * current:  # a score of 0 has nothing to lose
            return None
        lowered = int(ranks_of(np.array([score], np.float32))[0])
        self.states.put(id, (own, lowered))
        return lowered

    def drop_other(self, id: int, rank: int) -> None:
        """Forget a link that is queued with `rank`, if that is not the lower one."""
        if self.own_rank(id, rank) == rank:
            self.states.drop(id)

    def drop_reranked(self) -> None:
        """Forget the links that were re-ranked since."""
        for id, (_, lowered), rank in self._with_ranks():
            if rank not in (lowered, CLOSED):
                self.states.drop(id)

    def changed(self, passes: int) -> dict[str, str]:
        """Return what changed since the last call, packed, by key; links were re-ranked `passes` times."""
        if passes != self._passes:
            self._passes = passes
            self.drop_reranked()
        return self.states.changed()

    def apply(self) -> None:
        """Put the links that were discounted before a restart back to where they were."""
        for id, (own, lowered), rank in self._with_ranks():
            if rank == own:
                self._set_rank(id, lowered)
            else:
                self.states.drop(id)

    def _with_ranks(self) -> Iterator[tuple[int, tuple[int, int], int]]:
        entries = list(self.states.items())
        ranks = self._links.current_ranks(np.array([id for id, _ in entries], np.int64))
        for (id, pair), rank in zip(entries, ranks.tolist(), strict=True):
            yield id, pair, rank
