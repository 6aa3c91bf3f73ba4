"""A teacher made from the labels of a world: how often it is wrong, which pages it labels, what that changes."""

import random

import pytest
from lab_kit import make_world, small_web, topic_of

from clew.errors import ConfigError
from clew.lab import open_world, run_trial
from clew.lab.teacher import TeacherSpec


def varied_web():
    """Return a small web whose pages are no near-duplicates: each has words of its own."""
    web, rng = small_web(hosts=6, pages=20), random.Random(1)
    words = ["".join(rng.choices("abcdefghiklmnoprstuvw", k=6)) for _ in range(400)]
    return {
        url: (status, head, body.replace(b"<ul>", f"<p>{' '.join(rng.sample(words, 40))}</p><ul>".encode()))
        for url, (status, head, body) in web.items()
    }


WEB = varied_web()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    home = tmp_path_factory.mktemp("taught")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        yield open_world(make_world(home / "small", WEB))


@pytest.mark.parametrize(
    ("error", "bias", "wrong_yes", "wrong_no"),
    [(0.0, 0.0, 0.0, 0.0), (0.1, 0.0, 0.1, 0.1), (0.1, 1.0, 0.2, 0.0), (0.1, -1.0, 0.0, 0.2)],
)
def test_errors_are_as_frequent_as_asked_for_and_biased_as_asked_for(error, bias, wrong_yes, wrong_no):
    spec = TeacherSpec(error=error, bias=bias)
    pages = [f"http://a.test/{n}" for n in range(4000)]
    assert sum(spec.label(url, False, 1) for url in pages) / 4000 == pytest.approx(wrong_yes, abs=0.02)
    assert sum(not spec.label(url, True, 1) for url in pages) / 4000 == pytest.approx(wrong_no, abs=0.02)
    assert [spec.label(url, True, 1) for url in pages] == [spec.label(url, True, 1) for url in pages]
    if bias <= 0 < error:
        assert [spec.label(url, True, 1) for url in pages] != [spec.label(url, True, 2) for url in pages]


@pytest.mark.parametrize(
    "text", ["labels=x", "labels=4,errors=1", "error=2", "bias=3", "order=best", "nonsense"]
)
def test_a_spec_that_cannot_be_read_is_refused_with_an_example(text):
    with pytest.raises(ConfigError, match=r"labels=40,error=0\.1"):
        TeacherSpec.parse(text)


def test_labels_are_true_bounded_and_the_same_in_each_run(world):
    traces = [run_trial(world, world.tasks[0], "clew", pages=80, answers="labels=12") for _ in range(2)]
    taught = traces[0].facts["taught"]
    right = set(topic_of(WEB))
    assert len(taught) == 12
    assert taught == {url: url in right for url in taught}
    assert traces[1].facts["taught"] == taught
    assert traces[0].hashes.tolist() == traces[1].hashes.tolist()


def test_labels_reach_judge_and_policy(world):
    runs = {
        spec: run_trial(world, world.tasks[0], "clew", pages=80, answers=spec)
        for spec in ("", "labels=20", "labels=20,order=random", "labels=20,error=1")
    }
    orders = {spec: tuple(trace.hashes.tolist()) for spec, trace in runs.items()}
    assert len(set(orders.values())) == 4
    assert runs["labels=20"].facts["taught"].keys() != runs["labels=20,order=random"].facts["taught"].keys()


def test_every_page_may_be_judged_by_the_teacher(world):
    right = run_trial(world, world.tasks[0], "clew", pages=60, answers="order=every")
    perfect = run_trial(world, world.tasks[0], "clew", pages=60, judge="labels")
    wrong = run_trial(world, world.tasks[0], "clew", pages=60, answers="order=every,error=1")
    assert right.hashes.tolist() == perfect.hashes.tolist()
    assert right.verdicts[right.relevant].min() == 1.0
    assert wrong.verdicts[wrong.relevant].max() == 0.0
