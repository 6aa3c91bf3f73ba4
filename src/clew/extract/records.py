"""The `records` extractor: rows like a person's few, by patterns that are learned from page to page."""

from typing import Literal

from clew.domain.records import RecordTable
from clew.domain.records.record_learner import RecordLearner
from clew.errors import ConfigError
from clew.types import Label, Page, Record


class RecordExtractor:
    """Take rows like the examples out of pages: `records`, or `records:dipre` for patterns of plain text.

    `book` is the table as it stands, `harvest` what has been learned about how rows are written. A page is
    read once, when it comes; `touched` are pages whose rows may have changed, for whoever keeps the table,
    each with the number of events in the book when it had been read. A row may appear on an old page later:
    who keeps the markup brings the pages that `harvest.wanted` names.
    """

    needs_markup = True

    def __init__(
        self,
        *,
        columns: tuple[str, ...] = (),
        rows: tuple[tuple[str, ...], ...] = (),
        of: Literal["trees", "dipre"] = "trees",
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.of = of
        self.touched: dict[int, int] = {}
        self.begin(RecordTable(columns, rows))

    def begin(self, book: RecordTable) -> None:
        """Begin with a table, the examples or one that has grown already; nothing is learned yet."""
        self.record_table = book
        self.harvest = RecordLearner(book, method=self.of)

    def prepare(self) -> None:
        """Say what is missing before the first page."""
        if not self.rows:
            msg = 'the extractor "records" needs example rows; name a table: goal.records = "books.csv"'
            raise ConfigError(msg)

    def extract(self, page: Page) -> tuple[Record, ...]:
        if not page.markup or page.noindex:
            return ()
        self.harvest.read(page.link.id, page.url, page.markup, page.response.ended)
        self.touched[page.link.id] = len(self.record_table.events)
        return tuple(self._record(row, page.link.id) for row in self.record_table.rows_of(page.link.id))

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing: it is rows that a person speaks of here (`Book.mark`)."""

    def _record(self, row: int, page: int) -> Record:
        table = self.record_table
        position = min((each.position for each in table.supports(row) if each.page == page), default=0)
        return Record(table.columns, table.values(row), position, table.confidence(row))
