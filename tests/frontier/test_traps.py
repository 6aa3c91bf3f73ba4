"""Traps get few requests, honest sites get all they need, in any sensible order."""

import pytest
import webs
from webs import HONEST, TRAPS, H, T, crawl, digest, noise

from clew.frontier import TrapGuard
from clew.frontier.traps.content_dedup import ContentDedup, Recent
from clew.frontier.traps.counter_urls import CounterUrls
from clew.frontier.traps.thresholds import MAX_ERRORS
from clew.frontier.traps.url_regions import locate, malformed_path
from clew.parse.simhash import simhash
from clew.types import Link, Page, Response

ORDERS = ("breadth", "best")


@pytest.mark.parametrize("order", [*ORDERS, "depth"])
@pytest.mark.parametrize("name", TRAPS)
@pytest.mark.parametrize("relevant", [False, True])
def test_a_trap_gets_few_requests(name: str, order: str, relevant: bool) -> None:
    site, start = TRAPS[name]
    asked = crawl({T: site}, [T + start], order, limit=400, relevant=relevant)
    assert len(asked) <= 120


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_site_is_read_whole(name: str, order: str) -> None:
    site, start, pages = HONEST[name]
    asked = crawl({H: site}, [H + start], order)
    assert len(asked) >= pages
    assert len(asked) == len(set(asked))


def test_traps_do_not_spoil_the_host_they_stand_on() -> None:
    """One host with six traps and a manual: all of the manual, a hundred pages of each trap at most."""
    inside = ("generated", "alternating", "facets", "farm", "soft 404", "calendar")
    sites = {
        "/gen/": webs.generated,
        "/maze/": webs.alternating,
        "/list": webs.facets,
        "/link-farm/": webs.farm,
    }
    sites |= {"/missing/": webs.soft_404, "/events": webs.calendar}

    def host(url: str) -> webs.Answer | None:
        path = url[len(T) :]
        for start, site in sites.items():
            if path.startswith(start):
                return site(url)
        answer = webs.manual(H + path)
        entrances = [T + TRAPS[name][1] for name in inside]
        return answer and (answer[0], [each.replace(H, T) for each in answer[1]] + entrances)

    for order in ORDERS:
        asked = crawl({T: host}, [T + "/docs/"], order, limit=6_000)
        counts = {
            start: sum(url[len(T) :].startswith(start) for url in asked) for start in (*sites, "/docs/")
        }
        assert counts.pop("/docs/") == 2_441
        assert max(counts.values()) <= 100, counts


def test_places() -> None:
    assert (
        locate("http://a.example/cal/2026/11/").directory
        == locate("http://a.example/cal/1999/").directory + "#/"
    )
    assert (
        locate("http://a.example/docs/index.html").directory
        == locate("http://a.example/docs/").directory
        == "a.example/"
    )
    assert locate("http://a.example/s/9f8e7d6c5b4a/x").directory == "a.example/s/#/"
    assert locate("http://a.example/").section == "a.example/"
    assert locate("https://a.example:8443/x/y?z=1").host == "a.example:8443"


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("/a/b/a/b/a/b", True),
        ("/2024/11/11/11/x", False),
        ("/" + "/".join("abcdefghijklmnopqrstu"), True),
        ("/a/a/b/c", False),
    ],
)
def test_shapes(path: str, refused: bool) -> None:
    assert bool(malformed_path("http://a.example" + path)) is refused


def page(id: int, url: str, text: str, status: int = 200) -> Page:
    link = Link(id=id, url=url, origin=T)
    return Page(
        response=Response(link=link, started=0, ended=0, status=status), text=text, fingerprint=simhash(text)
    )


def test_the_same_text_names_the_earlier_page() -> None:
    traps = TrapGuard()
    assert traps.learn(page(1, T + "/a", noise("x")), False) == 0
    assert traps.learn(page(2, T + "/b", noise("y")), False) == 0
    assert traps.learn(page(3, T + "/c", noise("x")), False) == 1
    assert traps.learn(page(4, T + "/d", noise("x") + " 42"), False) == 0, "digits make another text"
    assert traps.learn(page(5, T + "/e", noise("x"), status=404), False) == 0


def test_a_parameter_that_changes_nothing_is_learned_for_the_whole_host() -> None:
    traps = TrapGuard()
    for n in range(5):
        traps.learn(page(n + 1, f"{T}/one?ref={n}&id=7", noise("one")), False)
    traps.learn(page(9, f"{T}/two?id=8&ref=1", noise("two")), False)

    def refusal(path: str) -> str:
        return traps.refusal(Link(id=99, url=T + path, origin=T))

    assert refusal("/two?id=8&ref=other") == 'traps: "ref" does not change the page'
    assert refusal("/two?id=9&ref=other") == "", "never read under any ref"
    assert refusal("/two?id=8") == ""


