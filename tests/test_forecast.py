"""What the next pages promise: on the screen, in `clew status` and in the summary, and as a reason to stop."""

import pytest

import clew
from clew.domain.forecast import AHEAD, WINDOW, forecast
from clew.engine.budget import Budget, Totals
from clew.insight.status import read_status
from clew.insight.status_text import status_lines
from tests.small_web import CONTACT, QUICK, linked, serving

RELEVANT = 40
PAGES = 420


def site():
    """A chain of pages in which only the first 40 are about lamps."""
    pages = {
        f"/{n}": linked(
            f"/{n + 1}",
            text=f"page {n * 7919} " + ("the lamp of the tower " if n < RELEVANT else "a mill ") * 20,
        )
        for n in range(PAGES)
    }
    return pages | {"/": linked("/0", text="front")}


def crawl(folder, web, least):
    settings = QUICK | {
        "rank.policy": "breadth", "goal.judge": "words", "fetch.concurrency": 1, "crawl.least": least,
        "scope.suspect_pages": 0,
    }  # fmt: skip
    return clew.Crawl(folder, "lamp tower", [f"{web.origin}/"], CONTACT, settings=settings)


def test_the_interval_holds_the_forecast_and_none_is_made_from_few_pages():
    assert forecast(WINDOW - 1, WINDOW - 1) is None
    for relevant in (0, 1, 17, 100, WINDOW):
        ahead = forecast(relevant, WINDOW)
        assert 0 <= ahead.low <= ahead.expected <= ahead.high <= AHEAD
    assert forecast(0, WINDOW).high > 0, "nothing for a while is not nothing for ever"


@pytest.mark.parametrize(("relevant", "stops"), [(3, True), (4, False), (50, False)])
def test_a_budget_is_over_when_too_little_is_promised(relevant, stops):
    totals = Totals()
    totals.restore(pages=WINDOW, relevant=relevant, failed=0, requests=WINDOW)
    totals.recent.extend([True] * relevant + [False] * (WINDOW - relevant))
    assert bool(Budget(least=2).over(totals, 0.0)) is stops
    assert not Budget().over(totals, 0.0), "unless it was asked for"


def test_a_crawl_stops_when_little_is_promised_and_at_the_same_page_after_restarts(tmp_path):
    with serving(site()) as web:
        whole = crawl(tmp_path / "whole", web, 2).run()
        for pages in (50, 199, 236):
            crawl(tmp_path / "parts", web, 2).run(pages=pages)
        parts = crawl(tmp_path / "parts", web, 2).run()
        endless = crawl(tmp_path / "endless", web, 0).run(pages=300)
    assert "promise fewer than 2 relevant" in whole.ended
    assert WINDOW < whole.pages < RELEVANT + WINDOW + 5
    assert (parts.pages, parts.relevant, parts.ended) == (whole.pages, whole.relevant, whole.ended)
    assert endless.pages == 300
    assert str(whole.ahead) in "\n".join(whole.notes())
    status = read_status(tmp_path / "whole")
    assert status.ahead == whole.ahead
    assert any(line.split()[0] == "forecast" for line in status_lines(status)[1:])
    assert status.as_dict()["forecast"]["high"] == whole.ahead.high
