"""Between the book and the store: what has changed in the table goes into the next commit."""

from dataclasses import dataclass, field

from clew.domain.records import Support
from clew.extract.records import RecordExtractor
from clew.store_contracts import Occurrence, Store, StoredPattern, StoredRow, TableChange

MOST = 1_500
"""Rows handed over with one commit: some 20 ms of work."""

_NONE: set[tuple[int, int]] = set()


@dataclass(slots=True, kw_only=True)
class TableSync:
    """Hand over to the store what the extractor's book has gained and lost since the last commit.

    `struck` are patterns that a person's word has struck: what they gave leaves the book, and stays in the
    store, so that the word can be taken back. `late` collects pages whose rows have changed after they were
    judged. `kept` and `sure` are what the store has of each row, `dirty` rows it must be told of.
    """

    extractor: RecordExtractor
    store: Store
    rejected: set[int] = field(default_factory=set)
    changed_pages: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)
    stored: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    events_seen: int = 0
    _learned: int = -1
    confidences: dict[int, float] = field(default_factory=dict)
    _patterns: dict[int, StoredPattern] = field(default_factory=dict)

    def skip_events(self) -> None:
        """Take all changes so far as known to the store."""
        self.events_seen = len(self.extractor.record_table.events)

    def take_changed_pages(self) -> set[int]:
        """Return the pages whose rows have changed after they were judged, each once."""
        late, self.changed_pages = self.changed_pages, set()
        return late

    def set_rejected(self, patterns: set[int]) -> None:
        """Let these patterns be the rejected ones."""
        self.rejected = patterns

    def before_commit(self) -> None:
        """Give changes to the store, for its next commit; of very many, the rest wait for the one after."""
        rows = sorted(self._changed())
        self.dirty = set(rows[MOST:])
        if rows:
            self._save_rows(rows[:MOST])

    def flush(self) -> None:
        """Hand over everything, also how sure each row is now: at the end of a run."""
        book = self.extractor.record_table
        self.before_commit()
        self.dirty |= {row for row in range(len(book)) if self.confidences.get(row) != book.confidence(row)}
        self._save_rows(sorted(self.dirty))
        self.dirty = set()
        self.store.table.save(TableChange(patterns=self._fresh_patterns()))

    def _save_rows(self, rows: list[int]) -> None:
        stored: list[StoredRow] = []
        stands: list[Occurrence] = []
        gone: list[Occurrence] = []
        book = self.extractor.record_table
        for row in rows:
            supports, now_sure = book.supports(row), book.confidence(row)
            now = {(each.page, each.pattern) for each in supports}
            before = self.stored.get(row, _NONE)
            if now == before and self.confidences.get(row) == now_sure:
                continue
            lost = {key for key in before - now if key[1] not in self.rejected}
            stands += [_stand(row, each) for each in supports if (each.page, each.pattern) not in before]
            gone += [Occurrence(row, page, pattern) for page, pattern in lost]
            self.stored[row], self.confidences[row] = (now | before) - lost, now_sure
            began = min((each.at for each in supports), default=0.0)
            stored.append(StoredRow(row, book.values(row), row < book.example_count, now_sure, began))
        patterns = self._fresh_patterns() if self.extractor.learner.learned != self._learned else ()
        self.store.table.save(TableChange(rows=stored, occurrences=stands, removed=gone, patterns=patterns))

    def _changed(self) -> set[int]:
        """Return the rows that may have changed; note pages that were judged before that."""
        book, touched = self.extractor.record_table, self.extractor.changed_pages
        rows, self.dirty = self.dirty, set()
        for number, event in enumerate(book.events_since(self.events_seen), self.events_seen):
            rows.add(event.row)
            pages = (event.page,) if event.page else book.pages_of(event.row)
            self.changed_pages.update(page for page in pages if number >= touched.get(page, 0))
        self.events_seen = len(book.events)
        for page in touched:
            rows.update(book.rows_of(page))
        touched.clear()
        return rows

    def _fresh_patterns(self) -> list[StoredPattern]:
        """Return patterns that are new, or are believed otherwise now."""
        self._learned = self.extractor.learner.learned
        found = []
        for each in self.extractor.learner.patterns():
            now = StoredPattern(each.id, each.url_prefix, each.confidence, each.text)
            if self._patterns.get(each.id) != now:
                self._patterns[each.id] = now
                found.append(now)
        return found


def _stand(row: int, support: Support) -> Occurrence:
    return Occurrence(row, support.page, support.pattern, support.position, support.confidence, support.at)
