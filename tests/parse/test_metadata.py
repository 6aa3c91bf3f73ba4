"""What a page says about itself is read; nothing is made up."""

import json

import pytest

from clew.parse.maintext import parsed
from clew.parse.metadata import iso_date, read_metadata

LINKED = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "WebSite", "name": "The Site", "publisher": {"name": "Tidewater Trust"}},
        {
            "@type": ["NewsArticle"],
            "author": [{"@type": "Person", "name": "Ada Keeper"}, {"name": "Bo Light"}],
            "datePublished": "2023-04-05T06:07:08+02:00",
            "dateModified": "2023-05-06",
            "license": "https://creativecommons.org/licenses/by/4.0/",
        },
    ],
}


def test_linked_data_comes_first():
    page = f"""<html lang=en><title>A  lamp</title><meta name=author content=Nobody>
    <meta property="og:site_name" content="Elsewhere"><meta name=description content="About a lamp.">
    <script type="application/ld+json">{json.dumps(LINKED)}</script><p>x</html>"""
    found = read_metadata(parsed(page), "The lamp was lit before the tide turned, and nobody saw it.")
    assert (found.title, found.author, found.kind) == ("A lamp", "Ada Keeper, Bo Light", "NewsArticle")
    assert (found.published, found.modified) == ("2023-04-05", "2023-05-06")
    assert found.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert (found.site, found.description) == ("Tidewater Trust", "About a lamp.")
    assert (found.lang, found.lang_stated) == ("en", True)


def test_metas_and_links_are_read_where_there_is_no_linked_data():
    page = """<title>x</title><meta name="DC.creator" content="Ada"><meta property="og:type" content="article">
    <meta property="article:published_time" content="2020/02/03"><a rel="license" href="https://l.test/by">by</a>"""
    found = read_metadata(parsed(page))
    assert (found.author, found.kind, found.published, found.licence) == (
        "Ada", "article", "2020-02-03", "https://l.test/by",
    )  # fmt: skip


def test_an_author_is_named_by_the_link_to_the_page_of_the_author():
    page = "<a href='/author/ada'><img src=ada.png></a><p>By <a href='/author/ada'>Ada Keeper</a></p>"
    assert read_metadata(parsed(page)).author == "Ada Keeper"


def test_a_number_is_no_author():
    page = (
        "<meta property=article:author content=262588213843476><p>By <a href=/author/ada>Ada Keeper</a></p>"
    )
    assert read_metadata(parsed(page)).author == "Ada Keeper"


def test_a_page_that_says_nothing_has_nothing():
    found = read_metadata(parsed("<p>Only words"))
    assert not any((found.author, found.published, found.site, found.kind, found.licence, found.lang_stated))


@pytest.mark.parametrize("broken", ["{", "[" * 100_000, '"a"', "null", '{"@type": {"a": 1}, "author": 7}'])
def test_broken_linked_data_does_no_harm(broken):
    page = f'<script type="application/ld+json">{broken}</script><meta name=author content=Ada>'
    assert read_metadata(parsed(page)).author == "Ada"


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2024-12-31", "2024-12-31"),
        (" 20240101", "2024-01-01"),
        ("2024-13-01", ""),
        ("31.12.2024", ""),
        ("", ""),
    ],
)
def test_only_dates_that_are_clear_are_dates(written, day):
    assert iso_date(written) == day
