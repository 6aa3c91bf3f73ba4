"""Honest sites are read whole; traps wait behind everything else, and get few requests in all."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from bench.trap_honest import HONEST
from bench.trap_text import Prose, digest
from bench.trap_traps import TRAPS
from bench.trap_web import TrapWeb, crawl
from clew import urls
from clew.frontier import PROBES, Standing, TrapGuard
from clew.frontier.traps.accounts import SUSPECT, Account
from clew.frontier.traps.content_dedup import ContentDedup, Recent
from clew.frontier.traps.places import malformed_path, names_a_thing, parent_of, place_of
from clew.parse.simhash import simhash
from clew.types import Link, Links, Page, Response

T = "http://trap.example"
ENDLESS_AND_FRESH = ("endless_chain", "made_up_goods", "written_calendar")
"""Traps that bring fresh text on pages that do not branch: they wait, but only the budget ends them."""

TWO_PLACES = ("alternating",)
"""Traps of two places: the limit is one for each."""

prose = Prose()


@pytest.mark.parametrize("relevant", [False, True])
@pytest.mark.parametrize("name", [name for name in TRAPS if name not in ENDLESS_AND_FRESH])
def test_a_trap_gets_few_requests_in_all(name: str, relevant: bool) -> None:
    web = TrapWeb({}, (name,), relevant)
    outcome = crawl(web, "breadth", 4, pages=1_000)
    assert outcome.ended == "nothing is left to fetch"
    assert outcome.requests[name] <= (2 * 150 if name in TWO_PLACES else 150)


@pytest.mark.parametrize("name", ["three_kinds", "redirected_rooms"])
def test_a_trap_of_several_places_has_one_limit(name: str) -> None:
    web = TrapWeb({"wiki": 400}, (name,), relevant=False)
    outcome = crawl(web, "breadth", 16, pages=1_000)
    assert outcome.lost == {}
    assert outcome.requests[name] <= 150


@pytest.mark.parametrize("name", ENDLESS_AND_FRESH)
def test_a_fresh_space_without_end_waits_while_other_links_are_open(name: str) -> None:
    web = TrapWeb({"wiki": 400, "manual": 400}, (name,), relevant=False)
    outcome = crawl(web, "breadth", 16, pages=1_500)
    assert outcome.lost == {}
    assert outcome.open_requests[name] <= 150


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_site_is_read_whole(name: str) -> None:
    web = TrapWeb({name: HONEST[name][2]}, (), relevant=False)
    outcome = crawl(web, "breadth", 4, pages=0)
    assert outcome.lost == {}
    assert outcome.ended == "nothing is left to fetch"


@pytest.mark.parametrize("policy", ["breadth", "clew"])
def test_pages_of_numbers_that_link_to_each_other_are_read_whole(policy: str) -> None:
    import bench.trap_held_out  # noqa: F401 - adds its sites after the others were made into tests

    assert crawl(TrapWeb({"timetable": 700}, (), relevant=False), policy, 4, pages=0).lost == {}


def test_a_chain_of_five_thousand_pages_is_read_whole() -> None:
    web = TrapWeb({"chain": 5_000}, (), relevant=False)
    assert crawl(web, "breadth", 1, pages=0).lost == {}


def test_more_is_read_when_the_user_allows_it() -> None:
    asked = [
        crawl(
            TrapWeb({}, ("maze",), False), "breadth", 4, pages=600, settings={"scope": {"suspect_pages": n}}
        )
        for n in (50, 200, 400, 0)
    ]
    few, usual, many, all_of_them = (outcome.requests["maze"] for outcome in asked)
    assert 100 <= few < usual < many < all_of_them, "the first hundred in any case"
    assert all_of_them >= 590


def test_places() -> None:
    assert place_of("http://a.example/cal/2026/11/") == place_of("http://a.example/cal/1999/") + "#/"
    assert place_of("http://a.example/docs/index.html") == place_of("http://a.example/docs/") == "a.example/"
    assert place_of("http://a.example/s/9f8e7d6c5b4a/x") == "a.example/s/#/"
    assert place_of("https://a.example:8443/x/y?z=1") == "a.example:8443/x/y?"
    assert parent_of("a.example/x/y?") == "a.example/x/"


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("/a/b/a/b/a/b/a/b", True),
        ("/a/b/a/b/a/b", False),
        ("/2024/11/11/11/x", False),
        ("/" + "/".join("abcdefghijklmnopqrstu"), True),
        ("/a/a/b/c", False),
    ],
)
def test_forms_that_are_refused(path: str, refused: bool) -> None:
    assert bool(malformed_path("http://a.example" + path)) is refused


def test_links_that_say_nothing_for_their_target() -> None:
    def says(source: str, url: str) -> bool:
        return names_a_thing(T + source, T + url)

    assert not says("/p/7", "/p/8")
    assert says("/p/7", "/p/1234"), "a cross-reference"
    assert not says("/m/2026/1", "/m/2027/2")
    assert not says("/m/2026/1", "/m/2026/1/5"), "a day of the month"
    assert says("/tag/blue", "/post/2026/01/05/")
    assert not says("/goods?a=1", "/goods?a=1&b=2"), "a combination"
    assert names_a_thing("http://b.example/p/7", T + "/p/8"), "another site"
    assert not says("/by?c=a,b,d,e", "/by?c=b,d,e"), "a part of a combination"
    assert not says("/tr/de-en-fr-ja/0", "/tr/en-fr-ja-es/0"), "one word for another"
    assert says("/docs/api/v2/users", "/docs/api/v2/orders"), "common folders say nothing"
    assert says("/docs/api/v2/users", "/docs/api"), "the page above"


def test_an_account_cannot_save_up() -> None:
    account = Account(pages=100)
    for _ in range(1_000):
        account.pay()
    account.owed += SUSPECT
    assert account.is_suspect
    account.pay()
    assert not account.is_suspect, "it pays again"


def owing(late: int = 0, suspect_pages: int = 150) -> TrapGuard:
    """Return a guard for which one place of a known domain owes as much as makes it suspect."""
    traps = TrapGuard(suspect_pages=suspect_pages)
    traps.accounts.open("trap.example pages").pages = 200
    account = traps.accounts.open("trap.example/a/")
    account.pages, account.owed, account.late = 40, SUSPECT, late
    return traps


def test_requests_under_way_shorten_what_is_left_for_a_place_but_not_its_probes() -> None:
    def left(traps: TrapGuard) -> int:
        return next(n for n in range(1_000) if traps.is_closed("trap.example/a/", T + "/a/x", n))

    assert left(owing()) == 50
    assert left(owing(late=10)) == 40
    assert left(owing(late=60)) == PROBES
    assert left(owing(late=60, suspect_pages=80)) == 0
    assert not owing(late=60, suspect_pages=0).is_closed("trap.example/a/", T + "/a/x", 10_000)


def test_what_a_probe_finds_elsewhere_is_charged_to_the_place_it_was_made_for() -> None:
    traps = owing()
    probed = "trap.example/a/"
    traps.accounts.charge("trap.example/c/", probed)
    owed = {
        place: account.owed
        for place in (probed, "trap.example/c/")
        if (account := traps.accounts.find(place))
    }
    assert owed == {probed: SUSPECT + 1, "trap.example/c/": 1}
    assert traps.accounts.find("trap.example/") is None, "one trap does not close its host"


def page(id: int, url: str, text: str, links: Sequence[str] = (), status: int = 200) -> Page:
    link = Link(id=id, url=url, origin=T)
    hashes = np.array([urls.fingerprint(each) for each in links], np.uint64)
    return Page(
        response=Response(link=link, started=0, ended=0, status=status),
        text=text,
        links=Links(urls=list(links), origins=[T] * len(links), hashes=hashes),
        fingerprint=simhash(text),
    )


NO_LINKS = np.empty(0, np.int64)


def test_the_same_text_names_the_earlier_page() -> None:
    traps = TrapGuard()
    assert traps.learn(page(1, T + "/a", prose("x")), False, NO_LINKS, 0) == 0
    assert traps.learn(page(2, T + "/b", prose("y")), False, NO_LINKS, 0) == 0
    assert traps.learn(page(3, T + "/c", prose("x")), False, NO_LINKS, 0) == 1
    assert traps.learn(page(4, T + "/d", prose("x") + " 42"), False, NO_LINKS, 0) == 0, "digits differ"
    assert traps.learn(page(5, T + "/e", prose("x"), status=404), False, NO_LINKS, 0) == 0


def test_a_parameter_that_changes_nothing_is_learned_for_the_whole_host() -> None:
    traps = TrapGuard()
    for n in range(5):
        traps.learn(page(n + 1, f"{T}/one?ref={n}&id=7", prose("one")), False, NO_LINKS, 0)
    traps.learn(page(9, f"{T}/two?id=8&ref=1", prose("two")), False, NO_LINKS, 0)
    assert traps.refusal(T + "/two?id=8&ref=other") == 'traps: "ref" does not change the page'
    assert traps.refusal(T + "/two?id=9&ref=other") == "", "never read under any ref"
    assert traps.refusal(T + "/two?id=8") == ""


def read_maze(traps: TrapGuard, first: int, last: int) -> None:
    """Read pages of a maze, each with ten new links and one to a page that the page before found."""
    for n in range(first, last):
        new = [f"{T}/gen/{digest(10 * n + k)}" for k in range(10)]
        known = [f"{T}/gen/{digest(10 * n - 15)}"]
        ids = np.array([0] * 10 + [10 * n - 15 + 1_000 if n % 7 == 5 else 0], np.int64)
        traps.add_links(1_000 + 10 * n, 10, n)
        url = f"{T}/gen/p{n}x{digest(n)}"
        probed = traps.assess(n, url).place
        traps.learn(page(n, url, prose(str(n)), new + known), n % 3 == 0, ids, 10, probed)


def test_a_restart_changes_nothing() -> None:
    """Killed after every few pages, a guard that restores what was stored decides as one that lived on."""
    last = 120
    parents = np.zeros(1_000 + 10 * last + 10, np.int64)
    parents[2 : last + 1] = np.arange(1, last)
    for n in range(1, last):
        parents[1_000 + 10 * n : 1_010 + 10 * n] = n

    def begun(stored: dict[str, str], first: int) -> TrapGuard:
        known = np.where(np.arange(len(parents)) < 1_000 + 10 * first, parents, 0)
        guard = TrapGuard()
        texts = guard.restore(stored, known)
        assert list(texts) == list(range(1, first))
        for n, text in texts.items():
            url = f"{T}/gen/p{n}x{digest(n)}"
            guard.recall(id=n, url=url, fingerprint=simhash(prose(str(n))), status=200, text=text)
        return guard

    alive, stored = begun({}, 1), {}
    read_maze(alive, 1, last)
    for first in range(1, last, 7):
        killed = begun(stored, first)
        read_maze(killed, first, min(last, first + 7))
        stored |= killed.changed()
    assert killed.changed() == {}
    assert stored == alive.changed()
    for id in range(1_000 + 10 * last - 60, 1_000 + 10 * last):
        assert killed.assess(id, f"{T}/gen/{digest(id)}") == alive.assess(id, f"{T}/gen/{digest(id)}")
    assert alive.assess(1_000 + 10 * last - 1, f"{T}/gen/x").standing is Standing.CLOSED


def test_memory_is_bounded() -> None:
    recent: Recent[int] = Recent(10)
    for n in range(100):
        recent.put(n, n)
    assert len(recent) <= 10
    assert recent.find(99) == 99
    assert recent.find(5) is None
    traps = TrapGuard(places=50)
    for n in range(300):
        traps.learn(page(n + 1, f"http://h{n}.example/d/x?q={n}", prose(str(n))), False, NO_LINKS, 0)
    assert len(traps.accounts) <= 50


def test_a_quarter_keeps_its_last_eight_fingerprints() -> None:
    contents = ContentDedup()
    dice = random.Random("quarters")
    own = [dice.getrandbits(48) << 16 | 0x1234 for _ in range(12)]  # one quarter in common
    spread = 1 << 16 | 1 << 32 | 1 << 48  # one bit in each of the other quarters
    own += [own[0] ^ spread, own[-1] ^ spread]  # near the first, which made room, and the last
    new = [contents.is_new("a", fingerprint) for fingerprint in own]
    naive: list[int] = []
    for fingerprint, was_new in zip(own, new, strict=True):
        alike = any((fingerprint ^ other).bit_count() <= 3 for other in naive[-8:])
        assert was_new is not alike
        if was_new:
            naive.append(fingerprint)
    assert new == [True] * 13 + [False]


def test_near_texts_of_one_host_only() -> None:
    contents = ContentDedup()
    assert contents.is_new("a", 0b1111)
    assert not contents.is_new("a", 0b1000)
    assert contents.is_new("a", 0b1111 << 20)
    assert contents.is_new("b", 0b1111)
