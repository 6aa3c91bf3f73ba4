"""Shared rows: the formula of the paper, examples chosen by it, and links that look like them."""

import pytest

from clew import registry
from clew.rank.records.records_jaccard import RecordsJaccard
from clew.testing import check_ranker, sample_outcome
from clew.types import Links

from .tables import BOOKS, RankerCrawl, book_table
from .test_records_text import FILLER, settled

SHELF = "Shelf mark and spine label, bound in cloth, second printing, available in the reading room."
COOKING = "Whisk the eggs, melt the butter, season the broth and serve with toast."


def test_it_passes_the_ranker_checks_with_and_without_a_table():
    check_ranker(RecordsJaccard())
    ranker = RecordsJaccard()
    ranker.use_table(book_table())
    check_ranker(ranker)
    check_ranker(registry.make("ranker", "records-jaccard"))


def test_without_a_table_the_score_is_the_verdict():
    ranker = RecordsJaccard()
    assert ranker.score(sample_outcome(0.25), Links.plain(["https://b.test/"], 0)).tolist() == [0.25]


def test_the_formula():
    crawl = RankerCrawl(RecordsJaccard(), book_table())
    new = ("J. Ullman", "Principles of Database Systems")
    crawl.read(1, 11, found=[BOOKS[0], BOOKS[1], new])
    crawl.read(2, 21, found=[BOOKS[0]])
    crawl.read(3, 31)
    share = crawl.ranker.share
    assert [share(1), share(2), share(3), share(99)] == pytest.approx([3 / 4, 1 / 4, 0, 0])
    crawl.table.set_row_label(crawl.table.find(new), "off-topic")
    crawl.rerank()
    assert [share(1), share(2)] == pytest.approx([2 / 4, 1 / 3]), "t has 3 rows, page 1 one more beside"
    crawl.table.set_row_label(crawl.table.find(new), "noise")
    crawl.rerank()
    assert [share(1), share(2)] == pytest.approx([2 / 3, 1 / 3]), "noise is no row of the page"
    crawl.table.set_row_label(crawl.table.find(new), "")
    crawl.rerank()
    assert share(1) == pytest.approx(3 / 4)


def test_links_on_pages_like_those_that_hold_rows_come_first():
    crawl = settled(RecordsJaccard(), book_table())
    crawl.read(1, 11, text=SHELF, found=BOOKS)
    crawl.read(2, 21, text=COOKING)
    like = crawl.read(3, 31, text=f"{SHELF} Opening hours apply.")
    unlike = crawl.read(4, 41, text=f"{COOKING} Opening hours apply.")
    assert like[0] > 5 * unlike[0]


def test_before_any_row_was_found_the_words_of_the_table_are_the_query():
    crawl = settled(RecordsJaccard(), book_table())
    near = crawl.read(1, 11, text="Theory of relational databases.")
    far = crawl.read(2, 21, text=FILLER[0])
    assert near[0] > far[0]


def test_pages_with_rows_off_topic_stop_being_examples():
    crawl = settled(RecordsJaccard(examples=1), book_table())
    soups = [(f"Cook {n}", f"Soup number {n}") for n in range(4)]
    crawl.read(1, 11, text=COOKING, found=soups)
    crawl.read(2, 21, text=SHELF, found=BOOKS)
    crawl.read(3, 31, text=f"{COOKING} Again.")
    crawl.read(4, 41, text=f"{SHELF} Again.")
    assert crawl.score(31) > crawl.score(41), "four rows are more than three"
    for values in soups[:2]:
        crawl.table.set_row_label(crawl.table.find(values), "off-topic")
    crawl.rerank()
    assert crawl.score(41) > 2 * crawl.score(31), "old links are scored anew as well"


def test_rows_found_later_on_an_old_page_make_it_an_example():
    crawl = settled(RecordsJaccard(), book_table())
    crawl.read(1, 11, text=SHELF)
    crawl.read(2, 21, text=COOKING)
    crawl.read(3, 31, text=f"{SHELF} Again.")
    for values in BOOKS:
        crawl.table.add(values, page=1, pattern=3)
        crawl.table.add(values, page=77, pattern=3)  # of an earlier run: its words are not known
    crawl.read(5, 51, text="Nothing.")
    assert crawl.score(31) > 2 * crawl.score(21)


def test_pagerank_from_the_examples_follows_the_links_of_pages_with_rows():
    crawl = RankerCrawl(RecordsJaccard(follow="pagerank"), book_table())
    crawl.read(1, 11, 12, found=BOOKS)
    crawl.read(2, 21, 22)
    crawl.read(3, 21, 22)
    assert crawl.score(11) > crawl.score(21), "two pages link to 21, but no example"
    far = crawl.read(12, 121)
    assert far[0] > crawl.score(21), "rank flows on from a page that an example links to"
    for row in range(len(BOOKS)):
        crawl.table.set_row_label(row, "off-topic")
    crawl.rerank()
    assert crawl.score(21) > crawl.score(11), "without examples it is PageRank"


def test_pagerank_from_the_examples_is_exact():
    ranker = RecordsJaccard(follow="pagerank", damping=0.5)
    crawl = RankerCrawl(ranker, book_table())
    crawl.read(1, 2, 3, found=BOOKS)
    crawl.read(2, 1)
    crawl.table.set_row_label(0, "right")
    crawl.rerank()
    # Jumps, also from the end 3, go to 1: r1 = 0.5·3 + 0.5·(r2 + r3), r2 = r3 = r1 / 4.
    assert crawl.score(3) == pytest.approx(0.5 / 1.5, abs=1e-3)


def test_pagerank_passes_the_ranker_checks_and_is_an_option():
    ranker = registry.make("ranker", "records-jaccard", {"follow": "pagerank"})
    ranker.use_table(book_table())
    check_ranker(ranker)
