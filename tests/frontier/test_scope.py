"""Scope: every refusal is the rule in words."""

import time

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.frontier import Scope
from clew.types import Kind, Links
from clew.urls import origin


def links(*urls: str, kinds: tuple[Kind, ...] = ()) -> Links:
    return Links(
        urls=list(urls), origins=[origin(url) for url in urls], hashes=np.zeros(len(urls), np.uint64),
        kinds=list(kinds) or [Kind.PAGE] * len(urls),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("hosts", "url", "inside"),
    [
        (["any"], "http://x.example/", True),
        (["seeds"], "http://a.example/x", True),
        (["seeds"], "https://www.a.example/x", True),
        (["seeds"], "https://b.example/x", True),
        (["seeds"], "https://sub.a.example/x", False),
        (["*.gov.uk"], "https://gov.uk/", True),
        (["*.gov.uk"], "https://www.x.gov.uk:8080/", True),
        (["*.gov.uk"], "https://notgov.uk/", False),
        (["*.gov.uk"], "https://gov.uk.evil.example/", False),
        (["A.example"], "https://a.example/", True),
        (["127.0.0.0/8"], "http://127.3.4.5:81/", True),
        (["127.0.0.0/8"], "http://128.0.0.1/", False),
        (["127.0.0.0/8"], "http://127.example/", False),
        (["::1/128"], "http://[::1]:80/", True),
        (["seeds", "10.0.0.0/8", "*.org"], "http://x.org/", True),
        ([], "http://a.example/", False),
    ],
)
def test_hosts(hosts: list[str], url: str, inside: bool) -> None:
    scope = Scope(hosts=hosts, seeds=["http://a.example/start", "https://www.b.example/"])
    assert (scope.refusal(url, 1) == "") is inside
    assert (scope.refusals(links(url), 0) == [""]) is inside


def test_a_range_that_is_none_says_so() -> None:
    with pytest.raises(ConfigError, match=r"127\.0\.0\.0/8"):
        Scope(hosts=["300.0.0.0/8"])


def test_rules_in_words() -> None:
    scope = Scope(hosts=["a.example"], exclude=["*/login*", "http://a.example/x?y=*"], depth=3)
    found = scope.refusals(
        links("http://a.example/", "http://o.example/login", "http://a.example/login", "http://a.example/x?y=1", "http://a.example/xzy=1"), 2
    )  # fmt: skip
    assert found == [
        "",
        "scope.hosts: o.example is outside",
        'scope.exclude "*/login*"',
        'scope.exclude "http://a.example/x?y=*"',
        "",
    ]
    assert scope.refusals(links("http://a.example/"), 4) == ["scope.depth: 4 links from a seed"]
    assert scope.refusal("http://a.example/", 4) == "scope.depth: 4 links from a seed"
    assert scope.refusal("http://a.example/login", 1) == 'scope.exclude "*/login*"'


def test_sitemaps_and_feeds_may_be_unwanted() -> None:
    scope = Scope(sitemaps=False, feeds=False)
    found = scope.refusals(links(*["http://a.example/"] * 3, kinds=(Kind.PAGE, Kind.SITEMAP, Kind.FEED)), 0)
    assert found == ["", "scope.sitemaps: not wanted", "scope.feeds: not wanted"]
    assert Scope().refusal("http://a.example/", 1, Kind.FEED) == ""


def test_many_stars_take_linear_time() -> None:
    scope = Scope(exclude=["*a" * 30 + "*b"])
    began = time.process_time()
    assert scope.refusal("http://x.example/" + "a" * 2_000, 1) == ""
    assert scope.refusal("http://x.example/" + "a" * 2_000 + "b", 1) != ""
    assert time.process_time() - began < 0.5


def test_a_seed_that_moved_brings_its_host_along() -> None:
    scope = Scope(hosts=["seeds"], seeds=["http://old.example/"])
    assert scope.refusal("https://new.example/", 0) == "scope.hosts: new.example is outside"
    scope.add_seed("https://new.example/")
    assert scope.refusal("https://new.example/", 0) == ""
    assert scope.refusal("http://old.example/", 0) == ""
