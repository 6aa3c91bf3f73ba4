"""Bad input: values that stand everywhere, huge tables and pages, hostile markup, other scripts, odd tables."""

import time

from clew.domain.records import RecordTable
from clew.domain.records.record_learner import RecordLearner
from clew.parse.clean_html import cleaned
from tests.records.record_pages import BOOKS, COLUMNS, FIVE, listed, page, rows_of


def seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began


def test_a_value_that_stands_everywhere_brings_nothing_up():
    harvest = RecordLearner(RecordTable(COLUMNS, [("the", "a"), ("of", "and"), *FIVE]))
    prose = page("<p>" + "the cat and a dog of the house. " * 200 + "</p>" + "<p>the</p><p>a</p>" * 500)
    assert seconds(lambda: [harvest.read(n, f"http://a.org/{n}", prose, 0.0) for n in range(30)]) < 2
    assert len(harvest.book) == 7
    harvest.read(99, "http://a.org/books/", listed(BOOKS), 0.0)
    assert len(harvest.book) == 12


def test_one_column():
    book = RecordTable(("title",), [(title,) for _, title in FIVE])
    harvest = RecordLearner(book)
    harvest.read(1, "http://a.org/", listed(BOOKS), 0.0)
    assert {book.find((title,)) >= 0 for _, title in BOOKS} == {True}


def test_empty_values_and_duplicated_rows():
    book = RecordTable(COLUMNS, [("", ""), ("C. J. Date", ""), *FIVE, *FIVE])
    assert len(book) == 7
    harvest = RecordLearner(book)
    harvest.read(1, "http://a.org/", listed(BOOKS), 0.0)
    assert book.find(BOOKS[8]) in book.rows_of(1)
    assert 0 not in book.rows_of(1)


def test_a_hundred_thousand_rows_cost_little_for_a_page():
    many = [(f"Writer {n % 7_000} of {n % 13}", f"The book number {n} of many") for n in range(100_000)]
    harvest = RecordLearner(RecordTable(COLUMNS, [*many, *FIVE]))
    harvest.read(0, "http://a.org/", page("<p>nothing</p>"), 0.0)  # takes up the examples
    prose = page("<p>The many writers of a book, number by number.</p>" * 100)
    assert seconds(lambda: [harvest.read(n, f"http://a.org/{n}", prose, 0.0) for n in range(1, 11)]) < 1
    harvest.read(
        50, "http://b.org/", listed([*many[:20], ("Somebody New", "The book that nobody knew of")]), 0.0
    )
    assert harvest.book.find(("Somebody New", "The book that nobody knew of")) >= 0


def test_a_page_with_ten_thousand_records():
    many = [*FIVE, *((f"Writer {n}", f"The collected book {n}") for n in range(10_000))]
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    markup = listed(many)
    assert seconds(lambda: harvest.read(1, "http://a.org/", markup, 0.0)) < 8
    assert len(harvest.book.rows_of(1)) == 10_005


def test_a_pattern_that_would_match_half_the_web_stays_on_its_site():
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    harvest.read(1, "http://a.org/", listed(BOOKS, "<li>{0}, {1}</li>"), 0.0)
    assert harvest.patterns()
    harvest.read(
        2,
        "http://b.org/",
        listed([("Home", "News"), ("Red", "green"), ("One", "two")], "<li>{0}, {1}</li>"),
        0.0,
    )
    assert harvest.book.rows_of(2) == ()


def test_menus_on_every_page_are_no_records():
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    menu = "<ul>" + "".join(f"<li><b>{b}</b><i>{a}</i></li>" for a, b in FIVE[:2]) + "</ul>"
    for number in range(12):
        harvest.read(number, f"http://a.org/{number}", page(f"{menu}<p>Text number {number}</p>"), 0.0)
    assert len(harvest.book) == 5


def test_deep_nesting_and_megabytes_without_tags_are_linear():
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    said = "".join(f"<p>{author}</p><p>{title}</p>" for author, title in FIVE)
    deep = "<html><body>" + "<div>" * 100_000 + said + "</div>" * 100_000 + "</body></html>"
    flat = page("word " * 200_000 + "C. J. Date An Introduction to Database Systems")
    assert seconds(lambda: harvest.read(1, "http://a.org/1", deep, 0.0)) < 4
    assert seconds(lambda: harvest.read(2, "http://a.org/2", flat, 0.0)) < 2
    assert seconds(lambda: harvest.read(3, "http://a.org/3", "<a" * 100_000, 0.0)) < 2
    assert seconds(lambda: harvest.read(4, "http://a.org/4", "no markup at all", 0.0)) < 1


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
    book = RecordTable(COLUMNS, examples)
    RecordLearner(book).read(1, "http://a.jp/", cleaned(listed(wide)), 0.0)
    assert {book.find(row) >= 0 for row in more} == {True}, rows_of(book)
    assert len(book) == 7


def test_half_width_and_full_width_values_are_met():
    book = RecordTable(
        COLUMNS, [("ＡＢＣ出版", "データベース入門"), ("Ｄ．Ｍａｉｅｒ", "関係データベース論")]
    )
    harvest = RecordLearner(book)
    rows = [("ABC出版", "ﾃﾞｰﾀﾍﾞｰｽ入門"), ("D.Maier", "関係データベース論"), ("新人作家", "新しいデータ入門")]
    harvest.read(1, "http://a.jp/", listed(rows), 0.0)
    assert book.find(rows[2]) >= 0
    assert book.pages_of(0) == (1,)


def test_contradictions_lower_a_pattern_and_its_rows_teach_nothing():
    swapped = [(FIVE[(n + 1) % 5][0], FIVE[n][1]) if n > 1 else FIVE[n] for n in range(5)]
    harvest = RecordLearner(RecordTable(COLUMNS, FIVE))
    harvest.read(1, "http://a.org/", listed([*swapped, ("Ann Other", "Something completely different")]), 0.0)
    assert all(pattern.confidence < 0.6 for pattern in harvest.patterns())
    row = harvest.book.find(("Ann Other", "Something completely different"))
    assert row < 0 or harvest.book.confidence(row) < harvest.seed


def test_columns_that_repeat_themselves_bring_up_no_row():
    films = [
        ("Alien", "Drama", "R"),
        ("Wolf", "Drama", "PG"),
        ("Taken", "Action", "R"),
        ("Always", "Drama", "PG"),
    ]
    harvest = RecordLearner(RecordTable(("title", "genre", "rating"), films))
    other = page("<p><b>Genre:</b> <i>Drama</i></p><p><b>Rated:</b> <i>R</i></p>", "Something else")
    for number in range(6):
        harvest.read(number, f"http://a.org/{number}", other, 0.0)
    assert harvest.patterns() == []
    assert harvest.book.rows_of(1) == ()
