"""What one engine has learned from links reaches the policy of another."""

import numpy as np

from clew.rank.clew.policy import Clew
from clew.registry import capabilities
from clew.testing import sample_links, sample_outcome
from clew.types import Link, Outcome, Page, Response, Verdict


def followed(ranker, number, verdict):
    """Let a ranker learn what one link led to."""
    words = "lantern keeper" if verdict > 0.5 else "cookie notice"
    url = f"http://host{number}.example/{words.replace(' ', '-')}/{number}"
    link = Link(id=number, url=url, origin=f"http://host{number}.example", parent=1, anchor=words, depth=1)
    page = Page(response=Response(link=link, started=0.0, ended=0.0, status=200, body=b"x"), title=words)
    ranker.learn(Outcome(page, Verdict(verdict), verdict > 0.5))


def scores(ranker):
    links = sample_links(2)
    named = type(links)(
        **{name: getattr(links, name) for name in links.__slots__ if name not in ("anchors", "tokens")},
        anchors=["lantern keeper", "cookie notice"],
    )
    ranker.weights()
    return ranker.score(sample_outcome(0.5), named)


def test_a_policy_learns_from_the_links_that_another_engine_followed():
    here, there = Clew(about="lighthouse"), Clew(about="lighthouse")
    assert here.take_outcomes() == b""
    for number in range(2, 42):
        followed(here, number, float(number % 2))
    packed = here.take_outcomes()
    before = scores(there)
    there.learn_outcomes(packed)
    after = scores(there)
    assert after[0] - after[1] > before[0] - before[1] + 0.1
    assert len(there.training) == len(here.training) == 40
    assert np.array_equal(there.training.rows, here.training.rows)
    assert there.take_outcomes() == b""  # what was learned from others is not passed on


def test_outcomes_of_a_policy_with_other_features_are_ignored():
    ranker = Clew(about="lighthouse")
    ranker.learn_outcomes(b"123")
    assert len(ranker.training) == 0


def test_what_a_policy_shares_is_found_once():
    assert capabilities.shares_outcomes(Clew()) is not None
    assert capabilities.shares_outcomes(object()) is None
