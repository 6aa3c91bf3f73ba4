"""Synchronise the growing table with the store: changes go into the next commit."""

from dataclasses import dataclass, field

from clew.contracts import Occurrence, Store, StoredPattern, StoredRow, TableChange
from clew.domain.records import Support
from clew.extract.records import RecordExtractor

MOST = 1_500
"""Maximum rows written with one commit: some 20 ms of work."""

_NONE: set[tuple[int, int]] = set()


@dataclass(slots=True, kw_only=True)
class TableSync:
    """Give the store what the extractor's table has gained and lost since the last commit.

    `rejected` are patterns that the user's labels have rejected: their rows leave the table and stay in the
    store, so that a label can be removed. `changed_pages` collects pages whose rows have changed after
    they were judged. `stored` and `confidences` are what the store has of each row, `dirty` the rows to
    write.
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
        """Treat all changes so far as stored."""
        self.events_seen = len(self.extractor.record_table.events)

    def take_changed_pages(self) -> set[int]:
        """Return the pages whose rows have changed after they were judged, each once."""
        changed, self.changed_pages = self.changed_pages, set()
        return changed

    def set_rejected(self, patterns: set[int]) -> None:
        """Set the rejected patterns."""
        self.rejected = patterns

    def before_commit(self) -> None:
        """Give changes to the store for its next commit; at most `MOST` rows, the rest with later ones."""
        rows = sorted(self._changed())
        self.dirty = set(rows[MOST:])
        if rows:
            self._save_rows(rows[:MOST])

    def flush(self) -> None:
        """Write everything, with the current confidence of each row: at the end of a run."""
        table = self.extractor.record_table
        self.before_commit()
        self.dirty |= {row for row in range(len(table)) if self.confidences.get(row) != table.confidence(row)}
        self._save_rows(sorted(self.dirty))
        self.dirty = set()
        self.store.table.save(TableChange(patterns=self._fresh_patterns()))

    def _save_rows(self, rows: list[int]) -> None:
        stored: list[StoredRow] = []
        occurrences: list[Occurrence] = []
        removed: list[Occurrence] = []
        table = self.extractor.record_table
        for row in rows:
            supports, confidence = table.supports(row), table.confidence(row)
            now = {(each.page, each.pattern) for each in supports}
            before = self.stored.get(row, _NONE)
            if now == before and self.confidences.get(row) == confidence:
                continue
            lost = {key for key in before - now if key[1] not in self.rejected}
            occurrences += [
                _occurrence(row, each) for each in supports if (each.page, each.pattern) not in before
            ]
            removed += [Occurrence(row, page, pattern) for page, pattern in lost]
            self.stored[row], self.confidences[row] = (now | before) - lost, confidence
            found_at = min((each.at for each in supports), default=0.0)
            stored.append(StoredRow(row, table.values(row), row < table.example_count, confidence, found_at))
        patterns = self._fresh_patterns() if self.extractor.learner.learned != self._learned else ()
        self.store.table.save(
            TableChange(rows=stored, occurrences=occurrences, removed=removed, patterns=patterns)
        )

    def _changed(self) -> set[int]:
        """Return the rows that may have changed; collect pages that were judged before that."""
        table, touched = self.extractor.record_table, self.extractor.changed_pages
        rows, self.dirty = self.dirty, set()
        for number, event in enumerate(table.events_since(self.events_seen), self.events_seen):
            rows.add(event.row)
            pages = (event.page,) if event.page else table.pages_of(event.row)
            self.changed_pages.update(page for page in pages if number >= touched.get(page, 0))
        self.events_seen = len(table.events)
        for page in touched:
            rows.update(table.rows_of(page))
        touched.clear()
        return rows

    def _fresh_patterns(self) -> list[StoredPattern]:
        """Return patterns that are new, or whose confidence has changed."""
        self._learned = self.extractor.learner.learned
        found = []
        for each in self.extractor.learner.patterns():
            now = StoredPattern(each.id, each.url_prefix, each.confidence, each.text)
            if self._patterns.get(each.id) != now:
                self._patterns[each.id] = now
                found.append(now)
        return found


def _occurrence(row: int, support: Support) -> Occurrence:
    return Occurrence(row, support.page, support.pattern, support.position, support.confidence, support.at)
