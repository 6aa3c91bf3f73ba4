"""The oracle: an order of fetching with full knowledge of links and labels.

To find the best one is hard (it contains the Steiner tree problem), so this is an approximation from
below, built in two steps. First several greedy searches choose which pages to fetch: always a relevant page
that is one fetch away, else the path to the page with the most relevant pages per fetch; they differ in how
strongly distance counts. Then each choice is refined: the pages form a tree, whose best order is known
(Horn 1972: the branch with the highest share of relevant pages first), and every page becomes a child of the
earliest page that links to it, until nothing improves. The best result is returned. No crawl can find more
than `bound`: n pages with n fetches, and at most all that are reachable.
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.lab.sparse import FAR, Flags, Rows, SparseGraph

DISTANCE_EXPONENTS = (0.25, 0.5, 1.0, 2.0, 8.0)
"""Exponents of distance in the value of a path: 8 is practically "the nearest first"."""

LARGE = 50_000
"""Beyond this many pages only the tree of shortest paths is refined: greedy searches cost too much."""

ROUNDS = 20
"""Refining ends when nothing changes, on real webs after 3 to 8 rounds."""


@dataclass(frozen=True, slots=True)
class OracleProblem:
    """A graph, the pages that are wanted, where to start, and the page limit per host (0: none)."""

    graph: SparseGraph
    wanted: Flags
    seeds: Rows
    cap: int = 0


def oracle(graph: SparseGraph, wanted: Flags, seeds: Rows, *, cap: int = 0, upto: int = 0) -> Rows:
    """Return pages in the order of fetching that finds the wanted ones as early as we can.

    `upto` is the number of fetches that counts; the order goes on until nothing more can be found. With a
    `cap` no host has more pages than that.

    >>> web = SparseGraph.of([[1, 2], [], [3], []])
    >>> oracle(web, np.array([False, False, False, True]), np.array([0], np.int32)).tolist()
    [0, 2, 3]
    """
    problem = OracleProblem(graph, wanted, np.unique(seeds).astype(np.int32), cap)
    orders = [_shortest(problem)]
    if len(graph) <= LARGE:
        closures = _Closures(problem)
        orders += [_greedy(problem, closures, exponent) for exponent in DISTANCE_EXPONENTS]
    upto = upto or len(graph)
    best = np.empty(0, np.int32)
    for candidate in orders:
        order = _polished(problem, candidate)
        if _area(wanted, order, upto) > _area(wanted, best, upto):
            best = order
    return best


def bound(count: int, reachable: int) -> NDArray[np.int64]:
    """Return what no crawl can surpass: after n fetches at most n pages, and at most all of them.

    >>> bound(4, 2).tolist()
    [0, 1, 2, 2, 2]
    """
    return np.minimum(np.arange(count + 1, dtype=np.int64), reachable)


def _area(wanted: Flags, order: Rows, upto: int) -> int:
    """Return the area under the curve of an order, in pages times fetches."""
    positions = np.flatnonzero(wanted[order][:upto])
    return int((upto - positions).sum())


# ---- choosing pages ------------------------------------------------------------------------------------


class _Closures:
    """For every page, the wanted pages that come at one fetch each once it is fetched, as bits of a number.

    These are the wanted pages reached from it through wanted pages alone.
    """

    def __init__(self, problem: OracleProblem) -> None:
        graph, wanted = problem.graph, problem.wanted
        self.bits = {int(page): 1 << i for i, page in enumerate(np.flatnonzero(wanted))}
        onward = {page: [int(t) for t in graph.out(page) if wanted[t] and t != page] for page in self.bits}
        self.beyond = dict(self.bits)
        reversed_links: dict[int, list[int]] = {page: [] for page in self.bits}
        for page, targets in onward.items():
            for target in targets:
                reversed_links[target].append(page)
        waiting = list(self.bits)
        while waiting:
            page = waiting.pop()
            for source in reversed_links[page]:
                union = self.beyond[source] | self.beyond[page]
                if union != self.beyond[source]:
                    self.beyond[source] = union
                    waiting.append(source)
        self.offers = dict(self.beyond)
        sources, ends = graph.out_of(np.arange(len(graph), dtype=np.int32))
        hits = wanted[ends]
        for page, end in zip(sources[hits].tolist(), ends[hits].tolist(), strict=True):
            self.offers[page] = self.offers.get(page, 0) | self.beyond[end]


class _OracleRun:
    """A partial order: what was fetched, after which page, and the number of pages of each host."""

    def __init__(self, problem: OracleProblem) -> None:
        self.problem = problem
        self.order: list[int] = []
        self.fetched = np.zeros(len(problem.graph), bool)
        self.fetched_from: dict[int, int] = {}

    def has_room(self, page: int) -> bool:
        """Tell whether the page limit of a page's host allows one more."""
        cap = self.problem.cap
        return not cap or self.fetched_from.get(int(self.problem.graph.hosts[page]), 0) < cap

    def fetch(self, page: int) -> None:
        """Fetch a page."""
        self.order.append(page)
        self.fetched[page] = True
        host = int(self.problem.graph.hosts[page])
        self.fetched_from[host] = self.fetched_from.get(host, 0) + 1

    def full_hosts(self) -> Flags | None:
        """Mark the pages of hosts that have reached their page limit."""
        if not self.problem.cap:
            return None
        full = [host for host, count in self.fetched_from.items() if count >= self.problem.cap]
        return np.isin(self.problem.graph.hosts, full)

    def follow(self, path: list[int]) -> bool:
        """Fetch the pages of a path, if the page limits of their hosts allow all of them."""
        cap = self.problem.cap
        if cap:
            hosts = self.problem.graph.hosts[path].tolist()
            if any(self.fetched_from.get(host, 0) + hosts.count(host) > cap for host in set(hosts)):
                return False
        for page in path:
            self.fetch(page)
        return True


