"""The decision tree: textbook data, limits, pruning, ties, missing values, size and repeatability."""

import time

import numpy as np
import pytest

from clew.rank.layout.decision_tree import LEAF, TreeParams, best_split, entropy, extra_errors, grow

# Quinlan's days of golf: outlook, temperature, humidity, windy, play
DAYS = """
sunny 85 85 no no|sunny 80 90 yes no|overcast 83 86 no yes|rainy 70 96 no yes|rainy 68 80 no yes|rainy 65 70 yes no
overcast 64 65 yes yes|sunny 72 95 no no|sunny 69 70 no yes|rainy 75 80 no yes|sunny 75 70 yes yes|overcast 72 90 yes yes
overcast 81 75 no yes|rainy 71 91 yes no"""
NAMES = ["sunny", "overcast", "rainy", "temperature", "humidity", "windy"]
BARE = TreeParams(prune="never")


def days():
    rows = [line.split() for line in DAYS.replace("\n", "|").split("|") if line.strip()]
    columns = [[*(row[0] == name for name in NAMES[:3]), row[1], row[2], row[3] == "yes"] for row in rows]
    return np.array(columns, np.float32), np.array([row[4] == "yes" for row in rows])


def on(column, good, **rules):
    """The best split of one column."""
    groups = np.arange(len(good))
    return best_split(
        np.array(column, np.float32)[:, np.newaxis], np.array(good), groups, TreeParams(**rules)
    )


def test_bits_of_the_textbook():
    assert entropy(9 / 14).item() == pytest.approx(0.940, abs=0.001)
    assert entropy(0.0).item() == entropy(1.0).item() == 0
    assert entropy(0.5).item() == 1


def test_gain_and_gain_ratio_of_the_textbook():
    columns, good = days()
    windy = on(columns[:, NAMES.index("windy")], good)
    assert windy.gain == pytest.approx(0.048, abs=0.001)
    assert windy.ratio == pytest.approx(0.049, abs=0.001)
    high = on(columns[:, NAMES.index("humidity")] > 80, good)
    assert high.gain == high.ratio == pytest.approx(0.152, abs=0.001)  # 3 of 7 and 6 of 7
    overcast = on(columns[:, NAMES.index("overcast")], good)
    assert overcast.gain == pytest.approx(0.226, abs=0.001)
    assert overcast.ratio == pytest.approx(0.226 / 0.863, abs=0.001)


def test_a_limit_costs_the_bits_that_say_which():
    columns, good = days()
    humidity = columns[:, NAMES.index("humidity")]
    cuts = len(np.unique(humidity)) - 1
    free = max(
        entropy(9 / 14) - sum(len(some) * entropy(some.mean()) for some in (good[low], good[~low])) / 14
        for limit in np.unique(humidity)[:-1]
        if min((low := humidity <= limit).sum(), (~low).sum()) >= 2
    )
    found = on(humidity, good)
    costs = np.log2(cuts) / 14
    assert found is None if free <= costs else found.gain == pytest.approx(free - costs)


def test_the_tree_of_the_textbook():
    """Outlook first; on sunny days humidity decides, on rainy ones the wind."""
    columns, good = days()
    assert NAMES[grow(columns, good, params=BARE).attribute[0]] == "overcast"
    for outlook, decides in (("sunny", "humidity"), ("rainy", "windy")):
        rows = columns[:, NAMES.index(outlook)] == 1
        tree = grow(columns[rows], good[rows], params=BARE)
        assert [NAMES[at] for at in tree.attribute if at != LEAF] == [decides]
        assert set((tree.relevant / tree.seen)[1:].tolist()) == {0.0, 1.0}


def test_a_limit_is_a_value_that_occurs_anywhere():
    columns, _ = days()
    sunny, humidity = columns[:, NAMES.index("sunny")], columns[:, NAMES.index("humidity")]
    tree = grow(np.column_stack([sunny, humidity]), (sunny == 1) & (humidity < 78), params=BARE)
    assert tree.attribute.tolist() == [0, LEAF, 1, LEAF, LEAF]
    assert tree.limit[2] == 75  # between the 70 and the 85 of sunny days


def test_counts_of_a_node_are_those_of_its_rows():
    columns, good = days()
    tree = grow(columns, good, params=BARE)
    for node in range(len(tree)):
        rows = np.array([node in path for path in tree.paths(columns)])
        assert (tree.relevant[node], tree.seen[node]) == (good[rows].sum(), rows.sum())
    again = tree.counted(columns, good)
    assert (again.relevant == 2 * tree.relevant).all()
    assert (again.seen == 2 * tree.seen).all()


def test_pessimistic_errors_of_the_textbook():
    assert extra_errors(6, 0, 0.25) == pytest.approx(
        6 * 0.206, abs=0.01
    )  # Quinlan's own example: U(0, 6) = 0.206
    assert extra_errors(9, 0, 0.25) == pytest.approx(9 * 0.143, abs=0.01)
    assert extra_errors(1, 0, 0.25) == pytest.approx(0.750)
    assert extra_errors(16, 1, 0.25) + 1 == pytest.approx(16 * 0.157, abs=0.15)
    assert extra_errors(5, 5, 0.25) == 0
    assert extra_errors(100, 10, 0.25) > extra_errors(100, 10, 0.5) > 0


