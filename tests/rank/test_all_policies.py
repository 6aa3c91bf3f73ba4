"""What every policy promises: scores, examples that are true, the same again, and little memory."""

import sys

import numpy as np
import pytest

from clew import registry, urls
from clew.testing import check_ranker, sample_outcome, sample_page
from clew.types import Kind, Links, Outcome, Verdict

GOAL = {"about": "planning permits for offshore wind farms", "good": (), "bad": (), "seed": 7}
BYTES = {
    "breadth": 1, "best-first": 1, "random": 1, "keyword": 1,
    "shark": 50, "pagerank": 70, "tagpath": 50, "thompson-hosts": 50, "ache": 80, "qlearn": 80,
    "ariadne": 60, "yokoji": 1, "layout": 70, "objectrank": 90, "records-text": 60, "records-jaccard": 60,
}  # fmt: skip
"""Bytes for each link met, with room for the growth of columns; objects would take a thousand."""


def web(pages, each=50, hosts=20):
    """Yield outcomes with their links: a made-up crawl, the same every time."""
    rng = np.random.default_rng(11)
    words = ["permit", "wind", "farm", "news", "jobs", "contact", "report", "harbour", "archive", "soup"]
    taken = ["https://h0.test/"]
    for number in range(pages):
        made = [f"https://h{rng.integers(hosts)}.test/{words[n % 10]}/{number}-{n}" for n in range(each)]
        links = Links(
            urls=made,
            origins=[urls.origin(url) for url in made],
            hashes=np.array([urls.fingerprint(url) for url in made], np.uint64),
            anchors=[f"{words[n % 10]} {words[(n + number) % 10]}" for n in range(each)],
            contexts=[f"about {words[n % 10]} and {words[(n * 3) % 10]} in {number}" for n in range(each)],
            paths=[f"body/main/ul.{words[n % 4]}/li/a" for n in range(each)],
            rels=[""] * each,
            positions=np.linspace(0, 1, each, dtype=np.float32),
            kinds=[Kind.PAGE] * each,
        )
        url = taken[number]
        yield Outcome(sample_page(url, text=url.replace("/", " ")), Verdict(float("permit" in url))), links
        taken += made[:3]


def crawled(ranker, pages, each=50):
    """Let a ranker see a crawl in the order the mind shows it; return all scores it gave."""
    scores, anew = [], []
    for outcome, links in web(pages, each):
        ranker.learn(outcome)
        if hasattr(ranker, "rerank") and (changed := ranker.rerank()) is not None:
            names, values = changed
            assert names.dtype == np.uint64
            assert len(names) == len(values)
            assert np.isfinite(values).all()
            assert values.min(initial=0) >= 0
            assert values.max(initial=0) <= 1
            anew.append(np.asarray(values))
        batch = ranker.score(outcome, links)
        assert batch.dtype == np.float32
        assert batch.shape == (each,)
        assert ((batch >= 0) & (batch <= 1)).all()
        scores.append(batch)
    return np.concatenate(scores), np.concatenate([*anew, np.empty(0)])


@pytest.mark.parametrize("name", BYTES)
def test_every_policy_passes_the_ranker_checks(name):
    check_ranker(registry.make("ranker", name))
    check_ranker(registry.make("ranker", name, **GOAL))


@pytest.mark.parametrize("name", BYTES)
def test_the_same_crawl_gets_the_same_scores_again(name):
    first = crawled(registry.make("ranker", name, **GOAL), 120, 20)
    again = crawled(registry.make("ranker", name, **GOAL), 120, 20)
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


def size_of(thing, seen):
    """Return the bytes of a ranker's own: columns, dictionaries, lists and what is in them."""
    if id(thing) in seen or isinstance(thing, type):
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes + 112
    size = sys.getsizeof(thing)
    if isinstance(thing, dict):
        return size + sum(size_of(key, seen) + size_of(value, seen) for key, value in thing.items())
    if isinstance(thing, list | tuple | set | frozenset):
        return size + sum(size_of(each, seen) for each in thing)
    return size + size_of(vars(thing), seen) if hasattr(thing, "__dict__") else size


@pytest.fixture(scope="module")
def hundred_thousand():
    return list(web(200, 500))


@pytest.mark.parametrize("name", BYTES)
def test_a_link_takes_few_bytes(name, hundred_thousand):
    ranker = registry.make("ranker", name, **GOAL)
    crawled(ranker, 2, 20)  # tables of fixed size are not what grows
    before = size_of(ranker, set())
    for outcome, links in hundred_thousand:
        ranker.learn(outcome)
        ranker.score(outcome, links)
    grown = size_of(ranker, set()) - before
    assert grown / 100_000 < BYTES[name], f"{name}: {grown / 100_000:.0f} bytes a link"


def test_parts_add_up_while_learning():
    for name in BYTES:
        ranker = registry.make("ranker", name, **GOAL)
        if not hasattr(ranker, "parts"):
            continue
        for outcome, links in web(30, 20):
            ranker.learn(outcome)
            getattr(ranker, "rerank", lambda: None)()
            total = np.sum(list(ranker.parts(outcome, links).values()), axis=0)
            assert np.allclose(total, ranker.score(outcome, links), atol=1e-6), name


def test_a_page_that_failed_is_learned_from():
    for name in BYTES:
        ranker = registry.make("ranker", name, **GOAL)
        ranker.learn(Outcome(sample_page("https://gone.test/"), Verdict(0.0)))
        assert len(ranker.score(sample_outcome(), Links())) == 0


def test_every_policy_has_an_example_and_a_reference():
    for name in set(BYTES) - {"breadth"}:
        docstring = type(registry.make("ranker", name)).__doc__
        assert ">>>" in docstring, name
        assert "Reference:" in docstring, name
