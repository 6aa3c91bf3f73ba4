"""Intervals and tests for few runs, against tables, brute force and repetition."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.lab.statistics import EXACT, holm, interval, sign_flip_p, t_quantile

TABLE = {
    1: 12.7062,
    2: 4.3027,
    3: 3.1824,
    4: 2.7764,
    5: 2.5706,
    9: 2.2622,
    10: 2.2281,
    30: 2.0423,
    99: 1.9842,
}
"""Student's t for 97.5 %, as printed in every textbook."""


@pytest.mark.parametrize("freedom", TABLE)
def test_quantiles_of_students_t(freedom):
    assert t_quantile(0.975, freedom) == pytest.approx(TABLE[freedom], abs=6e-5)


def test_an_interval_covers_what_it_says():
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(2_000):
        made = interval(rng.normal(size=5).tolist())
        hits += abs(made.mean) <= made.half
    assert 0.935 < hits / 2_000 < 0.965


def test_one_run_has_a_mean_and_no_interval():
    made = interval([0.4])
    assert made.mean == 0.4
    assert math.isnan(made.half)


def test_what_was_never_reached_has_no_mean():
    assert interval([10.0, math.inf]).mean == math.inf
    assert interval([1.0, math.nan, 3.0]).mean == 2.0
    assert interval([math.nan]).runs == 0


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_the_exact_test_tries_every_pattern_of_signs(differences):
    seen = abs(sum(differences))
    patterns = list(product((-1, 1), repeat=len(differences)))
    extreme = sum(abs(sum(s * d for s, d in zip(p, differences, strict=True))) >= seen for p in patterns)
    assert sign_flip_p(differences) == pytest.approx(extreme / len(patterns))


def test_a_sample_of_signs_agrees_with_all_of_them():
    rng = np.random.default_rng(2)
    some = rng.normal(0.4, 1, EXACT).tolist()
    assert sign_flip_p([*some, 0.0]) == pytest.approx(sign_flip_p(some), abs=0.01)
    assert sign_flip_p([1.0] * 40) < 1e-4
    assert sign_flip_p([1.0] * 40) > 0


def test_luck_is_rarely_called_significant():
    rng = np.random.default_rng(7)
    p_values = [sign_flip_p(rng.normal(size=8).tolist()) for _ in range(500)]
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.08


def test_pairs_without_difference_are_luck():
    assert sign_flip_p([]) == sign_flip_p([0.0, 0.0]) == 1.0
    assert sign_flip_p([math.nan, 1.0]) == 1.0


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.4, 0.4]) == [0.8, 0.8]
    assert holm([]) == []
