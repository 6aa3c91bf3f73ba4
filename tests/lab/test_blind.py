"""A policy sees what a live crawl would see: neither labels nor pages that were not fetched can be reached from it."""

import gc
import random
import types

import numpy as np
import pytest
from lab_kit import make_world, small_web

from clew.judge.words import WordsJudge
from clew.lab import open_world, run_trial
from clew.lab.page_store import PageStore, Recorded
from clew.lab.task import Graded, Task
from clew.lab.world import World
from clew.rank.baselines.best_first import BestFirst
from clew.types import Outcome, Page, Response
from clew.urls import fingerprint

WEB = small_web()


class Nosy(BestFirst):
    """A ranker that keeps all it is ever given."""

    def __init__(self):
        self.received = []

    def score(self, source, links):
        self.received += [source, links]
        return super().score(source, links)

    def learn(self, outcome):
        self.received.append(outcome)


class NosyJudge(WordsJudge):
    """A judge that does the same."""

    def __init__(self, *, about=""):
        super().__init__(about=about)
        self.received = []

    def judge(self, page):
        self.received.append(page)
        return super().judge(page)

    def learn(self, label, page):
        self.received += [label, page]
        super().learn(label, page)


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("blind") / "cache"))
        yield


def reached(*roots):
    """Walk every object that can be reached without going through code: modules, classes, globals of functions."""
    seen, waiting = {}, list(roots)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, types.ModuleType | type):
            continue
        seen[id(one)] = one
        if isinstance(one, types.FunctionType):
            waiting += one.__closure__ or ()
            waiting += one.__defaults__ or ()
        else:
            waiting += gc.get_referents(one)
    return list(seen.values())


def test_neither_world_nor_labels_nor_unfetched_pages_can_be_reached(tmp_path):
    world = open_world(make_world(tmp_path / "w", WEB, example_pages=["http://h0.museum-web.org/p3.html"]))
    (task,) = world.tasks
    ranker = Nosy()
    judge = NosyJudge(about=task.about)
    trace = run_trial(world, task, ranker, pages=20, judge=judge)
    found = reached(ranker, judge)
    assert sum(isinstance(one, Outcome) for one in found) >= 20, "the walk does reach what they were given"
    forbidden = (World, Task, Graded, PageStore, Recorded, np.memmap, memoryview)
    assert [one for one in found if isinstance(one, forbidden)] == []
    fetched = {*trace.hashes.tolist(), fingerprint("http://h0.museum-web.org/p3.html")}
    pages = [one for one in found if isinstance(one, Page | Response)]
    assert {fingerprint(one.link.url) for one in pages} == fetched
    bodies = {body for _, _, body in WEB.values() if len(body) > 40}
    seen = {one for one in found if isinstance(one, bytes)}
    hidden = {
        body for url, (status, _, body) in WEB.items() if status == 200 and fingerprint(url) not in fetched
    }
    assert seen & bodies, "bodies of fetched pages are there, as in a live crawl"
    assert not seen & hidden
    assert not any(isinstance(one, dict) and set(one) & set(task.truth.grades) for one in found)


def test_the_object_search_would_find_a_world(tmp_path):
    world = open_world(make_world(tmp_path / "w", WEB))
    cheat = Nosy()
    cheat.received.append(lambda: world.tasks)
    kinds = {type(one) for one in reached(cheat)}
    assert kinds >= {World, PageStore, Task, Graded}


@pytest.mark.parametrize("policy", ["best-first", "keyword", "shark"])
def test_other_labels_change_no_fetch(tmp_path, policy):
    folder = make_world(tmp_path / "w", WEB)
    world = open_world(folder)
    before = run_trial(world, world.tasks[0], policy, pages=40)
    rows = [line.split("\t") for line in (folder / "labels.tsv").read_text().splitlines()]
    labels = [row[1] for row in rows]
    random.Random(5).shuffle(labels)
    (folder / "labels.tsv").write_text(
        "".join(f"{row[0]}\t{label}\n" for row, label in zip(rows, labels, strict=True))
    )
    shuffled = open_world(folder)
    after = run_trial(shuffled, shuffled.tasks[0], policy, pages=40)
    assert np.array_equal(before.hashes, after.hashes)
    assert np.array_equal(before.scores, after.scores)
    assert not np.array_equal(before.grades, after.grades)
