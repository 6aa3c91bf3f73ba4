"""Races that begin with a search: the experiment of the paper behind `reseed`."""

import pytest

from clew.errors import ConfigError
from clew.lab.search_trial import SearchTrials, topic_of, with_labelled_examples
from clew.lab.trial import TrialSettings
from clew.lab.world import open_world

WORLD = "madeup:1000:1"


def test_all_policies_start_from_the_same_results_and_only_reseed_searches_again():
    world = open_world(WORLD)
    task = next(task for task in world.tasks if task.name == "lighthouses")
    trials, settings = SearchTrials(), TrialSettings(pages=60, search=(0.5, 0, 0))
    traces = {policy: trials.run(world, task, policy, settings) for policy in ("breadth", "reseed")}
    starts = [trace.facts["begun_with"] for trace in traces.values()]
    assert starts[0] == starts[1]
    assert 0 < len(starts[0]) <= 10
    assert "said" not in traces["breadth"].facts
    assert any(text.startswith("searched") for text in traces["reseed"].facts["said"])
    again = SearchTrials().run(world, task, "reseed", settings)
    assert again.hashes.tolist() == traces["reseed"].hashes.tolist()


def test_what_cannot_be_searched_is_said():
    world = open_world(WORLD)
    task = next(task for task in world.tasks if task.name == "lighthouses")
    assert topic_of(task) == task.about.split()[0]
    with pytest.raises(ConfigError, match="recorded worlds only"):
        with_labelled_examples(world, task, TrialSettings(pages=1, search=(0.5, 5, 50)))
