"""Labels and rules that a user gives to a crawl of many shards: each shard applies them to its own part."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from clew.engine.engine import Engine
from clew.registry import capabilities
from clew.scale.coordinator import LINKS, MOST_OUTCOMES, PAGES, Coordinator, Lease, Orders, SharedLabel
from clew.store import add_label, drop_labels
from clew.types import Label

_LABELS, _RULES, _OUTCOMES = "shared labels", "shared rules", "shared outcomes"

Call: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs something that may block in another thread."""


@dataclass(slots=True, kw_only=True)
class SharedFeedback:
    """Take labels and rules from the coordinator into the database of this shard, each once.

    A label is added to the shard's own labels, where the label listener finds it. What the policy has learned
    from links is passed on to the other shards, if it can be. `outcomes` is the number up to
    which this one has learned from others, `learned` the one up to which that is committed. `trouble` says
    why the coordinator did not answer the last time.
    """

    engine: Engine
    coordinator: Coordinator
    folder: Path
    labels: int = 0
    rules: int = 0
    outcomes: int = 0
    learned: int = 0
    trouble: str = ""

    def restore(self) -> None:
        """Go on after the last label and rule that an earlier run has taken."""
        facts = self.engine.store.reader.facts(_LABELS, _RULES, _OUTCOMES)
        self.labels, self.rules, self.outcomes = (
            int(facts.get(name) or 0) for name in (_LABELS, _RULES, _OUTCOMES)
        )
        self.learned = self.outcomes

    async def apply(self, orders: Orders, call: Call) -> None:
        """Take what is new; a label that is taken twice changes nothing."""
        if orders.labels > self.labels:
            fresh: list[SharedLabel] = await call(lambda: self.coordinator.labels(self.labels))
            await call(lambda: self._store_labels(fresh))
            self.labels = fresh[-1].id
            self.engine.store.set_fact(_LABELS, str(self.labels))
        if orders.rules > self.rules:
            for rule in await call(lambda: self.coordinator.rules(self.rules)):
                self.engine.store.add_rule(rule)
                self.rules = rule.id
            self.engine.store.set_fact(_RULES, str(self.rules))

    async def share(self, lease: Lease, orders: Orders, call: Call) -> None:
        """Pass on what policy and judge have learned, and let them learn what others have."""
        ranker = capabilities.shares_outcomes(self.engine.scoring.ranker)
        judge = capabilities.shares_pages(self.engine.evaluation.judge)
        packed = {
            LINKS: ranker.take_outcomes() if ranker else b"",
            PAGES: judge.take_pages() if judge else b"",
        }
        if fresh := {kind: each for kind, each in packed.items() if each}:
            await call(lambda: self.coordinator.add_outcomes(lease, fresh))
        if orders.outcomes > self.outcomes:
            learned = await call(lambda: self.coordinator.outcomes(self.outcomes, lease.shard))
            for each in learned:
                if each.kind == LINKS and ranker:
                    ranker.learn_outcomes(each.packed)
                elif each.kind == PAGES and judge:
                    judge.learn_pages(each.packed)
            self.outcomes = learned[-1].id if len(learned) == MOST_OUTCOMES else orders.outcomes
            self.engine.store.set_fact(_OUTCOMES, str(self.outcomes))
            self.engine.scoring.refresh_weights()

    def _store_labels(self, labels: list[SharedLabel]) -> None:
        for label in labels:
            if label.relevant is None:
                drop_labels(self.folder, [label.url])
            else:
                add_label(self.folder, Label(label.url, label.relevant, label.at))
