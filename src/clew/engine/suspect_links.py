"""Links to suspect places: they wait outside the frontier, behind every other link of any host."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clew.contracts import Store
from clew.frontier import SUSPECT, Account, Frontier, LinkStates, Standing, TrapGuard
from clew.types import Kind, NewLinks

PROBES = 16
"""Requests for nothing up to which a place that owes is read on at once, beside all others: most honest
places show a page that pays within so many, and need not wait."""

AT_ONCE = 4
"""Requests under way to a place that owes: each page must be able to change what is read next."""

SHARE = 100
"""While other links are open, one request in so many goes to a suspect place: enough to notice that it is
honest after all, and at most one request in a hundred is wasted."""

ROUND = 64
"""Links that are released at once when no other is left."""

PER_PLACE = 16
"""The most of them for one place, so that it is judged again before more is spent on it. Places that are only
unproven share as many: beside a chain, which has one link at a time, an endless list gets few."""


@dataclass(slots=True, kw_only=True)
class SuspectLinks:
    """Hold links by the place that is suspect; release a few of them, and all when their place pays again.

    They stay open in the store; `held` says for which place they wait, and with which score. `released` are
    links that may be fetched although their place is suspect; `under_way` counts them by place. `taken` is
    the number of requests to other places since the last one to a suspect place. `changed` and `restore`
    carry all of it over a restart.
    """

    traps: TrapGuard
    frontier: Frontier
    store: Store
    waiting: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    held: LinkStates[tuple[str, float]] = field(default_factory=lambda: LinkStates("held"))
    released: dict[int, str] = field(default_factory=dict)
    under_way: Counter[str] = field(default_factory=Counter)
    taken: int = 0
    _stored: str = ""

    def admits(self, id: int, url: str) -> bool:
        """Return whether a link that was taken may be fetched now; if not, it waits here from now on."""
        if id in self.released:
            return True
        suspicion = self.traps.assess(id, url)
        if suspicion.standing:
            self._hold(suspicion.place, -self.frontier.score(id), id)
            return False
        return True

    def _hold(self, place: str, order: float, id: int) -> None:
        self.waiting.setdefault(place, []).append((order, id))
        self.held.put(id, (place, order))

    def done(self, id: int, found: NewLinks | None) -> None:
        """Note that a request has ended and what its page has added; release links whose time has come.

        New links of a page that was read although its place is suspect wait here at once, to be read next.
        """
        if place := self.released.pop(id, ""):
            self.under_way[place] -= 1
            if found is not None:
                self._hold_new(found)
        else:
            self.taken += 1
        for place in list(self.waiting):
            account = self.traps.accounts.find(place) or Account()
            if not account.is_suspect:
                for order, waiting in self.waiting.pop(place):
                    self._reopen(waiting, order)
            elif account.owes and account.debt < SUSPECT + PROBES:
                self._release_from(place, AT_ONCE - self.under_way[place])

    def _hold_new(self, found: NewLinks) -> None:
        """Let the new links of a page wait if they lead to suspect places."""
        ids = []
        for row, (url, refused) in enumerate(zip(found.links.urls, found.refused, strict=True)):
            id = found.first + row
            if refused or found.links.kinds[row] is not Kind.PAGE:
                continue
            suspicion = self.traps.assess(id, url)
            if suspicion.standing:
                self._hold(suspicion.place, -float(found.scores[row]), id)
                ids.append(id)
        self.frontier.close(np.array(ids, np.int64))

    def _reopen(self, id: int, order: float) -> None:
        self.held.drop(id)
        self.frontier.reopen(id, -order)

    def release_share(self) -> None:
        """Release one link when there were enough requests to other places."""
        if self.taken >= SHARE and self.waiting:
            self.taken = 0
            self._release(1, others=True)

    def release_round(self, *, others: bool) -> bool:
        """Release some links because no others can be fetched; return whether there are any.

        `others` says that there are other links, which wait for their hosts.
        """
        return self._release(ROUND, others=others)

    def _release(self, most: int, *, others: bool) -> bool:
        """Release links: of places that are only unproven, and one of those that owe.

        The places that got least come first. Beside others a place gets no more than its limit in all.
        """
        unproven: list[tuple[int, str]] = []
        owing: list[tuple[int, str]] = []
        for place in self.waiting:
            account = self.traps.accounts.find(place) or Account()
            if not others or not 0 < self.traps.suspect_pages <= account.pages:
                (owing if account.owes else unproven).append((account.pages, place))
        count, share = 0, max(1, PER_PLACE // max(1, len(unproven)))
        for _, place in sorted(unproven):
            count += self._release_from(place, min(share, most - count))
        left = most - count if not count else min(1, most - count)
        for _, place in sorted(owing):
            released = self._release_from(place, min(AT_ONCE - self.under_way[place], left))
            count, left = count + released, left - released
        return count > 0

    def _release_from(self, place: str, most: int) -> int:
        """Release links of a place: the newest if it owes, the best if it is only unproven."""
        if most <= 0:
            return 0
        waiting, count = self.waiting.pop(place), 0
        account = self.traps.accounts.find(place) or Account()
        waiting.sort(key=_age if account.owes else _rank)
        while waiting and count < most:
            order, id = waiting.pop()
            suspicion = self.traps.assess(id, self.store.link(id).url, self.under_way[place])
            if suspicion.standing is Standing.CLOSED and suspicion.place == place:
                waiting.append((order, id))
                break
            if suspicion.standing is Standing.CLOSED:
                self._hold(suspicion.place, order, id)
                continue
            self.released[id] = place
            self.under_way[place] += 1
            self._reopen(id, order)
            count += 1
        if waiting:
            self.waiting.setdefault(place, []).extend(waiting)
        return count

    def refuse_rest(self) -> int:
        """Refuse the links that still wait, because the crawl ends; return their number."""
        count = 0
        for place, links in self.waiting.items():
            for _, id in links:
                self.store.refuse(id, f"{REASON}{place}")
                self.held.drop(id)
                count += 1
        self.waiting.clear()
        return count

    def changed(self) -> dict[str, str]:
        """Return what changed since the last call, packed, by key."""
        state = json.dumps([self.taken, self.released])
        changed = {} if state == self._stored else {_KEY: state}
        self._stored = state
        return {**self.held.changed(), **changed}

    def restore(self, states: Mapping[str, str]) -> dict[str, str]:
        """Restore what `changed` returned, for links that are open; return the other states."""
        rest = self.held.restore(states)
        self.taken, released = json.loads(rest.pop(_KEY, "[0, {}]"))
        self.released = {int(id): place for id, place in released.items()}
        self.under_way = Counter(self.released.values())
        ids = np.array([id for id, _ in self.held.items()], np.int64)
        queued = set(ids[self.frontier.is_queued(ids)].tolist())
        for id, (place, order) in self.held.items():
            if id in queued:
                self.waiting.setdefault(place, []).append((order, id))
            else:
                self.held.drop(id)
        self.frontier.close(ids)
        return rest


def _newest_first(entry: tuple[float, int]) -> int:
    return -entry[1]


def _age(entry: tuple[float, int]) -> int:
    return entry[1]


def _rank(entry: tuple[float, int]) -> tuple[float, int]:
    return -entry[0], -entry[1]


_KEY = " suspects"

REASON = "suspect: more pages of "
"""How the reason of a link begins that was left because its place is suspect; the next run opens it again."""
