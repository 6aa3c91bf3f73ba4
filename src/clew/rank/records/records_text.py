"""Records as text: links on pages that speak of the table's rows come first, and answers move the query."""

import math
from collections import Counter

import numpy as np

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.rank.records.page_vectors import BINS, PageVectors, VectorQuery
from clew.types import Hashes, Links, Outcome, Scores

OWN, FOUND, OFF = "own", "found", "off"

GROWTH = 0.25
"""Share of rows that must be new before open links are scored anew; an answer does it at once."""


NONE = 0.05
"""Rows, in all, that are as good as none: a doubtful one counts a tenth."""


class RowVectors:
    """Keep the middle of the person's rows, of those found, and of those that are off topic.

    A row is a vector of length one: its words, and values of several words as phrases too. The three
    middles are sums that rows enter and leave, so that a table of 100,000 rows costs no more than a small
    one when it changes.
    """

    def __init__(self, readings: PageVectors) -> None:
        self.readings = readings
        self.moved = 0  # rows that came, went or changed sides since a query was made
        self.answered = False
        self._sums = {side: np.zeros(BINS, np.float32) for side in (OWN, FOUND, OFF)}
        self._many = dict.fromkeys(self._sums, 0.0)
        self._sides: dict[int, tuple[str, float]] = {}
        self._heard = -1  # events of the book; the person's own rows come before them

    def __len__(self) -> int:
        return len(self._sides)

    def listen(self, book: RecordTable) -> None:
        """Hear what has happened to rows since the last time."""
        touched = dict.fromkeys(range(book.example_count)) if self._heard < 0 else {}
        self._heard = max(0, self._heard)
        for event in book.events_since(self._heard):
            self._heard += 1
            touched[event.row] = None
            self.answered |= event.kind not in ("added", "removed")
        changes: dict[str, list[tuple[int, float]]] = {side: [] for side in self._sums}
        for row in touched:
            self._place(book, row, changes)
        for side, terms in changes.items():
            ids, amounts = np.array([at for at, _ in terms], np.int64), np.array([each for _, each in terms])
            np.add.at(self._sums[side], ids, amounts.astype(np.float32))

    def query(self, alpha: float, beta: float, gamma: float) -> VectorQuery | None:
        """Return alpha · own + beta · found - gamma · off topic, each a mean, weighted by rarity."""
        weights = np.zeros(BINS, np.float32)
        for side, share in ((OWN, alpha), (FOUND, beta), (OFF, -gamma)):
            if self._many[side] > NONE:
                weights += np.float32(share / self._many[side]) * self._sums[side]
        self.moved, self.answered = 0, False
        return VectorQuery.of(weights * self.readings.rarity(slice(None)))

    def _place(self, book: RecordTable, row: int, changes: dict[str, list[tuple[int, float]]]) -> None:
        """Put a row on the side where it belongs now, and note what that changes in the sums."""
        side = _side(book, row)
        worth = round(book.confidence(row), 1) if side == FOUND else 1.0  # small steps are not worth a move
        before = self._sides.pop(row, ("", 0.0))
        if side:
            self._sides[row] = side, worth
        if before == (side, worth):
            return
        terms: Counter[int] = Counter()
        for value in book.values(row):
            terms.update(self.readings.reader.meet(value))
        said = {term: 1 + math.log(count) for term, count in terms.items()}
        length = math.sqrt(sum(each * each for each in said.values())) or 1.0
        for (name, weight), sign in ((before, -1), ((side, worth), 1)):
            if name:
                changes[name] += [(term, sign * weight * each / length) for term, each in said.items()]
                self._many[name] += sign * weight
        self.moved += 1


def _side(book: RecordTable, row: int) -> str:
    word = book.row_label(row)
    if word in ("off-topic", "noise"):
        return OFF if word == "off-topic" else ""
    if row < book.example_count or word == "right":
        return OWN
    return FOUND if book.pages_of(row) else ""


class RecordsText:
    """Take the table as one query, and score links by how near it is to their page and their own words.

    The query is Rocchio's: `alpha` times the middle of the person's own rows (and of those called right),
    plus `beta` times that of the rows found, each counting as much as it is trusted, minus `gamma` times
    that of the rows called off topic. Values of several words count as phrases too: "C. J. Date" is more
    than a date. A term weighs more the fewer pages of the crawl say it; a value that stands everywhere
    weighs nothing. When the query has moved (an answer, or a quarter more rows), the links on the latest
    2,000 pages are scored anew.

    Without a table of records a link is worth the verdict on the page it stands on (`BestFirst`).

    >>> from clew.testing import sample_outcome, sample_links
    >>> RecordsText().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Zhang, Y. Ishikawa, S. Kurokawa, H. Kitagawa, "A selective web crawling method based on
    user examples" (in Japanese), section 5.3; J. J. Rocchio, "Relevance feedback in information
    retrieval", 1971.
    """

    requires = "table"

    def __init__(self, *, alpha: float = 1.0, beta: float = 0.75, gamma: float = 0.25) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self._readings = PageVectors()
        self._rows = RowVectors(self._readings)
        self._book: RecordTable | None = None
        self._query: VectorQuery | None = None

    def use_table(self, book: RecordTable) -> None:
        """Go by the rows of this table from now on."""
        self._book, self._rows = book, RowVectors(self._readings)
        self._rows.listen(book)
        self._ask()

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return self._readings.parts(source, links, self._query)

    def learn(self, outcome: Outcome) -> None:
        """Count what a page says, so that it is known which words are rare."""
        self._readings.take(outcome.page, urls.fingerprint(outcome.page.url))

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._book is None:
            return None
        self._rows.listen(self._book)
        if not self._rows.answered and self._rows.moved <= GROWTH * len(self._rows):
            return None
        self._ask()
        return None if self._query is None else self._readings.anew(self._query)

    def _ask(self) -> None:
        self._query = self._rows.query(self.alpha, self.beta, self.gamma)
