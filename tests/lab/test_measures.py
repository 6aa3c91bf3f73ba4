"""Measures of a run, checked by hand and against slow definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.lab.measures import (
    MEASURES,
    Columns,
    Reference,
    area,
    auc,
    between,
    curve_of,
    fetches_to,
    figures,
    harvest,
    horizon,
)


def run(gains, hosts=None, scores=None, taken=None):
    count = len(gains)
    return Columns(
        gains=np.array(gains, bool),
        hosts=np.array(hosts or [0] * count, np.int64),
        bytes=np.full(count, 2_000_000, np.int64),
        scores=np.array(scores or [0.0] * count, np.float64),
        taken=np.array(taken or [True] * count, bool),
        cpu=1.5,
        labels=3,
    )


def test_every_figure_of_a_small_run():
    made = figures(
        run(
            [1, 0, 1, 0, 0, 1],
            hosts=[0, 0, 1, 2, 2, 1],
            scores=[1, 0.2, 0.9, 0.9, 0.1, 0.3],
            taken=[0, 1, 1, 1, 1, 1],
        ),
        Reference(reachable=4, relevant=6, upto=4),
    )
    assert made["found"] == 3
    assert made["area"] == pytest.approx((1 + 1 + 2 + 2) / 4 / 4)
    assert made["recall"] == 0.75
    assert made["recall_all"] == 0.5
    assert made["harvest"] == made["harvest_last"] == 0.5
    assert made["to_50"] == 3
    assert made["to_90"] == math.inf
    assert made["hosts"] == 2
    # Relevant 0.9 and 0.3 against 0.2, 0.9, 0.1: wins 1 + .5 + 1 and 1 + 0 + 1 of six; the seed is no choice.
    assert made["auc"] == pytest.approx(4.5 / 6)
    assert (made["megabytes"], made["labels"], made["cpu"], made["fetches"]) == (12.0, 3, 1.5, 6)
    assert set(made) | {"gain"} == {each.key for each in MEASURES}


def test_a_crawl_that_ends_early_keeps_its_last_value():
    assert area(curve_of(np.array([True])), reachable=2, upto=4) == 0.5
    assert math.isnan(area(curve_of(np.array([True])), reachable=0, upto=4))


def test_the_latest_harvest_looks_back_only_so_far():
    curve = curve_of(np.array([True] * 10 + [False] * 90))
    assert harvest(curve) == 0.1
    assert harvest(curve, 50) == 0.0
    assert harvest(curve, 200) == 0.1
    assert math.isnan(harvest(curve_of(np.zeros(0, bool))))


def test_half_of_the_smallest_number_is_one_page():
    assert fetches_to(np.array([0, 0, 1]), 0.5) == 2


def test_areas_end_with_the_budget_or_at_half_of_the_world():
    assert horizon(pages=6_000, budget=1_000) == 1_000
    assert horizon(pages=1_000, budget=5_000) == 500


def test_between_is_open_at_both_ends():
    assert between(0.1, floor=0.2, ceiling=0.6) == pytest.approx(-0.25)
    assert math.isnan(between(0.3, floor=0.3, ceiling=0.3))


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=40))
def test_auc_is_what_counting_all_pairs_gives(pages):
    scores, relevant = np.array([s for s, _ in pages], float), np.array([r for _, r in pages])
    wins = [(a > b) + (a == b) / 2 for a in scores[relevant] for b in scores[~relevant]]
    if not wins:
        assert math.isnan(auc(scores, relevant))
    else:
        assert auc(scores, relevant) == pytest.approx(sum(wins) / len(wins))
