"""Plain DIPRE: patterns of characters, any order of attributes, refused when they say too little."""

from clew.domain.records import RecordTable
from clew.domain.records.dipre import Dipre, TextPattern
from clew.domain.records.page_view import PageView
from clew.domain.records.record_learner import RecordLearner
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, listed, page, rows_of

LINES = page("".join(f"<p>{author}: <a>{title}</a> (book)</p>" for author, title in BOOKS) + "<p>all</p>")


def harvested(*markups, columns=COLUMNS, examples=FIVE):
    harvest = RecordLearner(RecordTable(columns, examples), method="dipre")
    for number, markup in enumerate(markups, 1):
        harvest.read(number, f"http://a.org/books/{number}.html", markup, 0.0)
    for number in harvest.wanted():
        harvest.again(number, f"http://a.org/books/{number}.html", markups[number - 1], 0.0)
    return harvest


def test_the_table_grows_whatever_the_order_of_the_attributes():
    harvest = harvested(LINES, listed([*BOOKS, ("", "")]))
    assert {harvest.book.find(row) >= 0 for row in BOOKS} == {True}
    assert {
        pattern.text.find("{author}") < pattern.text.find("{title}") for pattern in harvest.patterns()
    } == {True, False}


def test_three_columns():
    rows = [(*book, str(1970 + n)) for n, book in enumerate(BOOKS)]
    markup = page(
        "".join(f"<p>{author}: <a>{title}</a> in {year}, a book</p>" for author, title, year in rows)
    )
    book = harvested(markup, columns=(*COLUMNS, "year"), examples=rows[:5]).book
    assert book.find(rows[8]) >= 0


def test_a_pattern_that_says_too_little_is_refused():
    dipre = Dipre(width=2)
    markup = page("".join(f" {author} {title} " for author, title in BOOKS))
    assert dipre.see(PageView(1, "http://a.org/", markup), list(enumerate(BOOKS))) == []


def test_a_pattern_never_reaches_beyond_one_host():
    dipre = Dipre(width=2)
    seen = []
    for number, host in enumerate(("a.org", "b.com")):
        seen += dipre.see(PageView(number, f"http://{host}/x", LINES), list(enumerate(FIVE)))
    assert {pattern.where for pattern in seen} == {"http://a.org/x", "http://b.com/x"}


def test_what_a_pattern_takes_has_no_tags_in_it_and_is_no_essay():
    pattern = TextPattern("http://a.org/", (0, 1), "<p>", ("|",), "</p>", 2)
    markup = "<p>a|b</p><p>a <b>x</b>|b</p><p>" + "long " * 200 + "|b</p><p>A &amp; C|d</p>"
    assert [values for values, _ in pattern.take(PageView(1, "", markup))] == [("a", "b"), ("A & C", "d")]


def test_the_paper_s_five_books_and_their_neighbours():
    book = harvested(LINES).book
    assert sorted(rows_of(book)) == sorted(BOOKS)
