"""Labels and rules that a user gives to a crawl of many shards: each shard applies them to its own part."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from clew.engine.engine import Engine
from clew.scale.coordinator import Coordinator, Orders, SharedLabel
from clew.store import add_label, drop_labels
from clew.types import Label

_LABELS, _RULES = "shared labels", "shared rules"

Call: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs something that may block in another thread."""


@dataclass(slots=True, kw_only=True)
class SharedFeedback:
    """Take labels and rules from the coordinator into the database of this shard, each once.

    A label is added to the shard's own labels, where the label listener finds it. `trouble` is what the
    coordinator's last answer was, if it was none.
    """

    engine: Engine
    coordinator: Coordinator
    folder: Path
    labels: int = 0
    rules: int = 0
    trouble: str = ""

    def restore(self) -> None:
        """Go on after the last label and rule that an earlier run has taken."""
        facts = self.engine.store.reader.facts(_LABELS, _RULES)
        self.labels, self.rules = int(facts.get(_LABELS) or 0), int(facts.get(_RULES) or 0)

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

    def _store_labels(self, labels: list[SharedLabel]) -> None:
        for label in labels:
            if label.relevant is None:
                drop_labels(self.folder, [label.url])
            else:
                add_label(self.folder, Label(label.url, label.relevant, label.at))
