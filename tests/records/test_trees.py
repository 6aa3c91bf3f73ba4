"""Patterns over trees: lists, tables, lines, runs, pages of one template; fields that are missing shift nothing."""

import pytest

from clew.domain.records import RecordTable
from clew.domain.records.record_learner import RecordLearner
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, detail, listed, page, rows_of, table


def harvested(*markups, examples=FIVE, where="http://a.org/books/", **options):
    harvest = RecordLearner(RecordTable(COLUMNS, examples), **options)
    pages = {number: (f"{where}{number}.html", markup) for number, markup in enumerate(markups, 1)}
    for number, (url, markup) in pages.items():
        harvest.read(number, url, markup, float(number))
    for _ in range(5):
        for number in harvest.wanted():
            harvest.again(number, *pages[number], 0.0)
    return harvest


LAYOUTS = {
    "elements": listed(BOOKS),
    "table": table(BOOKS),
    "one leaf": listed(BOOKS, "<li>{1} by {0}</li>"),
    "lines": page(
        "".join(
            f"{author}: <a href=/x>{title}</a> [19{n}]<br>" for n, (author, title) in enumerate(BOOKS, 50)
        )
    ),
    "runs": page("<dl>" + "".join(f"<dt>{title}</dt><dd>{author}</dd>" for author, title in BOOKS) + "</dl>"),
    "turned": listed([(f"{a.rpartition(' ')[2]}, {a.rpartition(' ')[0]}", t) for a, t in BOOKS]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_table_grows_from_a_list(layout):
    book = harvested(LAYOUTS[layout]).book
    assert len(book) == len(BOOKS), rows_of(book)
    for author, title in BOOKS[5:]:
        assert book.find((author, title)) >= 0
    assert all(book.confidence(row) >= 0.6 for row in range(len(book)))
    assert book.rows_of(1) == tuple(range(10))


def test_pages_of_one_template_are_aligned():
    also = [title for _, title in BOOKS[:4]]
    book = harvested(*(detail(*row, also=also) for row in BOOKS)).book
    assert sorted(rows_of(book)) == sorted(BOOKS)
    assert [len(book.rows_of(number)) for number in range(6, 11)] == [1] * 5


def test_old_pages_are_wanted_when_a_pattern_is_found_and_only_then():
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    urls = {number: f"http://a.org/books/{number}.html" for number in range(1, 11)}
    for number in range(1, 6):
        harvest.read(number, urls[number], detail(*BOOKS[number + 4]), 0.0)
    assert harvest.wanted() == []
    harvest.read(6, urls[6], detail(*BOOKS[0]), 0.0)
    harvest.read(7, urls[7], detail(*BOOKS[1]), 0.0)
    assert set(harvest.wanted()) >= {1, 2, 3, 4, 5}
    assert 7 not in harvest.wanted()
    for number in harvest.wanted():
        if number < 6:
            harvest.again(number, urls[number], detail(*BOOKS[number + 4]), 0.0)
    assert len(harvest.book) == 10
    assert not set(harvest.wanted()) & {1, 2, 3, 4, 5}


def test_a_missing_cell_stays_empty_and_shifts_no_other():
    rows = "".join(
        f"<tr><td>{title}</td><td>{author if n != 6 else ''}</td><td>{1950 + n}</td></tr>"
        for n, (author, title) in enumerate(BOOKS)
    )
    examples = [(*book, str(1950 + n)) for n, book in enumerate(FIVE)]
    harvest = RecordLearner(RecordTable(("author", "title", "year"), examples))
    harvest.read(1, "http://a.org/b", page(f"<table><tbody>{rows}</tbody></table>"), 0.0)
    assert ("", "The Ingres Papers", "1956") in rows_of(harvest.book)
    assert (*BOOKS[7], "1957") in rows_of(harvest.book)


def test_a_missing_field_in_a_list_of_elements_and_of_lines():
    for layout in (
        ['<li class="b"><b>{1}</b><i>{0}</i></li>', '<li class="b"><b>{1}</b></li>'],
        ["<a>{1}</a> {0} [1975]<br>", "<a>{1}</a> [1975]<br>"],
    ):
        items = [layout[n == 7].format(*book) for n, book in enumerate(BOOKS)]
        book = harvested(page("<div>" + "".join(items) + "</div>")).book
        assert ("", BOOKS[7][1]) in rows_of(book)
        assert book.find(BOOKS[8]) >= 0
        assert book.confidence(book.find(("", BOOKS[7][1]))) < book.confidence(book.find(BOOKS[8]))


def test_rows_of_one_site_are_found_on_another_and_agreement_makes_them_surer():
    harvest = harvested(listed(BOOKS))
    row = harvest.book.find(BOOKS[7])
    before = harvest.book.confidence(row)
    harvest.read(2, "http://b.com/list", table(BOOKS), 0.0)
    assert harvest.book.pages_of(row) == (1, 2)
    assert harvest.book.confidence(row) > before


def test_a_list_without_the_person_s_rows_gives_nothing():
    book = harvested(
        listed([("Home", "Contact us"), ("News", "About the shop"), ("Cart", "Your account")])
    ).book
    assert len(book) == 5
    assert book.rows_of(1) == ()


def test_one_known_row_alone_makes_no_pattern_but_stands_on_its_page():
    book = harvested(listed([FIVE[0], ("Somebody", "Something else"), ("Another", "One more thing")])).book
    assert len(book) == 5
    assert book.rows_of(1) == (0,)


def test_striking_a_pattern_takes_its_rows_and_restoring_brings_them_back():
    harvest = harvested(listed(BOOKS))
    (pattern,) = harvest.patterns()
    assert (pattern.rows, pattern.pages, pattern.where) == (10, 1, "http://a.org/books/")
    harvest.strike(pattern.id)
    book = harvest.book
    assert [book.pages_of(row) for row in range(5, 10)] == [()] * 5
    assert book.pages_of(0) == (1,)
    harvest.read(2, "http://a.org/books/2.html", listed(BOOKS), 0.0)
    assert book.pages_of(7) == ()
    harvest.restore(pattern.id)
    assert book.pages_of(7) == (1,)
    assert book.confidence(7) > 0.6


def test_a_pattern_outlives_the_run(tmp_path):
    first = harvested(listed(BOOKS), LAYOUTS["lines"])
    first.strike(2)
    first.save(tmp_path)
    book = RecordTable(COLUMNS, FIVE)
    for row in range(len(first.book)):
        for support in first.book.supports(row):
            book.add(
                first.book.values(row), page=support.page, pattern=support.pattern, position=support.position,
                confidence=support.confidence, at=support.at,
            )  # fmt: skip
    again = RecordLearner(book)
    again.load(tmp_path)
    assert again.patterns() == first.patterns()
    new = ("A. Turing", "Computing Machinery")
    again.read(
        9, "http://a.org/books/9.html", listed([new, ("K. Zuse", "Plankalkuel and other languages")]), 0.0
    )
    assert book.find(new) in book.rows_of(9)
    again.restore(2)
    assert again.patterns()[0].struck is False


def test_a_pattern_is_described_so_that_a_person_can_judge_it():
    assert harvested(LAYOUTS["one leaf"]).patterns()[0].text == "one an element; ul/li: {title} by {author}"
