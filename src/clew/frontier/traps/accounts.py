"""Accounts of places: what was spent on a place and what it paid back.

The sums never fall below zero, so a place cannot save up: whatever it brought before, it is suspect some
`SUSPECT` unpaid requests after it stopped paying.
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from clew.frontier.traps.places import parent_of

PAYMENT = 3.0
"""What one paying page makes good: a place of which one page in four pays is read to its end. Less would
close honest sites with many lists and repeated texts, more would keep mazes open that have some dead ends."""

SUSPECT = 32
"""Unpaid requests after which a place is suspect. A trap gets so many at once, and those under way then; an
honest place that owes more has to show pages that pay first."""

PROBES = 16
"""Requests for nothing up to which a place that owes is read on at once, beside all others: most honest
places show a page that pays within so many, and need not wait."""

SMALL_PLACE = 10
"""Pages up to which the places around a place answer for it: a trap may make a folder for every page."""

UNPROVEN = 100
"""Pages found from inside, with nothing from outside to speak for them, after which a place can wait, be they
ever so fresh: an endless chain or list takes so many from a crawl that has other work."""


@dataclass(slots=True)
class Account:
    """The sums of one place. The field names are stored on disk.

    `owed` are the requests that brought nothing and were not paid back, `late` those that were under way
    when the place began to owe too much, `failures` those in a row that brought no page, `unproven` the fresh
    pages that nothing outside speaks for. `asked` are the requests for its sake since it is suspect.
    """

    pages: int = 0
    owed: float = 0.0
    failures: int = 0
    unproven: float = 0.0
    late: int = 0
    asked: int = 0

    @property
    def is_proven(self) -> bool:
        """Whether enough was read here that the places around need not answer for it."""
        return self.pages >= SMALL_PLACE and self.owed < SMALL_PLACE

    @property
    def debt(self) -> float:
        """The requests that were not paid back."""
        return max(self.owed, self.failures)

    @property
    def owes(self) -> bool:
        """Whether the place must show pages that pay before more is spent on it."""
        return self.debt >= SUSPECT

    @property
    def is_suspect(self) -> bool:
        """Whether links to this place can wait."""
        return self.owes or self.unproven >= UNPROVEN

    def pay(self, part: float = 1.0) -> None:
        """Enter a page that pays, or a part of what one pays."""
        self.owed = max(0.0, self.owed - part * PAYMENT)
        if not self.owes:
            self.late = 0


class Accounts:
    """The accounts of all places; the least recently used of more than `size` are dropped."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._changed: set[str] = set()
        self._touched: set[str] = set()

    def __len__(self) -> int:
        return len(self._accounts)

    def find(self, place: str) -> Account | None:
        """Return the account of a place, if it has one."""
        return self._accounts.get(place)

    def forgive_requests(self, place: str) -> None:
        """Forget what was asked of a place: it is no longer suspect."""
        self.open(place).asked = 0

    def open(self, place: str) -> Account:
        """Return the account of a place to be changed; make one if there is none."""
        self._changed.add(place)
        self._touched.add(place)
        account = self._accounts.get(place)
        if account is None:
            account = self._accounts[place] = Account()
            if len(self._accounts) > self.size:
                self._touched.add(self._accounts.popitem(last=False)[0])
        else:
            self._accounts.move_to_end(place)
        return account

    def answering(self, place: str) -> Iterator[str]:
        """Give a place and the places around it that answer for it: up to the first that is proven."""
        while place:
            yield place
            account = self._accounts.get(place)
            if account is not None and account.is_proven:
                return
            place = parent_of(place)

    def around(self, place: str) -> Iterator[Account]:
        """Give the accounts of a place and of all places around it, to be changed."""
        while place:
            if place in self._accounts:
                yield self.open(place)
            place = parent_of(place)

    def charge(self, place: str, probed: str, cost: float = 1.0) -> None:
        """Enter a request for nothing for a place, and for those around it that answer for it.

        `probed` is the suspect place for which the request was made, empty for other requests. Places around
        that one are not charged unless it is small: one trap does not close its host. Other requests make a
        suspect place no more so: with many under way they would close it before it could show what it has.
        """
        charged = list(self.answering(place))
        if probed and self.open(probed).pages >= SMALL_PLACE:
            charged = [*charged[: charged.index(probed)], probed] if probed in charged else [place, probed]
        for each in charged:
            account = self.open(each)
            if probed or not account.owes:
                account.owed += cost
            else:
                account.late += 1

    def ask(self, place: str) -> None:
        """Count a request for the sake of a suspect place."""
        self.open(place).asked += 1

    def touched(self) -> set[str]:
        """Return the places whose accounts may have changed since the last call."""
        touched, self._touched = self._touched, set()
        return touched

    def changed(self) -> dict[str, str]:
        """Return the accounts that changed since the last call, packed, by place."""
        keys, self._changed = self._changed, set()
        return {key: json.dumps(asdict(self._accounts[key])) for key in keys if key in self._accounts}

    def restore(self, states: Mapping[str, str]) -> None:
        """Restore accounts that `changed` returned; unknown fields are ignored."""
        names = set(Account.__slots__)
        for key, state in states.items():
            values = {name: value for name, value in json.loads(state).items() if name in names}
            self._accounts[key] = Account(**values)
