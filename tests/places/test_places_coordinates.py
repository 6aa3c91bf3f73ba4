"""Coordinates in texts: how people write them, and numbers that are none."""

import pytest

from clew.domain.places import find
from clew.domain.places.coordinates import distance, parse_point


@pytest.mark.parametrize(
    ("text", "country", "normal"),
    [
        ("位置：北緯35度41分22秒、東経139度41分30秒", "jp", "35.68944, 139.69167"),
        ("東経135度30分 北緯34度41分", "jp", "34.68333, 135.50000"),
        ("北緯43.0621度 東経141.3544度", "jp", "43.06210, 141.35440"),
        ("It lies at 50°58′40″N 11°01′45″E.", "de", "50.97778, 11.02917"),
        ("It lies at 33°51'35\" S, 151°12'40\" E.", "world", "-33.85972, 151.21111"),
        ("N 35° 41.367' E 139° 41.5'", "jp", "35.68945, 139.69167"),
        ("緯度：35.65，経度：139.74", "jp", "35.65000, 139.74000"),
        ("latitude=51.5072 longitude=-0.1276", "gb", "51.50720, -0.12760"),
        ("35.6586, 139.7454", "jp", "35.65860, 139.74540"),
    ],
)
def test_coordinates_are_found(text, country, normal):
    (place,) = find(text, country)
    assert place.normal == normal
    assert place.confidence >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "1.2345, 2.34567 and 3.4567, 99.1234 in one row of a table",
        "prices: 12.34, 56.78",
        "version 1.2345.6789, 139.7454",
        "96.5000, 139.7000",
        "35°C in summer, 5°C in winter",
        "北緯35度線",
    ],
)
def test_numbers_that_are_no_place_in_japan(text):
    assert find(text, "jp") == []


def test_coordinates_of_another_country_do_not_count():
    assert find("50°58′40″N 11°01′45″E", "jp") == []


def test_a_long_row_of_digits_is_read_quickly():
    assert find("1.23456789, " * 20_000 + "° " * 50_000, "world")[:1]


def test_points_are_read_as_people_type_them():
    assert parse_point("35.68, 139.77") == parse_point("35.68 139.77") == (35.68, 139.77)
    for wrong in ("tokyo", "91,0", "1", "", "1,2,3"):
        with pytest.raises(ValueError, match=r".*"):
            parse_point(wrong)


def test_distances_across_the_date_line_are_short():
    assert distance(0, 179.9, (0, -179.9)) < 23
