"""Sitemaps and feeds without end get few requests, honest ones all they need."""

import pytest

from clew.frontier import SitemapLimits
from clew.frontier.traps.sitemap_limits import MAX_EMPTY, MAX_NESTED
from clew.types import Kind, Link

A, B = "http://a.example", "http://b.example"


def link(number: int, origin: str = A, kind: Kind = Kind.SITEMAP) -> Link:
    return Link(id=number, url=f"{origin}/map{number}.xml", origin=origin, kind=kind)


@pytest.mark.parametrize("kind", [Kind.SITEMAP, Kind.FEED])
def test_lists_that_list_no_pages_are_given_up(kind: Kind) -> None:
    listings = SitemapLimits()
    asked = 0
    while not listings.refusal(link(asked, kind=kind), above=1):
        listings.learn(link(asked, kind=kind), [Kind.SITEMAP] * 5)
        asked += 1
    assert asked == MAX_EMPTY
    other = Kind.FEED if kind is Kind.SITEMAP else Kind.SITEMAP
    assert listings.refusal(link(99, kind=other), above=1) == "", "the other kind has its own count"
    assert listings.refusal(link(99, B, kind), above=1) == "", "so has another origin"


def test_a_large_index_is_read_whole_though_most_of_it_is_empty() -> None:
    listings = SitemapLimits()
    for number in range(5_000):
        assert listings.refusal(link(number), above=1) == ""
        listings.learn(link(number), [Kind.PAGE] if number % MAX_EMPTY == 0 else [])


def test_indexes_of_indexes_are_followed_a_little_deeper_than_the_protocol_says() -> None:
    listings = SitemapLimits()
    assert listings.refusal(link(1), above=MAX_NESTED) == ""
    assert listings.refusal(link(1), above=MAX_NESTED + 1) == "traps: 3 sitemaps above this one"
