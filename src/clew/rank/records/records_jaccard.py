"""Records shared: pages that hold most of the table become the examples of a best-first crawl."""

from heapq import nlargest

import numpy as np

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.rank.records.page_vectors import BINS, PageVector, PageVectors, VectorQuery
from clew.rank.records.records_text import GROWTH, RowVectors
from clew.types import Hashes, Links, Outcome, Scores


class RecordsJaccard:
    """Score links by how much their page speaks like the pages that share most rows with the table.

    A page shares with the table t

        score(t, p) = |t ∩ records(p)| / |t ∪ records(p)|

    where t are the rows of the table that nobody called off topic. Rows off topic on a page stand outside
    of t and lower its score. Most pages hold no row and score 0, so that this alone cannot put links in
    order: the `examples` best pages, each counting as much as it scores, are the query instead, and a link
    is worth how near its page, its text and the words around it are to that. As long as no page holds a row,
    the words of the table are the query (see `RecordsText`). When an answer came, or a quarter more of rows
    on pages, the examples are chosen again and the links on the latest 2,000 pages scored anew.

    Without a table of records a link is worth the verdict on the page it stands on (`BestFirst`).

    >>> from clew.testing import sample_outcome, sample_links
    >>> RecordsJaccard().score(sample_outcome(0.75), sample_links(2)).tolist()
    [0.75, 0.75]

    Reference: J. Zhang, Y. Ishikawa, S. Kurokawa, H. Kitagawa, "A selective web crawling method based on
    user examples" (in Japanese), section 5.4.
    """

    requires = "table"

    def __init__(self, *, examples: int = 10) -> None:
        self.examples = examples
        self._readings = PageVectors()
        self._book: RecordTable | None = None
        self._query: VectorQuery | None = None
        self._heard = 0
        self._numbers: dict[int, int] = {}  # of pages among the readings, by the ids the book knows
        self._holding: dict[int, tuple[int, int]] = {}  # rows of each page: in the table, off topic
        self._table: set[int] = set()  # t
        self._best: dict[int, PageVector] = {}
        self._pairs = 0  # of rows and pages, all together, and those that changed since
        self._changed = 0
        self._answered = False

    def use_table(self, book: RecordTable) -> None:
        """Go by the rows of this table from now on."""
        self._book, self._heard, self._holding, self._pairs = book, 0, {}, 0
        self._table = set(range(book.example_count))
        rows = RowVectors(self._readings)
        rows.listen(book)
        self._query = rows.query(1.0, 0.0, 0.0)

    def share(self, page: int) -> float:
        """Return |t ∩ records(p)| / |t ∪ records(p)| for a page by its id."""
        inside, outside = self._holding.get(page, (0, 0))
        return inside / max(1, len(self._table) + outside)

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:
        return self._readings.parts(source, links, self._query)

    def learn(self, outcome: Outcome) -> None:
        """Remember what a page says: it may become an example."""
        page = outcome.page
        self._numbers[page.link.id] = self._readings.take(page, urls.fingerprint(page.url))

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._book is None:
            return None
        self._listen(self._book)
        if not self._answered and self._changed <= GROWTH * self._pairs:
            return None
        self._changed, self._answered = 0, False
        self._choose()
        return None if self._query is None else self._readings.anew(self._query)

    def _listen(self, book: RecordTable) -> None:
        """Hear which rows stand on which pages now, and which of them are off topic."""
        rows: set[int] = set()
        pages: set[int] = set()
        for event in book.events_since(self._heard):
            self._heard += 1
            rows.add(event.row)
            if event.kind in ("added", "removed"):
                pages.add(event.page)
                self._changed += 1
            else:
                pages.update(book.pages_of(event.row))
                self._answered = True
        for row in rows:
            wanted = not book.is_off_topic(row) and book.row_label(row) != "noise"
            if wanted and (row < book.example_count or book.pages_of(row)):
                self._table.add(row)
            else:
                self._table.discard(row)
        for page in pages:
            self._pairs -= sum(self._holding.pop(page, (0, 0)))
            if held := book.rows_of(page):
                outside = sum(map(book.is_off_topic, held))
                self._holding[page] = len(held) - outside, outside
                self._pairs += len(held)

    def _choose(self) -> None:
        """Make the pages that share most with the table the query, as far as their words are remembered."""
        found: dict[int, PageVector] = {}
        for page in nlargest(2 * self.examples, sorted(self._holding), key=self.share):
            reading = self._best.get(page) or self._readings.reading(self._numbers.get(page, 0))
            if reading is not None and self.share(page) and len(found) < self.examples:
                found[page] = reading
        if not found:
            return
        self._best = found
        weights = np.zeros(BINS, np.float32)
        for page, reading in found.items():
            weights[reading.ids] += np.float32(self.share(page)) * self._readings.unit(reading)
        self._query = VectorQuery.of(weights)
