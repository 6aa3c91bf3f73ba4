"""Hostile input: values that occur everywhere, huge tables and pages, hostile markup, other scripts, odd tables."""

import time

from clew.domain.records import RecordTable
from clew.domain.records.record_learner import RecordLearner
from clew.parse.clean_html import cleaned
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, listed, page, rows_of


def seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began


def test_a_value_that_occurs_everywhere_selects_no_row():
    learner = RecordLearner(RecordTable(COLUMNS, [("the", "a"), ("of", "and"), *FIVE]))
    prose = page("<p>" + "the cat and a dog of the house. " * 200 + "</p>" + "<p>the</p><p>a</p>" * 500)
    assert seconds(lambda: [learner.process_page(n, f"http://a.org/{n}", prose, 0.0) for n in range(30)]) < 2
    assert len(learner.table) == 7
    learner.process_page(99, "http://a.org/books/", listed(BOOKS), 0.0)
    assert len(learner.table) == 12


def test_one_column():
    table = RecordTable(("title",), [(title,) for _, title in FIVE])
    learner = RecordLearner(table)
    learner.process_page(1, "http://a.org/", listed(BOOKS), 0.0)
    assert {table.find((title,)) >= 0 for _, title in BOOKS} == {True}


def test_empty_values_and_duplicated_rows():
    table = RecordTable(COLUMNS, [("", ""), ("C. J. Date", ""), *FIVE, *FIVE])
    assert len(table) == 7
    learner = RecordLearner(table)
    learner.process_page(1, "http://a.org/", listed(BOOKS), 0.0)
    assert table.find(BOOKS[8]) in table.rows_of(1)
    assert 0 not in table.rows_of(1)


def test_a_hundred_thousand_rows_cost_little_for_a_page():
    many = [(f"Writer {n % 7_000} of {n % 13}", f"The book number {n} of many") for n in range(100_000)]
    learner = RecordLearner(RecordTable(COLUMNS, [*many, *FIVE]))
    learner.process_page(0, "http://a.org/", page("<p>nothing</p>"), 0.0)  # takes up the examples
    prose = page("<p>The many writers of a book, number by number.</p>" * 100)
    assert (
        seconds(lambda: [learner.process_page(n, f"http://a.org/{n}", prose, 0.0) for n in range(1, 11)]) < 1
    )
    learner.process_page(
        50, "http://b.org/", listed([*many[:20], ("Somebody New", "The book that nobody knew of")]), 0.0
    )
    assert learner.table.find(("Somebody New", "The book that nobody knew of")) >= 0


def test_a_page_with_ten_thousand_records():
    many = [*FIVE, *((f"Writer {n}", f"The collected book {n}") for n in range(10_000))]
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    markup = listed(many)
    assert seconds(lambda: learner.process_page(1, "http://a.org/", markup, 0.0)) < 8
    assert len(learner.table.rows_of(1)) == 10_005


def test_a_pattern_that_would_match_half_the_web_stays_on_its_site():
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    learner.process_page(1, "http://a.org/", listed(BOOKS, "<li>{0}, {1}</li>"), 0.0)
    assert learner.patterns()
    learner.process_page(
        2,
        "http://b.org/",
        listed([("Home", "News"), ("Red", "green"), ("One", "two")], "<li>{0}, {1}</li>"),
        0.0,
    )
    assert learner.table.rows_of(2) == ()


def test_menus_on_every_page_are_no_records():
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    menu = "<ul>" + "".join(f"<li><b>{b}</b><i>{a}</i></li>" for a, b in FIVE[:2]) + "</ul>"
    for number in range(12):
        learner.process_page(
            number, f"http://a.org/{number}", page(f"{menu}<p>Text number {number}</p>"), 0.0
        )
    assert len(learner.table) == 5


def test_deep_nesting_and_megabytes_without_tags_are_linear():
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    values = "".join(f"<p>{author}</p><p>{title}</p>" for author, title in FIVE)
    deep = "<html><body>" + "<div>" * 100_000 + values + "</div>" * 100_000 + "</body></html>"
    flat = page("word " * 200_000 + "C. J. Date An Introduction to Database Systems")
    assert seconds(lambda: learner.process_page(1, "http://a.org/1", deep, 0.0)) < 4
    assert seconds(lambda: learner.process_page(2, "http://a.org/2", flat, 0.0)) < 2
    assert seconds(lambda: learner.process_page(3, "http://a.org/3", "<a" * 100_000, 0.0)) < 2
    assert seconds(lambda: learner.process_page(4, "http://a.org/4", "no markup at all", 0.0)) < 1


def test_full_width_japanese_and_right_to_left():
    examples = [
        ("夏目漱石", "吾輩は猫である"),
        ("芥川龍之介", "羅生門"),
        ("نجيب محفوظ", "بين القصرين"),
        ("طه حسين", "الأيام"),
    ]
    more = [("太宰治", "人間失格"), ("川端康成", "雪国"), ("غسان كنفاني", "رجال في الشمس")]
    wide = [
        ("夏目　漱石".replace("\u3000", ""), "「吾輩は猫である」"),
        ("芥川龍之介", "羅生門"),
        *examples[2:],
        *more,
    ]
    table = RecordTable(COLUMNS, examples)
    RecordLearner(table).process_page(1, "http://a.jp/", cleaned(listed(wide)), 0.0)
    assert {table.find(row) >= 0 for row in more} == {True}, rows_of(table)
    assert len(table) == 7


def test_half_width_and_full_width_values_are_found():
    table = RecordTable(
        COLUMNS, [("ＡＢＣ出版", "データベース入門"), ("Ｄ．Ｍａｉｅｒ", "関係データベース論")]
    )
    learner = RecordLearner(table)
    rows = [("ABC出版", "ﾃﾞｰﾀﾍﾞｰｽ入門"), ("D.Maier", "関係データベース論"), ("新人作家", "新しいデータ入門")]
    learner.process_page(1, "http://a.jp/", listed(rows), 0.0)
    assert table.find(rows[2]) >= 0
    assert table.pages_of(0) == (1,)


def test_contradictions_lower_a_pattern_and_its_rows_teach_nothing():
    swapped = [(FIVE[(n + 1) % 5][0], FIVE[n][1]) if n > 1 else FIVE[n] for n in range(5)]
    learner = RecordLearner(RecordTable(COLUMNS, FIVE))
    learner.process_page(
        1, "http://a.org/", listed([*swapped, ("Ann Other", "Something completely different")]), 0.0
    )
    assert all(pattern.confidence < 0.6 for pattern in learner.patterns())
    row = learner.table.find(("Ann Other", "Something completely different"))
    assert row < 0 or learner.table.confidence(row) < learner.min_seed_confidence


def test_columns_with_repeated_values_select_no_row():
    films = [
        ("Alien", "Drama", "R"),
        ("Wolf", "Drama", "PG"),
        ("Taken", "Action", "R"),
        ("Always", "Drama", "PG"),
    ]
    learner = RecordLearner(RecordTable(("title", "genre", "rating"), films))
    other = page("<p><b>Genre:</b> <i>Drama</i></p><p><b>Rated:</b> <i>R</i></p>", "Something else")
    for number in range(6):
        learner.process_page(number, f"http://a.org/{number}", other, 0.0)
    assert learner.patterns() == []
    assert learner.table.rows_of(1) == ()
