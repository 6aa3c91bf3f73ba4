"""The `records` judge: does a page hold rows of the person's table, and how surely."""

from clew.domain.records import RecordTable
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.types import Label, Page, Verdict

_ALONE = 0.25
"""A page with one sure row is worth 1 / (1 + this); the more rows there are, the nearer it comes to 1."""

_MET = 0.5
"""What a row counts that no pattern gives here: its values stand on the page, perhaps by chance."""

_SHOWN = 2


class RecordsJudge:
    """Want pages that hold rows of the table: `records`, or with a topic `all:records,auto`.

    The verdict is the chance that one of the rows on the page is real, 1 - Π(1 - confidence), times
    n / (n + 0.25), where n is how many rows are to be expected there: a list is worth more than a mention.
    A row that is only met by its values counts half; rows that a person calls off topic do not count.

    >>> from clew.testing import sample_page
    >>> book = RecordTable(("author", "title"), [("C. J. Date", "An Introduction to Database Systems")])
    >>> _ = book.add(("D. Maier", "Relational Databases"), page=1, pattern=0, confidence=0.9)
    >>> judge = RecordsJudge()
    >>> judge.use_table(book)
    >>> judge.judge(sample_page())
    Verdict(value=0.7043, why=('1 row of the table: "D. Maier · Relational Databases" (0.90)',))
    """

    def __init__(self) -> None:
        self.book: RecordTable | None = None

    def use_table(self, book: RecordTable) -> None:
        """Look at this table from now on."""
        self.book = book

    def prepare(self) -> None:
        """Say what is missing before the first page."""
        if self.book is None:
            msg = 'the judge "records" needs example rows; name a table: goal.records = "books.csv"'
            raise ConfigError(msg)

    def judge(self, page: Page) -> Verdict:
        book = self.book
        if book is None:
            return Verdict(0.0, ("there is no table",))
        surely = {
            row: sure
            for row in book.rows_of(page.link.id)
            if not book.is_off_topic(row) and (sure := _sure(book, row, page.link.id))
        }
        doubt = 1.0
        for sure in surely.values():
            doubt *= 1.0 - sure
        many = sum(surely.values())
        value = (1.0 - doubt) * many / (many + _ALONE) if many else 0.0
        return Verdict(round(value, 4), (_said(book, surely),))

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing: a row is one whatever a person thinks of the page."""


def _sure(book: RecordTable, row: int, page: int) -> float:
    by_pattern = any(each.page == page and each.pattern >= 0 for each in book.supports(row))
    return book.confidence(row) * (1.0 if by_pattern else _MET)


def _said(book: RecordTable, surely: dict[int, float]) -> str:
    if not surely:
        return "no row of the table"
    best = sorted(surely, key=lambda row: (-surely[row], row))[:_SHOWN]
    named = "; ".join(f'"{printable(" · ".join(book.values(row)), 80)}" ({surely[row]:.2f})' for row in best)
    count = len(surely)
    return f"{count:,} row{'s' * (count != 1)} of the table: {named}"
