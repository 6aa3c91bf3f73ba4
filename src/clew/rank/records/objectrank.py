"""ObjectRank: links come first that are pointed to by pages holding rows of the person's table."""

import numpy as np

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.rank.records.record_page_graph import RecordPageGraph
from clew.rank.shared.link_index import LinkIndex, grown
from clew.types import Hashes, Ids, Links, Outcome, Scores

JUMP = "what every page has"
PAGE = "the page it stands on"
ROWS = "the rows found on that page"
OTHERS = "other pages that point to it"

NOTICED = 0.005
"""Share by which a score must change before the frontier is told."""


class ObjectRank:
    """Order links by the rank that flows through the record-page graph: the web and the table as one graph.

    Somebody follows links at random, goes from a page to a row found on it, from a row to a page that holds
    it, and now and then begins anew anywhere. A page that shares rows with others is visited often, and so
    are the links on it. A link's score is rank / (1 + rank), rank in units of what a node would have if all
    had the same. A row that a person called off topic is still reached from its pages, but leads back to
    none: they lose rank, and their links with them. Another word, or taking it back, restores it.

    Ranks are kept true while pages and rows arrive: a new page passes on what it has at once, and after
    every `growth` of the arcs, or any answer, what has not been passed on yet flows until no node has more
    than `tolerance` of it. That touches what has changed and its neighbours; links whose score moved are
    told to the frontier.

    `pp`, `rp` and `pr` are the weights of page → page, row → page and page → row, `damping` the chance of
    going on; `favour` is how many times likelier one begins anew at a row than at a page (the paper: 1).
    Without a table of records this is PageRank with a damping of `damping · pp`.

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
        pp: float = 0.7,
        rp: float = 1.0,
        pr: float = 0.3,
        damping: float = 0.85,
        favour: float = 1.0,
        tolerance: float = 1e-3,
        growth: float = 0.02,
    ) -> None:
        self.pp = pp
        self.rp = rp
        self.pr = pr
        self.damping = damping
        self.favour = favour
        self.tolerance = tolerance
        self.growth = growth
        self.graph = RecordPageGraph(pp=pp, rp=rp, pr=pr, damping=damping, favour=favour)
        self._book: RecordTable | None = None
        self._heard = 0  # events of the book
        self._met = LinkIndex()
        self._told = np.empty(0, np.float32)
        self._nodes: dict[int, int] = {}  # of pages, by the ids under which the book knows them
        self._settled = 0  # arcs when ranks were settled last
        self._stirred = False  # an answer came since

    def use_table(self, book: RecordTable) -> None:
        """Go by the rows of this table from now on."""
        self._book, self._heard = book, 0

    def score(self, source: Outcome, links: Links) -> Scores:
        rows = self._meet(source, links)
        scores = _scores(self.graph.ranks[rows])
        self._told[rows] = np.maximum(self._told[rows], scores)  # a link met again never falls
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        scores = self.score(source, links)
        rows, node, graph = self._met.rows(links.hashes), self._enter(source), self.graph
        targets, below = graph.targets(node), 1 + graph.ranks[rows]
        given = np.where(np.isin(rows, targets), self.damping * self.pp / max(len(targets), 1), 0) / below
        from_rows = graph.from_records(node)
        jump, table = (1 - self.damping) / below, given * from_rows
        page = given * (graph.ranks[node] - from_rows)
        return {
            JUMP: jump.astype(np.float32),
            PAGE: page.astype(np.float32),
            ROWS: table.astype(np.float32),
            OTHERS: (scores - jump - page - table).astype(np.float32),
        }

    def learn(self, outcome: Outcome) -> None:
        """Enter a page with the rows found on it, and hear what else the table has to tell."""
        node = self._enter(outcome)
        self._met.close(urls.fingerprint(outcome.page.url))
        id = outcome.page.link.id
        self._nodes[id] = node
        self._listen({id})
        self.graph.send(node)

    def rerank(self) -> tuple[Hashes, Scores] | None:
        self._listen(set())
        if not self._stirred and self.graph.arcs < (1 + self.growth) * self._settled:
            return None
        self.graph.settle(self.tolerance)
        self._settled, self._stirred = self.graph.arcs, False
        rows = self._met.open_rows()
        scores, told = _scores(self.graph.ranks[rows]), self._told[rows]
        moved = np.abs(scores - told) > NOTICED * told
        if not moved.any():
            return None
        self._told[rows[moved]] = scores[moved]
        return self._met.names[rows[moved]], scores[moved]

    def _listen(self, pages: set[int]) -> None:
        """Let the graph know which rows stand on which pages now, and what a person said of them."""
        if self._book is None:
            return
        book, graph = self._book, self.graph
        for event in book.events_since(self._heard):
            self._heard += 1
            if event.kind in ("added", "removed"):
                pages.add(event.page)
            else:
                self._stirred |= graph.mute(event.row, event.kind in ("off-topic", "noise"))
        found = {
            self._nodes[page]: np.array(book.rows_of(page), np.int64)
            for page in sorted(pages)
            if page in self._nodes
        }
        graph.hold(found)

    def _meet(self, source: Outcome, links: Links) -> Ids:
        """Return the nodes of links, after drawing arcs to them from their page."""
        node = self._enter(source)
        rows = self._met.enter(links.hashes)
        self._make_room()
        if not len(self.graph.targets(node)):
            self.graph.link(node, np.unique(rows[rows != node]))
            self.graph.send(node)
        return rows

    def _enter(self, outcome: Outcome) -> int:
        row = int(self._met.enter(np.array([urls.fingerprint(outcome.page.url)], np.uint64))[0])
        self._make_room()
        return row

    def _make_room(self) -> None:
        self.graph.grow(len(self._met))
        self._told = grown(self._told, len(self._met))


def _scores(ranks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Scores:
    return (ranks / (1 + ranks)).astype(np.float32)
