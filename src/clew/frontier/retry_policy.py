"""Decide what a response means for its link and its host: done, retry, pause, or suspend.

response                            link                     host
2xx, 3xx, most 4xx                  done
429, 503                            retried, then failed     paused as asked, or 5, 10, 20 … s; suspended
                                                             after six busy links, or for a long Retry-After
408, 425, other 5xx, timeout, cut   retried, then failed
no connection, many links in a row  retried, then failed     paused, then suspended for this run
refused address, bad TLS, garbage   failed at once
"""

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from clew import urls
from clew.types import Response, State

BUSY_PAUSE = 5.0
"""First pause of a busy host that sends no Retry-After; doubled each time it is busy again."""

BUSY_LIMIT = 6
"""A host of which so many pages were busy in a row is suspended: pauses of 5 + 10 + … + 80 s did not help.

A page that is busy again counts once: one that is always busy must not keep the others from being read.
"""

BACK_OFF = 1.0
"""First wait before a failed page is retried; doubled each time, up to `MAX_BACK_OFF`."""

MAX_BACK_OFF = 60.0

MAX_RETRY_AFTER = 86_400.0
"""Seconds; a longer Retry-After is not meant seriously and is ignored."""

SLOW_TRIES = 2
"""Attempts for a page that timed out: each occupies a fetch slot for half a minute."""

DEAD_AFTER = 4
"""Failed connections in a row, whatever the link, before the host is paused."""

DEAD_LIMIT = 10
"""… and before it is suspended: a dead host costs ten attempts, not `tries` for each of its links."""

