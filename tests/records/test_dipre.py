"""DIPRE: patterns of characters, any order of attributes, rejected when they are too general."""

from clew.domain.records import RecordTable
from clew.domain.records.dipre import Dipre, TextPattern
from clew.domain.records.page_view import PageView
from clew.domain.records.record_learner import RecordLearner
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, listed, page, rows_of

LINES = page("".join(f"<p>{author}: <a>{title}</a> (book)</p>" for author, title in BOOKS) + "<p>all</p>")


def learn(*markups, columns=COLUMNS, examples=FIVE):
    learner = RecordLearner(RecordTable(columns, examples), method="dipre")
    for number, markup in enumerate(markups, 1):
        learner.process_page(number, f"http://a.org/books/{number}.html", markup, 0.0)
    for number in learner.wanted():
        learner.again(number, f"http://a.org/books/{number}.html", markups[number - 1], 0.0)
    return learner


def test_the_table_grows_whatever_the_order_of_the_attributes():
    learner = learn(LINES, listed([*BOOKS, ("", "")]))
    assert {learner.table.find(row) >= 0 for row in BOOKS} == {True}
    assert {
        pattern.text.find("{author}") < pattern.text.find("{title}") for pattern in learner.patterns()
    } == {True, False}


def test_three_columns():
    rows = [(*book, str(1970 + n)) for n, book in enumerate(BOOKS)]
    markup = page(
        "".join(f"<p>{author}: <a>{title}</a> in {year}, a book</p>" for author, title, year in rows)
    )
    book = learn(markup, columns=(*COLUMNS, "year"), examples=rows[:5]).table
    assert book.find(rows[8]) >= 0


def test_a_pattern_that_is_too_general_is_rejected():
    dipre = Dipre(width=2)
    markup = page("".join(f" {author} {title} " for author, title in BOOKS))
    assert dipre.learn(PageView(1, "http://a.org/", markup), list(enumerate(BOOKS))) == []


def test_a_pattern_never_reaches_beyond_one_host():
    dipre = Dipre(width=2)
    patterns = []
    for number, host in enumerate(("a.org", "b.com")):
        patterns += dipre.learn(PageView(number, f"http://{host}/x", LINES), list(enumerate(FIVE)))
    assert {pattern.url_prefix for pattern in patterns} == {"http://a.org/x", "http://b.com/x"}


def test_a_group_that_is_kept_together_gives_no_pattern_where_its_parts_would():
    patterns = {True: [], False: []}
    for split, found in patterns.items():
        dipre = Dipre(width=2, split=split)
        for number, host in enumerate(("a.org", "b.com")):
            found[:] = dipre.learn(PageView(number, f"http://{host}/x", LINES), list(enumerate(FIVE)))
    assert len(patterns[True]) == 2
    assert patterns[False] == []


def test_kept_together_the_rows_of_one_site_are_found_as_well():
    learner = RecordLearner(RecordTable(COLUMNS, FIVE), method="dipre-merged")
    learner.process_page(1, "http://a.org/books/1.html", LINES, 0.0)
    assert sorted(rows_of(learner.table)) == sorted(BOOKS)


def test_what_a_pattern_takes_has_no_tags_in_it_and_is_no_essay():
    pattern = TextPattern("http://a.org/", (0, 1), "<p>", ("|",), "</p>", 2)
    markup = "<p>a|b</p><p>a <b>x</b>|b</p><p>" + "long " * 200 + "|b</p><p>A &amp; C|d</p>"
    assert [values for values, _ in pattern.extract(PageView(1, "", markup))] == [("a", "b"), ("A & C", "d")]


def test_the_paper_s_five_books_and_their_neighbours():
    book = learn(LINES).table
    assert sorted(rows_of(book)) == sorted(BOOKS)
