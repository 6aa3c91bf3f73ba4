"""The book: rows, supports, marks and the events that readers follow."""

from clew.domain.records import Event, RecordTable


def book():
    return RecordTable(("author", "title"), [("C. J. Date", "Databases"), ("D. Maier", "Theory")])


def add(to, values, page=1, pattern=1, confidence=0.5):
    return to.add(values, page=page, pattern=pattern, confidence=confidence)


def test_examples_come_first_and_are_sure():
    it = book()
    assert (it.examples, len(it), it.confidence(0), it.pages_of(0), it.events) == (2, 2, 1.0, (), [])


def test_the_same_row_in_another_spelling_gains_a_support():
    it = book()
    assert add(it, ("Date, C. J.", "databases ")) == 0
    assert it.values(0) == ("C. J. Date", "Databases")
    assert it.pages_of(0) == (1,)
    assert it.rows_of(1) == (0,)


def test_doubts_of_independent_patterns_multiply_and_pages_of_one_do_not():
    it = book()
    row = add(it, ("X", "Y"), page=1, pattern=1)
    add(it, ("X", "Y"), page=2, pattern=1)
    assert it.confidence(row) == 0.5
    add(it, ("X", "Y"), page=3, pattern=2)
    assert it.confidence(row) == 0.75
    it.rate(2, 0.0)
    assert it.confidence(row) == 0.5


def test_events_tell_when_a_row_begins_and_ends_to_stand_on_a_page():
    it = book()
    row = add(it, ("X", "Y"), pattern=1)
    add(it, ("X", "Y"), pattern=2)
    it.drop(row, 1, 1)
    assert it.events == [Event("stands", row, 1)]
    it.drop(row, 1, 2)
    it.drop(row, 1, 2)
    assert it.since(1) == [Event("gone", row, 1)]
    assert it.rows_of(1) == ()


def test_noise_stands_nowhere_until_the_word_is_taken_back():
    it = book()
    row = add(it, ("X", "Y"))
    it.mark(row, "noise")
    it.mark(row, "noise")
    assert (it.confidence(row), it.rows_of(1), it.pages_of(row)) == (0.0, (), ())
    assert it.since(1) == [Event("gone", row, 1), Event("noise", row)]
    it.mark(row, "")
    assert it.rows_of(1) == (row,)
    assert it.since(3) == [Event("stands", row, 1), Event("unmarked", row)]


def test_right_and_off_topic_are_words_on_rows_that_are_sure():
    it = book()
    row = add(it, ("X", "Y"), confidence=0.1)
    it.mark(row, "off-topic")
    assert it.is_off_topic(row)
    assert it.confidence(row) == 1.0
    it.mark(row, "right")
    assert not it.is_off_topic(row)
    assert [event.verb for event in it.events] == ["stands", "off-topic", "right"]


def test_duplicated_examples_are_one_row():
    assert len(RecordTable(("a", "b"), [("x", "y"), ("X ", "y."), ("x", "z")])) == 2
