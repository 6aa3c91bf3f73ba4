"""Measure what the record-page graph costs: ranks from scratch, and after small changes.

A synthetic graph (popular pages are linked to more often, popular rows are on more pages) is ranked from scratch by
iterating over all of it, as the paper does. Then it changes: 1 %, 0.1 % and 0.01 % more arcs from new pages, rows
found on old pages, one label. Each change is applied twice: by iterating over everything from the current ranks (warm),
and by passing on only what changed (push), which is what `objectrank` does.  Both end at the same --tolerance; "off" is
the largest relative distance of any page from ranks computed to a thousandth of it.  Read: CPU seconds of one core and
their ratio to a start from scratch.  Run:  python -m bench.objectrank [--pages N] [--arcs N] [--records N]
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench import measure
from clew.rank.records.record_page_graph import RecordPageGraph

SHARE, EACH = 0.2, 5
"""A fifth of the pages hold rows, five each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000, help="pages (100,000 unless given)")
    parser.add_argument("--arcs", type=int, default=1_000_000, help="arcs between pages (1,000,000)")
    parser.add_argument("--records", type=int, default=10_000, help="rows of the table (10,000)")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="as in objectrank (0.001)")
    parser.add_argument("--json", type=Path, help="keep the raw numbers in this file")
    options = parser.parse_args()
    known = measure.facts("numpy")
    measure.print_facts(known)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    web = Web(rng, options.pages, options.arcs, options.records)
    memory = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    graph = web.graph
    print(f"{graph.pages:,} pages, {options.records:,} rows, {graph.arcs:,} arcs; {memory / 1e6:.0f} MB\n")
    runs = {"scratch": scratch(graph, options.tolerance)}
    cold = runs["scratch"]["iterating"]["seconds"]
    for name, change in web.changes().items():
        runs[name] = changed(graph, change, options.tolerance)
    show(runs, cold)
    measure.write_json(options.json, {"facts": known, "megabytes": memory / 1e6, "runs": runs})


class Web:
    """A graph to be measured, and the changes that are made to it."""

    def __init__(self, rng: np.random.Generator, pages: int, arcs: int, records: int) -> None:
        self.rng, self.records, self.out = rng, records, max(1, arcs // pages)
        self.graph = RecordPageGraph()
        self.graph.grow(pages)
        for page in range(pages):
            self.graph.link(page, self.draw_targets(page))
        holding = rng.choice(pages, int(pages * SHARE), replace=False).tolist()
        self.graph.set_records({page: self.rows() for page in holding})

    def draw_targets(self, page: int) -> np.ndarray:
        """Draw the targets of a page: the oldest pages have the most inlinks."""
        targets = np.unique((self.rng.random(self.out) ** 3 * self.graph.nodes).astype(np.int64))
        return targets[targets != page]

    def rows(self) -> np.ndarray:
        """Draw the rows of a page: some rows are on most pages."""
        return np.unique((self.rng.random(EACH) ** 2 * self.records).astype(np.int64))

    def grow(self, share: float) -> None:
        """Add new pages until the arcs have grown by this share."""
        for _ in range(max(1, int(share * self.graph.arcs / self.out))):
            self.graph.link(self.graph.nodes, self.draw_targets(-1))

    def find(self, pages: int) -> None:
        """Find rows on old pages."""
        self.graph.set_records(
            {page: self.rows() for page in self.rng.integers(0, self.graph.nodes, pages).tolist()}
        )

    def changes(self) -> dict[str, Callable[[], object]]:
        """Return the changes by name."""
        graph = self.graph
        return {
            "1 % more arcs": lambda: self.grow(0.01),
            "0.1 % more arcs": lambda: self.grow(0.001),
            "0.01 % more arcs": lambda: self.grow(0.0001),
            "rows on 10 old pages": lambda: self.find(10),
            "one label, a common row": lambda: graph.mute(0),
            "one label, a rare row": lambda: graph.mute(self.records - 1),
            "the label of the common row removed": lambda: graph.mute(0, off=False),
        }


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def scratch(graph: RecordPageGraph, tolerance: float) -> dict[str, Any]:
    """Rank everything for the first time by both methods."""
    (ranks, _, work), seconds = timed(lambda: graph.compute(tolerance))
    pushed, push = timed(lambda: graph.settle(tolerance))
    exact, _, _ = graph.compute(tolerance / 1000, warm=True)
    return {
        "iterating": {"seconds": seconds, "rounds": work.rounds, "arcs": work.arcs, "off": off(ranks, exact)},
        "push": {"seconds": push, "rounds": pushed.rounds, "arcs": pushed.arcs, "off": off(graph.ranks, exact)},
    }  # fmt: skip


def changed(graph: RecordPageGraph, change: Callable[[], object], tolerance: float) -> dict[str, Any]:
    """Change the graph and update its ranks by both methods."""
    _, drawing = timed(change)
    (ranks, _, work), seconds = timed(lambda: graph.compute(tolerance, warm=True))
    pushed, push = timed(lambda: graph.settle(tolerance))
    exact, _, _ = graph.compute(tolerance / 1000, warm=True)
    return {
        "change": drawing,
        "iterating": {"seconds": seconds, "rounds": work.rounds, "arcs": work.arcs, "off": off(ranks, exact)},
        "push": {"seconds": push, "rounds": pushed.rounds, "arcs": pushed.arcs, "off": off(graph.ranks, exact)},
    }  # fmt: skip


def off(ranks: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(ranks / exact - 1).max())


def show(runs: dict[str, dict[str, Any]], cold: float) -> None:
    rows = []
    for name, run in runs.items():
        for way in ("iterating", "push"):
            found = run[way]
            rows.append([
                f"{name}, {way}", f"{found['seconds']:.4f}", f"1 / {cold / max(found['seconds'], 1e-6):.0f}",
                found["rounds"], f"{found['arcs']:,}", f"{100 * found['off']:.3f} %",
            ])  # fmt: skip
    print(measure.table(["what", "CPU s", "of scratch", "rounds", "arcs passed", "off"], rows))


if __name__ == "__main__":
    main()