def test_a_restart_changes_nothing() -> None:
    """Killed after every few pages, a guard that restores what was stored decides as one that lived on."""

    def read(traps: TrapGuard, first: int, last: int) -> None:
        for n in range(first, last):
            traps.learn(page(n, f"{T}/gen/{digest(n)}", noise(str(n))), False, f"{T}/gen/{digest(n - 1)}")

    alive, stored = TrapGuard(), {}
    read(alive, 1, 61)
    for first in range(1, 61, 7):
        killed = TrapGuard()
        killed.restore(stored)
        for n in range(1, first):
            killed.recall(id=n, url=f"{T}/gen/{digest(n)}", fingerprint=simhash(noise(str(n))), status=200)
        read(killed, first, min(61, first + 7))
        stored |= killed.changed()
    assert killed.changed() == {}
    assert stored == alive.changed()
    link = Link(id=5_000, url=f"{T}/gen/more", origin=T)
    assert killed.refusal(link, f"{T}/gen/x") == alive.refusal(link, f"{T}/gen/x")


def refused(traps: TrapGuard, path: str, source: str = "/list", *, sample: bool = True) -> str:
    return traps.refusal(Link(id=9_999, url=T + path, origin=T), T + source, sample=sample)


def test_a_place_that_gives_errors_is_closed_but_for_a_sample_and_one_page_opens_it_again() -> None:
    traps = TrapGuard()
    for n in range(MAX_ERRORS):
        assert refused(traps, f"/gone/{n}") == ""
        traps.learn(page(n + 1, f"{T}/gone/{n}", "", status=404), False, T + "/list")
    passed = [n for n in range(10_000) if not refused(traps, f"/gone/{n}")]
    assert len(passed) == 14, "the 1st, 2nd, 4th, 8th … of ten thousand"
    assert "gives errors" in refused(traps, "/gone/x", sample=False)
    assert refused(traps, "/other/x") == ""
    traps.learn(page(5_000, f"{T}/gone/{n}", noise("here I am")), False, T + "/list")
    assert refused(traps, "/gone/x", sample=False) == ""


def test_redirects_close_a_place_only_when_they_lead_nowhere_new() -> None:
    tidy, known, useful = TrapGuard(), TrapGuard(), TrapGuard()
    for n in range(1_000):
        tidy.learn_redirect(f"{T}/a/{n}", T + "/list", f"https://trap.example/a/{n}/", True)
        known.learn_redirect(f"{T}/a/{n}", T + "/list", f"{T}/login", True)
        useful.learn_redirect(f"{T}/a/{n}", T + "/list", f"{T}/b/{n}", n % 30 > 0)
    assert refused(tidy, "/a/x", sample=False) == ""
    assert "gives errors" in refused(known, "/a/x", sample=False)
    assert refused(useful, "/a/x", sample=False) == ""


def test_a_step_met_on_another_page_is_counted() -> None:
    steps = CounterUrls()
    assert not steps.is_counted(T + "/m/2026/1", T + "/m/2026/2")
    assert not steps.is_counted(T + "/m/2026/1", T + "/m/2026/2"), "the same page says nothing new"
    assert steps.is_counted(T + "/m/2026/7", T + "/m/2026/8")
    assert not steps.is_counted(T + "/m/2026/7", T + "/m/2027/7"), "another step"
    assert not steps.is_counted(T + "/m/2026/8", T + "/n/2026/9"), "other words"
    assert not steps.is_counted(T + "/m/2026/1/5", T + "/m/about"), "no number"
    assert not steps.is_counted(T + "/m/2026/1", T + "/m/2026/1/5")
    assert steps.is_counted(T + "/m/2027/3", T + "/m/2027/3/5"), "the fifth of every month"


def test_a_link_met_again_from_another_place_is_let_in_though_its_place_is_closed() -> None:
    """Records feed each other without end; one of them is named by a list."""

    def site(url: str) -> webs.Answer | None:
        if url.endswith("/list"):
            return noise(url), [f"{T}/record/1", f"{T}/later"]
        if url.endswith("/later"):
            return noise(url), [f"{T}/record/9", f"{T}/record/77", f"{T}/record/8888"]
        return webs.records(url) if "/record/" in url else None

    asked = crawl({T: site}, [T + "/list"], "depth", limit=1_000)
    assert len(asked) <= 150
    assert {f"{T}/record/{n}" for n in (9, 77, 8888)} <= set(asked)


def test_memory_is_bounded() -> None:
    recent: Recent[int] = Recent(10)
    for n in range(100):
        recent.put(n, n)
    assert len(recent) <= 10
    assert recent.find(99) == 99
    assert recent.find(5) is None
    traps = TrapGuard(regions=50)
    for n in range(300):
        traps.learn(page(n + 1, f"http://h{n}.example/d/x?q={n}", noise(str(n))), False)
    assert len(traps._regions) <= 50
    assert len(traps._aliases) <= 50


def test_near_texts_of_one_host_only() -> None:
    contents = ContentDedup()
    assert contents.is_new("a", 0b1111)
    assert not contents.is_new("a", 0b1000)
    assert contents.is_new("a", 0b1111 << 20)
    assert contents.is_new("b", 0b1111)
