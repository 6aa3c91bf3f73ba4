"""The book: the table as it stands now, where each row stands, and what a person said of it.

Rows have numbers; those of the person's own examples come first. A row is the same as another when all its
values are, spelling apart (`values.identity`). What stands on which page changes while a crawl runs: every
change is an `Event`, and a reader remembers how far it has read.

>>> book = RecordTable(("author", "title"), [("C. J. Date", "An Introduction to Database Systems")])
>>> row = book.add(("D. Maier", "The Theory of Relational Databases"), page=7, pattern=1, confidence=0.8)
>>> row, book.rows_of(7), book.confidence(row), book.events[-1]
(1, (1,), 0.8, Event(verb='stands', row=1, page=7))
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from clew.domain.records.values import identity

Word: TypeAlias = Literal["right", "off-topic", "noise", ""]
"""What a person says of a row; nothing takes back what was said."""

Verb: TypeAlias = Literal["stands", "gone", "right", "off-topic", "noise", "unmarked"]


class Event(NamedTuple):
    """One change: a row stands on a page, or no longer does, or a person spoke of it (then `page` is 0)."""

    verb: Verb
    row: int
    page: int = 0


class Support(NamedTuple):
    """Why a row is believed: the page and the pattern that gave it, where on the page, how surely, and when.

    `pattern` is below 0 where a known row was met by its values alone.
    """

    page: int
    pattern: int
    position: int = 0
    confidence: float = 1.0
    at: float = 0.0


class RecordTable:
    """All rows known now: the person's examples, confidence 1, and those that patterns brought.

    `examples` is how many rows are the person's own; they stand on no page until they are met there. A row
    that a person calls noise stands nowhere as long as the word holds.
    """

    def __init__(self, columns: Iterable[str], examples: Iterable[Sequence[str]] = ()) -> None:
        self.columns = tuple(columns)
        self.events: list[Event] = []
        self.examples = 0
        self._rows: list[tuple[str, ...]] = []
        self._ids: dict[tuple[str, ...], int] = {}
        self._supports: list[dict[tuple[int, int], Support]] = []
        self._pages: dict[int, dict[int, int]] = {}  # page -> row -> how many patterns place it there
        self._words: dict[int, Word] = {}
        self._rated: dict[int, float] = {}
        for values in examples:
            self._number(tuple(values))
        self.examples = len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    # ---- what changes ----------------------------------------------------------------------------------

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
        """Note that a pattern gives a row on a page; return its number. Found again, it gains a support."""
        row = self._number(tuple(values))
        support = Support(page, pattern, position, confidence, at)
        known = self._supports[row]
        if (page, pattern) not in known:
            there = self._pages.setdefault(page, {})
            there[row] = there.get(row, 0) + 1
            if there[row] == 1 and self._words.get(row) != "noise":
                self.events.append(Event("stands", row, page))
        known[page, pattern] = support
        return row

    def drop(self, row: int, page: int, pattern: int) -> None:
        """Note that a pattern no longer gives a row on a page; nothing happens where it never did."""
        if self._supports[row].pop((page, pattern), None) is None:
            return
        there = self._pages[page]
        there[row] -= 1
        if not there[row]:
            del there[row]
            if self._words.get(row) != "noise":
                self.events.append(Event("gone", row, page))
            if not there:
                del self._pages[page]

    def rate(self, pattern: int, confidence: float) -> None:
        """Believe a pattern no more than this from now on, whatever it was worth when its rows were added."""
        self._rated[pattern] = confidence

    def mark(self, row: int, word: Word) -> None:
        """Take a person's word on a row; an empty word takes back what was said."""
        before = self._words.get(row, "")
        if word == before:
            return
        pages = sorted({page for page, _ in self._supports[row]})
        if before == "noise":
            self.events.extend(Event("stands", row, page) for page in pages)
        if word == "noise":
            self.events.extend(Event("gone", row, page) for page in pages)
        if word:
            self._words[row] = word
        else:
            del self._words[row]
        self.events.append(Event(word or "unmarked", row))

    # ---- what is known ---------------------------------------------------------------------------------

    def rows_of(self, page: int) -> tuple[int, ...]:
        """Return the rows that stand on a page, the earliest known first; none that is noise."""
        return tuple(sorted(row for row in self._pages.get(page, ()) if self._words.get(row) != "noise"))

    def pages_of(self, row: int) -> tuple[int, ...]:
        """Return the pages a row stands on, in the order it was met there; none if it is noise."""
        if self._words.get(row) == "noise":
            return ()
        return tuple(dict.fromkeys(page for page, _ in self._supports[row]))

    def supports(self, row: int) -> tuple[Support, ...]:
        """Return all that speaks for a row, the earliest first."""
        return tuple(self._supports[row].values())

    def values(self, row: int) -> tuple[str, ...]:
        """Return the values of a row as they were first found."""
        return self._rows[row]

    def find(self, values: Sequence[str]) -> int:
        """Return the number of a row with these values, -1 when there is none."""
        return self._ids.get(identity(tuple(values)), -1)

    def word(self, row: int) -> Word:
        """Return what a person said of a row, empty if nothing."""
        return self._words.get(row, "")

    def is_off_topic(self, row: int) -> bool:
        """Tell whether a person said that a row is right, but not what they look for."""
        return self._words.get(row) == "off-topic"

    def confidence(self, row: int) -> float:
        """Return how surely a row is one: 1 where a person says so, else what its patterns say together.

        Patterns err independently of each other, pages of one pattern do not: of those the best one counts.
        """
        word = self._words.get(row)
        if word == "noise":
            return 0.0
        if row < self.examples or word in {"right", "off-topic"}:
            return 1.0
        best: dict[int, float] = {}
        for support in self._supports[row].values():
            if support.pattern >= 0:
                worth = min(support.confidence, self._rated.get(support.pattern, 1.0))
                best[support.pattern] = max(worth, best.get(support.pattern, 0.0))
        doubt = 1.0
        for worth in best.values():
            doubt *= 1.0 - worth
        return 1.0 - doubt

    def since(self, read: int) -> list[Event]:
        """Return the events a reader has not seen that has read so many."""
        return self.events[read:]

    def _number(self, values: tuple[str, ...]) -> int:
        """Return the number of a row, a new one where it was not known."""
        name = identity(values)
        row = self._ids.get(name)
        if row is None:
            row = self._ids[name] = len(self._rows)
            self._rows.append(values)
            self._supports.append({})
        return row
