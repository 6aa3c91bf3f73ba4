"""Links to suspect places: they wait outside the frontier, behind every other link of any host."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clew.contracts import Store
from clew.engine.waiting_links import WaitingLinks
from clew.frontier import PROBES, SUSPECT, Account, Frontier, LinkStates, Standing, TrapGuard
from clew.types import Kind, NewLinks

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
    waiting: dict[str, WaitingLinks] = field(default_factory=dict)
    held: LinkStates[tuple[str, float]] = field(default_factory=lambda: LinkStates("held"))
    released: dict[int, str] = field(default_factory=dict)
    under_way: Counter[str] = field(default_factory=Counter)
    taken: int = 0
    _cleared: set[str] = field(default_factory=set)  # places that pay again and have links left here
    _joined: set[str] = field(default_factory=set)  # places that links began to wait for
    _stored: str = ""

    def admits(self, id: int, url: str) -> bool:
        """Return whether a link that was taken may be fetched now; if not, it waits here from now on."""
        if id in self.released:
            return True
        suspicion = self.traps.assess(id, url)
        if suspicion.standing:
            self._hold(suspicion.place, id, self.frontier.score(id))
            return False
        return True

    def _hold(self, place: str, id: int, score: float) -> None:
        self.waiting.setdefault(place, WaitingLinks()).add(id, score)
        self._joined.add(place)
        self.held.put(id, (place, score))

    def done(self, id: int, found: NewLinks | None) -> None:
        """Note that a request has ended and what its page has added; release links whose time has come.

        New links of a page that was read although its place is suspect wait here at once, to be read next.
        """
        place = self.released.get(id, "")
        if place:
            self.drop(id)
            if found is not None:
                self._hold_new(found)
        else:
            self.taken += 1
        changed = {place, *self._joined, *self.traps.accounts.touched()}
        self._joined.clear()
        for each in sorted(changed & self.waiting.keys()):
            self._check(each)
        for each in sorted(self._cleared):
            self._reopen_some(each)

    def drop(self, id: int) -> None:
        """Note that a released link is no longer under way: its request has ended, or a rule forbids it."""
        if place := self.released.pop(id, ""):
            self.under_way[place] -= 1

    def _check(self, place: str) -> None:
        """Decide anew about the links that wait for a place."""
        account = self.traps.accounts.find(place) or Account()
        if not account.is_suspect:
            if account.asked:
                self.traps.accounts.forgive_requests(place)
            self._cleared.add(place)
            return
        self._cleared.discard(place)
        if account.owes and account.debt < SUSPECT + PROBES:
            self._release_from(place, AT_ONCE - self.under_way[place])

    def _reopen_some(self, place: str) -> None:
        """Return links of a place that pays again to the frontier: some of the best, the others later."""
        waiting = self.waiting[place]
        for _ in range(min(ROUND, len(waiting))):
            self._reopen(*waiting.take(newest=False))
        self._forget_empty(place)

    def _forget_empty(self, place: str) -> None:
        if not self.waiting[place]:
            del self.waiting[place]
            self._cleared.discard(place)

    def _hold_new(self, found: NewLinks) -> None:
        """Let the new links of a page wait if they lead to suspect places."""
        ids = []
        for row, (url, refused) in enumerate(zip(found.links.urls, found.refused, strict=True)):
            id = found.first + row
            if refused or found.links.kinds[row] is not Kind.PAGE:
                continue
            suspicion = self.traps.assess(id, url)
            if suspicion.standing:
                self._hold(suspicion.place, id, float(found.scores[row]))
                ids.append(id)
        self.frontier.close(np.array(ids, np.int64))

    def _reopen(self, id: int, score: float) -> None:
        self.held.drop(id)
        self.frontier.reopen(id, score)

    def release_share(self) -> None:
        """Release one link when there were enough requests to other places."""
        if self.taken >= SHARE and self.waiting:
            self.taken = 0
            self._release(1, others=True)

    def release_round(self, *, others: bool, free: bool = False) -> bool:
        """Release some links because no others can be fetched; return whether there are any.

        `others` says that there are other links, which wait for their hosts; `free` that requests made
        meanwhile take nothing from them.
        """
        return self._release(ROUND, others=others, free=free)

    def _release(self, most: int, *, others: bool, free: bool = False) -> bool:
        """Release links: of places that are only unproven, and one of those that owe.

        The places that got least come first. Beside others a place gets no more than its limit in all, unless
        it owes nothing and its requests are free.
        """
        unproven: list[tuple[int, str]] = []
        owing: list[tuple[int, str]] = []
        for place in self.waiting:
            account = self.traps.accounts.find(place) or Account()
            limited = others and not (free and not account.owes)
            if not limited or not self.traps.had_enough(place):
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
        waiting, count = self.waiting[place], 0
        account = self.traps.accounts.find(place) or Account()
        while waiting and count < most:
            id, score = waiting.take(newest=account.owes)
            url = self.store.link(id).url
            if self.traps.is_closed(place, url, self.under_way[place]):
                self._hold(place, id, score)
                break
            suspicion = self.traps.assess(id, url)
            if suspicion.standing is Standing.CLOSED:
                self._hold(suspicion.place, id, score)
                continue
            self.released[id] = place
            self.under_way[place] += 1
            self.traps.accounts.ask(place)
            self._reopen(id, score)
            count += 1
        self._forget_empty(place)
        return count

    def refuse_rest(self) -> int:
        """Refuse the links that still wait, because the crawl ends; return their number."""
        count = 0
        for place, links in self.waiting.items():
            for id in links:
                self.store.refuse(id, f"{REASON}{place}")
                self.held.drop(id)
                count += 1
        self.waiting.clear()
        self._cleared.clear()
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
        for id, (place, score) in self.held.items():
            if id in queued:
                self.waiting.setdefault(place, WaitingLinks()).add(id, score)
            else:
                self.held.drop(id)
        self._joined = set(self.waiting)
        self.frontier.close(ids)
        return rest


_KEY = " suspects"

REASON = "suspect: more pages of "
"""How the reason of a link begins that was left because its place is suspect; the next run opens it again."""
