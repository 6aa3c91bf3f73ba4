"""Links to suspect places wait; a page costs no more work because many places wait."""

import numpy as np
import pytest

from clew import urls
from clew.engine.suspect_links import ROUND, SuspectLinks
from clew.frontier import Frontier, TrapGuard
from clew.frontier.traps.accounts import SUSPECT, UNPROVEN, Account
from clew.lab.memory_store import MemoryStore
from clew.types import Kind, Links, NewLinks

LIMIT = 150


def waiting(places: int, links: int = 1, **account: float) -> SuspectLinks:
    """Let links of some places wait; `account` says why. Links of the first place come first."""
    addresses = [f"http://h{place}.test/p/x{n}" for place in range(places) for n in range(links)]
    origins = [url.rpartition("/p/")[0] for url in addresses]
    found = Links.plain(addresses, Kind.PAGE)
    scores = np.linspace(0.1, 0.9, len(addresses)).astype(np.float32)
    frontier, store, guard = Frontier(delay=0.0), MemoryStore(), TrapGuard(suspect_pages=LIMIT)
    frontier.add(1, origins, found.hashes, scores, np.ones(len(addresses), bool))
    store.add_links(NewLinks(first=1, links=found, scores=scores, refused=[""] * len(addresses), depth=1))
    for place in range(places):
        opened = guard.accounts.open(f"h{place}.test/p/")
        for name, value in account.items():
            setattr(opened, name, value)
        guard.accounts.open(f"h{place}.test pages").pages = 1_000
    suspects = SuspectLinks(traps=guard, frontier=frontier, store=store)
    while (id := frontier.take(0.0)) is not None:
        assert not suspects.admits(id, addresses[id - 1])
        frontier.cancel(id)
    guard.accounts.touched()
    return suspects


def taken(suspects: SuspectLinks) -> list[int]:
    """Take all links that may be fetched."""
    ids = []
    while (id := suspects.frontier.take(0.0)) is not None:
        suspects.frontier.done(id, 0.0)
        ids.append(id)
    return ids


def test_a_page_costs_the_same_however_many_places_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    found = []
    for places in (10, 500):
        suspects = waiting(places, pages=LIMIT, unproven=UNPROVEN)
        suspects.done(0, None)
        find = suspects.traps.accounts.find
        monkeypatch.setattr(
            suspects.traps.accounts, "find", lambda place, find=find: looked.append(place) or find(place)
        )
        looked.clear()
        suspects.traps.accounts.open("h3.test/p/").unproven = 0.0
        suspects.done(0, None)
        found.append(len(looked))
        assert taken(suspects) == [4], "its place pays again"
    assert found[0] == found[1] <= 3


def test_links_of_a_place_that_pays_again_return_in_parts_the_best_first() -> None:
    suspects = waiting(1, links=3 * ROUND, pages=LIMIT, unproven=UNPROVEN)
    suspects.traps.accounts.open("h0.test/p/").unproven = 0.0
    parts = []
    for _ in range(4):
        suspects.done(0, None)
        parts.append(taken(suspects))
    assert [len(part) for part in parts] == [ROUND, ROUND, ROUND, 0]
    assert parts[0][0] == 3 * ROUND
    assert not suspects.waiting
    assert len(suspects.held) == 0


def test_a_place_that_is_suspect_again_keeps_the_rest_of_its_links() -> None:
    suspects = waiting(1, links=3 * ROUND, pages=LIMIT, unproven=UNPROVEN)
    account = suspects.traps.accounts.open("h0.test/p/")
    account.unproven = 0.0
    suspects.done(0, None)
    suspects.traps.accounts.open("h0.test/p/").unproven = UNPROVEN
    suspects.done(0, None)
    assert len(suspects.waiting["h0.test/p/"]) == 2 * ROUND


def test_a_place_that_owes_nothing_is_read_while_other_hosts_rest_unless_pages_are_counted() -> None:
    suspects = waiting(1, links=5, pages=LIMIT, unproven=UNPROVEN)
    assert not suspects.release_round(others=True), "a page of the budget is worth more elsewhere"
    assert suspects.release_round(others=True, free=True)
    assert len(taken(suspects)) == 5
    owing = waiting(1, links=5, pages=LIMIT, owed=SUSPECT + 20.0)
    assert not owing.release_round(others=True, free=True)
    assert owing.release_round(others=False)


def test_a_released_link_that_a_rule_forbids_frees_its_turn() -> None:
    suspects = waiting(1, links=9, pages=20, owed=SUSPECT)
    suspects.done(0, None)
    first = taken(suspects)
    assert len(first) == 4
    for id in first:
        suspects.drop(id)
    assert suspects.under_way["h0.test/p/"] == 0
    suspects.traps.accounts.open("h0.test/p/")
    suspects.done(0, None)
    assert len(taken(suspects)) == 4


def test_what_waits_is_restored() -> None:
    suspects = waiting(3, links=7, pages=20, owed=SUSPECT)
    suspects.done(0, None)
    states = suspects.changed()
    frontier = Frontier(delay=0.0)
    known = [suspects.store.link(id) for id in range(1, 22)]
    hashes = np.array([urls.fingerprint(link.url) for link in known], np.uint64)
    scores = np.full(21, 0.5, np.float32)
    frontier.add(1, [link.origin for link in known], hashes, scores, np.ones(21, bool))
    again = SuspectLinks(traps=suspects.traps, frontier=frontier, store=suspects.store)
    assert again.restore(states) == {}
    assert {place: sorted(links) for place, links in again.waiting.items()} == {
        place: sorted(links) for place, links in suspects.waiting.items()
    }
    assert (again.released, again.under_way, again.taken) == (
        suspects.released, suspects.under_way, suspects.taken,
    )  # fmt: skip
    assert sorted(taken(again)) == sorted(suspects.released)


def test_an_account_that_is_dropped_lets_its_links_go() -> None:
    guard = TrapGuard(places=2)
    guard.accounts.open("a.test/").owed = SUSPECT
    guard.accounts.touched()
    for name in ("b.test/", "c.test/"):
        guard.accounts.open(name)
    assert guard.accounts.touched() == {"a.test/", "b.test/", "c.test/"}
    assert guard.accounts.find("a.test/") is None
    assert not Account().is_suspect
