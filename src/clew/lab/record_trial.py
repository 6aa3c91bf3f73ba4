"""Rows gained in a trial: the table grows as in a crawl, and each row is compared with the truth."""

import zlib
from dataclasses import dataclass, field

import numpy as np

from clew.contracts import Store
from clew.domain.records import RecordTable
from clew.extract.records import RecordExtractor
from clew.lab.task import RowTruth
from clew.types import Label, Page, Record

SURE = 0.5
"""A row counts as accepted from this confidence up."""

REREAD_PAGES = 4
"""Old pages that may be read again after each new one."""

_RECOUNT = 50


@dataclass(slots=True, kw_only=True)
class RecordTrial:
    """An extractor around `records` that lets the table grow as in a crawl, and counts its true rows.

    Old pages are read again as soon as a pattern needs them, `REREAD_PAGES` after each new page. `gained`
    counts rows found that are right, without the examples; `table` all accepted rows. In `pages` pages,
    `answers` randomly drawn rows get their true label.
    """

    extractor: RecordExtractor
    store: Store
    truth: RowTruth | None = None
    answers: int = 0
    pages: int = 0
    seed: int = 0
    row_labels: dict[str, int] = field(default_factory=dict)
    needs_markup: bool = True
    _markup: dict[int, tuple[str, bytes]] = field(default_factory=dict)
    _true_labels: dict[int, tuple[int, str]] = field(default_factory=dict)
    _found: set[int] = field(default_factory=set)
    _right: set[int] = field(default_factory=set)
    _counts_at: dict[int, tuple[int, int]] = field(default_factory=dict)
    _last: tuple[int, int] = (0, 0)
    _events_read: int = 0
    _seen: int = 0

    @property
    def gained(self) -> int:
        """The number of right rows found, without the examples."""
        return len(self._right)

    @property
    def table(self) -> int:
        """The number of accepted rows."""
        return len(self._found)

    @property
    def record_table(self) -> RecordTable:
        """The current table."""
        return self.extractor.record_table

    def extract(self, page: Page) -> tuple[Record, ...]:
        """Read a page as the product does; then read old pages again, and count."""
        records = self.extractor.extract(page)
        if page.markup:
            self._markup[page.link.id] = page.url, zlib.compress(page.markup.encode("utf-8", "replace"), 1)
        self._seen += 1
        learner, at = self.extractor.learner, page.response.ended
        for old in list(learner.wanted())[:REREAD_PAGES]:
            if old in self._markup:
                url, packed = self._markup[old]
                learner.again(old, url, zlib.decompress(packed).decode(), at)
        self.extractor.changed_pages.clear()
        self._count(everything=self._seen % _RECOUNT == 0)
        if self.answers and self.pages and self._due():
            self._label_row()
            self._count(everything=True)
        self._counts_at[page.link.id] = self.gained, self.table
        return records

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing, as the extractor."""

    def counts_at(self, page: int) -> tuple[int, int]:
        """Return rows gained and rows accepted when a page had been read; for an unknown page, the latest."""
        self._last = self._counts_at.pop(page, self._last)
        return self._last

    def _count(self, *, everything: bool = False) -> None:
        table = self.extractor.record_table
        events, self._events_read = table.events_since(self._events_read), len(table.events)
        rows = range(table.example_count, len(table)) if everything else {event.row for event in events}
        for row in rows:
            if row < table.example_count:
                continue
            is_accepted = table.confidence(row) >= SURE and bool(table.pages_of(row))
            (self._found.add if is_accepted else self._found.discard)(row)
            right = is_accepted and self._true(row) == "right"
            (self._right.add if right else self._right.discard)(row)

    def _true(self, row: int) -> str:
        """Return the true label of a row; looked up again when it is on more pages."""
        if self.truth is None:
            return ""
        pages = self.extractor.record_table.pages_of(row)
        known = self._true_labels.get(row)
        if known is None or (known[0] != len(pages) and known[1] != "right"):
            urls = (self.store.link(id).url for id in pages)
            word = self.truth.label_of(self.extractor.record_table.values(row), urls)
            known = self._true_labels[row] = len(pages), word
        return known[1]

    def _due(self) -> bool:
        step = self.pages / (self.answers + 1)
        return (
            int(self._seen / step) > int((self._seen - 1) / step)
            and sum(self.row_labels.values()) < self.answers
        )

    def _label_row(self) -> None:
        """Give one accepted row without a label its true label."""
        table = self.extractor.record_table
        rows = sorted(row for row in self._found if not table.row_label(row))
        if not rows:
            return
        rng = np.random.default_rng((self.seed, self._seen))
        row = rows[int(rng.integers(len(rows)))]
        word = self._true(row)
        self.row_labels[word] = self.row_labels.get(word, 0) + 1
        patterns = {each.pattern for each in table.supports(row) if each.pattern >= 0}
        if word == "right":
            table.set_row_label(row, "right")
        elif word == "off-topic":
            table.set_row_label(row, "off-topic")
        elif word == "noise":
            table.set_row_label(row, "noise")
            for pattern in patterns:
                self.extractor.learner.reject(pattern)
