"""The record table: all rows known now, the pages each occurs on, and the user's labels of them.

Rows have numbers; those of the user's examples come first. Two rows are the same when all their values are,
apart from spelling (`values.row_key`). Which rows occur on which page changes while a crawl runs: every
change is a `RowEvent`, and a consumer remembers how many it has processed.

>>> table = RecordTable(("author", "title"), [("C. J. Date", "An Introduction to Database Systems")])
>>> row = table.add(("D. Maier", "The Theory of Relational Databases"), page=7, pattern=1, confidence=0.8)
>>> row, table.rows_of(7), table.confidence(row), table.events[-1]
(1, (1,), 0.8, RowEvent(kind='added', row=1, page=7))
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from clew.domain.records.values import row_key

RowLabelValue: TypeAlias = Literal["right", "off-topic", "noise", ""]
"""The user's label of a row; the empty one removes a label."""

EventKind: TypeAlias = Literal["added", "removed", "right", "off-topic", "noise", "unlabelled"]


class RowEvent(NamedTuple):
    """One change: a row was added to or removed from a page, or was labelled (then `page` is 0)."""

    kind: EventKind
    row: int
    page: int = 0


class Support(NamedTuple):
    """One source of a row: the page and the pattern that extracted it, position, confidence and time.

    `pattern` is negative where a known row was found by its values alone.
    """

    page: int
    pattern: int
    position: int = 0
    confidence: float = 1.0
    at: float = 0.0


class RecordTable:
    """All rows known now: the user's examples, with confidence 1, and those that patterns extracted.

    The first `example_count` rows are the examples; they are on no page until they are found there. A row
    labelled noise is on no page as long as it has that label.
    """

    def __init__(self, columns: Iterable[str], examples: Iterable[Sequence[str]] = ()) -> None:
        self.columns = tuple(columns)
        self.events: list[RowEvent] = []
        self.example_count = 0
        self._rows: list[tuple[str, ...]] = []
        self._ids: dict[tuple[str, ...], int] = {}
        self._supports: list[dict[tuple[int, int], Support]] = []
        self._pages: dict[int, dict[int, int]] = {}  # page -> row -> number of patterns that extract it
        self._labels: dict[int, RowLabelValue] = {}
        self._pattern_confidences: dict[int, float] = {}
        for values in examples:
            self._row_number(tuple(values))
        self.example_count = len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    # ---- changes ---------------------------------------------------------------------------------------

    def add(
        self,
        values: Sequence[str],
        *,
        page: int,
        pattern: int,
        position: int = 0,
        confidence: float = 1.0,
        at: float = 0.0,
    ) -> int:
        """Add a row that a pattern extracted from a page; return its number. A known row gains a support."""
        row = self._row_number(tuple(values))
        support = Support(page, pattern, position, confidence, at)
        known = self._supports[row]
        if (page, pattern) not in known:
            on_page = self._pages.setdefault(page, {})
            on_page[row] = on_page.get(row, 0) + 1
            if on_page[row] == 1 and self._labels.get(row) != "noise":
                self.events.append(RowEvent("added", row, page))
        known[page, pattern] = support
        return row

    def remove_support(self, row: int, page: int, pattern: int) -> None:
        """Remove a row that a pattern no longer extracts from a page; does nothing where it never did."""
        if self._supports[row].pop((page, pattern), None) is None:
            return
        on_page = self._pages[page]
        on_page[row] -= 1
        if not on_page[row]:
            del on_page[row]
            if self._labels.get(row) != "noise":
                self.events.append(RowEvent("removed", row, page))
            if not on_page:
                del self._pages[page]

    def set_pattern_confidence(self, pattern: int, confidence: float) -> None:
        """Cap the confidence of a pattern's rows, whatever it was when they were added."""
        self._pattern_confidences[pattern] = confidence

    def set_row_label(self, row: int, label: RowLabelValue) -> None:
        """Set the user's label of a row; an empty one removes it."""
        previous = self._labels.get(row, "")
        if label == previous:
            return
        pages = sorted({page for page, _ in self._supports[row]})
        if previous == "noise":
            self.events.extend(RowEvent("added", row, page) for page in pages)
        if label == "noise":
            self.events.extend(RowEvent("removed", row, page) for page in pages)
        if label:
            self._labels[row] = label
        else:
            del self._labels[row]
        self.events.append(RowEvent(label or "unlabelled", row))

    # ---- queries ---------------------------------------------------------------------------------------

    def rows_of(self, page: int) -> tuple[int, ...]:
        """Return the rows on a page, the earliest known first, without noise."""
        return tuple(sorted(row for row in self._pages.get(page, ()) if self._labels.get(row) != "noise"))

    def pages_of(self, row: int) -> tuple[int, ...]:
        """Return the pages a row is on, in the order it was found; none if it is noise."""
        if self._labels.get(row) == "noise":
            return ()
        return tuple(dict.fromkeys(page for page, _ in self._supports[row]))

    def supports(self, row: int) -> tuple[Support, ...]:
        """Return the supports of a row, the earliest first."""
        return tuple(self._supports[row].values())

    def values(self, row: int) -> tuple[str, ...]:
        """Return the values of a row as they were first found."""
        return self._rows[row]

    def find(self, values: Sequence[str]) -> int:
        """Return the number of a row with these values, -1 when there is none."""
        return self._ids.get(row_key(tuple(values)), -1)

    def row_label(self, row: int) -> RowLabelValue:
        """Return the user's label of a row, empty if there is none."""
        return self._labels.get(row, "")

    def labels(self) -> dict[int, RowLabelValue]:
        """Return the user's labels by row."""
        return dict(self._labels)

    def is_off_topic(self, row: int) -> bool:
        """Return whether the user labelled a row as correct, but off topic."""
        return self._labels.get(row) == "off-topic"

    def confidence(self, row: int) -> float:
        """Return the confidence of a row: 1 where the user labelled it so, else its patterns combined.

        Patterns err independently of each other, pages of one pattern do not: of those the best one counts.
        """
        label = self._labels.get(row)
        if label == "noise":
            return 0.0
        if row < self.example_count or label in {"right", "off-topic"}:
            return 1.0
        best: dict[int, float] = {}
        for support in self._supports[row].values():
            if support.pattern >= 0:
                sure = min(support.confidence, self._pattern_confidences.get(support.pattern, 1.0))
                best[support.pattern] = max(sure, best.get(support.pattern, 0.0))
        doubt = 1.0
        for sure in best.values():
            doubt *= 1.0 - sure
        return 1.0 - doubt

    def events_since(self, count: int) -> list[RowEvent]:
        """Return the events after the first `count`."""
        return self.events[count:]

    def _row_number(self, values: tuple[str, ...]) -> int:
        """Return the number of a row, a new one where it was not known."""
        name = row_key(values)
        row = self._ids.get(name)
        if row is None:
            row = self._ids[name] = len(self._rows)
            self._rows.append(values)
            self._supports.append({})
        return row


def example_words(table: RecordTable) -> str:
    """Return the example rows as one text: the query of policies that compare words.

    >>> example_words(RecordTable(("author", "title"), [("C. J. Date", "Database Systems")]))
    'C. J. Date, Database Systems'
    """
    return "; ".join(", ".join(table.values(row)) for row in range(table.example_count))
