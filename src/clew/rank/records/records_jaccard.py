"""Shared records: the pages that contain most of the table become the examples of another crawl."""

from collections.abc import Mapping
from heapq import nlargest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts.option_types import Count, Probability
from clew.domain.records.record_table import RecordTable
from clew.rank.baselines.pagerank import PageRank
from clew.rank.records.page_vectors import (
    BINS,
    PageVector,
    PageVectors,
    VectorQuery,
    pack_vectors,
    unpack_vectors,
)
from clew.rank.records.records_text import GROWTH, RowVectors, pack_labels, unpack_labels
from clew.types import Hashes, Links, Outcome, Scores


class RecordsJaccard:
    """Score links by the similarity of their page to the pages that share most rows with the table.

    A page shares with the table t

        score(t, p) = |t ∩ records(p)| / |t ∪ records(p)|

    where t are the rows of the table that are not labelled off topic. Off-topic rows of a page are outside
    of t and lower its score. Most pages have no row and score 0, so that this alone cannot put links in
    order: the `examples` best pages, weighted by their scores, are the query instead, and the score of a
    link is the similarity of its page, its text and the surrounding words to that. As long as no page has
    a row, the words of the table are the query (see `RecordsText`). After a label, or a quarter more of rows
    on pages, the examples are chosen again and the links on the latest 2,000 pages scored again.

    `follow` says how examples lead on: "similarity", or "pagerank", the other way that the paper names. Then
    a random surfer jumps to the examples alone, to each as often as it shares rows, and follows links
    with the probability `damping`; before there are examples, to any page.

    Without a table of records the score of a link is the verdict on its source page (`BestFirst`).

    >>> from clew.testing import sample_outcome, sample_links
    >>> RecordsJaccard().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Zhang, Y. Ishikawa, S. Kurokawa, H. Kitagawa, "A selective web crawling method based on
    user examples" (in Japanese), section 5.4.
    """

    requires = "table"

    def __init__(
        self,
        *,
        examples: Count = 10,
        follow: Literal["similarity", "pagerank"] = "similarity",
        damping: Probability = 0.85,
    ) -> None:
        self.examples = examples
        self.follow = follow
        self.damping = damping
        self._ranks = PageRank(damping=damping) if follow == "pagerank" else None
        self._vectors = PageVectors()
        self._table: RecordTable | None = None
        self._query: VectorQuery | None = None
        self._events_read = 0
        self._numbers: dict[int, int] = {}  # of pages among vectors or ranks, by the ids in the table
        self._page_rows: dict[int, tuple[int, int]] = {}  # rows of each page: in the table, off topic
        self._table_rows: set[int] = set()  # t
        self._best: dict[int, PageVector] = {}
        self._pairs = 0  # of rows and pages
        self._changed = 0  # pairs that changed since the examples were chosen
        self._labelled = False

    def use_table(self, table: RecordTable) -> None:
        """Use the rows of this table from now on."""
        self._table, self._events_read, self._page_rows, self._pairs = table, 0, {}, 0
        self._table_rows = set(range(table.example_count))
        rows = RowVectors(self._vectors)
        rows.use_examples(table)
        self._query = rows.query(1.0, 0.0, 0.0)

    def share(self, page: int) -> float:
        """Return |t ∩ records(p)| / |t ∪ records(p)| for a page by its id."""
        inside, outside = self._page_rows.get(page, (0, 0))
        return inside / max(1, len(self._table_rows) + outside)

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        if self._ranks is not None and self._table is not None:
            return {"PageRank from the examples": self._ranks.score(source, links)}
        return self._vectors.parts(source, links, self._query)

    def learn(self, outcome: Outcome) -> None:
        """Store the vector of a page, or count it: it may become an example."""
        page = outcome.page
        if self._ranks is not None:
            self._ranks.learn(outcome)
            self._numbers[page.link.id] = self._ranks.index.row(urls.fingerprint(page.url))
            return
        self._numbers[page.link.id] = self._vectors.add_page(page, urls.fingerprint(page.url))

    def knows_page(self, id: int) -> bool:
        """Return whether a page was learned from."""
        return id in self._numbers

    def ranking_state(self) -> dict[str, NDArray[np.generic]]:
        """Return pages, links, examples and query as arrays."""
        labels = self._table.labels() if self._table else {}
        best = pack_vectors(list(self._best.values()))
        return {
            **self._vectors.state(),
            **{f"best_{name}": array for name, array in best.items()},
            **pack_labels(labels),
            "best": np.array(list(self._best), np.int64),
            "page_ids": np.array(list(self._numbers.keys()), np.int64),
            "numbers": np.array(list(self._numbers.values()), np.int64),
            "changed": np.array([self._changed, self._labelled]),
            "query": np.empty(0, np.float32) if self._query is None else self._query.weights,
            **(
                {f"graph_{name}": array for name, array in self._ranks.graph_state().items()}
                if self._ranks
                else {}
            ),
        }

    def restore_ranking(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with a stored state, and apply what has changed in the table since."""
        table = self._table
        if table is None:
            return
        graph = {
            name.removeprefix("graph_"): array for name, array in state.items() if name.startswith("graph_")
        }
        if bool(graph) is not bool(self._ranks):
            return  # `follow` was changed since: all pages are learned from again
        if self._ranks is not None:
            self._ranks.restore_graph(graph)
        examples = range(table.example_count)  # only their values are phrases here
        self._vectors.restore(state, (value for row in examples for value in table.values(row)))
        vectors = {
            name.removeprefix("best_"): array for name, array in state.items() if name.startswith("best_")
        }
        self._best = dict(zip(state["best"].tolist(), unpack_vectors(vectors), strict=True))
        self._numbers = dict(zip(state["page_ids"].tolist(), state["numbers"].tolist(), strict=True))
        self._read_events(table)
        self._changed, self._labelled = int(state["changed"][0]), bool(state["changed"][1])
        self._labelled |= unpack_labels(state) != table.labels()
        self._query = VectorQuery.of(state["query"])

    def current_scores(self) -> tuple[Hashes, Scores]:
        """Return the links that were not fetched, with their scores."""
        return (self._ranks or self._vectors).current_scores()

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._table is None:
            return None
        self._read_events(self._table)
        if not self._labelled and self._changed <= GROWTH * self._pairs:
            return self._ranks.rerank() if self._ranks else None
        self._changed, self._labelled = 0, False
        if self._ranks is not None:
            best = nlargest(
                self.examples, sorted(self._page_rows.keys() & self._numbers.keys()), key=self.share
            )
            self._ranks.jumps = {self._numbers[page]: self.share(page) for page in best if self.share(page)}
            return self._ranks.ranked_anew()
        self._choose_examples()
        return None if self._query is None else self._vectors.rescore(self._query)

    def _read_events(self, table: RecordTable) -> None:
        """Apply the changes of the table: which rows are on which pages, and which of them are off topic."""
        rows: set[int] = set()
        pages: set[int] = set()
        for event in table.events_since(self._events_read):
            self._events_read += 1
            rows.add(event.row)
            if event.kind in ("added", "removed"):
                pages.add(event.page)
                self._changed += 1
            else:
                pages.update(table.pages_of(event.row))
                self._labelled = True
        for row in rows:
            wanted = not table.is_off_topic(row) and table.row_label(row) != "noise"
            if wanted and (row < table.example_count or table.pages_of(row)):
                self._table_rows.add(row)
            else:
                self._table_rows.discard(row)
        for page in pages:
            self._pairs -= sum(self._page_rows.pop(page, (0, 0)))
            if on_page := table.rows_of(page):
                outside = sum(map(table.is_off_topic, on_page))
                self._page_rows[page] = len(on_page) - outside, outside
                self._pairs += len(on_page)

    def _choose_examples(self) -> None:
        """Make the pages that share most with the table the query, as far as their vectors are stored."""
        best: dict[int, PageVector] = {}
        for page in nlargest(2 * self.examples, sorted(self._page_rows), key=self.share):
            vector = self._best.get(page) or self._vectors.vector(self._numbers.get(page, 0))
            if vector is not None and self.share(page) and len(best) < self.examples:
                best[page] = vector
        if not best:
            return
        self._best = best
        weights = np.zeros(BINS, np.float32)
        for page, vector in best.items():
            weights[vector.ids] += np.float32(self.share(page)) * self._vectors.unit(vector)
        self._query = VectorQuery.of(weights)