def _greedy(problem: OracleProblem, closures: _Closures, exponent: float) -> Rows:
    """Take wanted pages one fetch away as long as there are any, else the path with most per fetch."""
    graph, wanted = problem.graph, problem.wanted
    run = _OracleRun(problem)
    missing = sum(closures.bits.values())
    offers = np.array(list(closures.offers), np.int32)
    waiting = [int(page) for page in problem.seeds if wanted[page]]
    while True:
        while waiting:
            page = waiting.pop()
            if run.fetched[page] or not run.has_room(page):
                continue
            run.fetch(page)
            missing &= ~closures.bits.get(page, 0)
            waiting += [int(t) for t in graph.out(page) if wanted[t] and not run.fetched[t]]
        done = np.array(run.order, np.int32)
        full = run.full_hosts()
        distances, before = graph.search(problem.seeds, done, full)
        near = offers[(distances[offers] != FAR) & (distances[offers] > 0)]
        open = _without(missing, full, closures)
        gains = np.array([(closures.offers[page] & open).bit_count() for page in near.tolist()], np.float64)
        near, gains = near[gains > 0], gains[gains > 0]
        best = np.argsort(-gains / distances[near].astype(np.float64) ** exponent, kind="stable")
        for choice in near[best].tolist():
            path = _path(choice, before, run.fetched)
            if not wanted[
                path
            ].any():  # it is only useful if the page limit of its host allows what it offers
                path += [t for t in graph.out(choice).tolist() if closures.bits.get(t, 0) & open][:1]
            if wanted[path].any() and run.follow(path):
                break
        else:
            return done
        for page in path:
            missing &= ~closures.bits.get(page, 0)
            waiting += [int(t) for t in graph.out(page) if wanted[t] and not run.fetched[t]]


def _without(missing: int, full: Flags | None, closures: _Closures) -> int:
    """Leave out wanted pages whose hosts have reached their page limit."""
    if full is None:
        return missing
    for page, bit in closures.bits.items():
        if full[page]:
            missing &= ~bit
    return missing


def _path(page: int, before: Rows, fetched: Flags) -> list[int]:
    """Return the pages to fetch, in order, to have fetched `page`."""
    path = []
    while page >= 0 and not fetched[page]:
        path.append(page)
        page = int(before[page])
    return path[::-1]


def _shortest(problem: OracleProblem) -> Rows:
    """Take every wanted page by a shortest path from the seeds, as far as the page limits allow."""
    run = _OracleRun(problem)
    distances, before = problem.graph.search(problem.seeds)
    wanted = np.flatnonzero(problem.wanted & (distances != FAR)).astype(np.int32)
    for page in wanted[np.argsort(distances[wanted], kind="stable")].tolist():
        run.follow(_path(page, before, run.fetched))
    return np.array(run.order, np.int32)


# ---- polishing -----------------------------------------------------------------------------------------


def _polished(problem: OracleProblem, order: Rows) -> Rows:
    """Make every page a child of the earliest page that links to it, and reorder, while that improves."""
    size = len(problem.graph)
    best = _area(problem.wanted, order, size)
    for _ in range(ROUNDS):
        candidate = _by_branches(order, _parents(problem, order), problem.wanted)
        area = _area(problem.wanted, candidate, size)
        if area <= best:
            break
        order, best = candidate, area
    return _trimmed(problem.wanted, order)


def _trimmed(wanted: Flags, order: Rows) -> Rows:
    """Leave out what comes after the last wanted page."""
    hits = np.flatnonzero(wanted[order])
    return order[: hits[-1] + 1] if len(hits) else order[:0]


def _parents(problem: OracleProblem, order: Rows) -> Rows:
    """Return for each fetch the position of the earliest fetch that links to it; -1 for seeds."""
    size = len(problem.graph)
    positions = np.full(size, size, np.int32)
    positions[order] = np.arange(len(order), dtype=np.int32)
    sources, targets = problem.graph.out_of(order)
    inside = positions[targets] < size
    earliest = np.full(size, size, np.int32)
    np.minimum.at(earliest, targets[inside], positions[sources[inside]])
    earliest[problem.seeds] = -1
    return earliest[order]


def _by_branches(order: Rows, parents: Rows, wanted: Flags) -> Rows:
    """Order a tree so that the area under its curve is the largest possible (Horn 1972).

    Again and again the block with the highest share of wanted pages is joined to the block before it: in
    a best order nothing comes between them. The remaining blocks follow the seeds, highest share first.
    """
    count = len(order)
    gain = wanted[order].astype(int).tolist()
    length = [1] * count
    members: list[list[int]] = [[position] for position in range(count)]
    head = list(range(count))  # of the block that a page is in, with shortcuts
    above = parents.tolist()
    placed = [False] * count
    ordered: list[int] = []
    heap = [(-float(gain[position]), position, 1) for position in range(count)]
    heapq.heapify(heap)
    while heap:
        _, block, size = heapq.heappop(heap)
        if head[block] != block or length[block] != size:
            continue  # it was joined to another, or has grown since
        up = above[block]
        while up >= 0 and head[up] != up:
            head[up] = head[head[up]]
            up = head[up]
        if up < 0 or placed[up]:
            placed[block] = True
            ordered += members[block]
            continue
        head[block] = up
        gain[up] += gain[block]
        length[up] += length[block]
        members[up] += members[block]
        heapq.heappush(heap, (-gain[up] / length[up], up, length[up]))
    return order[ordered]
