"""The `records` extractor: rows like the user's examples, by patterns that are learned from page to page."""

from clew.domain.records import RecordTable
from clew.domain.records.pattern_io import PatternMethod
from clew.domain.records.record_learner import RecordLearner
from clew.errors import ConfigError
from clew.types import Label, Page, Record


class RecordExtractor:
    """Extract rows like the examples: `records`, or `records:dipre` for patterns of plain text.

    `record_table` holds all rows, `learner` holds the learned patterns. A page is processed once, when it is
    fetched; `changed_pages` are pages whose rows may have changed since the table was last stored, each with
    the number of table events after it was processed. A new pattern may match earlier pages: the owner of the
    stored markup passes the pages named by `learner.wanted` to it again.
    """

    needs_markup = True

    def __init__(
        self,
        *,
        columns: tuple[str, ...] = (),
        rows: tuple[tuple[str, ...], ...] = (),
        of: PatternMethod = "trees",
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.of = of
        self.changed_pages: dict[int, int] = {}
        self.reset(RecordTable(columns, rows))

    def reset(self, table: RecordTable) -> None:
        """Start with a table, the examples alone or a stored one, and without any pattern."""
        self.record_table = table
        self.learner = RecordLearner(table, method=self.of)

    def prepare(self) -> None:
        """Raise a ConfigError before the first page if there are no example rows."""
        if not self.rows:
            msg = 'the extractor "records" needs example rows; name a table: goal.records = "books.csv"'
            raise ConfigError(msg)

    def extract(self, page: Page) -> tuple[Record, ...]:
        if not page.markup or page.noindex:
            return ()
        self.learner.process_page(page.link.id, page.url, page.markup, page.response.ended)
        self.changed_pages[page.link.id] = len(self.record_table.events)
        return tuple(self._record(row, page.link.id) for row in self.record_table.rows_of(page.link.id))

    def learn(self, label: Label, page: Page) -> None:
        """Ignore page labels: this extractor learns from row labels (`RecordTable.set_row_label`)."""

    def _record(self, row: int, page: int) -> Record:
        table = self.record_table
        position = min((each.position for each in table.supports(row) if each.page == page), default=0)
        return Record(table.columns, table.values(row), position, table.confidence(row))
