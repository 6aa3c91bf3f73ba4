"""The lab builds the engine that the product builds: no setting is lost on the way."""

from dataclasses import replace

import numpy as np
import pytest

from clew.engine.parts import make_parts
from clew.engine.relevance import Relevance
from clew.errors import ConfigError
from clew.lab import open_world, run_trial
from clew.rank.sites.policy import Sites
from clew.testing import sample_page
from clew.types import Outcome, RobotsDirectives, Verdict

SETTINGS = {
    "rank.explore": 7,
    "rank.explorer": "delta",
    "rank.within": "breadth",
    "rank.diversity": 0.5,
    "goal.keep": 0.7,
    "scope.site": "domain",
}


class Recorder:
    """A ranker that notes what it was made with."""

    made = ()

    def __init__(
        self, *, explore=0, explorer="", within="", diversity=0.0, keep=0.0, site="", judge="", seed=-1
    ):
        type(self).made = (explore, explorer, within, diversity, keep, site, judge, seed)

    def score(self, source, links):
        return np.full(len(links), 0.5, np.float32)

    def learn(self, outcome): ...


@pytest.fixture(scope="module")
def world():
    return open_world("madeup:2000:5")


def test_every_setting_of_the_policy_reaches_it_in_the_lab(world):
    run_trial(world, world.tasks[0], Recorder, pages=3, seed=4, judge="words", settings=SETTINGS)
    assert Recorder.made == (7, "delta", "breadth", 0.5, 0.7, "domain", "words", 4)


def test_the_policy_sites_gets_its_settings_from_the_same_function_as_in_the_product(world):
    from clew.lab.trial import TrialSettings

    config = TrialSettings(pages=9, settings=SETTINGS).config("birds", (), ())
    sites = make_parts(config, {"ranker": "sites"}).ranker
    assert isinstance(sites, Sites)
    assert (sites.explore, sites.explorer, sites.within, sites.site) == (7, "delta", "breadth", "domain")


def test_a_policy_without_its_table_is_refused(world):
    with pytest.raises(ConfigError, match="policy objectrank ranks links by a table of example records"):
        run_trial(world, world.tasks[0], "objectrank", pages=3)


def test_a_page_that_may_not_be_indexed_decides_its_site_too():
    page, verdict = (
        replace(sample_page("http://a.test/1"), directives=RobotsDirectives(noindex=True)),
        Verdict(1.0),
    )
    for obey in (True, False):
        ranker, relevance = Sites(explore=5, within="breadth"), Relevance(keep=0.5, obey=obey)
        relevant = relevance(page, verdict)
        ranker.learn_page(Outcome(page, verdict, relevant))
        assert relevant is not obey, "the page itself is not kept"
        assert not isinstance(ranker.host_priorities()["http://a.test"], float), "the site is decided"
