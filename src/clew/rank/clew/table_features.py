"""Features of links from the record table: rows on the source page, graph rank, similar words."""

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.rank.records.objectrank import ObjectRank
from clew.rank.records.page_vectors import PAGE, PageVectors, VectorQuery
from clew.rank.records.records_text import GROWTH, RecordsText, RowVectors
from clew.rank.shared.link_tokens import token_id
from clew.rank.shared.token_stats import TokenStats, logit
from clew.types import FeatureGroup, Features, Links, Outcome

REPEATED = 0.5
"""What a page counts for whose rows are all known: half of one that adds many."""

_SIMILAR = (("un", 0.0), ("a little ", 0.001), ("somewhat ", 0.1), ("much ", 0.3))
_LEVELS = (
    (
        ("no row of the table on its page", 0, 0.08),
        ("1 row of the table on its page", 1, 0.25),
        ("2 to 4 rows of the table on its page", 2, 0.35),
        ("5 to 16 rows of the table on its page", 5, 0.45),
        ("17 rows or more of the table on its page", 17, 0.5),
    ),
    (
        ("ranked below half the mean", 0.0, 0.1),
        ("ranked below the mean", 0.5, 0.13),
        ("ranked above the mean", 1.0, 0.17),
        ("ranked above twice the mean", 2.0, 0.25),
        ("ranked above 4 times the mean", 4.0, 0.35),
        ("ranked above 8 times the mean", 8.0, 0.45),
    ),
    tuple(
        (f"its page {degree}like the table", least, chance)
        for (degree, least), chance in zip(_SIMILAR, (0.08, 0.15, 0.3, 0.5), strict=True)
    ),
    tuple(
        (f"its words {degree}like the table", least, chance)
        for (degree, least), chance in zip(_SIMILAR, (0.12, 0.2, 0.35, 0.5), strict=True)
    ),
)
"""The levels of each column: token, lower bound, and prior probability of a relevant page."""

_BOUNDS = [[least for _, least, _ in levels] for levels in _LEVELS]
_IDS = [np.array([token_id("table", token) for token, _, _ in levels], np.uint32) for levels in _LEVELS]


class TableFeatures:
    """Describe links by the record table in levels, so that a crawl learns what each level is worth.

    The columns are the number of rows on the source page, the rank of the link in the record-page graph
    relative to the mean (`ObjectRank`), and the similarity of the source page and of the link's own words
    to the table taken as a query (`RecordsText`). Ranks and the query move while the table grows; a link
    keeps the features it had when it was found.

    >>> from clew.testing import sample_links, sample_outcome
    >>> features, stats = TableFeatures(), TokenStats()
    >>> features.use_table(RecordTable(("author", "title"), [("C. J. Date", "Database Systems")]))
    >>> features.prepare(stats, 0.15)
    >>> for at in features.columns(sample_outcome(), sample_links(1), stats)[0]:
    ...     print(stats.names[int(at)][1], f"{stats.prior[at]:+.1f}")
    no row of the table on its page -0.7
    ranked above the mean +0.1
    its page unlike the table -0.7
    its words unlike the table -0.3
    """

    group = FeatureGroup("record table", len(_LEVELS), 0.3)

    def __init__(self) -> None:
        self._table: RecordTable | None = None
        self._ranks = ObjectRank()
        self._vectors = PageVectors()
        self._rows = RowVectors(self._vectors)
        self._query: VectorQuery | None = None
        self._events_read = 0
        self._known: set[int] = set()  # rows that are on a page
        self._new = 0  # rows that the latest page added

    def use_table(self, book: RecordTable) -> None:
        """Use the rows of this table from now on."""
        self._table, self._events_read, self._known = book, 0, set(range(book.example_count))
        self._ranks.use_table(book)
        self._rows, self._query = RowVectors(self._vectors), None
        self._update_query(book)

    def prepare(self, stats: TokenStats, share: float) -> None:
        """Set the prior of every level; `share` is the base rate."""
        for levels in _LEVELS:
            for token, _, chance in levels:
                stats.prior[stats.register("table", token)] = logit(chance) - logit(share)

    def columns(self, source: Outcome, links: Links, stats: TokenStats) -> Features:  # noqa: ARG002 - all registered
        """Return the token ids of links."""
        rows = np.zeros((len(links), len(_LEVELS)), np.uint32)
        if self._table is None or not len(links):
            return rows
        page, text, around = self._vectors.parts(source, links, self._query).values()
        on_page = np.full(len(links), len(_rows_on(self._table, source.page.link.id)))
        values = on_page, self._relative_ranks(source, links), page / PAGE, (text + around) / (1 - PAGE)
        for column, each in enumerate(values):
            level = np.searchsorted(_BOUNDS[column], each, side="right") - 1
            rows[:, column] = _IDS[column][level]
        return rows

    def learn(self, outcome: Outcome) -> None:
        """Add a page that was read, and the changes of the table since the last one."""
        if self._table is None:
            return
        self._vectors.add_page(outcome.page, urls.fingerprint(outcome.page.url))
        self._ranks.learn(outcome)
        self._ranks.rerank()
        self._read_events(self._table, outcome.page.link.id)
        self._update_query(self._table)

    def novelty(self, outcome: Outcome) -> float:  # noqa: ARG002 - it is the latest page
        """Return how much the latest page counts: the more new rows it added, the more."""
        return REPEATED + (1 - REPEATED) * self._new / (self._new + 1) if self._table else 1.0

    def _relative_ranks(self, source: Outcome, links: Links) -> NDArray[np.float64]:
        """Return the ranks of links, in units of the mean."""
        shares = self._ranks.score(source, links).astype(np.float64)
        ranks: NDArray[np.float64] = shares / (1 - shares) / self._ranks.graph.ranks.mean()
        return ranks

    def _read_events(self, table: RecordTable, page: int) -> None:
        """Count the rows that this page is the first to have."""
        for event in table.events_since(self._events_read):
            self._events_read += 1
            if event.kind == "added" and event.page != page:
                self._known.add(event.row)  # old pages are read again when a pattern is found
        new = set(_rows_on(table, page)) - self._known
        self._new = len(new)
        self._known |= new

    def _update_query(self, table: RecordTable) -> None:
        """Turn the table into a query again when it has changed enough."""
        rows = self._rows
        rows.update(table)
        if self._query is None or rows.labelled or rows.changed > GROWTH * len(rows):
            defaults = RecordsText()
            self._query = rows.query(defaults.alpha, defaults.beta, defaults.gamma)


def _rows_on(table: RecordTable, page: int) -> list[int]:
    return [row for row in table.rows_of(page) if not table.is_off_topic(row)]
