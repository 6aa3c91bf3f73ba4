"""What no policy may ignore: dead links sink, and links of the seeds are read while little is found."""

import random
from dataclasses import replace

import numpy as np
import pytest

import clew
from clew.engine.budget import Totals
from clew.engine.link_choice import LinkChoice
from clew.engine.seed_links import SeedLinks
from clew.frontier import FailureRates, Frontier
from clew.testing import sample_links, sample_outcome
from clew.types import Kind, Links, NewLinks
from tests.small_web import CONTACT, QUICK, linked, serving


def crawl(folder, web, about="a page", ranker=None, **settings):
    return clew.Crawl(
        folder,
        about=about,
        seeds=[f"{web.origin}/"],
        contact=CONTACT,
        settings=QUICK | settings,
        ranker=ranker,
    )


def paths(web):
    return [path for path in web.asked if path != "/robots.txt"]


class Backwards:
    """A policy that never takes the links of the seeds by itself: they score least."""

    def score(self, source, links):
        return np.full(len(links), 0.1 if source.page.link.depth == 0 else 0.9, np.float32)

    def learn(self, outcome):
        """Learn nothing."""


def new_frontier(count, score=0.5, **settings):
    frontier = Frontier(delay=0.0, **settings)
    hashes = np.arange(1, count + 1, dtype=np.uint64)
    frontier.add(
        1, ["http://a.test"] * count, hashes, np.full(count, score, np.float32), np.ones(count, bool)
    )
    return frontier


# ---- failures ---------------------------------------------------------------------------------------


def test_a_link_without_a_score_has_nothing_to_lose_and_is_not_put_back():
    frontier = new_frontier(3, score=0.0)
    taken = frontier.take(0.0)
    assert not frontier.discount(taken, 0.1)
    assert frontier.in_flight == 1


def test_one_failure_does_not_condemn_its_folder_and_ten_do():
    rates = FailureRates()
    rates.count("http://a.test/x/0.html", failed=True)
    assert rates.rate("http://a.test/x/1.html") < 0.5
    for n in range(10):
        rates.count(f"http://a.test/x/{n}.html", failed=True)
    for n in range(10):
        rates.count(f"http://a.test/y/{n}.html", failed=False)
    assert rates.rate("http://a.test/x/99.html") > 0.9
    assert rates.rate("http://a.test/y/99.html") < 0.2
    assert rates.rate("http://b.test/x/99.html") == 0


def test_a_discounted_link_waits_behind_others_and_keeps_its_own_score():
    frontier = new_frontier(3)
    first = frontier.take(0.0)
    assert not frontier.discount(first, 0.6), "more likely than not to bring a page"
    assert frontier.discount(first, 0.2)
    order = []
    while (id := frontier.take(0.0)) is not None:
        assert frontier.score(id) == pytest.approx(0.5)
        assert not frontier.discount(id, 0.2 if id == first else 1.0), "it was discounted already"
        order.append(id)
        frontier.done(id, 0.0)
    assert order == [2, 3, 1]
    assert frontier.open == 0


def test_a_discounted_link_found_again_rises_only_above_its_own_score():
    frontier = new_frontier(2)
    assert frontier.discount(frontier.take(0.0), 0.1)
    assert frontier.raise_scores(np.array([1]), np.array([0.4], np.float32)) == []
    assert frontier.raise_scores(np.array([1]), np.array([0.6], np.float32)) == [0]
    assert frontier.take(0.0) == 1


def dead_folder(dead=60, alive=30):
    pages = {f"/new/{n}.html": linked(text=f"page {n} of those that are there") for n in range(alive)}
    return {"/": linked(*(f"/old/{n}.html" for n in range(dead)), *pages), **pages}


@pytest.mark.parametrize("policy", ["breadth", "clew", "best-first", "keyword", "random"])
def test_a_dead_folder_sinks_whatever_the_policy(tmp_path, policy):
    with serving(dead_folder()) as web:
        job = crawl(tmp_path, web, **{"rank.policy": policy, "fetch.concurrency": 1})
        summary = job.run(pages=31)
        # Without failure rates all sixty would fail in order of age, about 58 in random order.
        assert (summary.pages, summary.failed < 40) == (31, True), summary.sentence()
        whole = job.run()
    assert (whole.pages, whole.failed) == (31, 60), "they sink, they are not refused"


def test_what_was_learned_of_failures_outlives_a_restart(tmp_path):
    settings = {"rank.policy": "breadth", "fetch.concurrency": 1}
    with serving(dead_folder()) as web:
        crawl(tmp_path / "whole", web, **settings).run(pages=20)
        whole = paths(web)
    with serving(dead_folder()) as web:
        for pages in (2, 5, 9, 20):
            crawl(tmp_path / "parts", web, **settings).run(pages=pages)
        assert paths(web) == whole
    assert sum(path.startswith("/old") for path in whole) < 20


# ---- focus ------------------------------------------------------------------------------------------


