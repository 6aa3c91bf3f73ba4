"""Patterns over trees: lists, tables, lines, runs, pages of one template; fields that are missing shift nothing."""

import pytest

from clew.domain.records import RecordTable
from clew.domain.records.record_learner import RecordLearner
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, detail, listed, page, rows_of, table


def learn(*markups, examples=FIVE, where="http://a.org/books/", **options):
    learner = RecordLearner(RecordTable(COLUMNS, examples), **options)
    pages = {number: (f"{where}{number}.html", markup) for number, markup in enumerate(markups, 1)}
    for number, (url, markup) in pages.items():
        learner.process_page(number, url, markup, float(number))
    for _ in range(5):
        for number in learner.wanted():
            learner.again(number, *pages[number], 0.0)
    return learner


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
    table = learn(LAYOUTS[layout]).table
    assert len(table) == len(BOOKS), rows_of(table)
    for author, title in BOOKS[5:]:
        assert table.find((author, title)) >= 0
    assert all(table.confidence(row) >= 0.6 for row in range(len(table)))
    assert table.rows_of(1) == tuple(range(10))


def test_pages_of_one_template_are_aligned():
    also = [title for _, title in BOOKS[:4]]
    table = learn(*(detail(*row, also=also) for row in BOOKS)).table
    assert sorted(rows_of(table)) == sorted(BOOKS)
    assert [len(table.rows_of(number)) for number in range(6, 11)] == [1] * 5


def test_old_pages_are_wanted_when_a_pattern_is_found_and_only_then():
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    urls = {number: f"http://a.org/books/{number}.html" for number in range(1, 11)}
    for number in range(1, 6):
        learner.process_page(number, urls[number], detail(*BOOKS[number + 4]), 0.0)
    assert learner.wanted() == []
    learner.process_page(6, urls[6], detail(*BOOKS[0]), 0.0)
    learner.process_page(7, urls[7], detail(*BOOKS[1]), 0.0)
    assert set(learner.wanted()) >= {1, 2, 3, 4, 5}
    assert 7 not in learner.wanted()
    for number in learner.wanted():
        if number < 6:
            learner.again(number, urls[number], detail(*BOOKS[number + 4]), 0.0)
    assert len(learner.table) == 10
    assert not set(learner.wanted()) & {1, 2, 3, 4, 5}


def test_a_missing_cell_stays_empty_and_shifts_no_other():
    rows = "".join(
        f"<tr><td>{title}</td><td>{author if n != 6 else ''}</td><td>{1950 + n}</td></tr>"
        for n, (author, title) in enumerate(BOOKS)
    )
    examples = [(*table, str(1950 + n)) for n, table in enumerate(FIVE)]
    learner = RecordLearner(RecordTable(("author", "title", "year"), examples))
    learner.process_page(1, "http://a.org/b", page(f"<table><tbody>{rows}</tbody></table>"), 0.0)
    assert ("", "The Ingres Papers", "1956") in rows_of(learner.table)
    assert (*BOOKS[7], "1957") in rows_of(learner.table)


def test_a_missing_field_in_a_list_of_elements_and_of_lines():
    for layout in (
        ['<li class="b"><b>{1}</b><i>{0}</i></li>', '<li class="b"><b>{1}</b></li>'],
        ["<a>{1}</a> {0} [1975]<br>", "<a>{1}</a> [1975]<br>"],
    ):
        items = [layout[n == 7].format(*table) for n, table in enumerate(BOOKS)]
        table = learn(page("<div>" + "".join(items) + "</div>")).table
        assert ("", BOOKS[7][1]) in rows_of(table)
        assert table.find(BOOKS[8]) >= 0
        assert table.confidence(table.find(("", BOOKS[7][1]))) < table.confidence(table.find(BOOKS[8]))


def test_rows_of_one_site_are_found_on_another_and_agreement_makes_them_surer():
    learner = learn(listed(BOOKS))
    row = learner.table.find(BOOKS[7])
    before = learner.table.confidence(row)
    learner.process_page(2, "http://b.com/list", table(BOOKS), 0.0)
    assert learner.table.pages_of(row) == (1, 2)
    assert learner.table.confidence(row) > before


def test_a_list_without_example_rows_yields_nothing():
    table = learn(
        listed([("Home", "Contact us"), ("News", "About the shop"), ("Cart", "Your account")])
    ).table
    assert len(table) == 5
    assert table.rows_of(1) == ()


def test_one_known_row_alone_makes_no_pattern_but_is_found_on_its_page():
    table = learn(listed([FIVE[0], ("Somebody", "Something else"), ("Another", "One more thing")])).table
    assert len(table) == 5
    assert table.rows_of(1) == (0,)


def test_rejecting_a_pattern_removes_its_rows_and_restoring_returns_them():
    learner = learn(listed(BOOKS))
    (pattern,) = learner.patterns()
    assert (pattern.rows, pattern.pages, pattern.url_prefix) == (10, 1, "http://a.org/books/")
    learner.reject(pattern.id)
    table = learner.table
    assert [table.pages_of(row) for row in range(5, 10)] == [()] * 5
    assert table.pages_of(0) == (1,)
    learner.process_page(2, "http://a.org/books/2.html", listed(BOOKS), 0.0)
    assert table.pages_of(7) == ()
    learner.restore(pattern.id)
    assert table.pages_of(7) == (1,)
    assert table.confidence(7) > 0.6


def test_a_pattern_outlives_the_run(tmp_path):
    first = learn(listed(BOOKS), LAYOUTS["lines"])
    first.reject(2)
    first.save(tmp_path)
    table = RecordTable(COLUMNS, FIVE)
    for row in range(len(first.table)):
        for support in first.table.supports(row):
            table.add(
                first.table.values(row), page=support.page, pattern=support.pattern, position=support.position,
                confidence=support.confidence, at=support.at,
            )  # fmt: skip
    again = RecordLearner(table)
    again.load(tmp_path)
    assert again.patterns() == first.patterns()
    new = ("A. Turing", "Computing Machinery")
    again.process_page(
        9, "http://a.org/books/9.html", listed([new, ("K. Zuse", "Plankalkuel and other languages")]), 0.0
    )
    assert table.find(new) in table.rows_of(9)
    again.restore(2)
    assert again.patterns()[0].rejected is False


def test_a_pattern_is_described_for_the_user():
    assert learn(LAYOUTS["one leaf"]).patterns()[0].text == "one an element; ul/li: {title} by {author}"
