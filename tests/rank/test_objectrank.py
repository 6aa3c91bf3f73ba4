"""ObjectRank: rows draw links forward, answers push them back, and the frontier hears only what moved."""

import numpy as np
import pytest

from clew import urls
from clew.rank.baselines.pagerank import PageRank
from clew.rank.records.objectrank import OTHERS, PAGE, ROWS, ObjectRank
from clew.testing import check_ranker

from .graphs import outcome
from .tables import BOOKS, Walk, address, book_of_books


def test_it_sits_the_examination_with_a_book_and_without():
    check_ranker(ObjectRank())
    ranker = ObjectRank()
    ranker.use_table(book_of_books())
    check_ranker(ranker)


def test_links_on_pages_that_share_rows_come_first():
    walk = Walk(ObjectRank(), book_of_books())
    walk.read(1, 11, 12, found=[BOOKS[0], BOOKS[1]])
    walk.read(2, 21, 22)
    walk.read(3, 31, 32, found=[BOOKS[0]])
    assert walk.score(11) > walk.score(31) > walk.score(21)


def test_an_answer_off_topic_pushes_links_back_and_another_restores_them():
    walk = Walk(ObjectRank(tolerance=1e-9), book_of_books())
    odd = ("A. Baker", "Sixty Soups")
    walk.read(1, 11, found=[BOOKS[0]])
    walk.read(2, 21, found=[odd])
    walk.read(3, 31, found=[odd])
    walk.read(4, 41)
    row = walk.book.find(odd)
    before = walk.score(21)
    assert before > walk.score(41)
    walk.book.set_row_label(row, "off-topic")
    walk.think()
    after = walk.score(21)
    assert after < before
    assert after == pytest.approx(walk.score(41)), "p3 of Figure 4: as if nothing had been found on it"
    assert walk.score(11) > after
    walk.book.set_row_label(row, "right")
    walk.think()
    assert walk.score(21) == pytest.approx(before, rel=0.01)
    walk.book.set_row_label(row, "noise")
    walk.think()
    assert walk.score(21) == pytest.approx(walk.score(41)), "noise stands nowhere"
    walk.book.set_row_label(row, "")
    walk.think()
    assert walk.score(21) == pytest.approx(before, rel=0.01)


def test_rows_found_later_on_an_old_page_count():
    walk = Walk(ObjectRank(), book_of_books())
    walk.read(1, 11, 12)
    walk.read(2, 21, 22)
    assert walk.score(11) == pytest.approx(walk.score(21), rel=0.01)
    for values in BOOKS:
        walk.book.add(values, page=1, pattern=4, confidence=0.7)
    walk.book.add(BOOKS[0], page=99, pattern=4)  # of an earlier run: nobody knows its links
    walk.read(3)
    assert walk.score(11) > 1.05 * walk.score(21)
    walk.book.remove_support(0, 1, 4)
    walk.book.remove_support(1, 1, 4)
    walk.book.remove_support(2, 1, 4)
    walk.read(4)
    walk.read(5, *range(50, 60))
    walk.read(6)
    assert walk.score(11) == pytest.approx(walk.score(21), rel=0.02)


def test_without_a_table_it_is_pagerank():
    dice = np.random.default_rng(3)
    web = {page: dice.choice(40, 6, replace=False).tolist() for page in range(20)}
    mine, theirs = ObjectRank(tolerance=1e-9), PageRank(damping=0.85 * 0.7, every=1, growth=0, tolerance=1e-9)
    for page, targets in web.items():
        for ranker in (mine, theirs):
            Walk(ranker).read(page, *(target for target in targets if target != page))
    mine.graph.settle(1e-9)
    names = mine.index.hashes
    ours = mine.graph.ranks
    exact = theirs.compute()[theirs.index.rows(names)]
    assert ours / ours.sum() == pytest.approx(exact / exact.sum(), rel=1e-4)


def test_parts_say_what_rows_gave():
    walk = Walk(ObjectRank(), book_of_books())
    walk.read(1, 11, 12, found=[BOOKS[0], BOOKS[1]])
    walk.read(2, 11, 21)
    walk.read(3, 31, 11, found=[BOOKS[0]])
    parts = walk.ranker.parts(*walk.last)
    total = np.sum(list(parts.values()), axis=0)
    assert total == pytest.approx(walk.ranker.score(*walk.last), abs=1e-6)
    assert (parts[ROWS] > parts[PAGE] / 10).all()
    assert parts[OTHERS][0] == pytest.approx(0, abs=1e-6), "nobody else points to 31"
    assert parts[OTHERS][1] > 0.05
    walk.read(4, 41)
    assert walk.ranker.parts(*walk.last)[ROWS][0] == 0


def test_the_frontier_hears_only_of_links_that_moved():
    walk = Walk(ObjectRank(), book_of_books())
    dice = np.random.default_rng(4)
    for page in range(300):
        found = [BOOKS[0]] if page % 50 == 0 else []
        walk.read(page, *(dice.integers(1_000, 9_000, 20).tolist()), found=found)
    told = sum(walk.reranked)
    assert len(walk.reranked) < 200, "not at every page"
    assert told < 40 * len(walk.scores), "and not of every link each time"
    before = len(walk.reranked)
    walk.book.set_row_label(0, "off-topic")
    walk.think()
    assert len(walk.reranked) == before + 1, "an answer counts at once"
    assert 0 < walk.reranked[-1] < len(walk.scores) / 2


def test_links_that_were_fetched_are_not_told():
    ranker = ObjectRank()
    walk = Walk(ranker, book_of_books())
    walk.read(1, 2, 3)
    walk.read(2, 4, found=[BOOKS[0]])
    ranker.learn(outcome(address(9), 0.0))
    walk.book.set_row_label(0, "off-topic")
    names, _ = ranker.rerank()
    assert urls.fingerprint(address(2)) not in names.tolist()


def test_a_page_with_ten_thousand_rows_and_a_row_on_a_thousand_pages():
    book = book_of_books()
    walk = Walk(ObjectRank(), book)
    walk.read(1, 11, found=[(f"author {n}", f"title {n}") for n in range(10_000)])
    for page in range(2, 1_000):
        walk.read(page, 10_000 + page, found=[BOOKS[0]])
    assert np.isfinite(walk.ranker.graph.ranks).all()
    exact, _, _ = walk.ranker.graph.compute(1e-9)
    walk.ranker.graph.settle(1e-6)
    assert walk.ranker.graph.ranks == pytest.approx(exact, rel=1e-3)
