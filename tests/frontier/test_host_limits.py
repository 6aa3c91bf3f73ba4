"""A user's limits for hosts: a longer delay, a number of pages, also for hosts found later and after a restart."""

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.frontier import Exclusions, Frontier, limit_verb, parse_limit
from clew.types import Rule


def add(frontier, first, origin, count):
    scores = np.full(count, 0.5, np.float32)
    hashes = np.arange(first, first + count).astype(np.uint64)
    frontier.add(first, [origin] * count, hashes, scores, np.ones(count, bool))


def rule(host, verb):
    return Rule(host, verb, 0.0)


def fetch_all(frontier, seconds):
    """Take what may be taken each tenth of a second; return the times."""
    taken = []
    for tick in range(int(seconds * 10)):
        if (id := frontier.take(tick / 10)) is not None:
            frontier.done(id, tick / 10)
            taken.append(tick / 10)
    return taken


def test_a_delay_slows_a_host_down_and_zero_takes_it_back():
    frontier = Frontier(delay=1.0)
    add(frontier, 1, "http://a.example", 20)
    assert frontier.limits.add(rule("a.example", "delay=3")) == 20
    assert fetch_all(frontier, 7) == [0.0, 3.0, 6.0]
    frontier.limits.add(rule("a.example", "delay=0"))
    frontier.open_gate("http://a.example")
    assert frontier.take(20.0)
    assert not frontier.take(20.5)
    assert frontier.in_flight == 1


def test_a_limit_never_shortens_the_delay_that_robots_txt_asks():
    frontier = Frontier(delay=1.0)
    add(frontier, 1, "http://a.example", 5)
    frontier.open_gate("http://a.example", 4.0)
    frontier.limits.add(rule("a.example", "delay=2"))
    assert fetch_all(frontier, 9) == [0.0, 4.0, 8.0]


def test_pages_of_a_host_are_capped_and_come_back():
    frontier = Frontier(delay=0.0)
    add(frontier, 1, "http://a.example", 6)
    frontier.limits.add(rule("a.example", "pages=2"))
    assert len(fetch_all(frontier, 2)) == 2
    assert frontier.open == 0
    frontier.limits.add(rule("a.example", "pages=0"))
    assert frontier.open == 4
    assert len(fetch_all(frontier, 2)) == 4


def test_a_pattern_holds_for_hosts_found_later():
    frontier = Frontier(delay=0.0)
    frontier.limits.add(rule("*.example", "pages=1"))
    add(frontier, 1, "http://new.example", 3)
    add(frontier, 4, "http://other.test", 3)
    assert len(fetch_all(frontier, 2)) == 4


def test_limits_are_no_exclusions():
    exclusions = Exclusions()
    exclusions.add(Rule("a.example", "delay=5", 0.0, 7))
    assert exclusions.last_rule == 7
    assert not exclusions.active()
    assert not exclusions.refusal("http://a.example/")


@pytest.mark.parametrize(
    ("kind", "value"), [("delay", -1), ("delay", 1e9), ("pages", -5), ("delay", float("nan"))]
)
def test_senseless_limits_are_refused(kind, value):
    with pytest.raises(ConfigError):
        limit_verb(kind, value)


def test_other_verbs_are_no_limits():
    assert parse_limit("exclude") is None
    assert parse_limit("delay=x") is None
    assert parse_limit("pages=7") == ("pages", 7.0)
