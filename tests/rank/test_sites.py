"""The policy sites: whose turn it is while it explores, what it leaves when it collects, what it remembers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from clew import registry
from clew.contracts import HostPolicy
from clew.domain.sites.explorers import EXPLORERS
from clew.errors import ConfigError
from clew.frontier import Frontier
from clew.rank.sites.policy import DEAD, RESERVED, Sites
from clew.testing import check_ranker, sample_link, sample_links, sample_outcome, sample_page
from clew.types import Outcome, Page, Response, Rule, Verdict


def outcome(site, value, number=0, text=""):
    return Outcome(sample_page(f"http://{site}/{number}", text=text), Verdict(value), relevant=value >= 0.5)


def failed(site, status=404):
    link = sample_link(f"http://{site}/gone")
    return Outcome(Page(response=Response(link=link, started=0, ended=1, status=status)), Verdict(0.0))


def fed(ranker, **sites):
    """Let a ranker read pages of sites, given as lists of verdicts."""
    ranker.add_hosts([f"http://{site}.test" for site in sites])
    for site, values in sites.items():
        for number, value in enumerate(values):
            ranker.learn_page(outcome(f"{site}.test", value, number))
    return ranker


def test_it_sets_host_priorities_and_any_policy_orders_the_links_of_a_site():
    for name in registry.names("ranker"):
        if name != "sites":
            ranker = Sites(within=name, about="wind farms", seed=3)
            assert isinstance(ranker, HostPolicy)
            check_ranker(ranker)


def test_it_cannot_be_its_own_inner_policy():
    with pytest.raises(ConfigError, match='choose another than "sites"'):
        check_ranker(Sites(within="sites"))


@pytest.mark.parametrize(("judge", "best"), [
    ("data", "Statistics"), ("place:de", "Kontakt"), ("schema:Recipe", "Recipes"), ("files:pdf", "Reports"),
])  # fmt: skip
def test_without_words_of_a_topic_links_follow_those_of_the_judge(judge, best):
    texts = ("Home", "Recipes", "Kontakt", "Reports", "Statistics")
    links = replace(sample_links(len(texts)), anchors=texts)
    scores = Sites(judge=judge).inner.score(sample_outcome(0.0), links).tolist()
    assert texts[scores.index(max(scores))] == best


def test_a_link_from_a_page_to_its_own_other_name_comes_last():
    ranker = Sites(judge="data")
    page = sample_page("http://a.test/en/")
    urls = ["http://a.test/en/index.html", "http://a.test/index.html", "http://a.test/en/x"]
    links = replace(sample_links(3), urls=urls, anchors=["Datasets", "Home", "About"])
    home, front, other = ranker.score(Outcome(page, Verdict(0.0)), links).tolist()
    assert home == 0 < front == other
    plain = Sites(judge="data", within="best-first").score(Outcome(page, Verdict(0.5)), links)
    assert len(set(plain.tolist())) == 1, "a policy that the user has chosen is left as it is"


def test_a_page_that_may_not_be_indexed_decides_its_site_too():
    ranker = Sites()
    ranker.learn_page(replace(sample_outcome(1.0), relevant=False))
    assert ranker.table.statuses()[0].verdict == "yes"


def test_one_page_of_each_site_comes_first():
    ranker = fed(Sites(), a=[0.2], b=[], c=[0.4])
    turns = ranker.host_priorities()
    assert turns["http://b.test"] == 1.0
    assert 0 < turns["http://a.test"] < 1
    assert ranker.host_priorities() == {}


def test_a_relevant_page_decides_its_site_at_once():
    turns = fed(Sites(), a=[0.9], b=[0.1]).host_priorities()
    assert turns["http://a.test"] == "holds it (1 of 1 page); collected from after exploration"
    assert isinstance(turns["http://b.test"], float)


@pytest.mark.parametrize("name", EXPLORERS)
def test_exploring_ends_with_its_pages_and_collecting_leaves_the_others(name):
    ranker = Sites(explore=8, explorer=name, seed=1)
    fed(ranker, a=[0.9, 0.9], b=[0.0] * 4, c=[0.1, 0.1])
    turns = ranker.host_priorities()
    assert turns["http://a.test"] is None
    assert "not known whether it holds it" in turns["http://b.test"]
    *_, notice = ranker.notices()
    text, facts = notice.text, notice.facts
    assert re.search(r"after [78] pages, .*: 1 of 3 sites holds it, .*; collecting$", text)
    assert (facts["phase"], facts["sites"], facts["yes"]) == ("collect", 3, 1)
    assert facts["no"] + facts["unknown"] == 2
    assert 1 <= facts["fewest"] <= facts["most"] <= 3


def test_with_fewer_pages_than_sites_each_page_is_of_another_site():
    ranker = Sites(explore=2)
    ranker.add_hosts([f"http://{site}.test" for site in "abcd"])
    ranker.learn_page(outcome("a.test", 0.4))
    assert ranker.host_priorities()["http://a.test"] == RESERVED
    ranker.learn_page(outcome("b.test", 0.9))
    assert ranker.collecting == "its 2 pages are spent"
    turns = ranker.host_priorities()
    assert turns["http://b.test"] is None
    assert turns["http://c.test"] == "not read: exploration was over (rank.explore)"


def test_the_last_pages_are_reserved_for_slow_sites():
    ranker = fed(Sites(explore=4), a=[0.4, 0.4], b=[0.4], c=[])
    assert ranker.host_priorities()["http://a.test"] == RESERVED
    ranker.learn_page(outcome("b.test", 0.4))  # was under way
    assert not ranker.collecting
    ranker.learn_page(outcome("c.test", 0.4))
    assert ranker.collecting


def test_exploring_ends_when_nothing_more_is_expected():
    ranker = fed(Sites(explorer="delta"), a=[1.0], b=[0.0], c=[0.0])
    assert ranker.collecting == "no more gain is expected of it"
    ranker = fed(Sites(), a=[1.0], b=[1.0])
    assert ranker.collecting


def test_a_label_of_a_site_overrides_its_pages():
    ranker = fed(Sites(explore=4), a=[0.9], b=[0.1, 0.1, 0.1])
    ranker.host_priorities()
    ranker.apply_rule(Rule("b.test", "yes", 0.0))
    ranker.apply_rule(Rule("a.test", "no", 0.0))
    assert ranker.host_priorities() == {
        "http://a.test": "you labelled it: does not hold it",
        "http://b.test": None,
    }
    ranker.apply_rule(Rule("a.test", "open", 0.0))
    assert ranker.host_priorities() == {"http://a.test": None}
    ranker.apply_rule(Rule("*.test", "no", 0.0))
    assert len(ranker.host_priorities()) == 2


def test_a_label_given_before_a_site_is_known_counts_later():
    ranker = Sites()
    ranker.apply_rule(Rule("late.test", "no", 0.0))
    ranker.add_hosts(["https://late.test"])
    assert ranker.host_priorities() == {"https://late.test": "you labelled it: does not hold it"}


def test_when_nothing_is_left_to_explore_it_collects():
    ranker = fed(Sites(), a=[0.9], b=[0.3], c=[])
    assert ranker.on_exhausted()
    turns = ranker.host_priorities()
    assert turns["http://a.test"] is None
    assert 0 < turns["http://c.test"] < 0.1  # may still answer
    assert not ranker.on_exhausted()
    assert not Sites().on_exhausted()


def test_a_site_that_never_responds_is_not_tried_again():
    ranker = fed(Sites(), a=[0.2], b=[])
    for _ in range(DEAD):
        ranker.learn_page(failed("b.test"))
    assert ranker.host_priorities()["http://b.test"] == "does not respond"
    assert ranker.table.statuses()[1].verdict == "unknown"


def test_a_site_without_relevant_pages_is_left_while_collecting():
    ranker = fed(Sites(explore=10), a=[0.49] * 5, b=[0.45] * 5)
    ranker.apply_rule(Rule("a.test", "open", 0.0))
    ranker.host_priorities()
    for number in range(60):
        ranker.learn_page(outcome("a.test", 0.2, 10 + number))
    assert isinstance(ranker.host_priorities()["http://a.test"], str)


def test_it_is_saved_and_continues_to_explore_with_more_pages(tmp_path):
    ranker = fed(Sites(explore=3), a=[0.9], b=[0.1, 0.1])
    assert ranker.collecting
    ranker.save(tmp_path)
    again = Sites(explore=3)
    again.load(tmp_path)
    assert again.collecting == ranker.collecting
    again.add_hosts(["http://a.test", "http://b.test"])
    assert again.host_priorities()["http://a.test"] is None
    more = Sites(explore=50)
    more.load(tmp_path)
    assert not more.collecting
    assert more.explored == 3


def test_statistics_of_the_store_override_an_older_file():
    ranker = Sites()
    ranker.restore_hosts(
        [
            ("http://a.test", 4, 1.0, 0.4, 1),
            ("https://a.test", 1, 0.5, 0.25, 0),
            ("http://b.test", 0, 0.0, 0.0, 0),
        ]
    )
    first, second = ranker.table.statuses()[0], ranker.table.statuses()[1]
    assert (first.pages, first.hits, first.verdict) == (5, 1, "yes")
    assert second.verdict == "unknown"
    assert ranker.host_priorities()["http://b.test"] == 1.0


def test_it_learns_words_from_sites_that_are_decided():
    ranker = Sites(explore=1_000)
    for number in range(8):
        good = number % 2 == 0
        text = "tables of figures in percent" if good else "recipes and gossip on holidays"
        for page in range(6):
            value = 0.9 if good and page == 5 else 0.1
            ranker.learn_page(outcome(f"s{number}.test", value, page, text=text * 4))
    ranker.apply_rule(Rule("s0.test", "yes", 0.0))
    for page in range(20):
        ranker.learn_page(outcome("s1.test", 0.1, 20 + page, text="gossip"))
    assert ranker.training.classifier is not None
    ranker.learn_page(outcome("new.test", 0.1, text="more figures and tables, percent by percent"))
    ranker.learn_page(outcome("old.test", 0.1, text="gossip about recipes"))
    table = ranker.table
    assert table.statuses()[table.find("new.test")].chance > table.statuses()[table.find("old.test")].chance


def frontier_of(*origins):
    frontier = Frontier(delay=0.0)
    names = np.arange(1, len(origins) + 1).astype(np.uint64)
    scores = np.linspace(0.9, 0.1, len(origins)).astype(np.float32)
    frontier.add(1, list(origins), names, scores, np.ones(len(origins), bool))
    return frontier


def test_hosts_compete_by_their_priority_and_links_keep_their_scores():
    frontier = frontier_of("http://a.test", "http://b.test", "http://c.test")
    frontier.set_priority("http://c.test", 1.0)
    frontier.set_priority("http://a.test", 0.001)
    taken = [frontier.take(0.0) for _ in range(3)]
    assert taken == [3, 2, 1]
    assert frontier.score(3) == pytest.approx(0.1)
    assert frontier.score(1) == pytest.approx(0.9)


def test_hosts_that_are_left_are_not_taken_and_come_back():
    frontier = frontier_of("http://a.test", "http://b.test")
    frontier.set_priority("http://a.test", "not now")
    frontier.suspend("http://b.test", "you excluded it")
    assert frontier.take(0.0) is None
    assert frontier.open == 0
    frontier.set_priority("http://b.test", 0.5)  # a person's word stands
    frontier.set_priority("http://a.test", None)
    assert frontier.take(0.0) == 1
    assert frontier.take(0.0) is None
    assert frontier.suspended() == {"http://b.test": "you excluded it"}


def test_a_better_link_found_later_changes_the_order_within_its_host_only():
    frontier = frontier_of("http://a.test", "http://b.test")
    frontier.set_priority("http://a.test", 0.9)
    frontier.set_priority("http://b.test", 0.8)
    later = np.array([0.95], np.float32), np.array([True])
    frontier.add(3, ["http://b.test"], np.array([9], np.uint64), *later)
    frontier.add(
        4, ["http://a.test"], np.array([10], np.uint64), np.array([0.99], np.float32), np.array([True])
    )
    order = []
    for _ in range(4):
        id = frontier.take(0.0)
        order.append(id)
        frontier.done(id, 0.0)
    assert order == [4, 1, 3, 2]
