"""Running counts of page results for the live screen, constant work per page."""

import time
from collections import OrderedDict, deque
from dataclasses import dataclass

from clew import urls
from clew.types import PageResult, Response, State

RECENT = 200
"""Number of last pages for the relevant share."""

LISTED = 40
"""Number of last pages shown on the screen."""

WINDOW = 30.0
"""Seconds over which speed is measured."""

_BUCKETS = 128  # at most this many points for the whole run; then pairs are merged
_TROUBLES = 2_000


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page as the last pages show it; `verdict` is None if it was not judged, `error` then says why."""

    url: str
    title: str
    anchor: str
    parent: int
    verdict: float | None
    relevant: bool
    error: str


class RunCounts:
    """Count page results: the last pages, the relevant share over the run, speed, and errors of hosts."""

    def __init__(self) -> None:
        self.pages = 0
        self.bytes = 0
        self.last: deque[ReadPage] = deque(maxlen=LISTED)
        self.troubles: OrderedDict[str, str] = OrderedDict()
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self._relevant = 0
        self._buckets: list[int] = []
        self._bucket = 5
        self._filled = 0
        self._sum = 0
        self._marks: deque[tuple[float, int, int]] = deque()

    def add(self, result: PageResult) -> None:
        """Count one page result."""
        page, response = result.page, result.page.response
        self.bytes += len(response.body) + len(response.head)
        if result.reason and result.state is not State.DONE:
            self._count_trouble(response, result.reason)
        link = response.link
        if not (result.is_page or result.is_failure):
            return
        self.pages += result.is_page
        relevant, value, error = result.relevant, None, ""
        if result.verdict:
            value = result.verdict.value
        else:
            error = str(response.status or page.error or response.error or "no response")
        self.last.append(ReadPage(link.url, page.title, link.anchor, link.parent, value, relevant, error))
        recent = self._recent
        self._relevant += relevant - (recent[0] if len(recent) == RECENT else 0)
        recent.append(relevant)
        self._sum += relevant
        self._filled += 1
        if self._filled == self._bucket:
            self._close_bucket()

    def _close_bucket(self) -> None:
        self._buckets.append(self._sum)
        self._sum = self._filled = 0
        if len(self._buckets) >= _BUCKETS:
            self._buckets = [a + b for a, b in zip(self._buckets[::2], self._buckets[1::2], strict=True)]
            self._bucket *= 2

    def _count_trouble(self, response: Response, reason: str) -> None:
        """Remember the last error of a host."""
        error = reason
        if response.status:
            retry_after = response.header("Retry-After")
            delay = f", Retry-After {retry_after[:40]}" if retry_after else ""
            error = f"{response.status}{delay}"
        self.troubles[urls.clock_key(response.link.origin)] = error
        if len(self.troubles) > _TROUBLES:
            self.troubles.popitem(last=False)

    def share(self) -> tuple[float, int]:
        """Return the relevant share of the last pages, and their number."""
        count = len(self._recent)
        return (self._relevant / count if count else 0.0), count

    def shares(self) -> list[float]:
        """Return the relevant share over the whole run, in points of equally many pages."""
        whole = [count / self._bucket for count in self._buckets]
        return [*whole, self._sum / self._filled] if self._filled >= max(1, self._bucket // 4) else whole

    def speed(self) -> tuple[float, float]:
        """Return pages and bytes per second over the last half minute; call it for every frame."""
        now = time.monotonic()
        marks = self._marks
        marks.append((now, self.pages, self.bytes))
        while now - marks[0][0] > WINDOW:
            marks.popleft()
        then, pages, bytes_ = marks[0]
        seconds = now - then
        if seconds < 1.0:
            return 0.0, 0.0
        return (self.pages - pages) / seconds, (self.bytes - bytes_) / seconds
