"""Values compared: width, case, quotes, white space, ends, names turned round; and cuts learned from them."""

import pytest

from clew.domain.records.value_patterns import ValuePattern, learned
from clew.domain.records.value_shapes import ValueShape
from clew.domain.records.values import LONGEST, identity, normal, tidy, turned


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
    assert normal(one) == normal(other)


def test_names_are_turned_and_sentences_are_not():
    assert identity(("Date, C. J.",)) == identity(("C.J. Date",)) == identity(("c j date",))
    assert turned("one, two, three") == "one, two, three"
    assert turned("june 4, 1998") == "june 4, 1998"


def test_a_value_is_stored_on_one_line_without_controls():
    assert tidy(" a\n\tb\x1b[31m ") == "a b[31m"
    assert len(tidy("x" * 10_000)) == LONGEST


def test_a_short_value_within_a_longer_one_does_not_teach_to_cut():
    whole = [(name, ((0, len(name)),)) for name in ("Batman", "Alien", "Wolf")]
    assert learned([*whole, ("Wolf: The Return", ((0, 4),))]) == ValuePattern()


def test_a_value_that_is_a_leaf_elsewhere_teaches_no_cut_however_often_it_begins_others():
    whole = [(name, ((0, len(name)),)) for name in ("Frankenstein", "Dracula")]
    more = [
        (f"{name}: {rest}", ((0, len(name)),))
        for name in ("Frankenstein", "Dracula")
        for rest in ("A Novel", "Notes")
    ]
    assert learned([*whole, *more]) == ValuePattern()


def test_signs_are_learned_from_two_and_a_missing_value_stays_empty():
    cut = learned(
        [("R. Rogers [1912]", ((0, 9),)), ("J. King [1900, 1901]", ((0, 7),)), ("C. Darrow", ((0, 9),))]
    )
    assert cut.take(" A. Waley [1934]") == ("A. Waley",)
    assert cut.take(" [1934]") == ("",)
    assert cut.take("Homer") == ("Homer",)


def test_two_values_in_one_leaf():
    cut = learned([("Databases by Date", ((0, 9), (13, 17))), ("Theory by Maier", ((0, 6), (10, 15)))])
    assert cut.take("Objects by Cattell") == ("Objects", "Cattell")
    assert cut.take("Objects, Cattell") is None


def test_what_has_nothing_in_common_teaches_nothing():
    assert learned([("foo Date", ((4, 8),)), ("bar: Maier", ((5, 10),))]) is None


def test_a_shape_doubts_what_looks_otherwise():
    years = ValueShape()
    for year in ("1998", "2001", "1975"):
        years.learn(year)
    assert years.agrees("1984") > 0.9
    assert years.agrees("An Introduction to Database Systems") < 0.2
    assert ValueShape().agrees("anything") == 1.0
