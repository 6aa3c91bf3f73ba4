"""Shared rows: the formula of the paper, examples chosen by it, and links that look like them."""

import pytest

from clew import registry
from clew.rank.records.records_jaccard import RecordsJaccard
from clew.testing import check_ranker, sample_outcome
from clew.types import Links

from .tables import BOOKS, Walk, book_of_books
from .test_records_text import FILLER, settled

SHELF = "Shelf mark and spine label, bound in cloth, second printing, available in the reading room."
COOKING = "Whisk the eggs, melt the butter, season the broth and serve with toast."


def test_it_sits_the_examination_with_a_book_and_without():
    check_ranker(RecordsJaccard())
    ranker = RecordsJaccard()
    ranker.use_table(book_of_books())
    check_ranker(ranker)
    check_ranker(registry.make("ranker", "records-jaccard"))


def test_without_a_book_a_link_is_worth_the_verdict():
    ranker = RecordsJaccard()
    assert ranker.score(sample_outcome(0.25), Links.plain(["https://b.test/"], 0)).tolist() == [0.25]


def test_the_formula():
    walk = Walk(RecordsJaccard(), book_of_books())
    new = ("J. Ullman", "Principles of Database Systems")
    walk.read(1, 11, found=[BOOKS[0], BOOKS[1], new])
    walk.read(2, 21, found=[BOOKS[0]])
    walk.read(3, 31)
    share = walk.ranker.share
    assert [share(1), share(2), share(3), share(99)] == pytest.approx([3 / 4, 1 / 4, 0, 0])
    walk.book.set_row_label(walk.book.find(new), "off-topic")
    walk.think()
    assert [share(1), share(2)] == pytest.approx([2 / 4, 1 / 3]), "t has 3 rows, page 1 one more beside"
    walk.book.set_row_label(walk.book.find(new), "noise")
    walk.think()
    assert [share(1), share(2)] == pytest.approx([2 / 3, 1 / 3]), "noise is no row of the page"
    walk.book.set_row_label(walk.book.find(new), "")
    walk.think()
    assert share(1) == pytest.approx(3 / 4)


def test_links_on_pages_like_those_that_hold_rows_come_first():
    walk = settled(RecordsJaccard(), book_of_books())
    walk.read(1, 11, text=SHELF, found=BOOKS)
    walk.read(2, 21, text=COOKING)
    like = walk.read(3, 31, text=f"{SHELF} Opening hours apply.")
    unlike = walk.read(4, 41, text=f"{COOKING} Opening hours apply.")
    assert like[0] > 5 * unlike[0]


def test_before_any_row_was_found_the_words_of_the_table_lead():
    walk = settled(RecordsJaccard(), book_of_books())
    near = walk.read(1, 11, text="Theory of relational databases.")
    far = walk.read(2, 21, text=FILLER[0])
    assert near[0] > far[0]


def test_pages_with_rows_off_topic_stop_being_examples():
    walk = settled(RecordsJaccard(examples=1), book_of_books())
    soups = [(f"Cook {n}", f"Soup number {n}") for n in range(4)]
    walk.read(1, 11, text=COOKING, found=soups)
    walk.read(2, 21, text=SHELF, found=BOOKS)
    walk.read(3, 31, text=f"{COOKING} Again.")
    walk.read(4, 41, text=f"{SHELF} Again.")
    assert walk.score(31) > walk.score(41), "four rows are more than three"
    for values in soups[:2]:
        walk.book.set_row_label(walk.book.find(values), "off-topic")
    walk.think()
    assert walk.score(41) > 2 * walk.score(31), "old links are scored anew as well"


def test_rows_found_later_on_an_old_page_make_it_an_example():
    walk = settled(RecordsJaccard(), book_of_books())
    walk.read(1, 11, text=SHELF)
    walk.read(2, 21, text=COOKING)
    walk.read(3, 31, text=f"{SHELF} Again.")
    for values in BOOKS:
        walk.book.add(values, page=1, pattern=3)
        walk.book.add(values, page=77, pattern=3)  # of an earlier run: its words are not known
    walk.read(5, 51, text="Nothing.")
    assert walk.score(31) > 2 * walk.score(21)
