"""Accounts of places: what was spent on a place and what it paid back.

Each account is a few running sums that never fall below zero, so that a place cannot save up: whatever it
brought before, it is suspect some 50 unpaid requests after it stopped paying.
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from clew.frontier.traps.places import parent_of

PAYMENT = 3.0
"""What one paying page makes good. A place of which one page in four pays is read to its end. Less would
close honest sites with many lists and duplicates, more would keep mazes open that have some dead ends."""

REPEAT_COST = 2.0
"""Cost of a page whose text was read before and that leads on: a space of duplicates is left after half the
requests. One that leads nowhere costs 1: days without events stand between those with some."""

ERRORS_PAID = 16.0
"""Errors that one page makes good: moved and half lost archives are worth reading to the end."""

SMALL_PLACE = 10
"""Pages up to which the places around a place answer for it: a trap may make a folder for every page."""

SUSPECT = 50
"""Unpaid or unproven requests after which a place is suspect. A trap gets so many at once; honest places
rarely owe more, and those that do are only read later."""


@dataclass(slots=True)
class Account:
    """The sums of one place. The field names are stored on disk.

    `inside` counts all pages found from inside that nothing outside spoke for. Of these, `unproven` are those
    for which nothing has spoken since (pages that lead nowhere count less), `unpaid` those that also branch
    or have hardly any text. `repeats` are pages whose text was read before, `errors` requests that brought no
    page, `shown` the links of the last page without much text of its own.
    """

    pages: int = 0
    inside: int = 0
    unproven: float = 0.0
    unpaid: float = 0.0
    repeats: float = 0.0
    errors: float = 0.0
    shown: tuple[int, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether enough was read here that the places around need not answer for it."""
        return self.pages >= SMALL_PLACE and self.unpaid + self.repeats < SMALL_PLACE

    def owed(self, *, inside: bool) -> float:
        """Return the requests that were not paid back; growth counts only for links from `inside`."""
        return max(self.repeats + (self.unpaid if inside else 0.0), self.errors)

    def is_suspect(self, *, inside: bool) -> bool:
        """Whether links to this place can wait."""
        return self.owed(inside=inside) >= SUSPECT or (inside and self.unproven >= SUSPECT)

    def add(self, cost: "Account") -> None:
        """Enter what a page cost."""
        self.inside += cost.inside
        self.unproven += cost.unproven
        self.unpaid += cost.unpaid
        self.repeats += cost.repeats

    def pay(self, part: float = 1.0) -> None:
        """Enter a page that pays, or a part of what one pays."""
        self.unpaid = max(0.0, self.unpaid - part * PAYMENT)
        self.repeats = max(0.0, self.repeats - part * PAYMENT)

    def vouch(self, part: float) -> None:
        """Enter a link from elsewhere to a page found here."""
        self.unproven = max(0.0, self.unproven - part * PAYMENT)
        self.unpaid = max(0.0, self.unpaid - part * PAYMENT)


class Accounts:
    """The accounts of all places; the least recently used of more than `size` are dropped."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._changed: set[str] = set()

    def __len__(self) -> int:
        return len(self._accounts)

    def find(self, place: str) -> Account | None:
        """Return the account of a place, if it has one."""
        return self._accounts.get(place)

    def open(self, place: str) -> Account:
        """Return the account of a place to be changed; make one if there is none."""
        self._changed.add(place)
        account = self._accounts.get(place)
        if account is None:
            account = self._accounts[place] = Account()
            if len(self._accounts) > self.size:
                self._accounts.popitem(last=False)
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
