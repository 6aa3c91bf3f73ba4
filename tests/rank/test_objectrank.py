"""ObjectRank: rows draw links forward, answers push them back, and the frontier hears only what moved."""

import numpy as np
import pytest

from clew import urls
from clew.rank.baselines.pagerank import PageRank
from clew.rank.records.objectrank import OTHERS, PAGE, ROWS, ObjectRank
from clew.testing import check_ranker

from .graphs import outcome
from .tables import BOOKS, RankerCrawl, address, book_table


def test_it_passes_the_ranker_checks_with_and_without_a_table():
    check_ranker(ObjectRank())
    ranker = ObjectRank()
    ranker.use_table(book_table())
    check_ranker(ranker)


def test_links_on_pages_that_share_rows_come_first():
    crawl = RankerCrawl(ObjectRank(), book_table())
    crawl.read(1, 11, 12, found=[BOOKS[0], BOOKS[1]])
    crawl.read(2, 21, 22)
    crawl.read(3, 31, 32, found=[BOOKS[0]])
    assert crawl.score(11) > crawl.score(31) > crawl.score(21)


def test_an_off_topic_label_lowers_links_and_another_label_restores_them():
    crawl = RankerCrawl(ObjectRank(tolerance=1e-9), book_table())
    odd = ("A. Baker", "Sixty Soups")
    crawl.read(1, 11, found=[BOOKS[0]])
    crawl.read(2, 21, found=[odd])
    crawl.read(3, 31, found=[odd])
    crawl.read(4, 41)
    row = crawl.table.find(odd)
    before = crawl.score(21)
    assert before > crawl.score(41)
    crawl.table.set_row_label(row, "off-topic")
    crawl.rerank()
    after = crawl.score(21)
    assert after < before
    assert after == pytest.approx(crawl.score(41)), "p3 of Figure 4: as if nothing had been found on it"
    assert crawl.score(11) > after
    crawl.table.set_row_label(row, "right")
    crawl.rerank()
    assert crawl.score(21) == pytest.approx(before, rel=0.01)
    crawl.table.set_row_label(row, "noise")
    crawl.rerank()
    assert crawl.score(21) == pytest.approx(crawl.score(41)), "noise stands nowhere"
    crawl.table.set_row_label(row, "")
    crawl.rerank()
    assert crawl.score(21) == pytest.approx(before, rel=0.01)


def test_rows_found_later_on_an_old_page_count():
    crawl = RankerCrawl(ObjectRank(), book_table())
    crawl.read(1, 11, 12)
    crawl.read(2, 21, 22)
    assert crawl.score(11) == pytest.approx(crawl.score(21), rel=0.01)
    for values in BOOKS:
        crawl.table.add(values, page=1, pattern=4, confidence=0.7)
    crawl.table.add(BOOKS[0], page=99, pattern=4)  # of an earlier run: nobody knows its links
    crawl.read(3)
    assert crawl.score(11) > 1.05 * crawl.score(21)
    crawl.table.remove_support(0, 1, 4)
    crawl.table.remove_support(1, 1, 4)
    crawl.table.remove_support(2, 1, 4)
    crawl.read(4)
    crawl.read(5, *range(50, 60))
    crawl.read(6)
    assert crawl.score(11) == pytest.approx(crawl.score(21), rel=0.02)


def test_without_a_table_it_is_pagerank():
    rng = np.random.default_rng(3)
    web = {page: rng.choice(40, 6, replace=False).tolist() for page in range(20)}
    mine, theirs = ObjectRank(tolerance=1e-9), PageRank(damping=0.85 * 0.7, every=1, growth=0, tolerance=1e-9)
    for page, targets in web.items():
        for ranker in (mine, theirs):
            RankerCrawl(ranker).read(page, *(target for target in targets if target != page))
    mine.graph.settle(1e-9)
    names = mine.index.hashes
    ours = mine.graph.ranks
    exact = theirs.compute()[theirs.index.rows(names)]
    assert ours / ours.sum() == pytest.approx(exact / exact.sum(), rel=1e-4)


def test_parts_show_the_contribution_of_rows():
    crawl = RankerCrawl(ObjectRank(), book_table())
    crawl.read(1, 11, 12, found=[BOOKS[0], BOOKS[1]])
    crawl.read(2, 11, 21)
    crawl.read(3, 31, 11, found=[BOOKS[0]])
    parts = crawl.ranker.parts(*crawl.last)
    total = np.sum(list(parts.values()), axis=0)
    assert total == pytest.approx(crawl.ranker.score(*crawl.last), abs=1e-6)
    assert (parts[ROWS] > parts[PAGE] / 10).all()
    assert parts[OTHERS][0] == pytest.approx(0, abs=1e-6), "nobody else points to 31"
    assert parts[OTHERS][1] > 0.05
    crawl.read(4, 41)
    assert crawl.ranker.parts(*crawl.last)[ROWS][0] == 0


def test_only_links_whose_score_changed_are_reranked():
    crawl = RankerCrawl(ObjectRank(), book_table())
    rng = np.random.default_rng(4)
    for page in range(300):
        found = [BOOKS[0]] if page % 50 == 0 else []
        crawl.read(page, *(rng.integers(1_000, 9_000, 20).tolist()), found=found)
    reranked = sum(crawl.reranked)
    assert len(crawl.reranked) < 200, "not at every page"
    assert reranked < 40 * len(crawl.scores), "and not of every link each time"
    before = len(crawl.reranked)
    crawl.table.set_row_label(0, "off-topic")
    crawl.rerank()
    assert len(crawl.reranked) == before + 1, "an answer counts at once"
    assert 0 < crawl.reranked[-1] < len(crawl.scores) / 2


def test_fetched_links_are_not_reranked():
    ranker = ObjectRank()
    crawl = RankerCrawl(ranker, book_table())
    crawl.read(1, 2, 3)
    crawl.read(2, 4, found=[BOOKS[0]])
    ranker.learn(outcome(address(9), 0.0))
    crawl.table.set_row_label(0, "off-topic")
    names, _ = ranker.rerank()
    assert urls.fingerprint(address(2)) not in names.tolist()


def test_a_page_with_ten_thousand_rows_and_a_row_on_a_thousand_pages():
    table = book_table()
    crawl = RankerCrawl(ObjectRank(), table)
    crawl.read(1, 11, found=[(f"author {n}", f"title {n}") for n in range(10_000)])
    for page in range(2, 1_000):
        crawl.read(page, 10_000 + page, found=[BOOKS[0]])
    assert np.isfinite(crawl.ranker.graph.ranks).all()
    exact, _, _ = crawl.ranker.graph.compute(1e-9)
    crawl.ranker.graph.settle(1e-6)
    assert crawl.ranker.graph.ranks == pytest.approx(exact, rel=1e-3)
