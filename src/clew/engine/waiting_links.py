"""The links that wait for one place: taken newest first, or best first."""

from collections.abc import Iterator
from heapq import heappop, heappush


class WaitingLinks:
    """Links with their scores; adding and taking one costs the logarithm of their number.

    >>> links = WaitingLinks()
    >>> links.add(7, 0.9); links.add(8, 0.1); links.add(9, 0.5)
    >>> links.take(newest=True), links.take(newest=False), len(links)
    ((9, 0.5), (7, 0.9), 1)
    """

    __slots__ = ("_best", "_newest", "_scores")

    def __init__(self) -> None:
        self._scores: dict[int, float] = {}
        self._best: list[tuple[float, int]] = []
        self._newest: list[int] = []

    def __len__(self) -> int:
        return len(self._scores)

    def __iter__(self) -> Iterator[int]:
        return iter(self._scores)

    def add(self, id: int, score: float) -> None:
        """Let a link wait."""
        self._scores[id] = score
        heappush(self._best, (-score, id))
        heappush(self._newest, -id)

    def take(self, *, newest: bool) -> tuple[int, float]:
        """Return a link and its score, which waits no longer: the newest, or the oldest of the best."""
        while True:  # entries of links that were taken in the other order are skipped
            id = -heappop(self._newest) if newest else heappop(self._best)[1]
            if (score := self._scores.pop(id, None)) is not None:
                return id, score
