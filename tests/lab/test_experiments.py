"""The experiments of the papers: trees from all links, crawlers from two starts, verdicts on sites."""

import csv
import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from clew.cli import main
from clew.domain.sites.explorers import make_explorer
from clew.errors import ConfigError
from clew.lab.experiment_files import ExperimentFiles, ExperimentTable, make_results_folder
from clew.lab.layout_experiment import LayoutExperiment, paper_task
from clew.lab.race import read_race
from clew.lab.site_verdicts import score_sites
from clew.lab.sites_experiment import SitePages, labelled_sites, large_experiment, small_experiment
from clew.lab.sites_simulation import SimulatedSites, explore, measured
from clew.lab.trace import Trace
from clew.lab.world import open_world
from clew.rank.layout.link_occurrences import LinkOccurrences
from clew.testing import sample_links, sample_outcome, sample_page
from clew.types import Outcome, Verdict
from tests.lab.lab_kit import make_world, page, small_web


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    web = small_web()
    folder = tmp_path_factory.mktemp("worlds") / "museums"
    seeds = [f"http://h{host}.museum-web.org/" for host in range(4)]
    return open_world(make_world(folder, web, seeds=seeds))


def test_every_occurrence_of_a_link_whose_target_was_read_is_a_row():
    occurrences, links = LinkOccurrences(about="page"), sample_links(3)
    for source in (sample_outcome(0.0), sample_outcome(1.0)):  # two pages with the same links
        occurrences.score(source, links)
    assert len(occurrences.training_rows().relevant) == 0
    occurrences.learn(Outcome(sample_page(links.urls[1]), Verdict(0.9)))
    rows = occurrences.training_rows()
    assert rows.relevant.tolist() == [True, True]
    assert len(rows.attributes) == len(rows.sources) == len(rows.hosts) == 2


def test_trees_learn_from_either_start_and_all_crawlers_run_from_both(world):
    task = paper_task(world, "")
    assert {start: len(urls) for start, urls in task.starts.items()} == {"A": 2, "B": 2}
    experiment = LayoutExperiment(world, task, "words", 30, 24)
    experiment.run()
    assert [tree.name for tree in experiment.trees] == ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"]
    assert len(experiment.curves) == 2 * (1 + 3 + 8)  # breadth-first, yokoji in three versions, trees
    for tree in experiment.trees:
        assert tree.ranker().learning is False
        assert tree.accuracy >= 0.5
    by_tree = {tree.name: tree for tree in experiment.trees}
    assert by_tree["A4"].accuracy >= by_tree["A1"].accuracy
    assert experiment.trees[0].links > 24  # more occurrences than pages


def test_a_task_with_one_seed_has_no_two_starts(tmp_path):
    web = {"http://a.museum-web.org/": page("A", "The lighthouse keeper.", "http://a.museum-web.org/b")}
    web["http://a.museum-web.org/b"] = page("B", "The lighthouse keeper.")
    one = open_world(make_world(tmp_path / "one", web, seeds=["http://a.museum-web.org/"]))
    with pytest.raises(ConfigError, match="has 1 seeds; two starts need two at least"):
        paper_task(one, "")


def test_verdicts_are_measured_by_hand():
    yes, truth = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert measured(yes, truth).tolist() == [0.5, 0.5, 0.5]


def test_delta_leads_random_choice_at_two_pages_a_site_and_falls_behind_later():
    simulated = SimulatedSites((0.0, 1.0), 30, 200, 3)
    found = {
        name: explore(simulated, make_explorer(name), 4_000, (400, 4_000), 5)[0].mean(axis=1)[:, 2]
        for name in ("delta", "random")
    }
    assert found["delta"][0] == found["random"][0]  # one page each
    assert found["delta"][1] > found["random"][1]
    assert found["delta"][2] < found["random"][2]


def sites_world(tmp_path, hosts):
    """Return a world in which every third site has tables, and words to go with them."""
    web, truth = {}, {}
    for host in range(hosts):
        base, good = f"http://s{host}.museum-web.org", host % 3 == 0
        words = (
            "The lighthouse keeper counts tables and figures." if good else "Soup with onions and recipes."
        )
        for name, links in (("", ["/a", "/b"]), ("a", ["/b"]), ("b", [])):
            web[f"{base}/{name}"] = page(f"Site {host}", words, *(base + link for link in links))
        truth[f"s{host}.museum-web.org"] = good
    folder = make_world(tmp_path / "sites", web, seeds=[f"http://{host}/" for host in truth])
    rows = "".join(f"{host}\t{int(good)}\n" for host, good in truth.items())
    (folder / "sites.tsv").write_text(f"host\tlabel\n{rows}", "utf-8")
    labels = "".join(f"{url}\t{url.split('/')[2]}\n" for url in web)
    (folder / "labels.tsv").write_text(f"url\thost\n{labels}", "utf-8")
    task = {
        "id": "which",
        "kind": "sites",
        "question": "soup with onions",
        "truth": "sites.tsv, column label",
    }
    (folder / "tasks.json").write_text(json.dumps({"world": "sites", "tasks": [task]}), "utf-8")
    (folder / "seeds.txt").write_text("".join(f"http://{host}/\n" for host in truth), "utf-8")
    return open_world(folder)


