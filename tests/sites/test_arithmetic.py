"""The arithmetic of exploring sites: closed forms against integrals, posteriors, and the choice of sites."""

import math
import time

import numpy as np
import pytest

from clew.domain.sites.explorers import (
    EXPLORERS,
    Delta,
    DeltaSample,
    ErrorReduction,
    Random,
    RandomSet,
    make_explorer,
)
from clew.domain.sites.information_value import (
    bernoulli,
    delta,
    expected_error,
    knowledge_gradient,
    no_hit_probability,
    site_posteriors,
)
from clew.domain.sites.normal import density, upper_tail
from clew.domain.sites.site_choice import SiteChoice
from clew.domain.sites.site_stats import SiteStats, pool_stats
from clew.errors import ConfigError


def stats_of(*sites):
    """Return the statistics of sites given as lists of chances; a hit is written as None."""
    stats = SiteStats.empty(len(sites))
    for row, chances in enumerate(sites):
        for chance in chances:
            stats.add(row, 0.5 if chance is None else chance, float(chance is None))
    return stats


def integral(mean, variance, pages):
    """Return δ by numerical integration."""
    s = math.sqrt(variance / pages)
    z = np.linspace(0.5, 1, 100_001) if mean < 0.5 else np.linspace(0, 0.5, 100_001)
    height = np.abs(2 * z - 1) * np.exp(-(((z - mean) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi))
    return float(((height[1:] + height[:-1]) / 2).sum() * (z[1] - z[0]))


def test_the_normal_tail_agrees_with_the_error_function():
    x = np.linspace(0, 12, 4_001)
    truth = np.array([math.erfc(each / math.sqrt(2)) / 2 for each in x])
    assert np.abs(upper_tail(x) - truth).max() < 1e-12
    assert density(np.array([1.0]))[0] == pytest.approx(math.exp(-0.5) / math.sqrt(2 * math.pi))


@pytest.mark.parametrize("mean", [0.02, 0.2, 0.45, 0.5, 0.61, 0.97])
@pytest.mark.parametrize("pages", [1, 2, 7, 40])
def test_delta_is_the_integral(mean, pages):
    found = delta(np.array([mean]), np.array([mean * (1 - mean)]), np.array([float(pages)]))[0]
    assert found == pytest.approx(integral(mean, mean * (1 - mean), pages), abs=2e-9)
    mirrored = delta(np.array([1 - mean]), np.array([mean * (1 - mean)]), np.array([float(pages)]))[0]
    assert found == pytest.approx(mirrored, abs=1e-12)


def test_delta_is_never_negative_and_nothing_where_all_is_known():
    rng = np.random.default_rng(1)
    mean, pages = rng.random(10_000), rng.integers(0, 50, 10_000).astype(float)
    found = delta(mean, bernoulli(mean), pages)
    assert (found >= 0).all()
    assert (found[pages == 0] == 0).all()
    assert delta(np.array([0.0, 1.0]), np.zeros(2), np.ones(2)).tolist() == [0.0, 0.0]


def test_delta_of_a_million_sites_takes_half_a_second():
    rng = np.random.default_rng(2)
    mean, pages = rng.random(1_000_000), rng.integers(1, 9, 1_000_000).astype(float)
    began = time.process_time()
    delta(mean, bernoulli(mean), pages)
    assert time.process_time() - began < 0.5


def test_the_two_readings_of_the_variance_differ_from_the_second_page_on():
    known, rng = stats_of([0.4], [0.4, 0.4], [0.1, 0.7]), np.random.default_rng(0)
    pool = pool_stats(known)
    yes_no, sample = Delta().values(known, pool, rng), DeltaSample().values(known, pool, rng)
    assert yes_no[0] == sample[0] > 0
    assert sample[1] == 0.0
    assert sample[2] != yes_no[2] == yes_no[1]


def test_a_hit_decides_and_pages_without_one_lower_the_chance():
    known = stats_of([0.4, None], [0.6], [0.6] * 10, [])
    posteriors = site_posteriors(known, pool_stats(known))
    assert posteriors.chance[0] == 1.0
    assert posteriors.chance[1] > posteriors.chance[2]
    value = knowledge_gradient(posteriors)
    assert value[0] == 0.0
    assert (value[1:] > 0).all()


def test_few_pages_count_less_than_many():
    many = [[0.1]] * 20 + [[0.9], [0.9] * 8]
    known = stats_of(*many)
    chance = site_posteriors(known, pool_stats(known), use_hits=False).chance
    assert 0.1 < chance[0] < 0.3
    assert chance[20] < chance[21] < 0.9


def test_the_no_hit_probability_is_a_product():
    hit, miss, pages = 0.5, 2.0, 7
    product = math.prod((miss + j) / (hit + miss + j) for j in range(pages))
    assert no_hit_probability(np.array([float(pages)]), np.array([hit]), np.array([miss]))[
        0
    ] == pytest.approx(product, abs=1e-5)


def test_the_cost_of_a_verdict_is_the_mean_of_its_cheaper_side():
    rng = np.random.default_rng(3)
    z = 0.4 + 0.05 * rng.standard_normal(400_000)
    for line in (0.5, 0.3):
        mean = np.minimum(2 * (1 - line) * z, 2 * line * (1 - z)).mean()
        assert expected_error(np.array([0.4]), np.array([0.05]), line)[0] == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("name", EXPLORERS)
def test_one_page_of_each_site_first_then_the_highest_value(name):
    explorer, rng = make_explorer(name), np.random.default_rng(4)
    choice, truth = SiteChoice(explorer, sites=30, page_limits=np.full(30, 6), seed=5), rng.random(30)
    order = []
    while (site := choice.next_site()) >= 0 and len(order) < 150:
        if choice.pages_read >= 30 and not explorer.random_share and not explorer.stochastic:
            open = choice.stats.pages < 6
            values = np.array(choice.values)
            assert values[site] == values[open].max()
        choice.update(site, float(np.clip(truth[site] + 0.2 * rng.standard_normal(), 0, 1)))
        order.append(site)
    assert order[:30] == list(range(30))
    assert choice.stats.pages.max() <= 6
    assert len(order) > 40


def test_exploring_ends_when_nothing_more_is_expected():
    choice = SiteChoice(Delta(), sites=5)
    while (site := choice.next_site()) >= 0:
        choice.update(site, 0.0 if site % 2 else 1.0)
        assert choice.pages_read <= 5
    assert choice.pages_read == 5
    proven = SiteChoice(ErrorReduction(), sites=3)
    while (site := proven.next_site()) >= 0:
        proven.update(site, 0.5, found=True)
    assert proven.pages_read == 3


def test_fewer_pages_than_sites_and_sites_without_pages():
    choice = SiteChoice(Random(), sites=10, page_limits=np.array([0, 1] * 5))
    taken = [choice.next_site() for _ in range(3)]
    assert taken == [1, 3, 5]
    empty = SiteChoice(Delta(), sites=0)
    assert empty.next_site() == -1
    choice = SiteChoice(Delta(), sites=2)
    choice.drop(0)
    assert choice.next_site() == 1


def test_a_random_set_draws_its_members():
    candidates, rng = RandomSet(), np.random.default_rng(0)
    for row in range(5):
        candidates.add(row)
        candidates.add(row)
    for row in (0, 4, 2):
        candidates.drop(row)
        candidates.drop(row)
    assert {candidates.draw(rng) for _ in range(50)} == {1, 3}


def test_choosing_costs_the_same_among_many_sites():
    costs = []
    for many in (1_000, 200_000):
        rng = np.random.default_rng(6)
        known = SiteStats.empty(many)
        known.add(slice(None), rng.random(many))
        choice, chances = SiteChoice(Delta(), sites=many, initial=known), rng.random(400).tolist()
        began = time.process_time()
        for chance in chances:
            choice.update(choice.next_site(), chance)
        costs.append(time.process_time() - began)
    assert costs[1] < 8 * costs[0]


def test_an_unknown_explorer_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ConfigError, match='no explorer "greedy"; choose one of gain, delta'):
        make_explorer("greedy")


def test_identical_pages_give_finite_values():
    known = stats_of([0.5] * 3, [0.5] * 3)
    rng = np.random.default_rng(0)
    for name in EXPLORERS:
        values = make_explorer(name).values(known, pool_stats(known), rng)
        assert np.isfinite(values).all()
