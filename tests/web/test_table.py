"""The page of a growing table: rows with where they come from, marks, and patterns that are struck."""

import pytest

from clew.lab.synthetic.books import example_rows
from tests.web.kit import ESCAPED, crawl_books, crawl_places, make_client

API, BASE = "/api/v1/crawls/books", "/crawls/books"


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    """A client of a crawl whose table has grown."""
    place = tmp_path_factory.mktemp("tables")
    crawl_books(place / "books", pages=60)
    return make_client(place)


def test_rows_and_patterns_are_shown(books):
    answer = books.get(f"{API}/rows", params={"limit": 200}).json()
    assert answer["columns"] == ["author", "title"]
    assert answer["total"] > len(example_rows()) + 1
    grown = next(row for row in answer["rows"] if not row["given"])
    assert grown["url"].startswith("http")
    assert any(each["rows"] and 0 < each["confidence"] <= 1 for each in answer["patterns"])
    text = books.get(f"{BASE}/table").text
    assert "Patterns" in text
    assert ESCAPED in text or ESCAPED in books.get(f"{BASE}/table", params={"find": "hacked"}).text
    assert "<script>window" not in text


def test_a_row_is_marked_as_noise_and_its_pattern_is_struck_until_it_is_undone(books):
    before = books.get(f"{API}/rows").json()["total"]
    row = next(each for each in books.get(f"{API}/rows").json()["rows"] if not each["given"])
    assert books.post(f"{API}/rows", json={"marks": {row["id"]: "noise"}}).status_code == 200
    struck = books.get(f"{API}/rows").json()
    assert struck["total"] < before
    assert any(each["struck"] for each in struck["patterns"])
    assert books.post(f"{API}/rows", json={"marks": {row["id"]: ""}}).status_code == 200
    assert books.get(f"{API}/rows").json()["total"] == before


def test_a_row_that_was_confirmed_stays_when_its_pattern_is_struck(books):
    rows = [
        each for each in books.get(f"{API}/rows", params={"limit": 200}).json()["rows"] if not each["given"]
    ]
    pairs = ((one, two) for at, one in enumerate(rows) for two in rows[at + 1 :])
    confirmed, other = next(pair for pair in pairs if pair[0]["pattern"] == pair[1]["pattern"])
    books.post(f"{API}/rows", json={"marks": {confirmed["id"]: "right", other["id"]: "noise"}})
    kept = {each["id"]: each for each in books.get(f"{API}/rows", params={"limit": 200}).json()["rows"]}
    assert other["id"] not in kept
    assert kept[confirmed["id"]]["url"] == confirmed["url"]
    books.post(f"{API}/rows", json={"marks": {confirmed["id"]: "", other["id"]: ""}})
    assert len(books.get(f"{API}/rows", params={"limit": 200}).json()["rows"]) >= len(kept)


def test_the_overview_counts_the_rows(books):
    assert "Rows found" in books.get(BASE).text


def test_an_address_is_said_once_on_the_map(tmp_path):
    crawl_places(tmp_path / "places")
    found = make_client(tmp_path).get("/api/v1/crawls/places/places").json()
    points = found["points"]
    assert len(points) == 3
    assert sum(point["pages"] for point in points) == found["located"]
    assert all(point["text"].count("28195") <= 1 for point in points)
    assert sum("28195" in point["text"] for point in points) == 1
