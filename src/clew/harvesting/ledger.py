"""Between the book and the store: what has changed in the table goes into the next commit."""

from dataclasses import dataclass, field

from clew.extract.records import Records
from clew.records import Support
from clew.store import SqliteStore, Stand, StoredPattern, StoredRow, TableChange


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Hand over to the store what the extractor's book has gained and lost since the last commit.

    `struck` are patterns that a person's word has struck: what they gave leaves the book, and stays in the
    store, so that the word can be taken back. `late` collects pages whose rows have changed after they were
    judged.
    """

    extractor: Records
    store: SqliteStore
    struck: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)
    kept: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    heard: int = 0
    _sure: dict[int, float] = field(default_factory=dict)
    _patterns: dict[int, StoredPattern] = field(default_factory=dict)

    def hand_over(self) -> None:
        """Give all changes to the store, for its next commit."""
        rows = self._changed()
        if not rows:
            return
        stored, stands, gone = [], [], []
        for row in sorted(rows):
            now = {(each.page, each.pattern): each for each in self.extractor.book.supports(row)}
            before = self.kept.setdefault(row, set())
            stands += [_stand(row, now[key]) for key in now.keys() - before]
            lost = {key for key in before - now.keys() if key[1] not in self.struck}
            gone += [Stand(row, page, pattern) for page, pattern in lost]
            self.kept[row] = (before | now.keys()) - lost
            stored.append(self._row(row))
        self.store.keep_table(
            TableChange(rows=stored, stands=stands, gone=gone, patterns=self._fresh_patterns())
        )

    def settle(self) -> None:
        """Hand over everything, also how sure each row is now: at the end of a run."""
        book = self.extractor.book
        self.dirty |= {row for row in range(len(book)) if self._sure.get(row) != book.confidence(row)}
        self.hand_over()
        self.store.keep_table(TableChange(patterns=self._fresh_patterns()))

    def _changed(self) -> set[int]:
        """Return the rows that may have changed; note pages that were judged before that."""
        book, touched = self.extractor.book, self.extractor.touched
        rows, self.dirty = self.dirty, set()
        for number, event in enumerate(book.since(self.heard), self.heard):
            rows.add(event.row)
            pages = (event.page,) if event.page else book.pages_of(event.row)
            self.late.update(page for page in pages if number >= touched.get(page, 0))
        self.heard = len(book.events)
        for page in touched:
            rows.update(book.rows_of(page))
        touched.clear()
        return rows

    def _row(self, row: int) -> StoredRow:
        book = self.extractor.book
        self._sure[row] = sure = book.confidence(row)
        began = min((each.at for each in book.supports(row)), default=0.0)
        return StoredRow(row, book.values(row), row < book.examples, sure, began)

    def _fresh_patterns(self) -> list[StoredPattern]:
        """Return patterns that are new, or are believed otherwise now."""
        found = []
        for each in self.extractor.harvest.patterns():
            now = StoredPattern(each.id, each.where, each.confidence, each.text)
            if self._patterns.get(each.id) != now:
                self._patterns[each.id] = now
                found.append(now)
        return found


def _stand(row: int, support: Support) -> Stand:
    return Stand(row, support.page, support.pattern, support.position, support.confidence, support.at)
