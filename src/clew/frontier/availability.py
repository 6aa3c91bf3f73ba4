"""Which hosts can be asked now or soon, by the score of their best link."""

from collections.abc import Callable

from clew.frontier.host_scheduler import HostScheduler
from clew.frontier.queue import ID_BITS, score_of


class Availability:
    """Compare the hosts of this frontier with those of others, in a crawl of many shards.

    `advance` lets time pass: whoever waits for its turn takes no links, which would do that.
    """

    def __init__(self, scheduler: HostScheduler, advance: Callable[[float], None]) -> None:
        self._scheduler = scheduler
        self._advance = advance

    def best_score(self, now: float) -> float | None:
        """Return the score of the best link whose host may be asked now, None if there is none."""
        self._advance(now)
        key = self._scheduler.best_ready()
        return score_of(key >> ID_BITS) if key else None

    def histogram(self, bins: int, now: float) -> list[int]:
        """Count the hosts that may be asked now or soon by the score of their best link, from low to high."""
        self._advance(now)
        counts = [0] * bins
        for key in self._scheduler.ready_or_soon():
            counts[min(bins - 1, int(score_of(key >> ID_BITS) * bins))] += 1
        return counts
