"""Which hosts can be asked now or soon, by the score of their best link."""

from clew.frontier.host_scheduler import HostScheduler
from clew.frontier.queue import ID_BITS, score_of


class Availability:
    """Compare the hosts of this frontier with those of others, in a crawl of many shards."""

    def __init__(self, scheduler: HostScheduler) -> None:
        self._scheduler = scheduler

    def best_score(self, now: float) -> float | None:
        """Return the score of the best link whose host may be asked now, None if there is none."""
        self._scheduler.advance(now)
        key = self._scheduler.best_ready()
        return score_of(key >> ID_BITS) if key else None

    def histogram(self, bins: int) -> list[int]:
        """Count the hosts that may be asked now or soon by the score of their best link, from low to high."""
        counts = [0] * bins
        for key in self._scheduler.ready_or_soon():
            counts[min(bins - 1, int(score_of(key >> ID_BITS) * bins))] += 1
        return counts
