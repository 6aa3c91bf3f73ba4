"""ObjectRank: links first whose inlinks come from pages with rows of the user's table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts.option_types import NonNegative, Positive, Probability, Weight
from clew.domain.records.record_table import RecordTable
from clew.rank.records.record_page_graph import RecordPageGraph
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Scores

JUMP = "random jump"
PAGE = "source page"
ROWS = "rows on the source page"
OTHERS = "other inlinks"

MIN_CHANGE = 0.005
"""Share by which a score must change before the frontier is updated."""


class ObjectRank:
    """Order links by the rank that flows through the record-page graph: the web and the table as one graph.

    A random surfer follows links, goes from a page to a row found on it, from a row to a page that has it,
    and sometimes jumps to any node. Pages that share rows with others are visited often, and so are their
    links. A link's score is rank / (1 + rank), rank in units of the mean of all nodes. A row labelled off
    topic is still reached from its pages, but leads back to none: they lose rank, and their links with
    them. Another label, or its removal, restores it.

    Ranks are updated while pages and rows arrive: a new page passes on its rank at once, and after every
    `growth` of the arcs, or any label, the rest is propagated until no node has more than `tolerance` left
    to pass on. That touches what has changed and its neighbours; links whose score changed are re-ranked.

    `w_pp`, `w_rp` and `w_pr` are the weights of page → page, row → page and page → row, `damping` (d in the
    paper) the probability of following an arc; `row_jumps` is how many times likelier a jump ends at a row
    than at a page (the paper: 1). Without a table of records this is PageRank with a damping of
    `damping · w_pp`.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ranker = ObjectRank()
    >>> ranker.score(sample_outcome(), sample_links(2)).astype(float).round(3).tolist()
    [0.163, 0.163]

    Reference: J. Zhang, Y. Ishikawa, S. Kurokawa, H. Kitagawa, "A selective web crawling method based on
    user examples" (in Japanese), section 5.5; A. Balmin, V. Hristidis, Y. Papakonstantinou, "ObjectRank:
    authority-based keyword search in databases", VLDB 2004.
    """

    requires = "table"

    def __init__(
        self,
        *,
        w_pp: Weight = 0.7,
        w_rp: Weight = 1.0,
        w_pr: Weight = 0.3,
        damping: Probability = 0.85,
        row_jumps: Positive = 1.0,
        tolerance: Positive = 1e-3,
        growth: NonNegative = 0.02,
    ) -> None:
        self.w_pp = w_pp
        self.w_rp = w_rp
        self.w_pr = w_pr
        self.damping = damping
        self.row_jumps = row_jumps
        self.tolerance = tolerance
        self.growth = growth
        self.graph = RecordPageGraph(pp=w_pp, rp=w_rp, pr=w_pr, damping=damping, row_jumps=row_jumps)
        self.index = LinkIndex()
        self._table: RecordTable | None = None
        self._events_read = 0
        self._scores = np.empty(0, np.float32)  # as the frontier has them
        self._nodes: dict[int, int] = {}  # of pages, by their ids in the table
        self._settled = 0  # arcs when ranks were settled last
        self._labelled = False  # a label came since

    def use_table(self, table: RecordTable) -> None:
        """Use the rows of this table from now on."""
        self._table, self._events_read = table, 0

    def score(self, source: Outcome, links: Links) -> Scores:
        rows = self._add_links(source, links)
        scores = _scores(self.graph.ranks[rows])
        self._scores[rows] = np.maximum(self._scores[rows], scores)  # a link found again never falls
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        scores = self.score(source, links)
        rows, node, graph = self.index.rows(links.hashes), self._add_page(source), self.graph
        targets, divisor = graph.targets(node), 1 + graph.ranks[rows]
        received = (
            np.where(np.isin(rows, targets), self.damping * self.w_pp / max(len(targets), 1), 0) / divisor
        )
        from_rows = graph.from_records(node)
        jump, table = (1 - self.damping) / divisor, received * from_rows
        page = received * (graph.ranks[node] - from_rows)
        return {
            JUMP: jump.astype(np.float32),
            PAGE: page.astype(np.float32),
            ROWS: table.astype(np.float32),
            OTHERS: (scores - jump - page - table).astype(np.float32),
        }

    def learn(self, outcome: Outcome) -> None:
        """Add a page with the rows found on it, and apply other changes of the table."""
        node = self._add_page(outcome)
        self.index.mark_fetched(urls.fingerprint(outcome.page.url))
        id = outcome.page.link.id
        self._nodes[id] = node
        self._read_events({id})
        self.graph.send(node)

    def rerank(self) -> tuple[Hashes, Scores] | None:
        self._read_events(set())
        if not self._labelled and self.graph.arcs < (1 + self.growth) * self._settled:
            return None
        self.graph.settle(self.tolerance)
        self._settled, self._labelled = self.graph.arcs, False
        rows = self.index.unfetched_rows()
        scores, before = _scores(self.graph.ranks[rows]), self._scores[rows]
        moved = np.abs(scores - before) > MIN_CHANGE * before
        if not moved.any():
            return None
        self._scores[rows[moved]] = scores[moved]
        return self.index.hashes[rows[moved]], scores[moved]

    # ---- across runs ---------------------------------------------------------------------------------

    def knows_page(self, id: int) -> bool:
        """Return whether a page is in the graph."""
        return id in self._nodes

    def ranking_state(self) -> dict[str, NDArray[np.generic]]:
        """Return the graph, the links and the scores that the frontier has of them."""
        return {
            **self.graph.state(),
            "hashes": self.index.hashes,
            "fetched": self.index.fetched,
            "scores": self._scores[: len(self.index)],
            "page_ids": np.array([*self._nodes.keys()], np.int64),
            "page_rows": np.array([*self._nodes.values()], np.int64),
            "settled": np.array([self._settled]),
        }

    def restore_ranking(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with a stored graph; changes of the table since then are applied with the next ranking."""
        self.graph.restore(state)
        self.index.restore(state["hashes"], state["fetched"])
        self._scores = state["scores"]
        self._nodes = dict(zip(state["page_ids"].tolist(), state["page_rows"].tolist(), strict=True))
        self._settled = int(state["settled"][0])

    def current_scores(self) -> tuple[Hashes, Scores]:
        """Return the links that were not fetched, with their scores."""
        rows = self.index.unfetched_rows()
        return self.index.hashes[rows], self._scores[rows]

    # ---- the graph -------------------------------------------------------------------------------------

    def _read_events(self, pages: set[int]) -> None:
        """Bring rows, pages and labels of the graph up to date with the table."""
        if self._table is None:
            return
        table, graph = self._table, self.graph
        for event in table.events_since(self._events_read):
            self._events_read += 1
            if event.kind in ("added", "removed"):
                pages.add(event.page)
            else:
                self._labelled |= graph.mute(event.row, event.kind in ("off-topic", "noise"))
        found = {
            self._nodes[page]: np.array(table.rows_of(page), np.int64)
            for page in sorted(pages)
            if page in self._nodes
        }
        graph.set_records(found)

    def _add_links(self, source: Outcome, links: Links) -> Ids:
        """Return the nodes of links, after adding arcs to them from their page."""
        node = self._add_page(source)
        rows = self.index.add(links.hashes)
        self._make_room()
        if not len(self.graph.targets(node)):
            self.graph.link(node, np.unique(rows[rows != node]))
            self.graph.send(node)
        return rows

    def _add_page(self, outcome: Outcome) -> int:
        row = int(self.index.add(np.array([urls.fingerprint(outcome.page.url)], np.uint64))[0])
        self._make_room()
        return row

    def _make_room(self) -> None:
        self.graph.grow(len(self.index))
        self._scores = grown(self._scores, len(self.index))


def _scores(ranks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Scores:
    return (ranks / (1 + ranks)).astype(np.float32)
