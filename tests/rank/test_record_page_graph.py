"""The record-page graph: the paper's worked example, a dense computation, and changes against a new graph."""

import numpy as np
import pytest

from clew.errors import ConfigError
from clew.rank.records.arcs import Arcs
from clew.rank.records.record_page_graph import RecordPageGraph

D, W_RP, W_PR = 0.85, 0.8, 0.4
P1, P2, P3 = 0, 1, 2
R1, R2 = 0, 1


def figure_4():
    """Return the subgraph of Figure 4: r1 stands on p2 and p3, r2 on p1 and p2."""
    graph = RecordPageGraph(pp=0.6, rp=W_RP, pr=W_PR, damping=D)
    graph.set_records({P1: np.array([R2]), P2: np.array([R1, R2]), P3: np.array([R1])})
    return graph


def in_the_papers_units(graph):
    """Return the ranks of pages and records, n nodes sharing what the paper shares among them."""
    n = graph.nodes + graph.records
    return graph.ranks / n, graph.record_ranks / n


def test_figure_4_before_any_label():
    graph = figure_4()
    graph.settle(1e-12)
    page, record = in_the_papers_units(graph)
    jump = (1 - D) / 5
    assert page[P1] == pytest.approx(D * W_RP / 2 * record[R2] + jump)
    assert page[P2] == pytest.approx(D * W_RP / 2 * (record[R1] + record[R2]) + jump)
    assert page[P3] == pytest.approx(D * W_RP / 2 * record[R1] + jump)
    # By symmetry both records have x, p1 and p3 have a·x + j, p2 has 2·a·x + j, with a = 0.34, b = 0.34:
    # x = b·(a·x + j) + b/2·(2·a·x + j) + j, so x = j·(1 + 1.5·b) / (1 - 2·a·b) = 0.03 · 1.51 / 0.7688.
    x = 0.03 * 1.51 / 0.7688
    assert record.tolist() == pytest.approx([x, x])
    assert page.tolist() == pytest.approx([0.34 * x + 0.03, 0.68 * x + 0.03, 0.34 * x + 0.03])


def test_figure_4_after_r1_was_labelled_off_topic():
    graph = figure_4()
    graph.settle(1e-12)
    before = graph.ranks.copy()
    assert graph.mute(R1)
    assert not graph.mute(R1), "the same word twice is nothing new"
    graph.settle(1e-12)
    page, record = in_the_papers_units(graph)
    jump = (1 - D) / 5
    assert page[P1] == pytest.approx(D * W_RP / 2 * record[R2] + jump)
    assert page[P2] == pytest.approx(D * W_RP / 2 * record[R2] + jump)
    assert page[P3] == pytest.approx(jump), "p3 holds nothing but r1 and ends with (1 - d) / n"
    # p1 = p2 = 0.34·y + j and y = 0.34·p1 + 0.17·p2 + j, so y = j·1.51 / (1 - 0.51·0.34).
    y = 0.03 * 1.51 / (1 - 0.51 * 0.34)
    assert record[R2] == pytest.approx(y)
    assert record[R1] == pytest.approx(0.17 * page[P2] + 0.34 * page[P3] + jump), "pages still point to r1"
    assert (graph.ranks < before).all()
    graph.mute(R1, off=False)
    graph.settle(1e-12)
    assert graph.ranks.tolist() == pytest.approx(before.tolist()), "taking it back restores all"


def test_deleting_the_record_instead_would_lower_its_pages_less():
    muted, deleted = figure_4(), RecordPageGraph(pp=0.6, rp=W_RP, pr=W_PR, damping=D)
    muted.mute(R1)
    deleted.set_records({P1: np.array([R2]), P2: np.array([R2])})
    deleted.grow(3)
    muted.settle(1e-12)
    deleted.settle(1e-12)
    assert muted.ranks[P2] < deleted.ranks[P2], "p2 loses what it goes on passing to r1"


def dense(links, holds, nodes, records, muted=(), *, pp=0.7, rp=1.0, pr=0.3, d=0.85, row_jumps=1.0):
    """Return the ranks of a graph by solving the equations with a full matrix."""
    size = nodes + records
    matrix = np.zeros((size, size))
    for page, targets in links.items():
        matrix[page, list(targets)] += pp / max(1, len(targets))
    for page, rows in holds.items():
        for row in rows:
            matrix[page, nodes + row] += pr / len(rows)
    for row in set(range(records)) - set(muted):
        pages = [page for page, rows in holds.items() if row in rows]
        matrix[nodes + row, pages] += rp / max(1, len(pages))
    jump = np.full(size, 1 - d)
    jump[nodes:] *= row_jumps
    solved = np.linalg.solve(np.eye(size) - d * matrix.T, jump)
    return solved[:nodes], solved[nodes:]


