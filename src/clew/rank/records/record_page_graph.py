"""The record-page graph: rows of a table, pages and links, with ranks that flow between them.

    page ──w_pp──▶ page or link       each weight is divided evenly among a node's arcs of that kind
    page ──w_pr──▶ record             the rows that were found on the page
    record ──w_rp──▶ page             the pages on which the row was found

    r = d · Aᵀ · r + (1 - d) / n · e          here all times n: a jump brings 1 - d to every node

What a node has passed on is stored, so that a change touches only what it concerns:
`rank = (1 - d) + d · Aᵀ · sent` holds at every moment, and ranks are exact where `sent` equals `rank`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError
from clew.rank.records.arcs import NO_HEADS, Arcs, Heads
from clew.rank.shared.link_index import grown
from clew.types import Ids

Ranks = NDArray[np.float64]

MAX_ROUNDS = 1_000
"""Rounds at most: with a damping of 0.95 the error falls a million fold in 270."""

DENSE = 8
"""With at least one arc for so many nodes, a dense sum over all nodes is quicker than `np.add.at`."""


@dataclass(frozen=True, slots=True)
class PropagationCost:
    """The cost of a computation: rounds, and arcs along which rank was passed on."""

    rounds: int
    arcs: int


@dataclass(frozen=True, slots=True)
class _ArcSets:
    """The three kinds of arcs: page to page or link, page to record, record to page."""

    links: Arcs = field(default_factory=Arcs)
    records: Arcs = field(default_factory=Arcs)
    pages: Arcs = field(default_factory=Arcs)


class RecordPageGraph:
    """Store records, pages and links with their ranks, and update the ranks while the graph grows.

    Pages and links are nodes that the caller numbers from 0; records have the numbers of their rows. A
    record that is `muted` passes nothing on to its pages, while they still pass rank to it.

    `pp`, `rp` and `pr` are the weights of page → page, record → page and page → record, each in (0, 1];
    `damping` is d. `row_jumps` is how many times a jump is likelier to end at a record than at a page: 1 in
    the paper.

    >>> graph = RecordPageGraph()
    >>> graph.link(0, np.array([1, 2])); graph.set_records({0: np.array([0])})
    >>> _ = graph.settle(1e-9)
    >>> graph.ranks.round(3).tolist(), graph.record_ranks.round(3).tolist()
    ([0.354, 0.255, 0.255], [0.24])
    """

    def __init__(
        self,
        *,
        pp: float = 0.7,
        rp: float = 1.0,
        pr: float = 0.3,
        damping: float = 0.85,
        row_jumps: float = 1.0,
    ) -> None:
        self.pp = pp
        self.rp = rp
        self.pr = pr
        self.damping = damping
        self.row_jumps = row_jumps
        self.nodes = 0
        self.pages = 0
        self.records = 0
        self.muted = np.empty(0, bool)
        self._arcs = _ArcSets()
        self._ranks = np.empty(0, np.float64)
        self._page_numbers = np.empty(0, np.int32)  # of a node that was read, among the pages; from 1
        self._page_nodes = np.empty(0, np.uint32)  # the node of each page
        self._sent = np.empty(0, np.float64)  # by each page, so far
        self._record_ranks = np.empty(0, np.float64)
        self._record_sent = np.empty(0, np.float64)

    @property
    def arcs(self) -> int:
        """All arcs, muted ones too."""
        return self._arcs.links.total + self._arcs.records.total + self._arcs.pages.total

    @property
    def ranks(self) -> Ranks:
        """The ranks of pages and links, by node; times 1 / n they are those of the paper."""
        return self._ranks[: self.nodes]

    @property
    def record_ranks(self) -> Ranks:
        """The ranks of records."""
        return self._record_ranks[: self.records]

    def check(self) -> None:
        """Check that ranks converge with these weights and this damping."""
        for name, weight in (("pp", self.pp), ("rp", self.rp), ("pr", self.pr)):
            if not 0 < weight <= 1:
                msg = f"objectrank: the weight {name} is {weight}; give one above 0 and at most 1"
                raise ConfigError(msg)
        # No graph has a larger eigenvalue than its kinds of nodes have: pages and records.
        largest = (self.pp + math.sqrt(self.pp**2 + 4 * self.pr * self.rp)) / 2
        if not 0 < self.damping < min(1.0, 1 / largest):
            most = min(1.0, 1 / largest)
            msg = (
                f"objectrank: with pp {self.pp}, rp {self.rp}, pr {self.pr} and a damping of {self.damping} "
                f"ranks never converge; give a damping above 0 and below {most:.3f}, or smaller weights"
            )
            raise ConfigError(msg)

    # ---- change the graph ----------------------------------------------------------------------

    def grow(self, nodes: int) -> None:
        """Make room for so many pages and links."""
        if nodes > self.nodes:
            self._ranks = grown(self._ranks, nodes, 1 - self.damping)
            self._page_numbers = grown(self._page_numbers, nodes)
            self.nodes = nodes

    def link(self, node: int, targets: NDArray[np.integer]) -> None:
        """Set the targets of a page, all different from each other."""
        self.grow(max(node, int(targets.max(initial=0))) + 1)
        page = self._page(node)
        self._flow(self._arcs.links, page, -self._sent[page] * self.pp)
        self._arcs.links.put(page, targets)
        self._flow(self._arcs.links, page, self._sent[page] * self.pp)

    def targets(self, node: int) -> Heads:
        """Return the pages and links that a page points to."""
        number = int(self._page_numbers[node]) if node < self.nodes else 0
        return self._arcs.links.of(number - 1) if number else NO_HEADS

    def set_records(self, found: Mapping[int, NDArray[np.integer]]) -> None:
        """Set the records of pages, each named once; all changes are applied together."""
        gained: dict[int, list[int]] = {}
        lost: dict[int, list[int]] = {}
        for node, records in found.items():
            self.grow(node + 1)
            self.add_records(int(records.max(initial=-1)) + 1)
            page = self._page(node)
            before = self._arcs.records.of(page)
            if np.array_equal(before, records):
                continue
            for record in np.setdiff1d(records, before).tolist():
                gained.setdefault(record, []).append(node)
            for record in np.setdiff1d(before, records).tolist():
                lost.setdefault(record, []).append(node)
            self._flow_to_records(page, -self._sent[page])
            self._arcs.records.put(page, records)
            self._flow_to_records(page, self._sent[page])
        for record in sorted(gained.keys() | lost.keys()):
            self._flow_from_record(record, -1)
            nodes = self._arcs.pages.of(record)
            if record in lost:
                nodes = nodes[~np.isin(nodes, lost[record])]
            more = np.array(gained.get(record, ()), np.uint32)
            self._arcs.pages.put(record, np.concatenate((nodes, more)))
            self._flow_from_record(record, 1)

    def add_records(self, records: int) -> None:
        """Make room for so many records."""
        if records > self.records:
            self._record_ranks = grown(self._record_ranks, records, self._jump)
            self._record_sent = grown(self._record_sent, records)
            self.muted = grown(self.muted, records)
            self.records = records

    def mute(self, record: int, off: bool = True) -> bool:
        """Remove a record's arcs to its pages, or restore them; return whether that changed anything."""
        self.add_records(record + 1)
        if self.muted[record] == off:
            return False
        self._flow_from_record(record, -1)
        self.muted[record] = off
        self._flow_from_record(record, 1)
        return True

    def send(self, node: int) -> None:
        """Pass on the rank of one page, so that its links have it at once."""
        self.grow(node + 1)
        self._push(np.array([self._page(node)], np.int64))

    # ---- compute ranks -------------------------------------------------------------------------

    def settle(self, tolerance: float) -> PropagationCost:
        """Propagate ranks until no node has more than `tolerance` to pass on; only changes are touched."""
        self.check()
        rounds = arcs = 0
        while rounds < MAX_ROUNDS:
            late = np.abs(self._ranks[self._page_nodes[: self.pages]] - self._sent[: self.pages]) > tolerance
            pages = np.flatnonzero(late)
            waiting = self.record_ranks - self._record_sent[: self.records]
            records = np.flatnonzero((np.abs(waiting) > tolerance) & ~self.muted[: self.records])
            if not len(pages) and not len(records):
                break
            arcs += self._push(pages) + self._push_records(records)
            rounds += 1
        return PropagationCost(rounds, arcs)

    def compute(self, tolerance: float, *, warm: bool = False) -> tuple[Ranks, Ranks, PropagationCost]:
        """Return the ranks of nodes and of records by iterating over the whole graph, until none moves more.

        All start with 1 as in the paper, or, if `warm`, with their current ranks.
        """
        self.check()
        d, size, many = self.damping, self.nodes, self.records
        every, active = np.arange(self.pages), np.flatnonzero(~self.muted[:many])
        links, out = self._arcs.links.gather(every)
        to_records, records_out = self._arcs.records.gather(every)
        to_pages, pages_out = self._arcs.pages.gather(active)
        pages = self._page_nodes[: self.pages]
        ranks, records = (self.ranks, self.record_ranks) if warm else (np.ones(size), np.ones(many))
        rounds, moved = 0, math.inf
        while moved > tolerance and rounds < MAX_ROUNDS:
            from_pages, from_records = d * ranks[pages], d * records[active]
            new = 1 - d + _sums(links, _shared(self.pp * from_pages, out), size)
            new += _sums(to_pages, _shared(self.rp * from_records, pages_out), size)
            new_records = self._jump + _sums(to_records, _shared(self.pr * from_pages, records_out), many)
            moved = float(np.abs(new - ranks).max(initial=0))
            moved = max(moved, float(np.abs(new_records - records).max(initial=0)))
            ranks, records, rounds = new, new_records, rounds + 1
        arcs = len(links) + len(to_records) + len(to_pages)
        return ranks, records, PropagationCost(rounds, rounds * arcs)

    def from_records(self, node: int) -> float:
        """Return how much of a page's rank comes from the records found on it."""
        number = int(self._page_numbers[node])
        records = self._arcs.records.of(number - 1) if number else NO_HEADS
        records = records[~self.muted[records]]
        _, counts = self._arcs.pages.gather(records.astype(np.int64))
        return float((self.damping * self.rp * self._record_sent[records] / np.maximum(counts, 1)).sum())

    # ---- across runs ---------------------------------------------------------------------------

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the graph and its ranks as arrays."""
        nodes, pages, records = self.nodes, self.pages, self.records
        arrays: dict[str, NDArray[np.generic]] = {
            "ranks": self._ranks[:nodes], "page_numbers": self._page_numbers[:nodes],
            "page_nodes": self._page_nodes[:pages], "sent": self._sent[:pages],
            "record_ranks": self._record_ranks[:records], "record_sent": self._record_sent[:records],
            "muted": self.muted[:records],
        }  # fmt: skip
        for name, arcs in self._named_arcs():
            arrays[f"{name}_heads"], arrays[f"{name}_counts"] = arcs.state()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with a graph that `state` returned."""
        self.nodes, self.pages = len(state["ranks"]), len(state["page_nodes"])
        self.records = len(state["record_ranks"])
        self._ranks, self._page_numbers = state["ranks"], state["page_numbers"]
        self._page_nodes, self._sent = state["page_nodes"], state["sent"]
        self._record_ranks, self._record_sent = state["record_ranks"], state["record_sent"]
        self.muted = state["muted"]
        for name, arcs in self._named_arcs():
            arcs.restore(state[f"{name}_heads"], state[f"{name}_counts"])

    def _named_arcs(self) -> Iterable[tuple[str, Arcs]]:
        arcs = self._arcs
        return (("links", arcs.links), ("records", arcs.records), ("pages", arcs.pages))

    # ---- propagate rank ------------------------------------------------------------------------

    @property
    def _jump(self) -> float:
        return (1 - self.damping) * self.row_jumps

    def _page(self, node: int) -> int:
        """Return the number of a page, a new one if it was only a link so far."""
        if not self._page_numbers[node]:
            self.pages += 1
            self._page_nodes, self._sent = grown(self._page_nodes, self.pages), grown(self._sent, self.pages)
            self._page_nodes[self.pages - 1] = node
            self._page_numbers[node] = self.pages
        return int(self._page_numbers[node]) - 1

    def _flow(self, arcs: Arcs, page: int, amount: float) -> None:
        heads = arcs.of(page)
        if len(heads):
            self._ranks[heads] += self.damping * amount / len(heads)

    def _flow_to_records(self, page: int, amount: float) -> None:
        heads = self._arcs.records.of(page)
        if len(heads):
            self._record_ranks[heads] += self.damping * self.pr * amount / len(heads)

    def _flow_from_record(self, record: int, sign: int) -> None:
        if not self.muted[record]:
            self._flow(self._arcs.pages, record, sign * self._record_sent[record] * self.rp)

    def _push(self, pages: Ids) -> int:
        """Pass on what pages have not passed on yet; return along how many arcs."""
        nodes = self._page_nodes[pages]
        late = self.damping * (self._ranks[nodes] - self._sent[pages])
        self._sent[pages] = self._ranks[nodes]
        links, out = self._arcs.links.gather(pages)
        _add(self._ranks, links, _shared(self.pp * late, out), self.nodes)
        records, records_out = self._arcs.records.gather(pages)
        _add(self._record_ranks, records, _shared(self.pr * late, records_out), self.records)
        return len(links) + len(records)

    def _push_records(self, records: Ids) -> int:
        late = self.damping * self.rp * (self._record_ranks[records] - self._record_sent[records])
        self._record_sent[records] = self._record_ranks[records]
        pages, pages_out = self._arcs.pages.gather(records)
        _add(self._ranks, pages, _shared(late, pages_out), self.nodes)
        return len(pages)


def _shared(amounts: Ranks, counts: Ids) -> Ranks:
    """Return the amount of each arc when nodes divide amounts evenly among so many of them."""
    return np.repeat(amounts / np.maximum(counts, 1), counts)


def _sums(heads: Heads, amounts: Ranks, size: int) -> Ranks:
    sums: Ranks = np.bincount(heads, amounts, size).astype(np.float64, copy=False)
    return sums


def _add(ranks: Ranks, heads: Heads, amounts: Ranks, size: int) -> None:
    """Add to ranks at nodes that may be named more than once."""
    if len(heads) * DENSE > size:
        ranks[:size] += _sums(heads, amounts, size)
    else:
        np.add.at(ranks, heads, amounts)
