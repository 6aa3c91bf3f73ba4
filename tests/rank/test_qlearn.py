"""Q-learning: a link of no worth itself that leads to pages with worth is worth following."""

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.rank.baselines.qlearn import MODEL_FILE, PART, QLearn

from .graphs import Frontier, links, outcome, visit


def archive(number):
    """Return the address of a page of no worth and the good links it holds."""
    return f"https://a.test/{number}", [(f"https://b.test/{number}-{n}", "dataset") for n in range(2)]


def taught(seed=0, rounds=40, **settings):
    """Teach a ranker: archives lead to datasets, imprints lead to nothing, datasets are good."""
    ranker = QLearn(seed=seed, every=20, epsilon=0.0, **settings)
    front = [(f"https://a.test/{n}", "archive") for n in range(rounds)]
    front += [(f"https://c.test/{n}", "imprint") for n in range(rounds)]
    frontier = Frontier(ranker)
    frontier.process("https://a.test/", 0.0, *front)
    for n in range(rounds - 1):
        url, rows = archive(n)
        frontier.process(url, 0.0, *rows)
        frontier.process(f"https://c.test/{n}", 0.0, (f"https://d.test/{n}", "privacy"))
        frontier.process(f"https://b.test/{n}-0", 1.0)
        frontier.process(f"https://d.test/{n}", 0.0)
    return ranker, frontier


def value_of(ranker, text, url="https://new.test/1"):
    scores, _ = visit(ranker, "https://new.test/", 0.0, (url, text))
    return float(scores[0]) * (1 / (1 - ranker.discount) + 1) - 1


def test_a_two_step_chain_is_learned():
    ranker, frontier = taught()
    last = 39
    found = frontier.score(f"https://b.test/{last - 1}-1")
    hub, dead = frontier.score(f"https://a.test/{last}"), frontier.score(f"https://c.test/{last}")
    assert found > hub > dead + 0.05  # though neither archives nor imprints were ever good themselves
    assert abs(value_of(ranker, "dataset", "https://new.test/1") - 1.0) < 0.3
    assert 0.2 < value_of(ranker, "archive", "https://new.test/2") < 0.6  # 0 + 0.4 · 1
    assert value_of(ranker, "imprint", "https://new.test/3") < 0.15


def test_without_looking_ahead_archives_are_worth_nothing():
    ranker, _ = taught(discount=0.0)
    assert abs(value_of(ranker, "archive")) < 0.1


def test_the_same_seed_gives_the_same_scores():
    first, second = taught(seed=4)[1].scores, taught(seed=4)[1].scores
    assert first == second


def test_one_page_in_five_is_taken_at_random():
    ranker = QLearn(seed=1, every=10_000)
    visit(ranker, "https://a.test/", 0.0, *[f"https://a.test/{n}" for n in range(3_000)])
    changes = [visit(ranker, f"https://a.test/{n}", 0.0)[1] for n in range(500)]
    changes = [change for change in changes if change is not None]
    assert 60 < len(changes) < 120
    assert all(len(names) == 1 and scores[0] == 1 for names, scores in changes)
    assert len({int(names[0]) for names, _ in changes}) > 50


def test_the_replay_buffer_is_a_ring():
    ranker, _ = taught(memory=50)
    assert len(ranker.replay) == 50
    assert ranker.replay.added > 100


def test_intervals_grow_with_the_links_known():
    ranker = QLearn(every=2, epsilon=0.0)
    visit(ranker, "https://a.test/", 0.0, *[f"https://a.test/{n}" for n in range(4_500)])
    moments = [n for n in range(12) if visit(ranker, f"https://a.test/{n}", 0.0)[1] is not None]
    assert np.diff(moments).tolist() == [4, 4]


def test_failed_pages_are_learned_as_worthless():
    ranker = QLearn(every=1, epsilon=0.0)
    visit(ranker, "https://a.test/", 0.0, *[(f"https://a.test/{n}", "broken") for n in range(50)])
    visit(ranker, "https://a.test/0", 0.0)
    assert ranker.replay.best_next[0] == 0
    assert ranker.replay.added == 1


def test_words_are_named_with_what_they_add_after_a_restart_too(tmp_path):
    ranker, _ = taught()
    found, page = links(("https://new.test/1", "dataset imprint")), outcome("https://new.test/", 0.0)
    (named,) = ranker.explain_terms(page, found)
    terms = dict(named[PART])
    assert max(terms, key=terms.get) == "dataset"
    assert terms["dataset"] > 0.3 > abs(terms["imprint"])
    assert abs(sum(terms.values()) - value_of(ranker, "dataset imprint")) < 1e-3

    ranker.save(tmp_path)
    again = QLearn()
    again.load(tmp_path)
    assert again.explain_terms(page, found) == [named]
    assert again.score(page, found).tolist() == ranker.score(page, found).tolist()


def test_links_taken_at_random_say_so(tmp_path):
    ranker = QLearn(seed=1, every=10_000, epsilon=1.0)
    rows = [f"https://a.test/{n}" for n in range(20)]
    visit(ranker, "https://a.test/", 0.0, *rows)
    (drawn,) = visit(ranker, "https://a.test/x", 0.0)[1][0].tolist()
    ranker.save(tmp_path)
    again = QLearn(epsilon=1.0)
    again.load(tmp_path)
    found = links(*rows)
    said = again.describe_links(outcome("https://a.test/", 0.0), found)
    assert [key for key, note in zip(found.hashes.tolist(), said, strict=True) if "at random" in note] == [
        drawn
    ]


def test_a_damaged_model_is_reported(tmp_path):
    ranker, _ = taught()
    ranker.save(tmp_path)
    path = tmp_path / MODEL_FILE
    path.write_text(path.read_text("utf-8").replace("weights", "heights"), "utf-8")
    with pytest.raises(ConfigError, match="damaged"):
        QLearn().load(tmp_path)
