"""Addresses of Germany, the United States, the United Kingdom and of any country."""

from itertools import pairwise

import pytest

from clew.domain.places import find

SURE = 0.5

WRITTEN = {
    "de": {
        "Hauptstraße 5, 80331 München": "Hauptstraße 5, 80331 München",
        "Unter den Linden 6\n10099 Berlin": "Unter den Linden 6, 10099 Berlin",
        "Am Markt 3, D-99084 Erfurt": "Am Markt 3, 99084 Erfurt",
        "Bahnhofstr. 12a, 60313 Frankfurt am Main": "Bahnhofstr. 12a, 60313 Frankfurt am Main",
        "Straße des 17. Juni 135, 10623 Berlin": "Straße des 17. Juni 135, 10623 Berlin",
        "Domplatz 1 · 06108 Halle (Saale)": "Domplatz 1, 06108 Halle (Saale)",
        "Königsallee 1-3, 40212 Duesseldorf": "Königsallee 1-3, 40212 Duesseldorf",
        "Postfach 10 12 34, 70011 Stuttgart": "Postfach 10 12 34, 70011 Stuttgart",
        "50667 Köln": "50667 Köln",
        "DE-18055 Rostock": "18055 Rostock",
        "Dorfstr. 7, 17192 Hintertupfingen": "Dorfstr. 7, 17192 Hintertupfingen",
    },
    "us": {
        "1210 West Dayton Street, Madison, WI 53706-1685": "1210 West Dayton Street, Madison, WI 53706-1685",
        "1210 West Dayton Street\nMadison, Wisconsin 53706": "1210 West Dayton Street, Madison, WI 53706",
        "P.O. Box 352350, Seattle, WA 98195-2350": "PO Box 352350, Seattle, WA 98195-2350",
        "Austin, TX 78712": "Austin, TX 78712",
        "Pittsburgh, Pa. 15213": "Pittsburgh, PA 15213",
        "Ithaca NY 14853": "Ithaca, NY 14853",
        "1600 Pennsylvania Avenue NW, Washington, DC 20500": "1600 Pennsylvania Avenue NW, Washington, DC 20500",
        "350 Fifth Ave, New York, NY": "350 Fifth Ave, New York, NY",
        "1326 Mound St. #1, Madison, WI 53715": "1326 Mound St., Madison, WI 53715",
        "St. Louis, MO 63130": "St. Louis, MO 63130",
        "Ithaca, NY 18453": "Ithaca, NY 18453",
    },
    "gb": {
        "10 Downing Street, London SW1A 2AA": "10 Downing Street, London, SW1A 2AA",
        "221B Baker Street\nLondon\nNW1 6XE": "221B Baker Street, London, NW1 6XE",
        "Oxford OX1 3QD": "Oxford, OX1 3QD",
        "Cambridge, Cambridgeshire, CB3 0FD": "Cambridge, CB3 0FD",
        "Edinburgh EH9 3JZ": "Edinburgh, EH9 3JZ",
        "1 High Street, Portree, Isle of Skye IV51 9DB": "1 High Street, Portree, IV51 9DB",
        "M1 1AE": "M1 1AE",
        "Bath BA27AY": "Bath, BA2 7AY",
    },
    "world": {
        "12 rue de Rivoli, 75001 Paris": "12 rue de Rivoli, 75001 Paris",
        "Via Roma 5, 00184 Roma": "Via Roma 5, 00184 Roma",
        "Calle de Alcalá 45, 28014 Madrid": "Calle de Alcalá 45, 28014 Madrid",
        "Bahnhofstrasse 1, 8001 Zürich": "Bahnhofstrasse 1, 8001 Zürich",
        "1012 AB Amsterdam": "1012 AB Amsterdam",
        "90-926 Łódź": "90-926 Łódź",
        "ул. Ленина 5, Москва": "ул. Ленина 5, Москва",
        "Toronto, ON M5V 2T6": "M5V 2T6 Toronto",
        "Avenida Paulista 1000, São Paulo 01310-100": "Avenida Paulista 1000, 01310-100 São Paulo",
        "東京都千代田区丸の内1-9-1": "東京都千代田区丸の内1-9-1",
        "Am Markt 3, 99084 Erfurt": "Am Markt 3, 99084 Erfurt",
        "10 Downing Street, London SW1A 2AA": "10 Downing Street, London, SW1A 2AA",
    },
}
CASES = [(country, text, normal) for country, cases in WRITTEN.items() for text, normal in cases.items()]


