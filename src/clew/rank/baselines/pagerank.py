"""PageRank of the known part of the web: links that many important pages link to come first."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts.option_types import Count, NonNegative, Positive, Probability
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Scores

MAX_ITERATIONS = 200
"""Iterations at most: with a damping of 0.85 the error falls a hundred thousand fold in 71."""


class PageRank:
    """Order links by the PageRank of the graph of known pages and links, whatever the goal.

    A random surfer follows links and now and then jumps to any page; the rank of a page is the share of time
    spent there, in units of the average page. The score of a link is rank / (1 + rank), so that an average
    page scores one half. Between two computations a link gains what each new page passes on to it; exact
    ranks are computed again after every `growth` of the pages read, starting from the last ones, so that all
    computations together cost about as much as a dozen of the last one.

    `damping` is the probability of following a link (0.85, as Brin and Page set it), `tolerance` the
    mean change of a rank that ends a computation, `every` the fewest pages between two, `growth` the
    share of pages read that triggers the next.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = PageRank()
    >>> ranker.score(sample_outcome(), sample_links(2)).astype(float).round(3).tolist()
    [0.176, 0.176]

    Reference: J. Cho, H. Garcia-Molina, L. Page, "Efficient crawling through URL ordering", 1998;
    S. Brin, L. Page, "The anatomy of a large-scale hypertextual Web search engine", 1998.
    """

    def __init__(
        self,
        *,
        damping: Probability = 0.85,
        tolerance: Positive = 1e-4,
        every: Count = 100,
        growth: NonNegative = 0.1,
    ) -> None:
        self.damping = damping
        self.tolerance = tolerance
        self.every = every
        self.growth = growth
        self.index = LinkIndex()
        self._ranks = np.empty(0, np.float32)
        self._degrees = np.empty(0, np.uint32)
        self._tails = np.empty(0, np.uint32)
        self._heads = np.empty(0, np.uint32)
        self._arcs = 0
        self._pages = 0
        self._next = every
        self.jumps: Mapping[int, float] = {}  # by row: where a jump ends, and how often; anywhere if empty

    def score(self, source: Outcome, links: Links) -> Scores:
        page = self._add_page(source)
        rows = self.index.add(links.hashes)
        self._make_room()
        if not self._degrees[page]:
            self._add_arcs(page, np.unique(rows[rows != page]))
        ranks = self._ranks[rows]
        return ranks / (1 + ranks)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"PageRank": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Count a page: after enough of them the ranks are computed again."""
        self._add_page(outcome)
        self.index.mark_fetched(urls.fingerprint(outcome.page.url))
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        return self.ranked_anew() if self._pages >= self._next else None

    def ranked_anew(self) -> tuple[Hashes, Scores]:
        """Compute the ranks, and return the links that were not fetched with their scores."""
        self._next = self._pages + max(self.every, int(self.growth * self._pages))
        self._ranks[: len(self.index)] = self.compute()
        return self.current_scores()

    def current_scores(self) -> tuple[Hashes, Scores]:
        """Return the links that were not fetched, with their scores."""
        rows = self.index.unfetched_rows()
        ranks = self._ranks[rows]
        return self.index.hashes[rows], ranks / (1 + ranks)

    def graph_state(self) -> dict[str, NDArray[np.generic]]:
        """Return the graph and its ranks as arrays."""
        size = len(self.index)
        return {
            "hashes": self.index.hashes, "fetched": self.index.fetched, "ranks": self._ranks[:size],
            "degrees": self._degrees[:size],
            "tails": self._tails[: self._arcs], "heads": self._heads[: self._arcs],
            "counts": np.array([self._pages, self._next]),
            "jump_rows": np.array([*self.jumps], np.int64), "jump_weights": np.array([*self.jumps.values()]),
        }  # fmt: skip

    def restore_graph(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with a graph that `graph_state` returned."""
        self.index.restore(state["hashes"], state["fetched"])
        self._ranks, self._degrees = state["ranks"], state["degrees"]
        self._tails, self._heads, self._arcs = state["tails"], state["heads"], len(state["tails"])
        self._pages, self._next = state["counts"].tolist()
        self.jumps = dict(zip(state["jump_rows"].tolist(), state["jump_weights"].tolist(), strict=True))

    def compute(self) -> Scores:
        """Return the ranks of all pages and links known, by row, in units of the average."""
        size = len(self.index)
        tails, heads = self._tails[: self._arcs], self._heads[: self._arcs]
        degrees = self._degrees[:size]
        ends = degrees == 0  # from a page without links the surfer jumps to any page
        passed_on = self.damping / np.maximum(degrees, 1)
        ranks = self._ranks[:size].astype(np.float64)
        ranks *= size / max(ranks.sum(), 1e-9)
        ends_of_jumps = np.ones(size)
        if self.jumps:
            ends_of_jumps[:] = 0
            weights = np.array([*self.jumps.values()])
            ends_of_jumps[[*self.jumps]] = weights * size / weights.sum()
        for _ in range(MAX_ITERATIONS):
            flow = np.bincount(heads, (ranks * passed_on)[tails], size).astype(np.float64)
            flow += ends_of_jumps * (1 - self.damping + self.damping * ranks[ends].sum() / max(size, 1))
            change = np.abs(flow - ranks).mean() if size else 0.0
            ranks = flow
            if change < self.tolerance:
                break
        return ranks.astype(np.float32)

    def _add_page(self, outcome: Outcome) -> int:
        row = int(self.index.add(np.array([urls.fingerprint(outcome.page.url)], np.uint64))[0])
        self._make_room()
        return row

    def _make_room(self) -> None:
        self._ranks = grown(self._ranks, len(self.index), 0 if self.jumps else 1 - self.damping)
        self._degrees = grown(self._degrees, len(self.index))

    def _add_arcs(self, page: int, rows: Ids) -> None:
        """Add arcs from a page to its links, and pass on its rank."""
        end = self._arcs + len(rows)
        self._tails, self._heads = grown(self._tails, end), grown(self._heads, end)
        self._tails[self._arcs : end] = page
        self._heads[self._arcs : end] = rows
        self._arcs = end
        self._degrees[page] = len(rows)
        if len(rows):
            self._ranks[rows] += self.damping * self._ranks[page] / len(rows)
