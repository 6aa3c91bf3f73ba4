"""Links that a policy leaves closed: kept apart from what is forbidden, and opened when it thinks again."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import capabilities
from clew.contracts import Ranker
from clew.frontier import Frontier
from clew.store_contracts import Store
from clew.types import Ids, NewLinks, Scores

MARK = "policy: "
"""How the reason of a link begins that only the policy keeps closed; a change of policy opens it."""

SLICE = 2_000
"""Links thought about again before the loop breathes: about 20 ms."""


@dataclass(slots=True, kw_only=True)
class DeferredLinks:
    """Remember which links the policy has closed; let them in when they score after all.

    A ranker with `closed` (a reason in words) leaves links shut that it scores 0. One with `again(anchors,
    langs)` can score link texts once more when its knowledge has changed.
    """

    ranker: Ranker
    frontier: Frontier
    store: Store
    shut: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1_024, bool))

    @property
    def reason(self) -> str:
        """Why links without promise stay closed; empty when this policy closes none."""
        defers = capabilities.of_ranker(self.ranker).defers
        words = defers.deferral_reason if defers else ""
        return f"{MARK}{words}" if words else ""

    def sort(self, scores: Scores, refused: list[str]) -> list[str]:
        """Add the policy's own refusals to those of the scope."""
        reason = self.reason
        if not reason:
            return refused
        return [
            rule or ("" if score > 0 else reason)
            for rule, score in zip(refused, scores.tolist(), strict=True)
        ]

    def note(self, found: NewLinks) -> None:
        """Remember which of these links the policy has closed."""
        rows = [row for row, rule in enumerate(found.refused) if rule.startswith(MARK)]
        if rows:
            self.keep(np.array(rows, np.int64) + found.first)

    def keep(self, ids: Ids) -> None:
        """Remember links as closed by a policy."""
        size = int(ids.max()) + 1 if len(ids) else 0
        if size > len(self.shut):
            self.shut = np.concatenate((self.shut, np.zeros(size + size // 2 - len(self.shut), bool)))
        self.shut[ids] = True

    def is_shut(self, ids: Ids) -> NDArray[np.bool_]:
        """Say which of these links a policy has closed."""
        return self.shut.take(ids, mode="clip") & (ids < len(self.shut))

    def met(self, ids: Ids, scores: Scores, source: int) -> None:
        """Open closed links that were met again with a text that promises something."""
        if self.reason or self.shut.any():
            rise = self.is_shut(ids) & (scores > 0)
            self._open(ids[rise], scores[rise], source)

    def _open(self, ids: Ids, scores: Scores, source: int = 0) -> None:
        for id, score in dict(zip(ids.tolist(), scores.tolist(), strict=True)).items():
            self.shut[id] = False
            self.frontier.reopen(id, score)
        if len(ids):
            self.store.reopen(ids)
            self.store.raise_scores(ids, scores, source)

    async def again(self) -> AsyncIterator[tuple[int, int]]:
        """Score all stored links anew that wait or were closed; yield how many opened and closed, by slices.

        To be called after a commit: what is not stored yet was scored with the new knowledge already.
        """
        rescores = capabilities.of_ranker(self.ranker).rescores
        score: Any = rescores.rescore_texts if rescores else None
        after, reason = 0, self.reason
        while score is not None and (rows := self.store.reader.waiting_links(after, SLICE)):
            after = rows[-1][0]
            ids = np.array([id for id, _, _ in rows], np.int64)
            scores = score([anchor for _, anchor, _ in rows], [lang for _, _, lang in rows])
            opening = self.is_shut(ids) & (scores > 0)
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