@pytest.mark.parametrize("prune", ["errors", "bits"])
def test_noise_is_pruned_and_a_rule_is_kept(prune):
    rng = np.random.default_rng(3)
    noise = rng.random((400, 5)).astype(np.float32)
    assert len(grow(noise, rng.random(400) < 0.4, params=TreeParams(prune=prune))) == 1
    good = (noise[:, 2] > 0.7) & (rng.random(400) < 0.9)
    tree = grow(noise, good, params=TreeParams(prune=prune, leaf=5))
    assert tree.attribute[0] == 2
    assert tree.limit[0] == pytest.approx(0.7, abs=0.02)


def test_where_good_rows_are_rare_bits_keep_what_errors_would_prune():
    column = np.repeat([0.0, 1.0], [900, 100]).astype(np.float32)[:, np.newaxis]
    good = np.zeros(1000, bool)
    good[900:930] = True  # three of ten, against none: never a majority
    assert len(grow(column, good, params=TreeParams(prune="errors"))) == 1
    tree = grow(column, good, params=TreeParams(prune="bits"))
    assert tree.seen.tolist() == [1000, 900, 100]
    assert tree.chances[2] > 0.25
    assert tree.chances[1] < 0.01


def test_ties_go_to_the_attribute_named_first():
    column = np.array([0, 0, 0, 1, 1, 1], np.float32)
    tree = grow(np.column_stack([column, column, 1 - column]), column > 0)
    assert tree.attribute[0] == 0


def test_constant_and_empty_attributes_give_no_split():
    columns = np.column_stack([np.full(50, 0.3), np.full(50, np.nan)]).astype(np.float32)
    good = np.arange(50) % 2 == 0
    assert len(grow(columns, good)) == 1
    assert len(grow(np.empty((0, 2), np.float32), np.empty(0, bool))) == 1
    assert len(grow(np.empty((50, 0), np.float32), good)) == 1


def test_rows_without_a_value_go_where_more_went():
    column = np.array([0] * 30 + [1] * 20 + [np.nan] * 6, np.float32)[:, np.newaxis]
    good = np.array([False] * 30 + [True] * 20 + [False, True] * 3)
    tree = grow(column, good)
    assert tree.seen.tolist() == [56, 36, 20]
    assert tree.leaves(np.array([[np.nan], [0], [1]], np.float32)).tolist() == [1, 1, 2]


def test_a_split_needs_rows_from_several_groups():
    column = np.repeat([0.0, 1.0], [40, 20]).astype(np.float32)[:, np.newaxis]
    good = np.repeat([False, True], [40, 20])
    one_page = np.repeat([1, 2], [40, 20])
    assert len(grow(column, good, one_page, TreeParams(support=2))) == 1
    assert len(grow(column, good, np.arange(60) % 7, TreeParams(support=2))) == 3


def test_a_split_that_only_separates_hosts_is_not_made():
    hosts = np.repeat(np.arange(8), 50)
    good = hosts >= 6  # two hosts hold all that is good
    by_host = (hosts >= 6).astype(np.float32) + 0.01 * np.arange(400, dtype=np.float32) % 0.3
    within_hosts = (np.arange(400) % 5 == 0).astype(np.float32)
    guarded = TreeParams(prune="bits", apart=frozenset({0, 1}))
    assert (
        grow(by_host[:, None], good, hosts=hosts, params=TreeParams(prune="bits")).attribute != LEAF
    ).any()
    assert (grow(by_host[:, None], good, hosts=hosts, params=guarded).attribute == LEAF).all()
    mixed = np.stack((by_host, within_hosts), axis=1)
    tree = grow(mixed, within_hosts > 0, hosts=hosts, params=guarded)
    assert tree.attribute[0] == 1
    assert tree.relevant.tolist() == [80, 0, 80]


def test_probabilities_are_smoothed_towards_the_parent():
    column = np.repeat([0.0, 1.0], [95, 5]).astype(np.float32)[:, np.newaxis]
    good = np.zeros(100, bool)
    good[95:] = True
    tree = grow(column, good)
    whole = (5 + 1) / 102
    assert tree.chances.tolist() == pytest.approx([whole, 2 * whole / 97, (5 + 2 * whole) / 7])


def test_a_hundred_thousand_rows_in_bounded_time():
    rng = np.random.default_rng(5)
    columns = rng.random((100_000, 13)).astype(np.float32)
    good = rng.random(100_000) < 0.05 + 0.5 * (columns[:, 1] < 0.3) * (columns[:, 7] > 0.6)
    groups = rng.integers(0, 4_000, 100_000)
    begun = time.process_time()
    tree = grow(columns, good, groups, TreeParams(leaf=5, support=3, prune="bits"))
    assert time.process_time() - begun < 10  # 1 s on an idle core
    assert set(tree.attribute[tree.attribute != LEAF].tolist()) == {1, 7}
    begun = time.process_time()
    tree.leaves(columns)
    assert time.process_time() - begun < 1


def test_the_same_rows_give_the_same_tree():
    rng = np.random.default_rng(7)
    columns = (rng.random((2_000, 6)) * 8).round().astype(np.float32)
    good = rng.random(2_000) < columns[:, 0] / 10
    first, again = grow(columns, good), grow(columns.copy(), good.copy())
    for name in ("attribute", "limit", "below", "above", "relevant", "seen"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
