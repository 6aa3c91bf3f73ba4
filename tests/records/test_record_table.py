"""The record table: rows, supports, labels and the events that consumers follow."""

from clew.domain.records import RecordTable, RowEvent


def make_table():
    return RecordTable(("author", "title"), [("C. J. Date", "Databases"), ("D. Maier", "Theory")])


def add(to, values, page=1, pattern=1, confidence=0.5):
    return to.add(values, page=page, pattern=pattern, confidence=confidence)


def test_examples_come_first_with_full_confidence():
    table = make_table()
    assert (table.example_count, len(table), table.confidence(0), table.pages_of(0), table.events) == (
        2,
        2,
        1.0,
        (),
        [],
    )


def test_the_same_row_in_another_spelling_gains_a_support():
    table = make_table()
    assert add(table, ("Date, C. J.", "databases ")) == 0
    assert table.values(0) == ("C. J. Date", "Databases")
    assert table.pages_of(0) == (1,)
    assert table.rows_of(1) == (0,)


def test_confidence_combines_patterns_but_not_pages_of_one_pattern():
    table = make_table()
    row = add(table, ("X", "Y"), page=1, pattern=1)
    add(table, ("X", "Y"), page=2, pattern=1)
    assert table.confidence(row) == 0.5
    add(table, ("X", "Y"), page=3, pattern=2)
    assert table.confidence(row) == 0.75
    table.set_pattern_confidence(2, 0.0)
    assert table.confidence(row) == 0.5


def test_events_report_when_a_row_is_added_to_and_removed_from_a_page():
    table = make_table()
    row = add(table, ("X", "Y"), pattern=1)
    add(table, ("X", "Y"), pattern=2)
    table.remove_support(row, 1, 1)
    assert table.events == [RowEvent("added", row, 1)]
    table.remove_support(row, 1, 2)
    table.remove_support(row, 1, 2)
    assert table.events_since(1) == [RowEvent("removed", row, 1)]
    assert table.rows_of(1) == ()


def test_noise_is_on_no_page_until_the_label_is_removed():
    table = make_table()
    row = add(table, ("X", "Y"))
    table.set_row_label(row, "noise")
    table.set_row_label(row, "noise")
    assert (table.confidence(row), table.rows_of(1), table.pages_of(row)) == (0.0, (), ())
    assert table.events_since(1) == [RowEvent("removed", row, 1), RowEvent("noise", row)]
    table.set_row_label(row, "")
    assert table.rows_of(1) == (row,)
    assert table.events_since(3) == [RowEvent("added", row, 1), RowEvent("unlabelled", row)]


def test_rows_labelled_right_or_off_topic_have_full_confidence():
    table = make_table()
    row = add(table, ("X", "Y"), confidence=0.1)
    table.set_row_label(row, "off-topic")
    assert table.is_off_topic(row)
    assert table.confidence(row) == 1.0
    table.set_row_label(row, "right")
    assert not table.is_off_topic(row)
    assert [event.kind for event in table.events] == ["added", "off-topic", "right"]


def test_duplicated_examples_are_one_row():
    assert len(RecordTable(("a", "b"), [("x", "y"), ("X ", "y."), ("x", "z")])) == 2
