"""What the person's table says of a link: rows on its page, its rank beside them, words like theirs."""

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.records.record_table import RecordTable
from clew.rank.records.objectrank import ObjectRank
from clew.rank.records.page_vectors import PAGE, PageVectors, VectorQuery
from clew.rank.records.records_text import GROWTH, RecordsText, RowVectors
from clew.rank.shared.link_tokens import number
from clew.rank.shared.token_stats import TokenStats, logit
from clew.types import FeatureGroup, Features, Links, Outcome

KNOWN = 0.5
"""What a page counts for whose rows are all known: half of one that brings many."""

_NEAR = (("un", 0.0), ("a little ", 0.001), ("somewhat ", 0.1), ("much ", 0.3))
_STEPS = (
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
        (f"its page {said}like the table", least, chance)
        for (said, least), chance in zip(_NEAR, (0.08, 0.15, 0.3, 0.5), strict=True)
    ),
    tuple(
        (f"its words {said}like the table", least, chance)
        for (said, least), chance in zip(_NEAR, (0.12, 0.2, 0.35, 0.5), strict=True)
    ),
)
"""What each column says in steps: in words, from which value on, and the chance it promises."""

_BOUNDS = [[least for _, least, _ in steps] for steps in _STEPS]
_NUMBERS = [np.array([number("table", said) for said, _, _ in steps], np.uint32) for steps in _STEPS]


class TableFeatures:
    """Say in steps what the table knows of links, so that a crawl learns what each step is worth.

    Told are how many rows stand on the page of a link, its rank in the record-page graph beside the mean of
    all (`ObjectRank`), and how near its page and its own words are to the table taken as a query
    (`RecordsText`). Ranks and the query move while the table grows; a link keeps what was said of it
    when it was met.

    >>> from clew.testing import sample_links, sample_outcome
    >>> witness, evidence = TableFeatures(), Evidence()
    >>> witness.use_table(RecordTable(("author", "title"), [("C. J. Date", "Database Systems")]))
    >>> witness.prepare(evidence, 0.15)
    >>> for at in witness.columns(sample_outcome(), sample_links(1), evidence)[0]:
    ...     print(evidence.names[int(at)][1], f"{evidence.prior[at]:+.1f}")
    no row of the table on its page -0.7
    ranked above the mean +0.1
    its page unlike the table -0.7
    its words unlike the table -0.3
    """

    family = FeatureGroup("what the table says", len(_STEPS), 0.3)

    def __init__(self) -> None:
        self._book: RecordTable | None = None
        self._ranks = ObjectRank()
        self._readings = PageVectors()
        self._rows = RowVectors(self._readings)
        self._query: VectorQuery | None = None
        self._heard = 0  # events of the book
        self._known: set[int] = set()  # rows that stand on a page
        self._new = 0  # rows that the latest page brought

    def use_table(self, book: RecordTable) -> None:
        """Go by the rows of this table from now on."""
        self._book, self._heard, self._known = book, 0, set(range(book.example_count))
        self._ranks.use_table(book)
        self._rows, self._query = RowVectors(self._readings), None
        self._ask(book)

    def prepare(self, evidence: TokenStats, share: float) -> None:
        """Let every step promise what is to be expected of it; `share` is what any link promises."""
        for steps in _STEPS:
            for said, _, chance in steps:
                evidence.prior[evidence.meet("table", said)] = logit(chance) - logit(share)

    def columns(self, source: Outcome, links: Links, evidence: TokenStats) -> Features:  # noqa: ARG002 - all is known
        """Return what is said of links, as numbers."""
        told = np.zeros((len(links), len(_STEPS)), np.uint32)
        if self._book is None or not len(links):
            return told
        page, text, around = self._readings.parts(source, links, self._query).values()
        held = np.full(len(links), len(_held(self._book, source.page.link.id)))
        said = held, self._ranked(source, links), page / PAGE, (text + around) / (1 - PAGE)
        for column, values in enumerate(said):
            step = np.searchsorted(_BOUNDS[column], values, side="right") - 1
            told[:, column] = _NUMBERS[column][step]
        return told

    def learn(self, outcome: Outcome) -> None:
        """Enter a page that was read, and hear what happened to the table since the last one."""
        if self._book is None:
            return
        self._readings.take(outcome.page, urls.fingerprint(outcome.page.url))
        self._ranks.learn(outcome)
        self._ranks.rerank()
        self._listen(self._book, outcome.page.link.id)
        self._ask(self._book)

    def news(self, outcome: Outcome) -> float:  # noqa: ARG002 - it is the latest page
        """Return how much of the latest page counts: the more new rows it brought, the more."""
        return KNOWN + (1 - KNOWN) * self._new / (self._new + 1) if self._book else 1.0

    def _ranked(self, source: Outcome, links: Links) -> NDArray[np.float64]:
        """Return the ranks of links, in units of the mean."""
        shares = self._ranks.score(source, links).astype(np.float64)
        ranks: NDArray[np.float64] = shares / (1 - shares) / self._ranks.graph.ranks.mean()
        return ranks

    def _listen(self, book: RecordTable, page: int) -> None:
        """Count the rows that this page is the first to hold."""
        for event in book.events_since(self._heard):
            self._heard += 1
            if event.kind == "added" and event.page != page:
                self._known.add(event.row)  # old pages are read again when a pattern is found
        new = set(_held(book, page)) - self._known
        self._new = len(new)
        self._known |= new

    def _ask(self, book: RecordTable) -> None:
        """Make the table a query again when it has moved."""
        rows = self._rows
        rows.listen(book)
        if self._query is None or rows.answered or rows.moved > GROWTH * len(rows):
            usual = RecordsText()
            self._query = rows.query(usual.alpha, usual.beta, usual.gamma)


def _held(book: RecordTable, page: int) -> list[int]:
    return [row for row in book.rows_of(page) if not book.is_off_topic(row)]