def test_a_classifier_of_some_sites_serves_others(tmp_path):
    labelled = labelled_sites(sites_world(tmp_path, 40))
    result = large_experiment(labelled, (20, 8, 12), ("delta", "random"), (12, 24), lambda _: None)
    assert [(each.model, each.accuracy) for each in result.evaluations] == [("logistic", 1.0), ("svm", 1.0)]
    assert result.measures["delta"].shape == (1, 2, 3)
    assert result.measures["random"].shape == (3, 2, 3)
    assert (result.measures["delta"] == 1).all()
    with pytest.raises(ConfigError, match="choose a larger web"):
        large_experiment(labelled, (500, 15, 30), ("delta",), (30,), lambda _: None)
    result = small_experiment(labelled, ("delta", "random"), (40, 80), lambda _: None)
    assert [each.sites for each in result.evaluations] == [40, 40]
    assert (result.measures["delta"] == 1).all()


def test_a_race_for_sites_counts_verdicts_on_sites_and_not_their_pages(tmp_path):
    folder = sites_world(tmp_path, 9).source.files[0][0].parent
    # The question has words of the other sites: the judge words calls them relevant.
    assert found_by(raced(folder, "words", tmp_path / "misled"), "random") == (0, 6)
    summary = raced(folder, "labels", tmp_path / "race")
    assert found_by(summary, "random") == (3, 0)
    assert found_by(summary, "oracle")[0] == 3
    (stats,) = summary.stats_by_task.values()
    assert (stats.relevant, stats.reachable) == (3, (3,))
    assert "3 relevant sites, 3 of them reachable" in stats.sentence()


def raced(folder, judge, out):
    """Run a race through the real program; return its summary."""
    options = ("--policies", "random", "--pages", "27", "--runs", "1", "--jobs", "1", "--judge", judge)
    command = [sys.executable, "-m", "clew", "lab", "race", str(folder), *options, "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=250)
    return read_race(out)


def found_by(summary, policy):
    (ranked,) = summary.cases.values()
    measures = next(each for each in ranked if each.policy == policy).measures
    return measures["found"].mean, measures["wrong"].mean


def test_a_site_is_found_with_its_first_page_that_is_called_relevant_and_wrong_ones_are_counted():
    columns = {name: np.zeros(6, kind) for name, kind in (
        ("hashes", np.uint64), ("rows", np.int32), ("examples", bool), ("scores", np.float32),
        ("bytes", np.int32), ("status", np.int16), ("seconds", np.float64),
    )}  # fmt: skip
    trace = Trace(
        hosts=np.array([0, 0, 0, 1, 1, 2], np.int32),
        grades=np.array([1, 1, 1, 0, 0, 1], np.float32),
        relevant=np.ones(6, bool),
        verdicts=np.array([0.2, 0.9, 0.9, 0.8, 0.9, 0.1], np.float32),
        **columns,
    )
    scored = score_sites(trace)
    assert scored.relevant.tolist() == [False, True, False, False, False, False]
    assert scored.facts["wrong_sites"] == 1


def test_sites_of_a_synthetic_web_are_positive_if_they_offer_files():
    labelled = labelled_sites(open_world("madeup:2000:3"))
    assert 0 < labelled.truth.sum() < len(labelled.sites)
    assert {site.name for site in labelled.sites} != set()
    assert [site.name for site in labelled_sites(open_world("madeup:2000:3"), 1).sites] != [
        site.name for site in labelled.sites
    ]


def test_pages_of_a_site_are_read_breadth_first_within_it(world):
    pages = SitePages(world, "h1.museum-web.org", ("http://h1.museum-web.org/",))
    assert pages.page(0) is not None
    count = len(pages.first(1_000))
    assert 4 < count <= 15
    assert pages.page(count) is None


def test_the_commands_print_tables_and_write_files(tmp_path, monkeypatch, capsys, world):
    folder = world.source.files[0][0].parent
    code = typed(
        monkeypatch, "layout", str(folder), "--judge", "words", "--pages", "40", "--out", tmp_path / "l"
    )
    out = capsys.readouterr().out
    assert code == 0
    assert "B4" in out
    rows = list(csv.reader((tmp_path / "l" / "efficiency.csv").read_text("utf-8").splitlines()))
    assert len(rows) == 25
    ET.parse(tmp_path / "l" / "start-A.svg")
    code = typed(monkeypatch, "sites", str(folder), "--out", tmp_path / "s")
    assert code == 2
    assert "has no task about sites" in capsys.readouterr().err
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="is a file; choose another name"):
        make_results_folder(tmp_path / "file")


def test_a_table_is_written_as_it_is_shown(tmp_path):
    table = ExperimentTable("t", "Sizes", ("site", "pages"), [("one", "12"), ("eleven", "3")])
    assert table.lines() == ["Sizes", "site    pages", "one        12", "eleven      3"]
    ExperimentFiles([table]).write(tmp_path)
    assert (tmp_path / "t.csv").read_text("utf-8").split() == ["site,pages", "one,12", "eleven,3"]


def typed(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["clew", "lab", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)
