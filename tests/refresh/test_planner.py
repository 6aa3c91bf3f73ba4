"""What is worth visiting again: rates from a page's own history, then from the pages around it."""

import numpy as np
import pytest

from clew.contracts import PageHistory, VisitColumns
from clew.domain.link_worth import LinkWorth
from clew.domain.refresh import (
    DAY,
    RefreshPlanner,
    change_rates,
    expected_changes,
    expected_new,
    relevant_share,
)

NOW = 1_000 * DAY


def history(urls, visits=(), **columns):
    """Return a history of pages; visits are (row, days, changed, new links)."""
    size = len(urls)
    rows, days, changed, links = zip(*visits, strict=True) if visits else ((),) * 4
    given = {
        "kinds": np.zeros(size, np.int8),
        "types": ["text/html"] * size,
        "verdicts": np.ones(size),
        "relevant": np.ones(size, bool),
        "seen_at": np.full(size, NOW - 7 * DAY),
        "stable_at": np.full(size, np.nan),
        "lost": np.zeros(size, bool),
        "first_children": np.zeros(size, np.int64),
        "read": np.zeros(size, np.int64),
        "hits": np.zeros(size, np.int64),
    } | {name: np.array(value) if isinstance(value, list) else value for name, value in columns.items()}
    return PageHistory(
        ids=np.arange(1, size + 1), urls=list(urls), **given,
        visits=VisitColumns(
            rows=np.array(rows, np.int64), seconds=np.array(days, float) * DAY,
            changed=np.array(changed, bool), links=np.array(links, np.int64),
        ),
    )  # fmt: skip


def test_the_rate_of_a_page_with_a_long_history_is_its_own():
    visits = [(0, 7, True, 0)] * 20 + [(1, 7, False, 0)] * 20
    rates, _ = change_rates(history(["http://a/1", "http://a/2"], visits))
    often, never = rates * DAY
    assert often > 0.2  # at least once a week, probably more often than it was visited
    assert never < 0.01


def test_a_rate_is_recovered_from_irregular_visits():
    draw = np.random.default_rng(3)
    true = 1 / 20
    days = draw.uniform(2, 30, 400)
    visits = [(0, gap, bool(draw.random() < 1 - np.exp(-true * gap)), 0) for gap in days]
    rates, _ = change_rates(history(["http://a/1"], visits))
    assert rates[0] * DAY == pytest.approx(true, rel=0.15)


def test_a_page_without_history_is_like_its_folder_and_then_like_its_host():
    urls = ["http://a/news/1", "http://a/news/2", "http://a/law/1", "http://a/law/2", "http://b/x/1"]
    visits = [(0, 7, True, 0)] * 8 + [(2, 7, False, 0)] * 8
    rates, _ = change_rates(history(urls, visits))
    assert rates[1] > 2 * rates[3]
    assert rates[3] < rates[4] < rates[1]


def test_a_page_that_says_when_it_was_modified_tells_of_the_time_before_the_first_visit():
    seen = NOW - 7 * DAY
    both = history(["http://a/1", "http://b/1"], stable_at=[seen - 2_000 * DAY, seen - 2 * DAY])
    old, young = change_rates(both)[0]
    assert old < young / 5


def test_a_change_is_worth_the_verdict_of_a_relevant_page_only():
    gain = expected_changes(
        history(
            ["http://a/1", "http://a/2", "http://a/3"], verdicts=[1.0, 0.6, 0.4], relevant=[True, True, False]
        ),
        NOW,
    )
    assert gain[0] > gain[1] > gain[2] == 0


def test_the_longer_a_page_was_not_seen_the_more_is_expected_of_it():
    seen = [NOW - DAY, NOW - 10 * DAY, NOW - 100 * DAY]
    pages = history(["http://a/1", "http://a/2", "http://a/3"], seen_at=seen, first_children=[5, 5, 5])
    for gain in (expected_changes(pages, NOW), expected_new(pages, NOW)):
        assert gain[0] < gain[1] < gain[2]


def test_new_pages_are_expected_where_they_came_from_and_are_relevant():
    urls = ["http://a/list", "http://a/quiet", "http://b/list"]
    visits = [(0, 7, True, 4)] * 3 + [(1, 7, False, 0)] * 3 + [(2, 7, True, 4)] * 3
    gain = expected_new(
        history(urls, visits, first_children=[20, 20, 20], read=[30, 20, 30], hits=[24, 10, 0]), NOW
    )
    assert gain[0] > 2  # four a week, most of them relevant
    assert gain[0] > 10 * gain[1]
    assert gain[0] > 10 * gain[2]


