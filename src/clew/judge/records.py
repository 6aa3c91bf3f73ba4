"""The `records` judge: does a page contain rows of the user's table, and with what confidence?"""

from clew.domain.records import RecordTable
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.types import Label, Page, Verdict

_DISCOUNT = 0.25
"""A page with one certain row scores 1 / (1 + this); with more rows the score approaches 1."""

_UNMATCHED_WEIGHT = 0.5
"""Weight of a row that no pattern extracted here: its values may occur on the page by chance."""

_MAX_REASONS = 2


class RecordsJudge:
    """Find pages that contain rows of the table: `records`, or with a topic `all:records,auto`.

    The verdict is the chance that one of the rows on the page is real, 1 - Π(1 - confidence), times
    n / (n + 0.25), where n is the expected number of rows there: a list scores higher than a single row.
    A row that only occurs by its values counts half; rows that the user labels off topic do not count.

    >>> from clew.testing import sample_page
    >>> book = RecordTable(("author", "title"), [("C. J. Date", "An Introduction to Database Systems")])
    >>> _ = book.add(("D. Maier", "Relational Databases"), page=1, pattern=0, confidence=0.9)
    >>> judge = RecordsJudge()
    >>> judge.use_table(book)
    >>> judge.judge(sample_page())
    Verdict(value=0.7043, why=('1 row of the table: "D. Maier · Relational Databases" (0.90)',))
    """

    def __init__(self) -> None:
        self.table: RecordTable | None = None

    def use_table(self, table: RecordTable) -> None:
        """Use this table from now on."""
        self.table = table

    def prepare(self) -> None:
        """Raise a ConfigError before the first page if there is no table."""
        if self.table is None:
            msg = 'the judge "records" needs example rows; name a table: goal.records = "books.csv"'
            raise ConfigError(msg)

    def judge(self, page: Page) -> Verdict:
        table = self.table
        if table is None:
            return Verdict(0.0, ("there is no table",))
        confidences = {
            row: confidence
            for row in table.rows_of(page.link.id)
            if not table.is_off_topic(row) and (confidence := _confidence(table, row, page.link.id))
        }
        doubt = 1.0
        for confidence in confidences.values():
            doubt *= 1.0 - confidence
        expected = sum(confidences.values())
        value = (1.0 - doubt) * expected / (expected + _DISCOUNT) if expected else 0.0
        return Verdict(round(value, 4), (_describe(table, confidences),))

    def learn(self, label: Label, page: Page) -> None:
        """Ignore page labels: what is a row does not depend on them."""


def _confidence(table: RecordTable, row: int, page: int) -> float:
    by_pattern = any(each.page == page and each.pattern >= 0 for each in table.supports(row))
    return table.confidence(row) * (1.0 if by_pattern else _UNMATCHED_WEIGHT)


def _describe(table: RecordTable, confidences: dict[int, float]) -> str:
    if not confidences:
        return "no row of the table"
    best = sorted(confidences, key=lambda row: (-confidences[row], row))[:_MAX_REASONS]
    values = {row: printable(" · ".join(table.values(row)), 80) for row in best}
    named = "; ".join(f'"{values[row]}" ({confidences[row]:.2f})' for row in best)
    count = len(confidences)
    return f"{count:,} row{'s' * (count != 1)} of the table: {named}"
