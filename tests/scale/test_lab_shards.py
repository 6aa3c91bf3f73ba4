"""Shards in virtual time, as the bench compares them with one engine: the same every time, to the last page."""

import pytest

from bench.shards import Crawl, area
from clew.lab.replay import NetworkModel
from clew.lab.trial import TrialSettings
from clew.lab.virtual_time import run_virtually
from clew.lab.world import open_world

PAGES = 80


def crawl(world, shards, mode="shared", pages=PAGES):
    settings = TrialSettings(
        pages=pages, concurrency=64, delay=1.0, network=NetworkModel(latency=0.3), examples="none"
    )
    return run_virtually(Crawl(world, world.tasks[0], settings, shards, mode).run)


@pytest.fixture(scope="module")
def world():
    return open_world("madeup:2000:1")


def test_shards_spend_the_budget_to_the_last_page_and_keep_the_order(world):
    one, many = crawl(world, 1), crawl(world, 4)
    assert (len(one.found), len(many.found)) == (PAGES, PAGES)
    assert many.found == crawl(world, 4).found
    assert area(many.found) >= 0.5 * area(one.found)