@pytest.mark.parametrize("row_jumps", [1.0, 20.0])
def test_a_graph_that_changes_all_the_time_equals_a_dense_solution(row_jumps):
    rng = np.random.default_rng(5)
    nodes, records = 120, 30
    graph = RecordPageGraph(row_jumps=row_jumps)
    graph.add_records(records)
    links, holds, muted = {}, {}, set()
    for step in range(400):
        page = int(rng.integers(nodes))
        what = rng.integers(4)
        if what == 0 and page not in links:
            links[page] = set(rng.integers(0, nodes, 12).tolist()) - {page}
            graph.link(page, np.array(sorted(links[page])))
        elif what == 1:  # two pages at once, which may share rows; sometimes none is left
            changed = {}
            for each in {page, int(rng.integers(nodes))}:
                holds[each] = set(rng.integers(0, records, rng.integers(0, 6)).tolist())
                changed[each] = np.array(sorted(holds[each]), np.int64)
            graph.set_records(changed)
        elif what == 2:
            row = int(rng.integers(records))
            muted ^= {row}
            graph.mute(row, off=row in muted)
        else:
            graph.send(page)
        if step % 7 == 0:
            graph.settle(float(10.0 ** -rng.integers(1, 5)))
    graph.grow(nodes)
    graph.settle(1e-12)
    pages, rows = dense(links, holds, nodes, records, muted, row_jumps=row_jumps)
    assert graph.ranks == pytest.approx(pages, abs=1e-9)
    assert graph.record_ranks[sorted(set(range(records)) - muted)] == pytest.approx(
        rows[sorted(set(range(records)) - muted)], abs=1e-9
    )
    again, records_again, work = graph.compute(1e-12)
    assert again == pytest.approx(pages, abs=1e-9), "iterating over everything comes to the same"
    assert records_again == pytest.approx(rows, abs=1e-9)
    assert graph.compute(1e-9, warm=True)[2].rounds < work.rounds / 3


def test_a_change_touches_little_of_a_large_graph():
    rng = np.random.default_rng(6)
    graph = RecordPageGraph()
    for page in range(5_000):
        graph.link(page, np.unique(rng.integers(0, 20_000, 10)))
    graph.set_records({page: np.unique(rng.integers(0, 500, 4)) for page in range(0, 5_000, 5)})
    cold = graph.settle(1e-4)
    graph.mute(7)
    warm = graph.settle(1e-4)
    assert 0 < warm.arcs < cold.arcs / 50
    assert graph.settle(1e-4).arcs == 0
    exact, _, _ = graph.compute(1e-10)
    assert np.abs(graph.ranks / exact - 1).max() < 0.002


def test_arcs_survive_growing_shrinking_and_packing():
    rng, arcs, wanted = np.random.default_rng(7), Arcs(), {}
    for _ in range(2_000):
        node = int(rng.integers(40))
        wanted[node] = rng.integers(0, 1_000, rng.integers(0, 60)).tolist()
        arcs.put(node, np.array(wanted[node], np.int64))
    assert all(arcs.of(node).tolist() == heads for node, heads in wanted.items())
    assert arcs.total == sum(map(len, wanted.values()))
    assert arcs.allocated < 4 * arcs.total + 2_048, "unused slots are released"
    heads, counts = arcs.gather(np.array([3, 99, 3]))
    assert heads.tolist() == wanted[3] * 2
    assert counts.tolist() == [len(wanted[3]), 0, len(wanted[3])]
    assert arcs.of(99).tolist() == []


@pytest.mark.parametrize(
    ("settings", "cure"),
    [
        ({"pp": 0.0}, "pp is 0.0; give one above 0 and at most 1"),
        ({"rp": 1.5}, "rp is 1.5"),
        ({"pr": float("nan")}, "pr is nan"),
        ({"damping": 1.0}, "below 1.000"),
        ({"pp": 1.0, "pr": 1.0, "rp": 1.0}, "below 0.618, or smaller weights"),
    ],
)
def test_weights_with_which_ranks_never_converge_are_refused(settings, cure):
    graph = RecordPageGraph(**settings)
    with pytest.raises(ConfigError, match=cure):
        graph.settle(1e-4)


def test_all_weights_at_one_converge_just_below_the_limit():
    graph = RecordPageGraph(pp=1.0, rp=1.0, pr=1.0, damping=0.6)
    graph.link(0, np.array([1]))
    graph.link(1, np.array([0]))
    graph.set_records({0: np.array([0]), 1: np.array([0])})
    graph.settle(1e-9)
    assert graph.ranks == pytest.approx(graph.compute(1e-10)[0], rel=1e-6)
    assert np.isfinite(graph.ranks).all()
