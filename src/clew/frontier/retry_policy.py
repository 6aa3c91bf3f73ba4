"""What a finished visit means for its link and for its host: done, again, later, or given up.

answer                              link                     host
2xx, 3xx, most 4xx                  done
429, 503                            tried again              rests as asked, or 5, 10, 20 … s
408, 425, other 5xx, timeout, cut   tried again, then failed
no connection, many links in a row  tried again, then failed rests, then is held for this run
refused address, bad TLS, nonsense  failed at once
"""

import math
from collections import OrderedDict
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from clew import urls
from clew.types import Response, State

BUSY_REST = 5.0
"""First rest of a host that is busy without saying for how long; doubled each time it says so again."""

BUSY_LIMIT = 6
"""A host that was busy so often in a row is held: it has then rested 5 + 10 + … + 80 s for nothing."""

BACK_OFF = 1.0
"""First wait before a failed page is tried again; doubled each time, to `MAX_BACK_OFF`."""

MAX_BACK_OFF = 60.0

ABSURD = 86_400.0
"""Seconds: nobody means a Retry-After of more than a day; it counts as none."""

SLOW_TRIES = 2
"""Attempts for a page that used up all of its time: each costs a lane for half a minute."""

DEAD_AFTER = 4
"""Connections that failed in a row, whatever the link, before the host rests."""

DEAD_LIMIT = 10
"""… and before it is held: a dead host costs ten attempts, not `tries` for each of its links."""

DEAD_REST = 5.0
_REMEMBERED = 50_000
_BUSY = frozenset({429, 503})
_AGAIN = frozenset({408, 425})
_AT_ONCE = (
    "refused address", "tls", "bad address", "bad url", "headers too large", "bad header", "not http",
    "only http", "switched protocols", "too many",
)  # fmt: skip
_CONNECTION = (
    "connection", "dns", "host unreachable", "network unreachable", "timeout", "no progress", "proxy",
    "incomplete headers",
)  # fmt: skip
_SLOW = ("timeout", "no progress")
_OURS = ("stopped", "too many open files", "proxy out of reach")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of a link and its host after a visit.

    A link that stays OPEN is tried again after `retry_in` seconds. The host is left alone for `rest`
    seconds, or for this run when `hold` is true. `reason` says why, in words.
    """

    state: State
    retry_in: float = 0.0
    rest: float = 0.0
    hold: bool = False
    reason: str = ""


@dataclass(slots=True)
class _Streak:
    busy: int = 0
    dead: int = 0


class RetryPolicy:
    """Weigh each visit, remembering how its host did of late.

    `tries` are the attempts for one page, `max_rest` the longest rest a host may ask for.
    """

    def __init__(self, *, tries: int = 4, max_rest: float = 300.0) -> None:
        self.tries = tries
        self.max_rest = max_rest
        self._streaks: OrderedDict[str, _Streak] = OrderedDict()

    def weigh(self, visit: Response, now_wall: float) -> Decision:  # noqa: PLR0911 - one line of the table each
        """Decide what a finished visit means; `visit.link.tries` counts the attempts before it."""
        streak = self._streak(visit.link.origin)
        if visit.status in _BUSY:
            return self._busy(visit, now_wall, streak)
        if visit.status:
            streak.busy = streak.dead = 0
        status, error = visit.status, visit.error
        if error.startswith(_OURS):  # not the web's fault: the link is simply taken again
            return Decision(state=State.OPEN, retry_in=BACK_OFF, reason=error)
        if error.startswith(_AT_ONCE):
            return Decision(state=State.FAILED, reason=error)
        if status in _AGAIN or status >= 500:  # noqa: PLR2004
            return self._again(visit, f"status {status}", State.FAILED)
        if status and visit.truncated and error and not error.startswith("too large"):
            return self._again(visit, f"cut short: {error}", State.DONE)
        if status:
            return Decision(state=State.DONE, reason=error)
        if error.startswith(_CONNECTION):
            return self._unreached(visit, streak)
        return self._again(visit, error or "no answer", State.FAILED)

    def _busy(self, visit: Response, now: float, streak: _Streak) -> Decision:
        streak.busy += 1
        streak.dead = 0
        asked = retry_after(visit.header("Retry-After"), now)
        if asked is not None and asked > ABSURD:
            asked = None
        rest = BUSY_REST * 2.0 ** (streak.busy - 1) if asked is None else asked
        said = f"status {visit.status}"
        if asked is not None and asked > self.max_rest:
            return Decision(
                state=State.OPEN,
                hold=True,
                reason=f"{said}: asks for {asked:.0f} s, fetch.max_rest is {self.max_rest:.0f}",
            )
        spent = visit.link.tries + 1 >= max(self.tries, BUSY_LIMIT)
        if streak.busy >= BUSY_LIMIT:
            state = State.FAILED if spent else State.OPEN  # a page that alone was asked for has had its tries
            return Decision(state=state, hold=True, reason=f"{said}: busy {streak.busy} times in a row")
        if spent:
            return Decision(
                state=State.FAILED, rest=min(rest, self.max_rest), reason=f"{said}, tried too often"
            )
        rest = min(max(rest, 1.0), self.max_rest) if asked is None or asked else 1.0
        # Later than the host, so that its other pages come first: one page that is always busy must not
        # use up the patience with all of them.
        return Decision(
            state=State.OPEN, retry_in=1.5 * rest, rest=rest, reason=f"{said}: rests {rest:.0f} s"
        )

    def _unreached(self, visit: Response, streak: _Streak) -> Decision:
        streak.dead += 1
        if streak.dead >= DEAD_LIMIT:
            reason = f"{visit.error}; {streak.dead} connections failed in a row"
            last = visit.link.tries + 1 >= self.tries
            return Decision(state=State.FAILED if last else State.OPEN, hold=True, reason=reason)
        rest = DEAD_REST * 2.0 ** (streak.dead - DEAD_AFTER) if streak.dead >= DEAD_AFTER else 0.0
        return self._again(visit, visit.error, State.FAILED, min(rest, self.max_rest))

    def _again(self, visit: Response, reason: str, otherwise: State, rest: float = 0.0) -> Decision:
        tried = visit.link.tries + 1
        if tried >= (min(self.tries, SLOW_TRIES) if visit.error.startswith(_SLOW) else self.tries):
            return Decision(state=otherwise, rest=rest, reason=f"{reason} (tried {tried} times)")
        wait = min(BACK_OFF * 2.0 ** (tried - 1), MAX_BACK_OFF)
        return Decision(state=State.OPEN, retry_in=max(wait, rest), rest=rest, reason=reason)

    def _streak(self, origin: str) -> _Streak:
        key = urls.clock_key(origin)
        streak = self._streaks.get(key)
        if streak is None:
            streak = self._streaks[key] = _Streak()
            if len(self._streaks) > _REMEMBERED:
                self._streaks.popitem(last=False)
        else:
            self._streaks.move_to_end(key)
        return streak


def retry_after(text: str, now_wall: float) -> float | None:
    """Return the seconds a Retry-After header asks for, by number or by date; None when it makes no sense.

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