def two_hosts(poor=20):
    """A host with good links that must wait for its delay, and many hosts with poor ones."""
    frontier = Frontier(delay=1.0)
    origins = ["http://good.test"] * 10 + [f"http://h{n}.test" for n in range(poor)]
    scores = np.array([0.9] * 10 + [0.2] * poor, np.float32)
    hashes = np.arange(1, len(origins) + 1, dtype=np.uint64)
    frontier.add(1, origins, hashes, scores, np.ones(len(origins), bool))
    return frontier


def test_spare_requests_are_left_for_a_better_host_that_is_ready_soon():
    frontier = two_hosts()
    choice = LinkChoice(frontier=frontier, seed_links=SeedLinks(frontier=frontier))
    taken = [choice.take(0.0, Totals(), 4) for _ in range(6)]
    assert taken == [1, 11, 12, 13, None, None], "four in any case; a fifth would be a poor one"
    assert choice.held
    assert frontier.next_ready_at(0.0, waiting=True) == np.inf, "it waits for a request in flight"
    for id in (1, 11):
        frontier.done(id, 0.5)
    assert [choice.take(0.5, Totals(), 4) for _ in range(3)] == [14, 15, None]
    assert frontier.next_ready_at(0.5, waiting=True) == 1.5
    assert choice.take(1.5, Totals(), 4) == 2, "the good host is ready: its link is the best of all"
    assert not choice.held
    assert choice.take(1.5, Totals()) == 16, "without focus every request is filled"


def test_a_long_pause_is_not_worth_waiting_for():
    frontier = two_hosts()
    choice = LinkChoice(frontier=frontier, seed_links=SeedLinks(frontier=frontier))
    frontier.done(choice.take(0.0, Totals(), 1), 0.0)
    frontier.pause_host("http://good.test", 60.0)
    assert [choice.take(0.0, Totals(), 1) for _ in range(3)] == [11, 12, 13]


def test_better_links_of_a_waiting_host_are_noticed():
    frontier = Frontier(delay=1.0)
    for id, (origin, score) in enumerate(
        [("http://a.test", 0.3), ("http://b.test", 0.5), ("http://c.test", 0.4)], 1
    ):
        frontier.add(id, [origin], np.array([id], np.uint64), np.array([score], np.float32), np.ones(1, bool))
    assert frontier.take(0.0) == 2
    frontier.done(2, 0.0)
    assert not frontier.better_soon(0.0), "it has no more links"
    frontier.add(
        4, ["http://b.test"], np.array([4], np.uint64), np.array([0.6], np.float32), np.ones(1, bool)
    )
    assert frontier.better_soon(0.0)


class Allows:
    """A host policy that may request so many pages."""

    def __init__(self, left):
        self.left = left

    def pages_left(self):
        return self.left


def test_requests_under_way_count_against_the_budget_of_a_host_policy():
    frontier = two_hosts()
    choice = LinkChoice(frontier=frontier, seed_links=SeedLinks(frontier=frontier), limits=Allows(3))
    assert [choice.take(0.0, Totals()) for _ in range(5)] == [1, 11, 12, None, None]
    assert choice.held
    unlimited = LinkChoice(frontier=frontier, seed_links=SeedLinks(frontier=frontier), limits=Allows(None))
    assert unlimited.take(0.0, Totals()) == 13


# ---- while little is found --------------------------------------------------------------------------


def prose(seed):
    """Return words that no other page has: pages that differ in a number alone would look generated."""
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(40))


def catalogue(*relevant):
    """A seed that links to twenty pages, the last one relevant, and a side branch that never ends."""
    pages = {f"/list/{n}": linked(text=f"a list of things, number {n}") for n in range(20)}
    for n in (*relevant, 19):
        pages[f"/list/{n}"] = linked(text=f"lighthouse keeper lighthouse keeper lighthouse {prose(n)}")
    branch = {f"/side/{n}": linked(f"/side/{n + 1}", text=f"another story, {prose(n)}") for n in range(300)}
    return {"/": linked("/side/0", *pages), **pages, **branch}


def test_before_the_first_hit_no_policy_starves_the_links_of_the_seeds(tmp_path):
    with serving(catalogue()) as web:
        job = crawl(
            tmp_path,
            web,
            about="lighthouse keeper",
            ranker=Backwards(),
            **{"fetch.concurrency": 1, "goal.keep": 0.4},
        )
        job.run(pages=60)
        read = paths(web)
    place = read.index("/list/19")
    assert place < 50, "every second page is one that the seed points to"
    listed = [path for path in read if path.startswith("/list/")]
    assert listed == [f"/list/{n}" for n in range(20)], "breadth-first"


def test_one_relevant_page_does_not_end_the_reading_of_the_seeds(tmp_path):
    with serving(catalogue(1)) as web:
        settings = {"fetch.concurrency": 1, "goal.keep": 0.4}
        crawl(tmp_path, web, about="lighthouse keeper", ranker=Backwards(), **settings).run(pages=80)
        read = paths(web)
    assert 40 < read.index("/list/19") < 50, "every second request is one for a link of the seed"


