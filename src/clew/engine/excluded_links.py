"""Links that a URL pattern of the user excludes: they wait outside the frontier until the rule is undone."""

from collections import Counter
from dataclasses import dataclass, field

from clew.contracts import Store
from clew.frontier import Exclusions, Frontier
from clew.types import Kind, Link


@dataclass(slots=True, kw_only=True)
class ExcludedLinks:
    """Hold links when they are taken, with their scores; they stay open in the store.

    A link is looked at when its turn comes, so a new rule costs nothing however many links are open, and a
    restart, which finds them open, holds the same ones again.
    """

    exclusions: Exclusions
    frontier: Frontier
    store: Store
    held: dict[int, float] = field(default_factory=dict)

    def holds(self, link: Link) -> bool:
        """Return whether a link that was taken is excluded; it then waits here."""
        if link.kind is Kind.ROBOTS or self.exclusions.pattern_of(link.url) is None:
            return False
        self.held[link.id] = self.frontier.score(link.id)
        self.frontier.cancel(link.id)
        return True

    def release(self) -> int:
        """Put back the links that no rule excludes any more; return their number."""
        free = [id for id in self.held if self.exclusions.pattern_of(self.store.link(id).url) is None]
        for id in free:
            self.frontier.reopen(id, self.held.pop(id))
        return len(free)

    def reasons(self) -> dict[str, str]:
        """Return each pattern that holds links, with their number."""
        found = Counter(
            rule.host for id in self.held if (rule := self.exclusions.pattern_of(self.store.link(id).url))
        )
        return {host: f"you excluded these URLs ({count:,} met)" for host, count in found.items()}