DEAD_PAUSE = 5.0
_MAX_HOSTS = 50_000
_BUSY = frozenset({429, 503})
_RETRIED = frozenset({408, 425})
_PERMANENT = (
    "refused address", "tls", "bad address", "bad url", "headers too large", "bad header", "not http",
    "only http", "switched protocols", "too many",
)  # fmt: skip
_CONNECTION = (
    "connection", "dns", "host unreachable", "network unreachable", "timeout", "no progress", "proxy",
    "incomplete headers",
)  # fmt: skip
_SLOW = ("timeout", "no progress")
_LOCAL = ("stopped", "too many open files", "proxy out of reach")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What happens to a link and its host after a response.

    A link that stays OPEN is retried after `retry_in` seconds. The host is paused for `host_pause` seconds,
    or suspended for this run when `suspend_host` is true. `reason` says why.
    """

    state: State
    retry_in: float = 0.0
    host_pause: float = 0.0
    suspend_host: bool = False
    reason: str = ""


@dataclass(slots=True)
class _Failures:
    """Failures of a host in a row; `busy_links` are the links that were busy, each once."""

    busy: int = 0
    dead: int = 0
    busy_links: set[int] = field(default_factory=set)


class RetryPolicy:
    """Decide on each response, with the recent failures of its host.

    `tries` is the number of attempts for one page, `max_rest` the longest pause a host may ask for.
    """

    def __init__(self, *, tries: int = 4, max_rest: float = 300.0) -> None:
        self.tries = tries
        self.max_rest = max_rest
        self._failures_by_host: OrderedDict[str, _Failures] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of hosts whose failures are remembered."""
        return len(self._failures_by_host)

    def decide(self, response: Response, now_wall: float) -> Decision:  # noqa: PLR0911 - one return per line of the table
        """Decide what a response means; `response.link.tries` counts the attempts before it."""
        failures = self._failures(response.link.origin)
        if response.status in _BUSY:
            return self._busy(response, now_wall, failures)
        if response.status:
            failures.busy = failures.dead = 0
            failures.busy_links.clear()
        status, error = response.status, response.error
        if error.startswith(_LOCAL):  # a local fault: the link is simply retried
            return Decision(state=State.OPEN, retry_in=BACK_OFF, reason=error)
        if error.startswith(_PERMANENT):
            return Decision(state=State.FAILED, reason=error)
        if status in _RETRIED or status >= 500:  # noqa: PLR2004
            return self._retry(response, f"status {status}", State.FAILED)
        if status and response.truncated and error and not error.startswith("too large"):
            return self._retry(response, f"cut short: {error}", State.DONE)
        if status:
            return Decision(state=State.DONE, reason=error)
        if error.startswith(_CONNECTION):
            return self._unreachable(response, failures)
        return self._retry(response, error or "no response", State.FAILED)

    def _busy(self, response: Response, now: float, failures: _Failures) -> Decision:
        failures.busy += 1
        failures.dead = 0
        failures.busy_links.add(response.link.id)
        wanted = retry_after(response.header("Retry-After"), now)
        if wanted is not None and wanted > MAX_RETRY_AFTER:
            wanted = None
        pause = BUSY_PAUSE * 2.0 ** (failures.busy - 1) if wanted is None else wanted
        status = f"status {response.status}"
        if wanted is not None and wanted > self.max_rest:
            return Decision(
                state=State.OPEN,
                suspend_host=True,
                reason=f"{status}: Retry-After is {wanted:.0f} s, fetch.max_rest is {self.max_rest:.0f}",
            )
        exhausted = response.link.tries + 1 >= max(self.tries, BUSY_LIMIT)
        if len(failures.busy_links) >= BUSY_LIMIT:
            state = State.FAILED if exhausted else State.OPEN
            return Decision(
                state=state, suspend_host=True, reason=f"{status}: busy {failures.busy} times in a row"
            )
        if exhausted:
            return Decision(
                state=State.FAILED,
                host_pause=min(pause, self.max_rest),
                reason=f"{status}, too many attempts",
            )
        pause = min(max(pause, 1.0), self.max_rest) if wanted is None or wanted else 1.0
        # Later than the host, so that its other pages come first: one page that is always busy must not
        # use up the attempts of all of them, nor may a few such pages take turns.
        wait = 1.5 * pause * len(failures.busy_links)
        return Decision(
            state=State.OPEN, retry_in=wait, host_pause=pause, reason=f"{status}: paused {pause:.0f} s"
        )

    def _unreachable(self, response: Response, failures: _Failures) -> Decision:
        failures.dead += 1
        if failures.dead >= DEAD_LIMIT:
            reason = f"{response.error}; {failures.dead} connections failed in a row"
            exhausted = response.link.tries + 1 >= self.tries
            return Decision(state=State.FAILED if exhausted else State.OPEN, suspend_host=True, reason=reason)
        pause = DEAD_PAUSE * 2.0 ** (failures.dead - DEAD_AFTER) if failures.dead >= DEAD_AFTER else 0.0
        return self._retry(response, response.error, State.FAILED, min(pause, self.max_rest))

    def _retry(self, response: Response, reason: str, final_state: State, pause: float = 0.0) -> Decision:
        attempts = response.link.tries + 1
        if attempts >= (min(self.tries, SLOW_TRIES) if response.error.startswith(_SLOW) else self.tries):
            reason = f"{reason} (tried {attempts} time{'s' * (attempts != 1)})"
            return Decision(state=final_state, host_pause=pause, reason=reason)
        wait = min(BACK_OFF * 2.0 ** (attempts - 1), MAX_BACK_OFF)
        return Decision(state=State.OPEN, retry_in=max(wait, pause), host_pause=pause, reason=reason)

    def _failures(self, origin: str) -> _Failures:
        key = urls.clock_key(origin)
        failures = self._failures_by_host.get(key)
        if failures is None:
            failures = self._failures_by_host[key] = _Failures()
            if len(self._failures_by_host) > _MAX_HOSTS:
                self._failures_by_host.popitem(last=False)
        else:
            self._failures_by_host.move_to_end(key)
        return failures


def retry_after(text: str, now_wall: float) -> float | None:
    """Return the seconds a Retry-After header asks for, by number or by date; None when it is invalid.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0.0), retry_after("soon", 0.0)
    (120.0, 60.0, None)
    """
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:18])
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now_wall)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None