def test_the_share_of_relevant_links_is_that_of_the_folder_where_little_was_read():
    urls = ["http://a/good/", "http://a/good/2", "http://a/poor/", "http://a/poor/2"]
    share = relevant_share(history(urls, read=[40, 0, 40, 0], hits=[38, 0, 1, 0]))
    assert share[1] > 0.5 > share[3]
    assert ((share >= 0) & (share <= 1)).all()


def test_feeds_stand_for_all_pages_of_their_host():
    pages = history(
        ["http://a/", "http://a/x", "http://a/feed.xml"], kinds=np.array([0, 0, 3], np.int8),
        read=[10, 0, 0], hits=[9, 0, 0], first_children=[2, 0, 0],
    )  # fmt: skip
    gain = expected_new(pages, NOW)
    assert gain[2] > gain[1]


def test_few_links_are_expected_of_what_is_no_list():
    urls = [f"http://a/list/{n}" for n in range(4)] + [f"http://a/page/{n}" for n in range(12)]
    visits = [(n, 7, True, 3) for n in range(3)] + [(n, 7, True, 0) for n in range(4, 14)]
    children = [16] * 4 + [0] * 12
    gain = expected_new(history(urls, visits, first_children=children, read=children, hits=children), NOW)
    assert gain[3] > 1  # not visited again yet, but a list like the others
    assert gain[3] > 20 * gain[15]


def test_a_new_link_is_worth_what_the_links_around_it_were():
    urls = [
        "http://a/list",
        *(f"http://a/good/{n}" for n in range(6)),
        *(f"http://a/poor/{n}" for n in range(6)),
    ]
    relevant = [False, *[True] * 6, *[False] * 6]
    worth = LinkWorth()
    worth.restore(history(urls, relevant=relevant, read=[12] + [0] * 12, hits=[6] + [0] * 12))
    good, poor, other = (worth.value(url, 0) for url in ("http://a/good/9", "http://a/poor/9", "http://b/9"))
    assert good > 0.85
    assert poor < 0.1
    assert poor < other < good
    assert worth.value("http://a/poor/9", 1) > 3 * poor  # it is on a list of which half is relevant


def test_what_links_are_worth_is_the_same_whether_it_is_stored_or_learned():
    stored, learned = LinkWorth(), LinkWorth()
    urls = ["http://a/list", "http://a/x/1", "http://a/x/2", "http://a/y/3"]
    stored.restore(history(urls, relevant=[False, True, False, True], read=[3, 0, 0, 0], hits=[2, 0, 0, 0]))
    learned.learn(urls[0], 0, relevant=False)
    learned.learn(urls[1], 1, relevant=False)
    learned.learn(urls[1], 1, relevant=True, before=False)  # read again: it has become relevant
    learned.learn(urls[2], 1, relevant=False)
    learned.learn(urls[3], 1, relevant=True)
    for url in ("http://a/x/9", "http://a/y/9", "http://b/"):
        for parent in (0, 1, 7):
            assert stored.value(url, parent) == learned.value(url, parent)


def test_the_policy_decides_between_links_that_are_worth_the_same():
    low, high = LinkWorth().scores(["http://a/1", "http://a/2"], 0, np.array([0.1, 0.9], np.float32))
    assert 0 < low < high < low + 0.05


def test_a_page_that_was_not_found_is_nearly_left_alone():
    pages = history(["http://a/1", "http://a/2"], lost=[False, True], first_children=[3, 3])
    there, lost = RefreshPlanner()(pages, NOW)
    assert 0 < lost < there / 5


def test_scores_are_between_0_and_1_in_the_order_of_the_gain():
    visits = [(0, 7, True, 100)] * 3 + [(1, 7, True, 10)] * 3 + [(2, 7, True, 1)] * 3
    pages = history(["http://a/1", "http://b/2", "http://c/3"], visits, read=[9, 9, 9], hits=[9, 9, 9])
    scores = RefreshPlanner()(pages, NOW)
    assert 1 > scores[0] > scores[1] > scores[2] > 0


def test_an_empty_history_has_an_empty_plan():
    assert len(RefreshPlanner()(history([]), NOW)) == 0