@pytest.mark.parametrize(("country", "text", "normal"), CASES)
def test_an_address_is_found_and_made_normal(country, text, normal):
    places = find(f"(contact)\n{text}\n(end)", country)
    assert [place.normal for place in places] == [normal]
    assert places[0].text == text
    assert places[0].confidence >= SURE


NOT_AN_ADDRESS = [
    ("de", "Es kamen 15000 Hamburger und 12345 Menschen"),
    ("de", "80331 Hamburg"),
    ("de", "Rund 50000 Köln-Fans"),
    ("de", "Raum 431\n47370\nNeeraj"),
    ("de", "Telefon 089 80331 München"[:14]),
    ("de", "Artikel 1.12345 Berlin"),
    ("us", "BEGINDEVREG 01400 /* beginning"),
    ("us", "IBM Research Report RC 20020 (88561)"),
    ("us", "section TH 13990, room 12345"),
    ("us", "I live in Austin, TX and like it"),
    ("us", "HP 35470A 2.0 GB"),
    ("us", "ISBN 0-12345 OR 97201 pages"),
    ("us", "call 555-1234, CA 90210 is a show"),
    ("us", "I-80 West exit 12, NE 68102"),
    ("de", "Artikel 20095 Hamburg-Shirt rot"),
    ("de", "Telefon 040 12345 Hamburg"),
    ("gb", "Room B12 3CD and version V8 2AB"),
    ("gb", "XX1 1AA is no postcode"),
    ("gb", "sort by A1 then by B2 9XY9"),
    ("world", "In Berlin lebten 1990 Menschen, in Paris 2012 auch"),
    ("world", "on the road 5 to Paris"),
    ("world", "Nice 1999"),
    ("world", "Reading 2000 pages is enough"),
    ("world", ""),
]


@pytest.mark.parametrize(("country", "text"), NOT_AN_ADDRESS)
def test_what_only_looks_like_an_address_is_none(country, text):
    assert [place.text for place in find(text, country) if place.confidence >= SURE] == []


def test_the_parts_are_named_and_the_city_has_coordinates():
    (german,) = find("Am Markt 3, D-99084 Erfurt", "de")
    assert (german.street, german.number, german.postal, german.city) == ("Am Markt", "3", "99084", "Erfurt")
    assert (round(german.latitude), round(german.longitude)) == (51, 11)
    (american,) = find("350 Fifth Ave, New York, NY 10118", "us")
    assert (american.street, american.number, american.region) == ("Fifth Ave", "350", "NY")
    assert (american.city, american.postal, american.country) == ("New York", "10118", "us")
    (british,) = find("10 Downing Street, London SW1A 2AA", "gb")
    assert (british.street, british.number, british.postal) == ("Downing Street", "10", "SW1A 2AA")
    (french,) = find("12 rue de Rivoli, 75001 Paris", "world")
    assert (french.country, french.city, round(french.latitude)) == ("fr", "Paris", 49)


def test_a_town_far_from_its_code_is_no_address():
    assert find("80331 München", "de")
    assert not find("80331 Kiel", "de")
    assert find("Ithaca, NY 14853", "us")[0].confidence > find("Ithaca, NY 18453", "us")[0].confidence


@pytest.mark.parametrize("country", ["de", "us", "gb", "world"])
def test_places_in_any_country_do_not_overlap(country):
    text = "\n".join(text for cases in WRITTEN.values() for text in cases)
    places = find(text, country)
    assert all(one.end <= next.start for one, next in pairwise(places))
    assert len(places) >= len(WRITTEN[country]) - 1
