"""Take in the links that other shards have found for this one, each once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from clew.engine.engine import Engine
from clew.scale.received_links import MOVED_SEEDS, add_received
from clew.scale.remote_outbox import LinkOutbox
from clew.store.outbox import RESTORES, SentLinks, position

MANY = 1_000
"""Links of one shard after which there may be more: they are read again at once."""

MOST_READS = 64
"""Shards that are read in one turn; of more, each has its turn after the others."""


def received_fact(shard: int) -> str:
    """Return the name of the fact that says up to which link another shard was read."""
    return f"received from shard {shard}"


@dataclass(slots=True, kw_only=True)
class LinkReceiver:
    """Read the outboxes of the other shards, by number, and let their links into this engine.

    `pulled` says up to which position each was read, `stored` how much of that is committed, which is what
    others are told.
    """

    engine: Engine
    outboxes: Mapping[int, LinkOutbox]
    pulled: dict[int, int] = field(default_factory=dict)
    stored: dict[int, int] = field(default_factory=dict)
    _restores: int = 0
    _next: int = 0

    def restore(self) -> None:
        """Go on where the last run ended."""
        names = {shard: received_fact(shard) for shard in self.outboxes}
        facts = self.engine.store.reader.facts(*names.values(), RESTORES, MOVED_SEEDS)
        self._restores = len(json.loads(facts.get(RESTORES) or "[]"))
        self.pulled = {shard: int(facts.get(name) or 0) for shard, name in names.items()}
        self.stored = dict(self.pulled)
        for url in json.loads(facts.get(MOVED_SEEDS) or "[]"):
            self.engine.intake.scope.add_seed(url)

    @property
    def sent(self) -> int:
        """The position of the last link that this shard has found."""
        return position(self.engine.intake.next_id - 1, self._restores)

    def positions(self) -> list[int]:
        """Return for each shard up to where it was read, for good; 0 for this one."""
        return [self.stored.get(shard, 0) for shard in range(len(self.outboxes) + 1)]

    def turn(self) -> list[int]:
        """Return the shards to read in this turn."""
        shards = list(self.outboxes)
        some = list(islice(shards[self._next :] + shards[: self._next], MOST_READS))
        self._next = (self._next + len(some)) % max(1, len(shards))
        return some

    def read(self, shards: Sequence[int]) -> dict[int, tuple[list[SentLinks], int]]:
        """Return the links of some shards after the last ones taken in; those that have none are left out."""
        found = {shard: self.outboxes[shard].read(self.pulled[shard]) for shard in shards}
        return {shard: each for shard, each in found.items() if each[1] > self.pulled[shard]}

    def take_in(self, shard: int, sent: Sequence[SentLinks], upto: int) -> bool:
        """Add links and number without a pause, so that one commit holds both; return if more may come."""
        for each in sent:
            add_received(self.engine, each, shard)
        if sent:
            self.engine.store.set_fact(received_fact(shard), str(upto))
        elif self.stored[shard] == self.pulled[shard]:
            self.stored[shard] = upto  # nothing to commit: read again, it would be as empty
        self.pulled[shard] = upto
        return sum(len(each.links) for each in sent) >= MANY

    def close(self) -> None:
        """Close the outboxes."""
        for outbox in self.outboxes.values():
            outbox.close()
