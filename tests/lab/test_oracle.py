"""The oracle against brute force on tiny webs, its rules on all of them, and its speed on a large one."""

import time

import numpy as np
import pytest

from clew.lab.oracle import bound, oracle
from clew.lab.sparse import FAR, SparseGraph

SEED = np.array([0], np.int32)


def area(wanted, order, upto):
    return sum(upto - position for position, page in enumerate(order) if wanted[page] and position < upto)


def best_area(graph, wanted, cap=0):
    """Return the largest area any order has, by trying all sets of pages."""
    count = len(graph)
    layer, best = {frozenset(): 0}, 0
    for position in range(count):
        after: dict[frozenset, int] = {}
        for fetched, value in layer.items():
            known = {0}.union(*(graph.out(page).tolist() for page in fetched)) - fetched
            for page in known:
                host = graph.hosts[page]
                if cap and sum(graph.hosts[other] == host for other in fetched) >= cap:
                    continue
                more = value + (count - position if wanted[page] else 0)
                name = fetched | {page}
                after[name] = max(after.get(name, -1), more)
        best = max([best, *after.values()])
        layer = after
    return best


def tiny_web(rng, count):
    links = [
        [int(t) for t in rng.choice(count, rng.integers(1, 4), replace=False) if t != i] for i in range(count)
    ]
    wanted = rng.random(count) < 0.3
    wanted[0] = False
    return SparseGraph.of(links, rng.integers(0, 4, count).tolist()), wanted


def check_order(graph, wanted, order, cap=0):
    """Every page is fetched once, after a page that links to it, and no host gives more than it may."""
    known = {0}
    for page in order.tolist():
        assert page in known
        known |= set(graph.out(page).tolist())
    assert len(set(order.tolist())) == len(order)
    if cap and len(order):
        assert np.bincount(graph.hosts[order]).max() <= cap
    assert not len(order) or wanted[order[-1]]


@pytest.mark.parametrize("cap", [0, 2])
def test_on_tiny_webs_it_is_nearly_always_the_optimum(cap):
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(80):
        graph, wanted = tiny_web(rng, 9)
        order = oracle(graph, wanted, SEED, cap=cap)
        check_order(graph, wanted, order, cap)
        best = best_area(graph, wanted, cap)
        made = area(wanted, order, len(graph))
        assert made <= best
        shares += [made / best] if best else []
    assert len(shares) > 40
    assert np.mean(shares) > 0.985
    assert np.mean(np.array(shares) == 1) > 0.9


def test_everything_reachable_is_found_and_nothing_else():
    graph = SparseGraph.of([[1], [2], [], [4], []])
    wanted = np.array([False, False, True, True, True])
    assert oracle(graph, wanted, SEED).tolist() == [0, 1, 2]
    assert not len(oracle(graph, np.zeros(5, bool), SEED))


def test_many_relevant_pages_far_away_come_before_few_nearby():
    # One page two steps away, or eight pages behind a hub three steps away.
    links = [[1, 3], [2], [], [4], [5], [6, 7, 8, 9, 10, 11, 12, 13], *([] for _ in range(8))]
    wanted = np.array([False, False, True, False, False, False, *[True] * 8])
    order = oracle(SparseGraph.of(links), wanted, SEED).tolist()
    assert order[:4] == [0, 3, 4, 5]
    assert order[-2:] == [1, 2]


def test_distances_start_from_fetched_pages():
    graph = SparseGraph.of([[1], [2], [3], [], []])
    distances, before = graph.search(SEED)
    assert distances.tolist() == [1, 2, 3, 4, FAR]
    assert before.tolist() == [-1, 0, 1, 2, -1]
    distances, _ = graph.search(SEED, np.array([0, 1], np.int32))
    assert distances.tolist() == [0, 0, 1, 2, FAR]
    distances, _ = graph.search(SEED, np.array([0], np.int32), np.array([0, 0, 1, 0, 0], bool))
    assert distances.tolist() == [0, 1, FAR, FAR, FAR]


def test_the_bound_is_one_page_a_fetch():
    assert bound(3, 5).tolist() == [0, 1, 2, 3]


def test_six_thousand_pages_take_seconds():
    rng = np.random.default_rng(3)
    count = 6_000
    links = [(count * rng.random(17) ** 1.5).astype(int).tolist() for _ in range(count)]
    graph = SparseGraph.of(links, rng.integers(0, 300, count).tolist())
    wanted = rng.random(count) < 0.03
    began = time.process_time()
    order = oracle(graph, wanted, SEED, cap=5, upto=3_000)
    check_order(graph, wanted, order, cap=5)
    assert wanted[order].sum() > 0.95 * (wanted & graph.reachable(SEED)).sum()
    assert time.process_time() - began < 20
