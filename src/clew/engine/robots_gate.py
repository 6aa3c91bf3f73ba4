"""Hold the links of an origin until its robots.txt has been fetched."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from clew.frontier import Frontier, Robots


@dataclass(slots=True, kw_only=True)
class RobotsGate:
    """Which robots link opens which origin, and which origins wait for the rules of another.

    `ids` maps an origin to the id of its robots link, `waiting` holds those not answered yet. An origin
    whose robots.txt is redirected to that of another origin follows it: what is settled for one is
    settled for both.
    """

    frontier: Frontier
    robots: Robots
    wall: Callable[[], float] = time.time
    ids: dict[str, int] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    followers: dict[str, list[str]] = field(default_factory=dict)

    def put(self, origin: str) -> None:
        """Shut the origin's gate until its robots link is answered."""
        self.waiting.add(origin)
        self.frontier.close_gate(origin, self.ids[origin])

    def shut(self, origin: str) -> bool:
        """Say whether the origin's rules are unknown, or too old to be used."""
        return not self.robots.is_fresh(origin, self.wall())

    def follow(self, origin: str, leader: str) -> None:
        """Let `origin` be ruled by the robots.txt of `leader`, now or once it is known."""
        self.followers.setdefault(leader, []).append(origin)
        if not self.shut(leader):
            self._open(leader)

    def settle(self, origin: str, status: int, error: str, text: str) -> None:
        """Take a robots.txt answer for an origin; open its gate, and those of its followers."""
        self.robots.learn(origin, status, error, text, self.wall())
        self._open(origin, error or f"status {status}")

    def _open(self, origin: str, trouble: str = "") -> None:
        self.waiting.discard(origin)
        self.frontier.open_gate(origin, self.robots.delay(origin))
        if self.robots.unreachable(origin):
            self.frontier.suspend(origin, f"robots.txt could not be read: {trouble}")
        for follower in self.followers.pop(origin, ()):
            if follower != origin:
                self.robots.copy_rules(origin, follower)
                self._open(follower, trouble)

    def give_up(self) -> bool:
        """Settle origins whose rules wait for each other in a ring; say whether there were any."""
        ring = sorted(self.waiting)
        for origin in ring:
            self.settle(origin, 0, "robots.txt redirects in a ring", "")
        return bool(ring)
