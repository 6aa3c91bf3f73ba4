"""Statistics told from other tables: features, trees, their file, and what it all says of files it never saw."""

import math
import random

import pytest

from clew.domain.datafiles import look
from clew.domain.datafiles.boosted_trees import FILE, BoostedTrees, Node, read_trees, shipped, write_trees
from clew.domain.datafiles.features import NAMES, features_of
from clew.domain.datafiles.table import DataTable, read_table
from clew.errors import ConfigError
from tests.datafiles.file_kit import BYTES, FIGURES, PEOPLE, as_csv, as_xlsx


def chance(rows, delimiter=","):
    return look(as_csv(rows, delimiter)).statistical


def feature(rows, name):
    return features_of(DataTable(rows))[NAMES.index(name)]


def test_figures_are_statistics_and_people_are_not():
    assert chance(FIGURES) > 0.8
    assert chance(PEOPLE) < 0.2
    assert look(as_xlsx(FIGURES)).statistical > 0.8
    assert look(as_xlsx(PEOPLE)).statistical < 0.2


def test_a_table_of_an_office_with_titles_and_gaps():
    rows = [["Bevölkerung nach Ländern"], ["Land", "2018", "2019", "2020"]]
    rows += [
        [land, "1.234.567", ":", "1.301.002"]
        for land in ("Bayern", "Hessen", "Sachsen", "Berlin", "Bremen", "Insgesamt")
    ]
    assert chance(rows, ";") > 0.5


def test_a_log_and_settings_are_not():
    rng = random.Random(5)
    log = [
        ["timestamp", "ip", "path", "status"],
        *(
            [f"2024-01-02T10:{i:02d}:00Z", f"10.0.0.{i}", f"/a/{i}.html", rng.choice(["200", "404"])]
            for i in range(50)
        ),
    ]
    settings = [
        ["key", "value"],
        *([f"window_size_{i}", rng.choice(["true", "12", "auto"])] for i in range(40)),
    ]
    assert chance(log) < 0.5
    assert chance(settings) < 0.5


def test_why_is_said_in_words():
    found = look(as_csv(FIGURES), url="http://a.org/x.csv")
    assert found.why == "csv, 21 rows × 4 columns: 75 % numbers, years"
    assert (found.rows, found.columns) == (21, 4)
    assert look(BYTES["dta"]).why == "dta by its first bytes; its cells were not read"
    assert look(BYTES["dta"]).statistical > 0.9


def test_features_are_what_they_say():
    assert feature(FIGURES, "numbers") == pytest.approx(0.75)
    assert feature(FIGURES, "header_years") == pytest.approx(0.75)
    assert feature(FIGURES, "decimals") == 1
    assert feature(PEOPLE, "links") == pytest.approx(0.4)
    assert feature(PEOPLE, "personal") == pytest.approx(0.8)
    counted = [["", "x"], *([str(i), "5"] for i in range(1, 30))]
    assert feature(counted, "counters") == 0.5
    gaps = [["a", "b"], *(["1", mark] for mark in ("NA", "..", ":", "", "-", "2"))]
    assert feature(gaps, "missing") == pytest.approx(4 / 12)
    assert feature([["Year", "n"], ["2001", "5"], ["2002/03", "6"], ["平成15年", "7"]], "years") == 1
    assert feature([["day", "n"], ["2001-01-02", "5"], ["2001-01-03", "6"]], "dates") == 0.5


@pytest.mark.parametrize(
    "rows", [[["a"], ["b"]], [[""], ["", ""]], [["1"]], [["x"] * 500] * 2, [["a", "b"], ["1"]]]
)
def test_tables_of_any_shape_have_features(rows):
    values = features_of(DataTable(rows))
    assert len(values) == len(NAMES)
    assert all(math.isfinite(value) for value in values)
    assert 0 <= shipped().chance(values.tolist()) <= 1


def test_trees_come_back_from_their_file(tmp_path):
    made = BoostedTrees(("width", "height"), ((Node(1, 0.5, 1, 2), Node(adds=-1.25), Node(adds=0.1)),), 0.125)
    write_trees(tmp_path / "t.model", made, {"made_by": "a test"})
    again = read_trees(tmp_path / "t.model")
    assert again == made
    assert again.chance([0.0, 0.5]) == pytest.approx(1 / (1 + 2.718281828 ** (1.125)))
    assert again.chance([0.0, 0.6]) > 0.5
    assert "height\t0.5\t1\t2" in (tmp_path / "t.model").read_text()
    assert read_trees(tmp_path / "none.model") is None


def test_the_shipped_trees_ask_for_features_there_are():
    trees = shipped()
    assert trees.features == NAMES
    assert len(trees.trees) > 10
    assert FILE.stat().st_size < 100_000
    assert FILE.read_text("utf-8").startswith("# clew model statistical-files 1\n")


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ((Node(0, 0.5, 0, 1), Node(adds=1.0)), "leads backwards"),
        ((Node(0, 0.5, 1, 9), Node(adds=1.0)), "leads backwards or out of the tree"),
    ],
)
def test_trees_that_make_no_sense_are_refused(tmp_path, nodes, why):
    write_trees(tmp_path / "t.model", BoostedTrees(("a",), (nodes,)), {})
    with pytest.raises(ConfigError, match=why):
        read_trees(tmp_path / "t.model")


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "t.model"
    path.write_bytes(FILE.read_bytes().replace(b"numbers", b"numbars", 1))
    with pytest.raises(ConfigError, match="damaged"):
        read_trees(path)


def test_our_lines_and_the_library_agree():
    pytest.importorskip("sklearn")
    import numpy as np
    from threadpoolctl import threadpool_limits

    from bench.data_classifier import as_trees, fit_trees, synthetic_files

    files = list(synthetic_files(7, 2))
    rows = np.array([file.row for file in files])
    with threadpool_limits(1):
        forest = fit_trees(files, count=5)
        theirs = forest.predict_proba(rows)[:, 1]
    trees = as_trees(forest)
    assert np.abs(theirs - [trees.chance(row) for row in rows.tolist()]).max() < 1e-9


def test_the_shipped_trees_on_made_up_files_of_another_seed():
    from bench import data_downloads, data_lookups, data_measured, data_tables

    right = total = 0
    statistics = data_tables.FAMILIES | data_measured.FAMILIES
    others = data_downloads.FAMILIES | data_lookups.FAMILIES
    for label, families in ((1, statistics), (0, others)):
        for name, family in families.items():
            rng = random.Random(f"{name} unseen")
            for _ in range(3):
                table = read_table(
                    as_csv(
                        [[cell.replace(",", ".").replace('"', "") for cell in row] for row in family(rng)]
                    ),
                    "csv",
                )
                if table is not None:
                    total += 1
                    right += (shipped().chance(features_of(table).tolist()) >= 0.5) == bool(label)
    assert right / total > 0.9, f"{right} of {total}"
