"""Values compared: width, case, quotes, white space, ends, inverted names; and value patterns learned from them."""

import pytest

from clew.domain.records.value_patterns import ValuePattern, learn_value_pattern
from clew.domain.records.value_shapes import ValueShape
from clew.domain.records.values import LONGEST, clean_value, normalize, row_key, swap_inverted_name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ｃ．Ｊ．Ｄａｔｅ", "c.j.date"),
        ("データ　ベース", "ﾃﾞｰﾀ ﾍﾞｰｽ"),
        ("The “Theory” – of", 'the "theory" - OF'),
        ("  Databases,\n 2nd ed. ", "databases, 2nd ed"),
        ("مرحبا بالعالم\u200f", "مرحبا بالعالم"),
    ],
)
def test_values_are_the_same_however_they_are_written(one, other):
    assert normalize(one) == normalize(other)


def test_inverted_names_are_swapped_and_sentences_are_not():
    assert row_key(("Date, C. J.",)) == row_key(("C.J. Date",)) == row_key(("c j date",))
    assert swap_inverted_name("one, two, three") == "one, two, three"
    assert swap_inverted_name("june 4, 1998") == "june 4, 1998"


def test_a_value_is_stored_on_one_line_without_controls():
    assert clean_value(" a\n\tb\x1b[31m ") == "a b[31m"
    assert len(clean_value("x" * 10_000)) == LONGEST


def test_a_short_value_within_a_longer_one_teaches_no_pattern():
    whole = [(name, ((0, len(name)),)) for name in ("Batman", "Alien", "Wolf")]
    assert learn_value_pattern([*whole, ("Wolf: The Return", ((0, 4),))]) == ValuePattern()


def test_a_value_that_is_a_whole_text_node_elsewhere_teaches_no_pattern_however_often_it_starts_others():
    whole = [(name, ((0, len(name)),)) for name in ("Frankenstein", "Dracula")]
    more = [
        (f"{name}: {rest}", ((0, len(name)),))
        for name in ("Frankenstein", "Dracula")
        for rest in ("A Novel", "Notes")
    ]
    assert learn_value_pattern([*whole, *more]) == ValuePattern()


def test_delimiters_are_learned_from_two_samples_and_a_missing_value_stays_empty():
    pattern = learn_value_pattern(
        [("R. Rogers [1912]", ((0, 9),)), ("J. King [1900, 1901]", ((0, 7),)), ("C. Darrow", ((0, 9),))]
    )
    assert pattern.extract(" A. Waley [1934]") == ("A. Waley",)
    assert pattern.extract(" [1934]") == ("",)
    assert pattern.extract("Homer") == ("Homer",)


def test_two_values_in_one_text_node():
    pattern = learn_value_pattern(
        [("Databases by Date", ((0, 9), (13, 17))), ("Theory by Maier", ((0, 6), (10, 15)))]
    )
    assert pattern.extract("Objects by Cattell") == ("Objects", "Cattell")
    assert pattern.extract("Objects, Cattell") is None


def test_what_has_nothing_in_common_teaches_nothing():
    assert learn_value_pattern([("foo Date", ((4, 8),)), ("bar: Maier", ((5, 10),))]) is None


def test_a_shape_doubts_values_that_look_different():
    years = ValueShape()
    for year in ("1998", "2001", "1975"):
        years.learn(year)
    assert years.similarity("1984") > 0.9
    assert years.similarity("An Introduction to Database Systems") < 0.2
    assert ValueShape().similarity("anything") == 1.0