def listed(frontier, **options):
    """Return a choice over links of which those of a seed come last in the order of the policy."""
    seed_links = SeedLinks(frontier=frontier, **options)
    return LinkChoice(frontier=frontier, seed_links=seed_links), seed_links


def taken_near_seeds(relevant, requests=1_200):
    """Return how many of so many requests go to links of the seeds after so many relevant pages."""
    frontier = Frontier(delay=0.0)
    scores = np.array([0.9] * requests + [0.1] * requests, np.float32)
    hashes = np.arange(1, 2 * requests + 1, dtype=np.uint64)
    frontier.add(1, ["http://a.test"] * 2 * requests, hashes, scores, np.ones(2 * requests, bool))
    choice, seed_links = listed(frontier)
    seed_links.restore([(id, 1, requests) for id in range(requests + 1, 2 * requests + 1)])
    near = 0
    for request in range(requests):
        id = choice.take(0.0, Totals(relevant=relevant, requests=request))
        near += id > requests
        frontier.done(id, 0.0)
    return near


def test_with_every_relevant_page_fewer_requests_go_to_links_of_the_seeds():
    taken = [taken_near_seeds(relevant) for relevant in (0, 1, 3, 4, 10, 20, 99)]
    assert taken == [600, 600, 600, 300, 55, 15, 1]


def test_links_of_seeds_that_a_table_needs_are_read_whatever_was_found():
    frontier = new_frontier(9)
    choice, seed_links = listed(frontier, all_of_seeds=True)
    seed_links.restore([(7, 1, 5), (9, 2, 5)])
    rich = Totals(relevant=50)
    assert choice.take(0.0, rich) == 7
    frontier.done(7, 0.0)
    rich.requests = 2
    assert choice.take(0.0, rich) == 1, "links further out wait for a crawl that finds little"


def test_links_of_a_page_are_remembered_as_runs_and_restored_in_the_same_order():
    frontier, again = new_frontier(40), new_frontier(40)
    seed_links, restored = SeedLinks(frontier=frontier), SeedLinks(frontier=again)
    found = Links.plain([f"http://a.test/{n}" for n in range(40)], Kind.PAGE)
    refused = ["off limits" if n in (3, 4, 17) else "" for n in range(40)]
    scores = np.full(40, 0.5, np.float32)
    seed_links.add(NewLinks(first=1, links=found, scores=scores, refused=refused, depth=1))
    assert len(seed_links._heap) == 3
    restored.restore([(n + 1, 1, 40) for n in range(40) if not refused[n]])
    assert sorted(restored._heap) == sorted(seed_links._heap)
    for each, links in ((seed_links, frontier), (restored, again)):
        taken = []
        while (id := each.take(0.0)) is not None:
            taken.append(id)
            links.done(id, 0.0)
        assert taken == [n + 1 for n in range(40) if not refused[n]]


@pytest.mark.parametrize("relevant", [(), (1, 2, 5)])
def test_the_links_of_the_seeds_are_remembered_over_a_restart(tmp_path, relevant):
    settings = {"fetch.concurrency": 1, "goal.keep": 0.4}

    def run(folder, web, *budgets):
        for pages in budgets:
            crawl(folder, web, about="lighthouse keeper", ranker=Backwards(), **settings).run(pages=pages)
        return paths(web)

    with serving(catalogue(*relevant)) as web:
        whole = run(tmp_path / "whole", web, 60)
    with serving(catalogue(*relevant)) as web:
        assert run(tmp_path / "parts", web, 3, 8, 21, 60) == whole


def found_on(page, frontier, first, paths, depth):
    urls = [f"http://a.test/{page}/{n}" for n in range(len(paths))]
    links = replace(Links.plain(urls, Kind.PAGE), paths=paths)
    scores = np.full(len(urls), 0.5, np.float32)
    frontier.add(first, links.origins, links.hashes, scores, np.ones(len(urls), bool))
    return NewLinks(first=first, links=links, scores=scores, refused=[""] * len(urls), depth=depth)


def test_links_of_lists_come_before_links_of_other_pages():
    frontier = Frontier(delay=0.0)
    seed_links = SeedLinks(frontier=frontier)
    seed_links.add(found_on("plain", frontier, 1, ["nav/a", "p/a"], 2))
    seed_links.add(found_on("hub", frontier, 11, ["ul/li/a"] * 12, 2))
    seed_links.add(found_on("seed", frontier, 31, ["p/a"], 1))
    taken = []
    while (id := seed_links.take(0.0)) is not None:
        taken.append(id)
        frontier.done(id, 0.0)
    assert taken == [31, *range(11, 23), 1, 2]


def test_the_policy_of_these_tests_keeps_its_contract():
    assert len(Backwards().score(sample_outcome(), sample_links(2))) == 2
