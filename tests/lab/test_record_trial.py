"""Rows gained in a trial: counted against the truth, the same every time, with answers of an honest person."""

from dataclasses import replace

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.lab import run_trial
from clew.lab.synthetic.books import COLUMNS, BookWeb, example_rows
from clew.lab.synthetic_world import SyntheticPages
from clew.lab.task import Graded, ListedTruth, Task
from clew.lab.trace import Trace
from clew.lab.world import World

BOOKS = BookWeb(per_subject=24)


@pytest.fixture(scope="module")
def world():
    """The book web as a world that answers without the network."""
    task = Task(
        name="books", about="database systems", kind="records", truth=Graded({}), starts={"seeds": tuple(BOOKS.seeds())},
        records=tuple(dict(zip(COLUMNS, row, strict=True)) for row in example_rows()),
        rows=ListedTruth.of((book.author, book.title) for book in BOOKS.books),
    )  # fmt: skip
    return World("books", SyntheticPages(BOOKS), [task])


def test_right_rows_are_counted_page_by_page(world, tmp_path):
    trace = run_trial(world, world.tasks[0], "breadth", pages=40, extractor="records", judge="records")
    assert len(trace.gained) == len(trace.table) == len(trace) == 40
    assert trace.gained[0] == 0
    assert trace.gained[-1] > 50
    assert np.all(trace.gained <= trace.table)
    assert trace.gained[-1] >= 0.9 * trace.table[-1]
    assert trace.facts["rows_there"] == len(BOOKS.books)
    assert trace.facts["marked"] == {}
    again = run_trial(world, world.tasks[0], "breadth", pages=40, extractor="records", judge="records")
    assert trace.same(again)
    trace.save(tmp_path / "trace.npz")
    assert Trace.load(tmp_path / "trace.npz").same(trace)


def test_as_many_true_labels_are_given_as_set(world):
    trace = run_trial(
        world, world.tasks[0], "breadth", pages=40, extractor="records", judge="records", answers=5
    )
    assert 3 <= sum(trace.facts["marked"].values()) <= 5
    assert trace.gained[-1] > 50


def test_plain_dipre_runs_as_well(world):
    trace = run_trial(world, world.tasks[0], "breadth", pages=40, extractor="records:dipre", judge="records")
    assert trace.facts["extractor"] == "records:dipre"
    assert trace.gained[-1] > 0


def test_a_trial_without_a_table_gains_nothing(world):
    trace = run_trial(world, world.tasks[0], "breadth", pages=5)
    assert trace.gained.tolist() == [0] * 5
    assert "rows_there" not in trace.facts


def test_a_task_without_rows_cannot_grow_a_table(world):
    task = Task(name="none", about="x", truth=Graded({}), starts={"seeds": tuple(BOOKS.seeds())})
    with pytest.raises(ConfigError, match="needs example rows"):
        run_trial(world, task, "breadth", pages=5, extractor="records")


def test_labels_remove_noise(world):
    task = replace(world.tasks[0], rows=ListedTruth(frozenset()))  # nothing is right: every answer is noise
    settings = {"pages": 40, "extractor": "records", "judge": "records"}
    unlabelled, labelled = (run_trial(world, task, "breadth", answers=n, **settings) for n in (0, 6))
    assert set(labelled.facts["marked"]) == {"noise"}
    assert labelled.table[-1] < unlabelled.table[-1] / 2
    assert labelled.gained[-1] == 0
