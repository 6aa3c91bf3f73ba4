"""PageRank of the part of the web known so far: links many important pages point to come first."""

import numpy as np

from clew import urls
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Scores

STEPS = 200
"""Iterations at most: with a damping of 0.85 the error falls a hundred thousand fold in 71."""


class PageRank:
    """Order links by the PageRank of the graph of pages read and links met, whatever the goal.

    Somebody follows links at random and now and then begins anew anywhere; a page's rank is the share
    of time spent there, here in units of the average page. A link's score is rank / (1 + rank), so that
    one half is an average page. Between two computations a link gains what each new page passes on
    to it; the exact ranks are found again after every `growth` of the pages read, from where they
    were, so that all computations together cost about as much as a dozen of the last one.

    `damping` is the chance of going on (0.85, as Brin and Page set it), `tolerance` the mean change of
    a rank that ends a computation, `every` the fewest pages between two, `growth` the share of pages
    read that calls for the next.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = PageRank()
    >>> ranker.score(sample_outcome(), sample_links(2)).astype(float).round(3).tolist()
    [0.176, 0.176]

    Reference: J. Cho, H. Garcia-Molina, L. Page, "Efficient crawling through URL ordering", 1998;
    S. Brin, L. Page, "The anatomy of a large-scale hypertextual Web search engine", 1998.
    """

    def __init__(
        self, *, damping: float = 0.85, tolerance: float = 1e-4, every: int = 100, growth: float = 0.1
    ) -> None:
        self.damping = damping
        self.tolerance = tolerance
        self.every = every
        self.growth = growth
        self._met = LinkIndex()
        self._ranks = np.empty(0, np.float32)
        self._degrees = np.empty(0, np.uint32)
        self._tails = np.empty(0, np.uint32)
        self._heads = np.empty(0, np.uint32)
        self._arcs = 0
        self._pages = 0
        self._next = every

    def score(self, source: Outcome, links: Links) -> Scores:
        page = self._enter(source)
        rows = self._met.add(links.hashes)
        self._make_room()
        if not self._degrees[page]:
            self._point(page, np.unique(rows[rows != page]))
        ranks = self._ranks[rows]
        return ranks / (1 + ranks)

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return {"how many pages point to it, and how many to those": self.score(source, links)}

    def learn(self, outcome: Outcome) -> None:
        """Count a page: after enough of them the ranks are computed anew."""
        self._enter(outcome)
        self._met.mark_fetched(urls.fingerprint(outcome.page.url))
        self._pages += 1

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._pages < self._next:
            return None
        self._next = self._pages + max(self.every, int(self.growth * self._pages))
        self._ranks[: len(self._met)] = self.compute()
        rows = self._met.unfetched_rows()
        ranks = self._ranks[rows]
        return self._met.hashes[rows], ranks / (1 + ranks)

    def compute(self) -> Scores:
        """Return the ranks of all pages and links known, by row, in units of the average."""
        size = len(self._met)
        tails, heads = self._tails[: self._arcs], self._heads[: self._arcs]
        degrees = self._degrees[:size]
        ends = degrees == 0  # from a page without links one begins anew anywhere
        passed_on = self.damping / np.maximum(degrees, 1)
        ranks = self._ranks[:size].astype(np.float64)
        ranks *= size / max(ranks.sum(), 1e-9)
        for _ in range(STEPS):
            flow = np.bincount(heads, (ranks * passed_on)[tails], size).astype(np.float64)
            flow += 1 - self.damping + self.damping * ranks[ends].sum() / max(size, 1)
            change = np.abs(flow - ranks).mean() if size else 0.0
            ranks = flow
            if change < self.tolerance:
                break
        return ranks.astype(np.float32)

    def _enter(self, outcome: Outcome) -> int:
        row = int(self._met.add(np.array([urls.fingerprint(outcome.page.url)], np.uint64))[0])
        self._make_room()
        return row

    def _make_room(self) -> None:
        self._ranks = grown(self._ranks, len(self._met), 1 - self.damping)
        self._degrees = grown(self._degrees, len(self._met))

    def _point(self, page: int, rows: Ids) -> None:
        """Draw arcs from a page to its links, and pass on what it holds."""
        end = self._arcs + len(rows)
        self._tails, self._heads = grown(self._tails, end), grown(self._heads, end)
        self._tails[self._arcs : end] = page
        self._heads[self._arcs : end] = rows
        self._arcs = end
        self._degrees[page] = len(rows)
        if len(rows):
            self._ranks[rows] += self.damping * self._ranks[page] / len(rows)
