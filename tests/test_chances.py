"""Chances: verdicts as probabilities, shown by `clew why` with a range, shifted by labels."""

from itertools import pairwise

import numpy as np
import pytest

import clew
from clew.domain.calibration import RANGES, ChanceCurve, share_range
from clew.insight.chances import read_curve
from tests.small_web import CONTACT, QUICK, linked, serving

PAGES = {f"/good{n}": linked(text=f"the lighthouse on rock {n} " * 8) for n in range(8)} | {
    f"/bad{n}": linked(text=f"onion soup with bread {n} " * 8) for n in range(6)
}


@pytest.mark.parametrize("goal", ["words", "examples", "both"])
def test_chances_rise_with_the_verdict_and_stay_between_0_and_1(goal):
    chances = ChanceCurve(goal=goal).chances(np.linspace(0, 1, 101))
    assert (np.diff(chances) >= 0).all()
    assert 0 < chances[0] < 0.2
    assert 0.8 < chances[-1] < 1


def test_ranges_rise_with_the_verdict_and_hold_the_chances_of_every_goal():
    assert all((a <= b).all() for a, b in pairwise(np.array(RANGES)))
    assert share_range(1.0) == RANGES[-1]
    for goal in ("words", "both"):
        for verdict in np.linspace(0.02, 0.98, 49):
            low, high = share_range(verdict)
            assert low <= ChanceCurve(goal=goal).chances([verdict])[0] <= high


def test_labels_shift_chances_by_what_they_say_and_no_further():
    curve = ChanceCurve()
    surprised, agreed = [(0.2, True)] * 10, [(0.2, False)] * 3 + [(0.8, True)] * 3
    assert curve.chances([0.2])[0] < 0.4
    assert 0.7 < curve.shifted(surprised).chances([0.2])[0] < 0.99
    assert abs(curve.shifted(agreed).shift) < 0.3
    assert curve.shifted([]) == curve
    once = curve.shifted(surprised)
    assert once.shifted(surprised) == once  # labels replace those before them


@pytest.fixture
def crawl(tmp_path):
    with serving({"/": linked(*PAGES, text="start")} | PAGES) as web:
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=QUICK)
        crawl.run()
        yield crawl, web.origin


def test_why_shows_chances_and_a_label_is_certain(crawl, tmp_path):
    crawl, origin = crawl
    folder = tmp_path / "c"
    card = crawl.why(f"{origin}/good1")
    assert card.page.chance == pytest.approx(read_curve(folder).chances([card.page.verdict])[0])
    low, high = card.page.chances
    assert low < card.page.chance < high
    said = f"about {card.page.chance:.0%} of pages with such a verdict are relevant, on single webs {low:.0%}"
    assert said.removesuffix("%") in str(card)
    assert card.as_dict()["chance"] == card.page.chance
    assert card.as_dict()["chances"] == (low, high)

    crawl.label(f"{origin}/good1", False)
    for number in range(4):
        crawl.label(f"{origin}/bad{number}", True)
    crawl.run()
    labelled = crawl.why(f"{origin}/good1")
    assert (labelled.page.chance, labelled.page.chances) == (None, None)
    assert "with such a verdict" not in str(labelled)
    assert read_curve(folder).shift > 0.3  # pages with low verdicts were labelled relevant
    assert read_curve(folder).goal == "both"


def test_judges_whose_verdicts_were_not_measured_have_no_chances(tmp_path):
    with serving({"/": linked(text="a lighthouse")}) as web:
        settings = {**QUICK, "goal.judge": "words"}
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=settings)
        crawl.run()
        assert read_curve(tmp_path / "c") is None
        assert crawl.why(f"{web.origin}/").page.chance is None
