"""Links that the policy defers: outside the frontier until they score, and apart from what is refused."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.contracts import Store
from clew.frontier import Frontier
from clew.registry.capabilities import RankerCapabilities
from clew.types import Ids, NewLinks, Scores

MARK = "policy: "
"""How the reason of a deferred link begins; a change of policy reopens it."""

SLICE = 2_000
"""Links rescored before the event loop gets its turn: about 20 ms."""


@dataclass(slots=True, kw_only=True)
class DeferredLinks:
    """Remember which links the policy has deferred; add them to the frontier when they score.

    A ranker that `DefersLinks` defers those with score 0; one that `RescoresTexts` can score link texts
    again when its knowledge has changed.
    """

    abilities: RankerCapabilities
    frontier: Frontier
    store: Store
    deferred: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1_024, bool))

    @property
    def reason(self) -> str:
        """Why links are deferred; empty when this policy defers none."""
        defers = self.abilities.defers
        return f"{MARK}{defers.deferral_reason}" if defers else ""

    def sort(self, scores: Scores, refused: list[str]) -> list[str]:
        """Add deferrals to the refusals of the scope."""
        reason = self.reason
        if not reason:
            return refused
        return [
            rule or ("" if score > 0 else reason)
            for rule, score in zip(refused, scores.tolist(), strict=True)
        ]

    def note(self, found: NewLinks) -> None:
        """Remember which of these links are deferred."""
        if any(found.refused) and (
            rows := [row for row, rule in enumerate(found.refused) if rule.startswith(MARK)]
        ):
            self.keep(np.array(rows, np.int64) + found.first)

    def keep(self, ids: Ids) -> None:
        """Remember links as deferred."""
        size = int(ids.max()) + 1 if len(ids) else 0
        if size > len(self.deferred):
            self.deferred = np.concatenate(
                (self.deferred, np.zeros(size + size // 2 - len(self.deferred), bool))
            )
        self.deferred[ids] = True

    def is_deferred(self, ids: Ids) -> NDArray[np.bool_]:
        """Return which of these links are deferred."""
        return self.deferred.take(ids, mode="clip") & (ids < len(self.deferred))

    def found_again(self, ids: Ids, scores: Scores, source: int) -> None:
        """Reopen deferred links that were found again with a text that scores."""
        if self.reason or self.deferred.any():
            rise = self.is_deferred(ids) & (scores > 0)
            self._open(ids[rise], scores[rise], source)

    def _open(self, ids: Ids, scores: Scores, source: int = 0) -> None:
        for id, score in dict(zip(ids.tolist(), scores.tolist(), strict=True)).items():
            self.deferred[id] = False
            self.frontier.reopen(id, score)
        if len(ids):
            self.store.reopen(ids)
            self.store.raise_scores(ids, scores, source)

    async def rescore(self) -> AsyncIterator[tuple[int, int]]:
        """Rescore all stored links that wait or are deferred; yield how many were reopened and deferred.

        To be called after a commit: links not stored yet were scored with the new knowledge already.
        """
        rescores, after, reason = self.abilities.rescores, 0, self.reason
        while rescores is not None and (rows := self.store.reader.waiting_links(after, SLICE)):
            after = rows[-1][0]
            ids = np.array([id for id, _, _ in rows], np.int64)
            scores = rescores.rescore_texts([row[1] for row in rows], [row[2] for row in rows])
            opening = self.is_deferred(ids) & (scores > 0)
            self._open(ids[opening], scores[opening])
            open = self.frontier.is_queued(ids) & ~opening
            staying = open & ((scores > 0) | (not reason))
            self.frontier.rescore(ids[staying], scores[staying])
            self.store.raise_scores(ids[staying], scores[staying])
            closing = ids[open & ~staying]
            self.frontier.close(closing)
            for id in closing.tolist():
                self.store.refuse(id, reason)
            self.keep(closing)
            yield int(opening.sum()), len(closing)
