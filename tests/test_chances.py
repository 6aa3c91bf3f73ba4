"""Chances: verdicts as probabilities, shown by `clew why` and `clew status`, shifted by labels."""

import numpy as np
import pytest

import clew
from clew.domain.calibration import ChanceCurve
from clew.insight.chances import expected_relevant, read_curve
from clew.insight.status import read_status
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


def test_why_and_status_show_chances_and_a_label_is_certain(crawl, tmp_path):
    crawl, origin = crawl
    folder = tmp_path / "c"
    card = crawl.why(f"{origin}/good1")
    assert card.page.chance == pytest.approx(read_curve(folder).chances([card.page.verdict])[0])
    assert f"about {card.page.chance:.0%} of pages with such a verdict are relevant" in str(card)
    assert card.as_dict()["chance"] == card.page.chance
    assert 4 < expected_relevant(folder, 0.5) <= 8
    assert expected_relevant(folder, 0.0) > expected_relevant(folder, 0.5)
    assert any(line.split()[0] == "expected" for line in read_status(folder).lines())

    crawl.label(f"{origin}/good1", False)
    for number in range(4):
        crawl.label(f"{origin}/bad{number}", True)
    crawl.run()
    labelled = crawl.why(f"{origin}/good1")
    assert labelled.page.chance is None
    assert "with such a verdict" not in str(labelled)
    assert read_curve(folder).shift > 0.3  # pages with low verdicts were labelled relevant
    assert read_curve(folder).goal == "both"


def test_judges_whose_verdicts_were_not_measured_have_no_chances(tmp_path):
    with serving({"/": linked(text="a lighthouse")}) as web:
        settings = {**QUICK, "goal.judge": "words"}
        crawl = clew.Crawl(tmp_path / "c", "lighthouse", [web.origin], CONTACT, settings=settings)
        crawl.run()
        assert read_curve(tmp_path / "c") is None
        assert expected_relevant(tmp_path / "c", 0.5) is None
        assert crawl.why(f"{web.origin}/").page.chance is None
        assert not any(line.split()[0] == "expected" for line in read_status(tmp_path / "c").lines())
