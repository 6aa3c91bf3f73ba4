"""Records as text: rows are a query, phrases count, answers move it, and open links follow."""

from dataclasses import replace

import numpy as np
import pytest

from clew import registry
from clew.domain.records.record_table import RecordTable
from clew.rank.records.page_vectors import PAGE, STORED_PAGES, PageVectorizer, PageVectors
from clew.rank.records.records_text import RecordsText
from clew.testing import check_ranker, sample_outcome
from clew.types import Links

from .tables import BOOKS, RankerCrawl, book_table

FILLER = [
    "Soup of the day with bread and butter, and a list of recipes for the winter months.",
    "The harbour office opens at nine; boats may be moored along the northern quay.",
    "Minutes of the meeting of the garden club, with apologies for absence.",
    "A history of the parish church, its bells and its organ, by the vicar.",
]


def settled(ranker, table):
    """Return a walk that has read a few pages of nothing in particular, so that words are rare or not."""
    crawl = RankerCrawl(ranker, table)
    for number, text in enumerate(FILLER * 3):
        crawl.read(900 + number, 2_000 + number, text=f"{text} Page {number}.")
    return crawl


def test_it_passes_the_ranker_checks_with_and_without_a_table():
    check_ranker(RecordsText())
    ranker = RecordsText()
    ranker.use_table(book_table())
    check_ranker(ranker)
    check_ranker(registry.make("ranker", "records-text", about="books", seed=3))


def test_without_a_table_the_score_is_the_verdict():
    assert RecordsText().score(sample_outcome(0.25), Links.plain(["https://b.test/"], 0)).tolist() == [0.25]
    empty = RecordsText()
    empty.use_table(RecordTable(("a", "b")))
    assert empty.score(sample_outcome(0.25), Links.plain(["https://b.test/"], 0)).tolist() == [0.25]


def test_links_on_pages_about_the_rows_come_first():
    crawl = settled(RecordsText(), book_table())
    near = crawl.read(1, 11, text="Object Data Management, reviewed: relational databases and their theory.")
    far = crawl.read(2, 21, text="Sixty soups for cold evenings.")
    assert near[0] > 0.1
    assert far[0] < 0.01
    worded = crawl.read(3, (31, "Database systems"), (32, "Contact"), text="A list of shelves.")
    assert worded[0] > worded[1] + 0.05


def test_a_name_of_several_words_is_a_phrase():
    crawl = settled(RecordsText(), book_table())
    whole = crawl.read(1, 11, text="We spoke with C. J. Date about his work over the years.")
    separate = crawl.read(2, 21, text="We spoke about a date; J. and C. worked there over the years.")
    assert whole[0] > 1.5 * separate[0] > 0
    assert len(PageVectorizer().counts("C. J. Date")) == 1, "a phrase counts only where a table says it"


def test_phrases_of_scripts_without_blanks():
    table = RecordTable(("著者", "書名"), [("石川佳治", "データベースの基礎")])
    crawl = settled(RecordsText(), table)
    whole = crawl.read(1, 11, text="本日は石川佳治先生の講義です。")
    other = crawl.read(2, 21, text="本日は北川先生の料理の講義です。")
    assert whole[0] > other[0]


def test_a_value_on_every_page_weighs_nothing():
    crawl = settled(RecordsText(), RecordTable(("word", "place"), [("the", "page"), ("Laon", "crosier")]))
    everywhere = crawl.read(1, 11, text="The page of the garden: page, page, page.")
    rare = crawl.read(2, 21, text="The page about a crosier found near Laon.")
    assert rare[0] > 4 * everywhere[0]


def test_off_topic_rows_change_the_query_and_the_scores_of_open_links():
    crawl = settled(RecordsText(), book_table())
    business = [("P. Kotler", "Marketing Management"), ("M. Porter", "Competitive Marketing Strategy")]
    crawl.read(
        2, 21, text="Relational databases in theory.", found=[("J. Ullman", "Principles of Database Systems")]
    )
    crawl.read(1, 11, text="Marketing management and strategy for shops.", found=business)
    before = crawl.score(11)
    assert before > 0.05, "rows that were found draw"
    for values in business:
        crawl.table.set_row_label(crawl.table.find(values), "off-topic")
    crawl.rerank()
    assert crawl.score(11) < before / 3
    assert crawl.score(21) > 0.1
    for values in business:
        crawl.table.set_row_label(crawl.table.find(values), "")
    crawl.rerank()
    assert crawl.score(11) == pytest.approx(before, rel=0.1), "taken back"


def test_a_row_labelled_right_counts_like_an_example():
    crawl = settled(RecordsText(), book_table())
    found = [("A. Tanenbaum", "Computer Networks"), *((f"Author {n}", f"Title {n}") for n in range(9))]
    crawl.read(1, 11, text="On computer networks.", found=found)
    before = crawl.score(11)
    crawl.table.set_row_label(crawl.table.find(found[0]), "right")
    crawl.rerank()
    assert crawl.score(11) > before


def test_centroids_are_empty_again_when_all_rows_are_removed():
    crawl = settled(RecordsText(), book_table())
    query = crawl.ranker.rows.query(1.0, 0.75, 0.25)
    found = [(f"Author {n}", f"The complete {n}, volume {n % 3}") for n in range(50)]
    crawl.read(1, 11, text="Shelves.", found=found)
    crawl.table.add(found[0], page=1, pattern=2, confidence=0.5)
    for row in range(3, len(crawl.table)):
        crawl.table.set_row_label(row, ("right", "off-topic", "noise")[row % 3])
        crawl.rerank()
        crawl.table.set_row_label(row, "")
        for pattern in (1, 2):
            crawl.table.remove_support(row, 1, pattern)
    crawl.read(2, 12, text="More shelves.")
    after = crawl.ranker.rows.query(1.0, 0.75, 0.25)
    assert crawl.ranker.rows.total("found") == pytest.approx(0, abs=1e-4)
    alike = float(query.weights @ after.weights) / query.length / after.length
    assert alike == pytest.approx(1, abs=0.02)


def test_only_the_latest_pages_are_stored():
    readings = PageVectors()
    page = sample_outcome().page
    for number in range(STORED_PAGES + 10):
        readings.add_page(replace(page, text=f"word{number} again"), number)
    assert readings.vector(10) is None
    assert len(readings.vector(11).ids) == len(readings.vector(STORED_PAGES + 10).ids) > 0
    assert readings.vector(STORED_PAGES + 11) is None
    assert readings.vector(0) is None


def test_parts_add_up_and_name_the_page_first():
    crawl = settled(RecordsText(), book_table())
    crawl.read(
        1, (11, "Data management", "a shelf of databases"), (12, "Home"), text="Object Data Management."
    )
    parts = crawl.ranker.parts(*crawl.last)
    assert list(parts) == ["source page", "link text", "surrounding words"]
    assert np.sum(list(parts.values()), axis=0) == pytest.approx(crawl.ranker.score(*crawl.last), abs=1e-6)
    assert 0 < parts["source page"][0] <= PAGE
    assert parts["link text"][1] == 0


def test_a_table_of_five_thousand_rows_costs_little_for_each_page():
    rows = [(f"author{n} name{n % 977}", f"the book of {n % 1009} and {n}") for n in range(5_000)]
    ranker = RecordsText()
    ranker.use_table(RecordTable(("author", "title"), rows + BOOKS))
    crawl = RankerCrawl(ranker)
    scores = crawl.read(1, 11, text="the book of 5 and 5, by author5 name5 " * 400)
    assert scores[0] > 0
