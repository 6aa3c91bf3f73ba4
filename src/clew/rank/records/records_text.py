"""Records as text: links on pages similar to the rows of the table come first, and labels move the query."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.contracts.option_types import NonNegative
from clew.domain.records.record_table import RecordTable, RowLabelValue
from clew.rank.records.page_vectors import BINS, PageVectors, VectorQuery
from clew.types import Hashes, Links, Outcome, Scores

OWN, FOUND, OFF_TOPIC = "own", "found", "off"

GROWTH = 0.25
"""Share of rows that must be new before open links are scored again; a label does it at once."""


MIN_TOTAL = 0.05
"""Rows, in all, that are as good as none: a doubtful one counts a tenth."""


class RowVectors:
    """Maintain the centroids of the user's rows, of those found, and of those that are off topic.

    A row is a vector of length one: its words, and values of several words as phrases too. The three
    centroids are sums that rows are added to and taken from, so that a table of 100,000 rows costs no
    more than a small one when it changes.
    """

    def __init__(self, vectors: PageVectors) -> None:
        self.vectors = vectors
        self.changed = 0  # rows that were added, removed or moved since the last query
        self.labelled = False
        self._sums = {side: np.zeros(BINS, np.float32) for side in (OWN, FOUND, OFF_TOPIC)}
        self._totals = dict.fromkeys(self._sums, 0.0)
        self._sides: dict[int, tuple[str, float]] = {}
        self._labels: dict[int, RowLabelValue] = {}
        self._events_read = -1  # the user's own rows come before all events

    def __len__(self) -> int:
        return len(self._sides)

    def total(self, side: str) -> float:
        """Return how many rows a centroid consists of, each weighted by its confidence."""
        return self._totals[side]

    def update(self, table: RecordTable) -> None:
        """Apply the changes of rows since the last time."""
        touched = dict.fromkeys(range(table.example_count)) if self._events_read < 0 else {}
        self._events_read = max(0, self._events_read)
        for event in table.events_since(self._events_read):
            self._events_read += 1
            touched[event.row] = None
            self.labelled |= event.kind not in ("added", "removed")
        self._labels = table.labels()
        self._apply(table, touched)

    def use_examples(self, table: RecordTable) -> None:
        """Take the user's own rows only."""
        self._apply(table, range(table.example_count))

    def query(self, alpha: float, beta: float, gamma: float) -> VectorQuery | None:
        """Return alpha · own + beta · found - gamma · off topic, each a mean, weighted by rarity."""
        weights = np.zeros(BINS, np.float32)
        for side, share in ((OWN, alpha), (FOUND, beta), (OFF_TOPIC, -gamma)):
            if self._totals[side] > MIN_TOTAL:
                weights += np.float32(share / self._totals[side]) * self._sums[side]
        self.changed, self.labelled = 0, False
        return VectorQuery.of(weights * self.vectors.rarity(slice(None)))

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the centroids, and where each row is, as arrays."""
        sides = list(self._sums)
        return {
            "sums": np.stack(list(self._sums.values())),
            "totals": np.array(list(self._totals.values())),
            "side_rows": np.array(list(self._sides), np.int64),
            "sides": np.array([sides.index(side) for side, _ in self._sides.values()], np.int64),
            "side_weights": np.array([weight for _, weight in self._sides.values()], np.float64),
            "changed": np.array([self.changed, self.labelled]),
            **pack_labels(self._labels),
        }

    def restore(self, state: Mapping[str, NDArray[Any]], table: RecordTable) -> None:
        """Continue with centroids that `state` returned, and apply what has changed in the table since."""
        sides = list(self._sums)
        self._sums = dict(zip(sides, state["sums"], strict=True))
        self._totals = dict(zip(sides, state["totals"].tolist(), strict=True))
        names = [sides[at] for at in state["sides"].tolist()]
        weights = zip(names, state["side_weights"].tolist(), strict=True)
        self._sides = dict(zip(state["side_rows"].tolist(), weights, strict=True))
        self.changed, self.labelled = int(state["changed"][0]), bool(state["changed"][1])
        self.labelled |= unpack_labels(state) != table.labels()
        self._labels = table.labels()
        self._events_read = len(table.events)
        rows = dict.fromkeys((*self._sides, *range(len(table))))
        self._apply(table, [row for row in rows if _side(table, row) != self._sides.get(row, ("", 0))[0]])

    def _apply(self, table: RecordTable, rows: Iterable[int]) -> None:
        changes: dict[str, list[tuple[int, float]]] = {side: [] for side in self._sums}
        for row in rows:
            self._move(table, row, changes)
        for side, terms in changes.items():
            ids, amounts = np.array([at for at, _ in terms], np.int64), np.array([each for _, each in terms])
            np.add.at(self._sums[side], ids, amounts.astype(np.float32))

    def _move(self, table: RecordTable, row: int, changes: dict[str, list[tuple[int, float]]]) -> None:
        """Move a row to the centroid where it belongs now, and collect what that changes in the sums."""
        side = _side(table, row)
        weight = round(table.confidence(row), 1) if side == FOUND else 1.0  # small changes are not worth it
        before = self._sides.pop(row, ("", 0.0))
        if side:
            self._sides[row] = side, weight
        if before == (side, weight):
            return
        counts: Counter[int] = Counter()
        for value in table.values(row):
            counts.update(self.vectors.vectorizer.add_phrase(value))
        entries = {term: 1 + math.log(count) for term, count in counts.items()}
        length = math.sqrt(sum(each * each for each in entries.values())) or 1.0
        for (name, amount), sign in ((before, -1), ((side, weight), 1)):
            if name:
                changes[name] += [(term, sign * amount * each / length) for term, each in entries.items()]
                self._totals[name] += sign * amount
        self.changed += 1


LABELS = ("", "right", "off-topic", "noise")


def pack_labels(labels: Mapping[int, RowLabelValue]) -> dict[str, NDArray[np.generic]]:
    """Return labels of rows as two arrays."""
    codes = [LABELS.index(label) for label in labels.values()]
    return {"labelled_rows": np.array(list(labels), np.int64), "row_labels": np.array(codes, np.int64)}


def unpack_labels(state: Mapping[str, NDArray[Any]]) -> dict[int, str]:
    """Return the labels that `pack_labels` has packed."""
    names = [LABELS[code] for code in state["row_labels"].tolist()]
    return dict(zip(state["labelled_rows"].tolist(), names, strict=True))


def _side(table: RecordTable, row: int) -> str:
    word = table.row_label(row)
    if word in ("off-topic", "noise"):
        return OFF_TOPIC if word == "off-topic" else ""
    if row < table.example_count or word == "right":
        return OWN
    return FOUND if table.pages_of(row) else ""


class RecordsText:
    """Use the table as one query, and score links by its similarity to their page and their own words.

    The query is Rocchio's: `alpha` times the centroid of the user's own rows (and of those labelled right),
    plus `beta` times that of the rows found, each weighted by its confidence, minus `gamma` times that of
    the rows labelled off topic. Values of several words count as phrases too: "C. J. Date" is more than a
    date. A term weighs more the fewer pages of the crawl contain it; a value that is on every page weighs
    nothing. When the query has changed (a label, or a quarter more rows), the links on the latest 2,000
    pages are scored again.

    Without a table of records the score of a link is the verdict on its source page (`BestFirst`).

    >>> from clew.testing import sample_outcome, sample_links
    >>> RecordsText().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Zhang, Y. Ishikawa, S. Kurokawa, H. Kitagawa, "A selective web crawling method based on
    user examples" (in Japanese), section 5.3; J. J. Rocchio, "Relevance feedback in information
    retrieval", 1971.
    """

    requires = "table"

    def __init__(
        self, *, alpha: NonNegative = 1.0, beta: NonNegative = 0.75, gamma: NonNegative = 0.25
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self._vectors = PageVectors()
        self.rows = RowVectors(self._vectors)
        self._table: RecordTable | None = None
        self._query: VectorQuery | None = None
        self._pages: set[int] = set()

    def use_table(self, table: RecordTable) -> None:
        """Use the rows of this table from now on."""
        self._table, self.rows = table, RowVectors(self._vectors)
        self.rows.update(table)
        self._update_query()

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return self._vectors.parts(source, links, self._query)

    def learn(self, outcome: Outcome) -> None:
        """Count the terms of a page: their rarity weights the query."""
        self._vectors.add_page(outcome.page, urls.fingerprint(outcome.page.url))
        self._pages.add(outcome.page.link.id)

    def knows_page(self, id: int) -> bool:
        """Return whether a page was learned from."""
        return id in self._pages

    def ranking_state(self) -> dict[str, NDArray[np.generic]]:
        """Return pages, links, centroids and query as arrays."""
        return {
            **self._vectors.state(),
            **self.rows.state(),
            "query": np.empty(0, np.float32) if self._query is None else self._query.weights,
            "page_ids": np.array(sorted(self._pages), np.int64),
        }

    def restore_ranking(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue with a stored state, and apply what has changed in the table since."""
        table = self._table
        if table is None:
            return
        self._vectors.restore(state, (value for row in range(len(table)) for value in table.values(row)))
        self.rows.restore(state, table)
        self._query = VectorQuery.of(state["query"])
        self._pages = set(state["page_ids"].tolist())

    def current_scores(self) -> tuple[Hashes, Scores]:
        """Return the links that were not fetched, with their scores."""
        return self._vectors.current_scores()

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._table is None:
            return None
        self.rows.update(self._table)
        if not self.rows.labelled and self.rows.changed <= GROWTH * len(self.rows):
            return None
        self._update_query()
        return None if self._query is None else self._vectors.rescore(self._query)

    def _update_query(self) -> None:
        self._query = self.rows.query(self.alpha, self.beta, self.gamma)
