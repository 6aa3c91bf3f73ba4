"""Patterns on sites where no row is known: five rows of one directory find those of others."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.records_directories import FIRST_TEN, LAST, LATER, THIRD, directory, found_from
from clew.domain.records.record_learner import RecordLearner
from clew.domain.records.record_table import RecordTable
from clew.domain.records.values import row_key
from clew.parse.page_reader import markup_of
from clew.types import Link, Response
from clew.urls import Canon
from tests.records.campus_sites import EXAMPLES, campus_pages, staff
from tests.records.directories import people, site_pages


def _markup(url: str, html: str) -> str:
    response = Response(
        link=Link(id=0, url=url, origin=""), started=0, ended=0, status=200,
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n", body=html.encode(),
    )  # fmt: skip
    return markup_of(response, canon=Canon(), max_bytes=1_000_000)


def _pages(sites: range) -> list[tuple[int, str, str]]:
    found = [(url, _markup(url, html)) for site in sites for url, html in site_pages(site).items()]
    return [(number, url, markup) for number, (url, markup) in enumerate(found, 1)]


def _learner(examples: list[tuple[str, str]]) -> RecordLearner:
    return RecordLearner(RecordTable(("name", "phone"), examples))


def _read(
    learner: RecordLearner, pages: list[tuple[int, str, str]], stored: Sequence[tuple[int, str, str]] = ()
) -> None:
    for number, url, markup in pages:
        learner.process_page(number, url, markup, float(number))
    by_number = {number: (url, markup) for number, url, markup in stored or pages}
    for _ in range(3):
        for number in learner.wanted():
            learner.again(number, *by_number[number], 0.0)


def _rows(learner: RecordLearner) -> set[tuple[str, ...]]:
    table = learner.table
    return {
        row_key(table.values(row)) for row in range(table.example_count, len(table)) if table.supports(row)
    }


def test_rows_are_found_on_sites_without_known_rows() -> None:
    learner = _learner(people(0)[:5])
    _read(learner, _pages(range(30)))
    true = {row_key(row) for site in range(30) for row in people(site)} - {row_key(r) for r in people(0)[:5]}
    found = _rows(learner)
    precision, recall = len(found & true) / len(found), len(found & true) / len(true)
    assert precision >= 0.95
    assert recall >= 0.8


def test_supposed_rows_teach_nothing() -> None:
    learner = _learner(people(0)[:5])
    _read(learner, _pages(range(1, 8)))
    assert all(
        learner.table.confidence(row) < learner.min_seed_confidence
        for row in range(learner.table.example_count, len(learner.table))
    )


def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    pages = _pages(range(20))
    whole = _learner(people(0)[:5])
    _read(whole, pages)
    first = _learner(people(0)[:5])
    middle = len(pages) // 2 + 3  # among pages with one person each
    _read(first, pages[:middle])
    first.save(tmp_path)
    second = _learner(people(0)[:5])
    examples = second.table.example_count
    for row in (*range(examples, len(first.table)), *range(examples)):
        for support in first.table.supports(row):
            second.table.add(
                first.table.values(row),
                page=support.page,
                pattern=support.pattern,
                confidence=support.confidence,
            )
    by_number = {number: (url, markup) for number, url, markup in pages}
    evidence = second.load(tmp_path)
    assert any(count < 0 for count in evidence.values())
    for page, count in evidence.items():
        second.restore_evidence(page, *by_number[page], count)
    for number, url, _ in pages[:middle]:
        second.add_known_page(number, url)
    _read(second, pages[middle:], pages)
    assert _rows(second) == _rows(whole)


@pytest.mark.parametrize("source", [EXAMPLES, 2, 4, 7, 9])
def test_rows_are_found_in_other_layouts_whatever_site_the_examples_are_from(source: int) -> None:
    found = [
        (url, _markup(url, html)) for site in range(EXAMPLES + 1) for url, html in campus_pages(site).items()
    ]
    learner = _learner(staff(source)[:5])
    _read(learner, [(number, url, markup) for number, (url, markup) in enumerate(found, 1)])
    known = {row_key(row) for row in staff(source)[:5]}
    true = {row_key(row) for site in range(EXAMPLES + 1) for row in staff(site)} - known
    rows = _rows(learner) - known
    assert len(rows & true) / len(rows) >= 0.95
    assert len(rows & true) / len(true) >= 0.6


def test_the_headings_of_an_index_are_no_rows() -> None:
    books = [(f"Author {letter}. Smith", f"The Book of {letter * 3}ology") for letter in "ABCDEFGHIJ"]
    shelf = "".join(f"<p>&middot; <a href='/{t[-8:]}'>{t}</a> by <i>{a}</i></p>" for a, t in books)
    index = "".join(
        f"<p>&middot; <a href='/list{letter}'>Author List: {letter}</a></p>" for letter in "ABCDEFGH"
    )
    learner = RecordLearner(RecordTable(("author", "title"), books[:5]))
    for number, (name, body) in enumerate((("shelf", shelf), ("index", index), ("shelf2", shelf)), 1):
        url = f"http://books.test/cat/{name}.html"
        learner.process_page(number, url, _markup(url, f"<html><body>{body}</body></html>"), 1.0)
    found = {
        row_key(learner.table.values(row)) for row in range(len(learner.table)) if learner.table.supports(row)
    }
    assert {row_key(book) for book in books} <= found
    assert not [values for values in found if "list" in values[1]]


@pytest.mark.parametrize("layouts", [
    ("striped table", "cards with fax", "lines with fax"),
    ("striped table", "home pages with fax"),
    ("lines with fax", "telephone first", "articles"),  # the examples have a country code
    ("striped table", "extensions", "direct line and mobile"),
    ("extensions", "a row for the name, a row for the number"),
    ("definition list of a company", "striped table"),  # the examples have a title
    ("striped table", "definition list of a company", "label and value pairs"),
    ("striped table", "number in front of the name"),  # behind it the fax number of the one before
])  # fmt: skip
def test_numbers_of_nobody_are_left_out_and_country_codes_allowed_for(layouts: tuple[str, ...]) -> None:
    known = {layout.name: layout for layout in (*FIRST_TEN, *LATER, *THIRD, *LAST)}
    sites = [directory(known[name], at) for at, name in enumerate(layouts)]
    found = found_from(sites[0], sites)
    assert found.wrong == 0
    assert found.recall >= 0.95
