"""The parts of a crawl that begins with rows: judge, extractor, configuration, the first questions."""

import sqlite3
from dataclasses import replace

import pytest

from clew import config as configuration
from clew import registry, testing
from clew.domain.records import RecordTable
from clew.domain.records.row_queries import distinctive_columns, row_query
from clew.errors import ConfigError
from clew.extract.records import RecordExtractor as Extractor
from clew.judge.records import RecordsJudge as Judge
from clew.parse.clean_html import cleaned
from clew.store.table_export import column_names
from clew.testing import sample_page
from clew.types import RobotsDirectives
from tests.small_web import CONTACT
from tests.test_usage_errors import run_here

ROWS = (
    ("C.J. Date", "An Introduction to Database Systems"),
    ("D. Maier", "The Theory of Relational Databases"),
)
COLUMNS = ("author", "title")


def page_with(rows, id=1, **more):
    items = "".join(f"<li><b>{title}</b>, by <i>{author}</i></li>" for author, title in rows)
    page = sample_page(url=f"http://a.org/list/{id}")
    link = replace(page.response.link, id=id)
    return replace(
        page,
        response=replace(page.response, link=link),
        markup=cleaned(f"<html><body><ul>{items}</ul></body></html>"),
        **more,
    )


def test_the_parts_pass_their_examinations():
    testing.check_judge(Judge())
    testing.check_extractor(Extractor(columns=COLUMNS, rows=ROWS))
    book = RecordTable(COLUMNS, ROWS)
    judge = Judge()
    judge.use_table(book)
    testing.check_judge(judge)


def test_rows_like_the_examples_are_taken_out_of_a_page():
    extractor = Extractor(columns=COLUMNS, rows=ROWS)
    more = [(f"A.{letter} Author", f"Book number {letter} of this list") for letter in "bcdef"]
    found = extractor.extract(page_with([*ROWS, *more]))
    assert {record.values for record in found} >= {*ROWS, *more}
    assert all(record.columns == COLUMNS and 0 <= record.confidence <= 1 for record in found)
    assert extractor.changed_pages == {1: len(extractor.record_table.events)}
    assert extractor.extract(page_with(ROWS, id=2, directives=RobotsDirectives(noindex=True))) == (), (
        "it asks not to be used"
    )
    assert extractor.record_table.rows_of(2) == ()


def test_a_list_is_worth_more_than_one_row_and_a_chance_meeting_less():
    book = RecordTable(COLUMNS, ROWS)
    for number in range(4):
        book.add((f"Author {number}", f"Title {number}"), page=2, pattern=1, confidence=0.8)
    book.add(("Author 0", "Title 0"), page=3, pattern=1, confidence=0.8)
    book.add(ROWS[0], page=4, pattern=-1, confidence=0.0)
    judge = Judge()
    judge.use_table(book)
    lists, single, met, nothing = (judge.judge(page_with((), id=id)).value for id in (2, 3, 4, 5))
    assert lists > 0.9
    assert 0.5 < single < 0.7
    assert 0 < met < 0.5
    assert nothing == 0
    for row in book.rows_of(2):
        book.set_row_label(row, "off-topic")
    assert judge.judge(page_with((), id=2)).value == 0
    assert judge.judge(page_with((), id=5)).why == ("no row of the table",)


def test_a_table_is_combined_with_a_topic():
    book = RecordTable(COLUMNS, ROWS)
    book.add(ROWS[0], page=1, pattern=1, confidence=1.0)
    judge = registry.make("judge", "all:records,words", about="lighthouse")
    judge.use_table(book)
    judge.prepare()
    page = page_with((), text="the lighthouse keeper and the lighthouse", title="Lighthouse")
    both = judge.judge(page)
    assert both.value > 0.5
    assert any(word.startswith("records ") for word in both.why)
    assert judge.judge(replace(page, text="soup", title="Soup")).value < 0.5


def test_who_judges_by_rows_needs_some():
    for judge in ("records", "all:records,words"):
        with pytest.raises(ConfigError, match=r"needs example rows; name a table"):
            registry.make("judge", judge).prepare()
    with pytest.raises(ConfigError, match=r"needs example rows; name a table"):
        Extractor().prepare()


@pytest.mark.parametrize(
    ("goal", "judge"),
    [
        ({"records": "r.csv"}, "records"),
        ({"records": "r.csv", "about": "wind"}, "all:records,auto"),
        ({"records": "r.csv", "judge": "words"}, "words"),
        ({"about": "wind"}, "auto"),
    ],
)
def test_a_table_is_judged_by_unless_somebody_says_otherwise(goal, judge):
    assert configuration.build({"crawl": {"contact": CONTACT}, "goal": goal}, "x").goal.judge == judge


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (None, "cannot be read"),
        ("title\nOne\n", "has one column"),
        ("author,title\n", "holds no rows"),
        ("author,title\nDate,Databases\nDate,Types\n", ""),
    ],
)
def test_clew_new_says_what_is_wrong_with_a_table(table, wanted, tmp_path, monkeypatch, capsys):
    if table is not None:
        (tmp_path / "t.csv").write_text(table)
    words = ["new", "c", "--records", "t.csv", "--seed", "https://a.org", "--contact", CONTACT, "--no-check"]
    code, out, err = run_here(words, tmp_path, monkeypatch, capsys)
    if wanted:
        assert code == 2
        assert wanted in err
        assert not (tmp_path / "c").exists()
    else:
        assert code == 0
        assert "✓ 2 example rows of author, title" in out
        assert (tmp_path / "c" / "records.csv").read_text() == table
        assert configuration.load(tmp_path / "c" / "clew.toml").goal.records == "records.csv"


def test_questions_are_made_of_what_tells_a_row_from_others():
    rows = [("Heindel", "The Rosicrucian Mysteries", "the"), ("Heindel", 'Letters "to" Students', "the")]
    columns = distinctive_columns(rows)
    assert columns == [1, 0, 2]
    assert row_query(rows[0], columns) == '"The Rosicrucian Mysteries" "Heindel"'
    assert row_query(rows[1], columns) == '"Letters to Students" "Heindel"'
    assert row_query(("", "", "the"), columns) == ""
    assert distinctive_columns([]) == []


def test_what_we_add_never_takes_the_name_of_a_column():
    assert column_names(("ID", "mark", "title"))[3:6] == ["clew_id", "given", "clew_mark"]
    columns = ", ".join(f'"{name}"' for name in column_names(("ID", "mark", "title")))
    sqlite3.connect(":memory:").execute(f"CREATE TABLE records ({columns})").connection.close()
