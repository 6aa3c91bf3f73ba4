"""The paper's readings of sites: δ as printed and as proved, verdicts by the mean, and the numbers shown."""

import numpy as np
import pytest

from clew.domain.sites.explorers import make_explorer
from clew.domain.sites.information_value import bernoulli, delta, literal_delta
from clew.domain.sites.paper_numbers import paper_numbers
from clew.domain.sites.site_table import SiteTable
from clew.rank.sites.policy import Sites
from clew.testing import sample_outcome


def integral(mean, pages, weight, start, end):
    """Integrate a weight times the density of the next mean, by 200,000 steps."""
    spread = np.sqrt(mean * (1 - mean) / pages)
    z = np.linspace(start, end, 200_001)
    density = np.exp(-(((z - mean) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    return np.trapezoid(weight(z) * density, z)


@pytest.mark.parametrize("mean", [0.1, 0.3, 0.5, 0.7, 0.95])
@pytest.mark.parametrize("pages", [1, 4, 30])
def test_both_readings_equal_their_integrals(mean, pages):
    given = np.array([mean]), bernoulli(np.array([mean])), np.array([float(pages)])
    error = min(mean, 1 - mean)
    after = integral(mean, pages, lambda z: z, 0, 0.5) + integral(mean, pages, lambda z: 1 - z, 0.5, 1)
    assert literal_delta(*given)[0] == pytest.approx(max(error - after, 0), abs=1e-6)
    ends, weight = ((0.5, 1), lambda z: 2 * z - 1) if mean < 0.5 else ((0, 0.5), lambda z: 1 - 2 * z)
    assert delta(*given)[0] == pytest.approx(integral(mean, pages, weight, *ends), abs=1e-6)


def test_the_readings_agree_once_the_normal_distribution_fits_between_0_and_1():
    mean = np.array([0.45])
    many = mean, bernoulli(mean), np.array([200.0])
    few = mean, bernoulli(mean), np.array([1.0])
    assert literal_delta(*many)[0] == pytest.approx(delta(*many)[0], abs=1e-4)
    assert literal_delta(*few)[0] > 1.5 * delta(*few)[0]


@pytest.mark.parametrize(("explorer", "verdict"), [("delta", "no"), ("delta-literal", "no"), ("gain", "yes")])
def test_the_papers_explorers_decide_by_the_mean_alone(explorer, verdict):
    ranker = Sites(explorer=explorer, within="breadth")
    for value in (1.0, 0.0, 0.0, 0.0):
        ranker.learn_page(sample_outcome(value))
    status = ranker.table.statuses()[0]
    assert status.hits == 1
    assert status.verdict == verdict
    if explorer != "gain":
        assert status.chance == 0.25


def test_a_site_with_the_largest_delta_has_the_first_turn():
    table = SiteTable(by_mean=True)
    for site, chances in {"a.test": [0.1, 0.1], "b.test": [0.4, 0.5], "c.test": [1.0, 1.0]}.items():
        for chance in chances:
            table.add_page(table.row(site), chance, found=False)
    table.row("unread.test")
    rows = list(paper_numbers(table, make_explorer("delta")).values())
    assert [row["theta"] for row in rows] == [0.1, 0.45, 1.0, 0.5]
    assert [row["turn"] for row in rows] == [3, 2, None, 1]
    assert rows[2]["delta"] == 0
    assert rows[1]["delta"] > rows[0]["delta"] > 0
