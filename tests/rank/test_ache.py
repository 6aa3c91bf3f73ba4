"""The link classifier: words that led to relevant pages come first after training."""

import numpy as np
import pytest

from clew import urls
from clew.rank.baselines.ache import Ache
from clew.rank.shared.svm import train
from clew.rank.shared.token_bags import BINS, TokenBags
from clew.testing import sample_links

from .graphs import links, visit

WORDS = ("permit", "notice", "jobs", "contact")


def rows(first, count):
    """Return links that differ in their text only: every fourth one speaks of permits."""
    return [
        (f"https://a.test/{n}", f"{WORDS[n % 4]} {n}", "the latest from here")
        for n in range(first, first + count)
    ]


def trained(seed=0, pages=40):
    ranker = Ache(seed=seed, every=pages)
    visit(ranker, "https://a.test/", 0.4, *rows(0, 60))
    changed = None
    for n in range(pages - 1):
        _, changed = visit(ranker, f"https://a.test/{n}", float(n % 4 == 0))
    return ranker, changed


def test_before_training_it_is_best_first():
    scores, changed = visit(Ache(), "https://a.test/", 0.4, *rows(0, 3))
    assert scores == pytest.approx([0.4] * 3)
    assert changed is None


def test_rewarded_words_come_first_after_training():
    ranker, changed = trained()
    scores = dict(zip(changed[0].tolist(), changed[1].tolist(), strict=True))
    assert len(scores) == 60 - 39  # all open links, and only those
    good = [scores[urls.fingerprint(f"https://a.test/{n}")] for n in range(40, 60, 4)]
    assert min(good) > 0.5 > max(value for value in scores.values() if value not in good)
    fresh, _ = visit(
        ranker, "https://b.test/", 0.0, ("https://b.test/1", "Permits"), ("https://b.test/2", "Jobs")
    )
    assert fresh[0] > 0.5 > fresh[1]


def test_the_same_seed_gives_the_same_scores():
    first, second = trained(seed=5)[1], trained(seed=5)[1]
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])


def test_one_class_alone_is_not_trained_on():
    ranker = Ache(every=5)
    visit(ranker, "https://a.test/", 0.4, *rows(0, 20))
    assert all(visit(ranker, f"https://a.test/{n}", 1.0)[1] is None for n in range(9))


def test_separable_classes_are_separated():
    bags = TokenBags(fields=("text",))
    rng = np.random.default_rng(2)
    texts = [" ".join(f"{'good' if n % 2 else 'bad'}{k}" for k in rng.integers(0, 9, 4)) for n in range(80)]
    entered = bags.add(links(*[(f"https://a.test/{n}", text) for n, text in enumerate(texts)]), "")
    sides = np.where(np.arange(80) % 2, 1.0, -1.0)
    weights = train(bags, entered, sides, np.random.default_rng(0))
    assert (np.sign(bags.values(weights, entered)) == sides).all()


def test_bags_give_the_same_values_alone_together_and_all_at_once():
    bags = TokenBags()
    entered = bags.add(sample_links(500), "https://a.test")
    weights = np.random.default_rng(1).normal(size=BINS).astype(np.float32)
    every = bags.all_values(weights)
    some = entered[::-7]
    assert bags.values(weights, some) == pytest.approx(every[some], rel=1e-5)
    assert [float(bags.values(weights, entered[n : n + 1])[0]) for n in (0, 99)] == pytest.approx(
        every[[0, 99]].tolist()
    )


def test_a_link_found_again_keeps_its_words():
    bags = TokenBags(fields=("text",))
    first = bags.add(links(("https://a.test/1", "lighthouse")), "")
    again = bags.add(links(("https://a.test/1", "soup"), ("https://a.test/2", "soup")), "")
    assert again.tolist() == [0, 1]
    weights = np.zeros(BINS, np.float32)
    weights[bags.words(again[1:])[0]] = 1
    assert bags.values(weights, first) < bags.values(weights, again[1:])


def test_fields_are_separate_features_and_the_home_page_has_a_token():
    bags = TokenBags(fields=("address", "text", "host"))
    entered = bags.add(links(("https://a.test/fog", ""), ("https://b.test/", "fog")), "https://a.test")
    one, other = (set(bags.words(entered[n : n + 1])[0].tolist()) for n in range(2))
    assert len(one) == 3  # what all links have, fog in the address, stays at home
    assert len(other) == 2
    assert one & other == {0}
