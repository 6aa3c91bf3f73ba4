"""Choose the next link: the policy's order, with what no policy may ignore laid over it.

Links whose neighbours bring no pages wait behind others (`FailureRates`). Some requests, fewer with every
relevant page, go to the links around the seeds, breadth-first (`SeedLinks`).
"""

from dataclasses import dataclass, field

from clew.contracts import LimitsPages
from clew.engine.budget import Totals
from clew.engine.revisits import Revisits
from clew.engine.seed_links import SeedLinks
from clew.frontier import FailureRates, Frontier
from clew.types import Kind, Link, NewLinks, PageResult

SEED_TURN = 2
"""While little is found, one request in so many goes to the links around the seeds.

With 3 or 4 the default gained 2,243 and 2,230 of the 2,643 rows that breadth-first gains from one of the
starts in docs/lab/budget.md.
"""

LITTLE = 10
"""After n relevant pages, those requests are 1 + n² / LITTLE times as rare: from four on half as many, after
twenty one in 82. One wrong verdict changes nothing, and a crawl that finds much hardly pays for it."""


@dataclass(slots=True, kw_only=True)
class LinkChoice:
    """Take links from the frontier, and learn from their results.

    `limits` is a host policy with a budget of its own: requests under way count against it. `held` says that
    the last call of `take` left a ready link, for that reason or because a better one comes soon. `revisits`
    are known pages that are visited again.
    """

    frontier: Frontier
    seed_links: SeedLinks
    failure_rates: FailureRates = field(default_factory=FailureRates)
    limits: LimitsPages | None = None
    held: bool = False
    revisits: Revisits = field(init=False)

    def __post_init__(self) -> None:
        self.revisits = Revisits(frontier=self.frontier)

    def take(self, now: float, totals: Totals, focus: int = 0) -> int | None:
        """Take the policy's best link or one near the seeds; `totals` say what the crawl has done so far.

        With `focus`, more than so many requests are in flight only if no waiting host has a better link soon;
        requests that take long do not count.
        """
        left = self.limits.pages_left() if self.limits else None
        self.held = left is not None and self.frontier.in_flight >= left
        if self.held:
            return None
        relevant = 0 if self.seed_links.owed else totals.relevant
        every = SEED_TURN * (1 + relevant**2 // LITTLE)
        turn = (totals.requests + self.frontier.in_flight) % every == 0
        if turn and (near := self.seed_links.take(now)) is not None:
            return near
        self.held = (
            0 < focus <= self.frontier.in_flight
            and focus <= self.frontier.prompt_requests()
            and self.frontier.better_soon(now)
        )
        return None if self.held else self.frontier.take(now)

    def discount(self, link: Link) -> bool:
        """Put a link back if links like it bring no pages; return whether it waits behind others now."""
        if link.kind is not Kind.PAGE or not link.parent or link.known is not None:
            return False
        return self.frontier.discount(link.id, 1 - self.failure_rates.rate(link.url))

    def put_back(self, id: int) -> None:
        """Put back a link whose host must be asked for its robots.txt first."""
        self.frontier.requeue(id)
        self.seed_links.put_back(id)

    def learn(self, result: PageResult) -> None:
        """Learn from the result of a link."""
        self.failure_rates.learn(result)
        if result.relevant and self.seed_links.all_of_seeds:
            self.seed_links.end()

    def add(self, found: NewLinks | None) -> None:
        """Take note of new links that are in the frontier."""
        if found is not None:
            self.seed_links.add(found)
