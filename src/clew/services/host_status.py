"""Tell the user where a policy that chooses between hosts stands."""

from dataclasses import dataclass

from clew.contracts import ReportsStatus
from clew.engine.events import Events
from clew.types import PageResult


@dataclass(frozen=True, slots=True)
class HostStatusService:
    """Publish the status of a host policy at the start, and each notice it has."""

    policy: ReportsStatus
    events: Events

    async def start(self) -> None:
        """Say where the policy stands."""
        self.events.publish(self.policy.status())

    def on_result(self, result: PageResult) -> None:
        """Publish what is new."""
        del result
        for notice in self.policy.notices():
            self.events.publish(notice)

    async def close(self) -> None:
        """Nothing is open."""
