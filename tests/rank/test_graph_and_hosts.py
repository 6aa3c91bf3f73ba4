"""PageRank against a dense computation; Thompson sampling moves to the host that pays."""

import numpy as np
import pytest

from clew import urls
from clew.rank.baselines.pagerank import PageRank
from clew.rank.baselines.thompson_hosts import ThompsonHosts
from clew.testing import sample_links, sample_outcome

from .graphs import Frontier, visit

WEB = {  # page -> links; e and f are never read
    "a": "bcd",
    "b": "cdaa",
    "c": "ddc",
    "d": "ef",
}


def address(letter):
    return f"https://{letter}.test/"


def dense(damping):
    """Return the ranks of the little web by a full matrix, in units of the average."""
    letters = "abcdef"
    matrix = np.zeros((6, 6))
    for page in letters:
        targets = set(WEB.get(page, "")) - {page}
        for target in targets or letters:
            matrix[letters.index(target), letters.index(page)] = 1 / len(targets or letters)
    ranks = np.ones(6)
    for _ in range(500):
        ranks = 1 - damping + damping * matrix @ ranks
    return dict(zip(letters, ranks, strict=True))


def test_pagerank_equals_a_dense_power_iteration():
    ranker = PageRank(every=4, tolerance=1e-9)
    for page, targets in WEB.items():
        _, changed = visit(ranker, address(page), 0.0, *map(address, targets))
    assert changed is not None  # the fourth page was learned of, its links were not yet known
    exact = ranker.compute()
    for letter, wanted in dense(0.85).items():
        assert exact[ranker.index.row(urls.fingerprint(address(letter)))] == pytest.approx(wanted, rel=1e-5)


def test_pagerank_reranks_only_open_links_at_growing_intervals():
    ranker, moments = PageRank(every=10, growth=0.5), []
    for number in range(100):
        page, other = f"https://a.test/{number}", f"https://a.test/{number + 1}"
        _, changed = visit(ranker, page, 0.0, other, "https://a.test/hub", f"https://b.test/{number}")
        if changed is not None:
            moments.append(number + 1)
            scores = dict(zip(changed[0].tolist(), changed[1].tolist(), strict=True))
            assert urls.fingerprint(page) not in scores
            assert max(scores, key=scores.get) == urls.fingerprint("https://a.test/hub")
    assert moments == [10, 20, 30, 45, 67, 100]


def test_a_link_found_again_gains_rank_at_once():
    ranker = PageRank()
    first, _ = visit(ranker, "https://a.test/", 0.0, "https://a.test/1", "https://a.test/2")
    second, _ = visit(ranker, "https://b.test/", 0.0, "https://a.test/1", "https://b.test/2")
    assert second[0] > first[0] == first[1]


def crawl(seed):
    """Crawl two hosts whose pages are worth 0.8 and 0.1, 30 pages, by the ranker's scores alone."""
    ranker = ThompsonHosts(seed=seed)
    frontier = Frontier(ranker)
    addresses = [f"https://{host}.test/{n}" for n in range(40) for host in ("good", "poor")]
    frontier.process("https://seed.test/", 0.5, *addresses)
    by_name = {urls.fingerprint(url): url for url in addresses}
    for _ in range(30):
        best = by_name[max(frontier.scores, key=frontier.scores.get)]
        frontier.process(best, 0.8 if "good" in best else 0.1)
    return frontier.order[1:]


def test_thompson_prefers_the_host_with_relevant_pages():
    shares = [np.mean(["good" in url for url in crawl(seed)]) for seed in range(5)]
    assert min(shares) > 0.6
    assert np.mean(shares) > 0.8
    assert crawl(3) == crawl(3)


def test_among_links_of_one_host_the_better_page_decides():
    ranker = ThompsonHosts(seed=1)
    poor, _ = visit(ranker, "https://a.test/", 0.1, "https://c.test/1")
    fine, _ = visit(ranker, "https://b.test/", 0.9, "https://c.test/2")
    assert fine[0] > poor[0]
    assert fine[0] - poor[0] < 0.001


def test_http_and_https_are_one_host():
    ranker = ThompsonHosts(seed=1)
    scores, _ = visit(
        ranker, "https://a.test/", 0.5, "http://b.test/1", "https://b.test/2", "https://c.test/"
    )
    assert scores[0] == scores[1] != scores[2]


def test_a_large_host_waits_until_enough_pages_have_paid():
    ranker = ThompsonHosts(seed=1, allowance=10)
    ranker.score(sample_outcome(), sample_links(35))  # all of a.test
    reranked = []
    for _ in range(8):
        ranker.learn(sample_outcome())
        reranked.append(ranker.rerank())
    paid = [number + 1 for number, change in enumerate(reranked) if change is not None]
    assert paid == [4, 7]  # 40 of 35, then the 5 left and 30 more
    assert len(reranked[3][0]) == 35
