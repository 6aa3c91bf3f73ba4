"""The report and the drawings: complete, self-contained, safe, and the same numbers as the tables."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from clew.domain.installation import install_command
from clew.lab import pictures, plots
from clew.lab.measures import Columns, Reference, curve_of, figures
from clew.lab.plots import Line, drawing
from clew.lab.race_summary import RaceSettings, RaceSummary, TaskStats
from clew.lab.report import report
from clew.lab.results import csv_text, curves_of, json_text, rows_of
from clew.lab.standings import Pair, RaceCase, RunResult, standings, with_gain
from clew.lab.statistics import Interval
from clew.lab.tables import headline, markdown, measures_table, pairs_table, totals_table, written

RATES = {"oracle": 0.6, "breadth": 0.05, "best-first": 0.15, "<b>keyword</b>": 0.25}
NASTY = "</script><script>alert(1)</script>"


def run_of(case, policy, seed, rng, count=400):
    gains = rng.random(count) < RATES.get(policy, 0.1)
    run = Columns(
        gains=gains, hosts=rng.integers(0, 30, count), bytes=np.full(count, 10_000), scores=rng.random(count) + gains,
        taken=np.ones(count, bool), cpu=2.0, labels=0,
    )  # fmt: skip
    ground = Reference(reachable=300, relevant=400, upto=count)
    return RunResult(
        case=case,
        policy=policy,
        seed=seed,
        figures=figures(run, ground),
        curve=curve_of(gains),
        reachable=300,
        upto=count,
    )


@pytest.fixture(scope="module")
def summary():
    rng = np.random.default_rng(1)
    cases = [RaceCase("webkb", "courses"), RaceCase("webkb", "courses", 10), RaceCase("ja", f"灯台 {NASTY}")]
    runs = [run_of(case, policy, seed, rng) for case in cases for policy in RATES for seed in range(4)]
    stats = {
        (case.world, case.task): TaskStats(
            world=case.world,
            task=case.task,
            pages=900,
            hosts=30,
            relevant=400,
            reachable=(300,) * 4,
            starts=(0, 1, 2, 3),
            budget=400,
            upto=400,
        )
        for case in cases
    }
    settings = RaceSettings(worlds=("webkb", "ja"), policies=tuple(RATES), pages=400, runs=4, caps=(0, 10))
    return RaceSummary(
        settings=settings,
        cases=standings(with_gain(runs)),
        stats_by_task=stats,
        notes=["one <i>record</i> is bad"],
        missing=2,
    )


class _Page(HTMLParser):
    """Collect what a browser would see: open elements, what they load, and text."""

    def __init__(self):
        super().__init__()
        self.loads, self.tags, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "rect", "line", "polyline", "polygon"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def test_the_report_is_one_complete_file(summary):
    page = _Page()
    html = report(summary)
    page.feed(html)
    assert not page.open
    assert all(load.startswith("#") for load in page.loads)
    assert page.tags.count("svg") == 3
    assert page.tags.count("script") == 4  # one for each drawing's numbers, one of our own
    assert "alert(1)</script>" not in html.replace(r"<\/script>", "")
    seen = " ".join(page.text)
    for words in (
        "Judge: auto",
        "Over all 2 tasks",
        "oracle",
        "What was measured",
        "not finished",
        "<b>keyword</b>",
        "Holm",
    ):
        assert words in seen, words
    assert html.count("Judge: auto") >= 3 * 2 + 2  # beside every drawing and every table
    assert not re.search(r"\{\w+\}", "".join(page.text[-40:])), "a gap in the text was not filled"


def test_the_numbers_of_the_tooltip_are_those_of_the_curve(summary):
    data = [json.loads(each) for each in re.findall(r'application/json">(.*?)</script>', report(summary))]
    case, ranked = next(iter(summary.cases.items()))
    assert case.world == "ja"
    for line, standing in zip(data[0]["lines"], ranked, strict=True):
        assert line["name"] == standing.policy
        assert line["mean"] == pytest.approx(standing.band.mean.tolist(), abs=1e-4)
        assert len(line["x"]) == len(line["half"])
        assert line["x"][-1] == 400


def test_a_drawing_is_xml_with_every_line_inside_it(summary):
    lines = [
        plots.Line(each.policy, each.band, i - 1)
        for i, each in enumerate(summary.cases[RaceCase("webkb", "courses")])
    ]
    drawn = plots.drawing(lines, x_label="fetches", y_label="recall", alone=True)
    root = ET.fromstring(drawn)
    names = [
        text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if "name" in text.get("class")
    ]
    assert sorted(names) == sorted(RATES)
    heights = sorted(
        float(text.get("y"))
        for text in root.iter("{http://www.w3.org/2000/svg}text")
        if "name" in text.get("class")
    )
    assert all(b - a >= plots.LABEL - 0.2 for a, b in pairwise(heights))
    for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
        for point in line.get("points").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= plots.WIDTH
            assert 0 <= y <= plots.HEIGHT


def test_many_lines_still_have_names_of_their_own():
    rng = np.random.default_rng(2)
    case = RaceCase("w", "t")
    ranked = standings([run_of(case, f"p{i:02}", 0, rng) for i in range(28)])[case]
    tone = plots.colours([each.policy for each in ranked])
    drawn = plots.drawing(
        [plots.Line(each.policy, each.band, tone[each.policy]) for each in ranked], x_label="", y_label=""
    )
    heights = sorted(float(y) for y in re.findall(r'class="text name[^>]* y="([\d.-]+)"', drawn))
    assert len(set(heights)) == 28
    assert min(heights) > 0


def test_tables_mark_the_best_policy_and_no_limit(summary):
    ranked = summary.cases[RaceCase("webkb", "courses")]
    table = measures_table(ranked, 400)
    best = {row[0].text for row in table.rows for cell in row if cell.best}
    assert "<b>keyword</b>" in best
    assert not best & {"oracle", "breadth"}
    assert markdown(table).count("\n") == len(ranked) + 2
    assert totals_table([]).rows == pairs_table([]).rows == ()


def test_numbers_are_written_with_the_right_digits():
    assert written(Interval(1234.5, 56.7, 5), 0) == "1,234 ± 57"
    assert written(Interval(0.5, math.nan, 1), 3) == "0.500"
    assert written(Interval(math.nan, math.nan, 0), 3) == "–"


def test_raw_numbers_can_be_read_back(summary):
    rows = csv_text(rows_of(summary.cases)).splitlines()
    assert len(rows) == 1 + 3 * 4 * 4
    assert any(",inf," in row for row in rows)
    assert csv_text(curves_of(summary.cases)).startswith("world,task,cap,policy,fetches,recall,low,high\n")
    again = json.loads(json_text(summary))
    assert again["settings"]["judge"] == "auto"
    assert again["heats"][0]["policies"][0]["policy"] == "oracle"
    assert any(each["measures"]["to_90"]["mean"] == "never" for each in again["heats"][0]["policies"])


def test_png_needs_matplotlib(summary, tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from clew.lab.pictures import need_matplotlib\nneed_matplotlib()"
    )
    without = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert install_command("lab") in without.stderr
    pytest.importorskip("matplotlib")
    ranked = summary.cases[RaceCase("webkb", "courses")]
    lines = [plots.Line(each.policy, each.band, i - 1) for i, each in enumerate(ranked)]
    pictures.write_png(lines, tmp_path / "a.png", "courses")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_intervals_stay_within_what_is_possible():
    assert written(Interval(153.0, 273.0, 5), 0) == "153 (0 to 426)"
    assert written(Interval(0.719, 0.609, 2), 3) == "0.719"  # two runs say nothing about the spread
    assert written(Interval(0.719, 0.1, 5), 3) == "0.719 ± .100"


def test_a_lead_within_the_noise_is_called_that():
    pair = Pair(first="a", second="b", difference=0.02, better=3, worse=2, pairs=5, p=0.6, corrected=0.6)
    assert "within the noise" in headline([pair], ["oracle", "a", "b", "breadth"])
    clear = replace(pair, p=0.001, corrected=0.002)
    assert "a leads b by 0.020, which is significant" in headline([clear], ["a", "b"])
    assert headline([], ["a"]) == ""


def test_few_runs_are_drawn_one_by_one_and_get_no_interval():
    rng = np.random.default_rng(2)
    case = RaceCase("webkb", "courses")
    few = standings(with_gain([run_of(case, policy, seed, rng) for policy in RATES for seed in range(2)]))[
        case
    ]
    many = standings(with_gain([run_of(case, policy, seed, rng) for policy in RATES for seed in range(5)]))[
        case
    ]
    assert all(len(each.band.single) == 2 and (each.band.low == each.band.high).all() for each in few)
    assert all(not each.band.single and (each.band.high > each.band.low).any() for each in many)
    drawn = drawing([Line(each.policy, each.band, 0) for each in few], x_label="x", y_label="y")
    assert drawn.count('<polyline class="single') == 2 * len(few)
    assert "<polygon" not in drawn
    renamed = [Line("yokoji, landmarks too", each.band, 0) for each in few]
    wider = drawing(renamed, x_label="x", y_label="y")
    sizes = [int(re.search(r'viewBox="0 -?\d+ (\d+)', each)[1]) for each in (drawn, wider)]
    assert sizes[1] > sizes[0], "a long name is not cut at the edge"


def test_a_race_shows_itself_in_a_notebook(summary):
    shown = summary._repr_html_()
    inside = unescape(re.fullmatch(r'<iframe [^>]* srcdoc="([^"]*)"></iframe>', shown)[1])
    assert inside == report(summary)
