"""The bandit over places: which lists pay, which menus do not."""

import math

import numpy as np
import pytest

from clew import urls
from clew.rank.baselines.tagpath import TagPath
from clew.rank.shared.tagpath_clusters import TagPathClusters, path_vector
from clew.rank.shared.url_classifier import UrlClassifier

from .graphs import Frontier, visit

RESULTS, MENU = "body/main/div/ul.results/li/a", "body/nav/ul/li/a"


def page(number):
    """Return the links of a page: five results and five entries of a menu."""
    hits = [(f"https://a.test/{number}/r{n}", "", "", RESULTS) for n in range(5)]
    return hits + [(f"https://a.test/{number}/m{n}", "", "", MENU) for n in range(5)]


def crawl(exploration, pages=60):
    """Crawl pages of which results are worth 1 and menu entries 0; return what was taken, in order."""
    frontier = Frontier(TagPath(exploration=exploration))
    frontier.process("https://a.test/", 0.0, *page(0))
    known = {urls.fingerprint(row[0]): row[0] for row in page(0)}
    for number in range(1, pages):
        best = known[max(frontier.scores, key=frontier.scores.get)]
        frontier.process(best, float("/r" in best), *page(number))
        known.update({urls.fingerprint(row[0]): row[0] for row in page(number)})
    return frontier.order[1:]


def test_result_lists_get_higher_scores_than_the_menu():
    order = crawl(exploration=0.5)
    assert {"/r" in url for url in order[:4]} == {True, False}  # both were tried
    assert np.mean(["/r" in url for url in order[20:]]) > 0.9
    assert order == crawl(exploration=0.5)


def test_the_published_exploration_settles_too_but_later():
    share = np.mean(["/r" in url for url in crawl(exploration=2 * math.sqrt(2), pages=200)[100:]])
    assert 0.6 < share < 1


def test_the_arm_score_is_the_upper_estimate():
    ranker = TagPath()
    visit(ranker, "https://a.test/", 0.0, *page(0))
    visit(ranker, "https://a.test/0/r0", 0.8)
    _, changed = visit(ranker, "https://a.test/0/m0", 0.2)
    scores = dict(zip(changed[0].tolist(), changed[1].tolist(), strict=True))
    chance = ranker.chances[ranker.index.row(urls.fingerprint("https://a.test/0/m1"))]
    upper = 0.2 + 2 * math.sqrt(2) * math.sqrt(math.log(2) / 1)
    wanted = 0.9 * upper / (1 + upper) + 0.1 * chance
    assert scores[urls.fingerprint("https://a.test/0/m1")] == pytest.approx(wanted, rel=1e-4)
    assert urls.fingerprint("https://a.test/0/m0") not in scores  # it was fetched


def test_only_changed_arms_with_open_links_are_reranked():
    ranker = TagPath()
    visit(ranker, "https://a.test/", 0.0, ("https://a.test/only", "", "", MENU), *page(1)[:5])
    _, changed = visit(ranker, "https://a.test/only", 0.5)
    assert changed is None  # its arm is asleep now, the other has not moved
    _, changed = visit(ranker, "https://a.test/1/r0", 0.5)
    assert len(changed[0]) == 4


def test_a_large_arm_waits_until_enough_pages_have_paid():
    ranker = TagPath(allowance=10)
    visit(ranker, "https://a.test/", 0.0, *[(f"https://a.test/{n}", "", "", MENU) for n in range(30)])
    changes = [visit(ranker, f"https://a.test/{n}", 0.0)[1] for n in range(4)]
    assert [change is not None for change in changes] == [False, True, False, False]  # 30 paid for 28 links


def test_urls_order_the_links_of_one_cluster():
    ranker = TagPath()
    rows = [(f"https://a.test/{kind}/{n}", "", "", MENU) for n in range(30) for kind in ("report", "login")]
    visit(ranker, "https://a.test/", 0.0, *rows)
    for url, *_ in rows[:40]:
        visit(ranker, url, float("report" in url))
    scores, _ = visit(
        ranker, "https://a.test/x", 0.0,
        ("https://a.test/report/99", "", "", MENU), ("https://a.test/login/99", "", "", MENU),
    )  # fmt: skip
    assert scores[0] > scores[1] + 0.02


def test_tag_paths_are_clustered_by_cosine():
    first, second = "body/main/div/ul.hits/li/a", "body/main/div/ul.hits/li/b/a"
    (bins, values), (others, amounts) = path_vector(first), path_vector(second)
    both = dict(zip(bins.tolist(), values.tolist(), strict=True))
    cosine = sum(both.get(b, 0) * v for b, v in zip(others.tolist(), amounts.tolist(), strict=True))
    assert cosine == pytest.approx(4 / math.sqrt(5 * 6))
    for likeness, wanted in ((cosine - 0.01, 0), (cosine + 0.01, 1)):
        clusters = TagPathClusters(likeness=likeness)
        assert [clusters.cluster_of(first), clusters.cluster_of(second)] == [0, wanted]
        assert len(clusters) == wanted + 1


def test_the_number_of_clusters_is_bounded():
    clusters = TagPathClusters(most=20)
    assert max(clusters.cluster_of(f"body/p{n}/x{n}/a") for n in range(200)) == 19


def test_urls_get_the_same_scores_alone_and_together():
    addresses = UrlClassifier()
    many = [f"https://a.test/{'x' * n}" for n in range(20)]
    for n, url in enumerate(many):
        addresses.learn(url, n / 20)
    assert addresses.chances(many) == pytest.approx([addresses.chances([url])[0] for url in many], rel=1e-5)
