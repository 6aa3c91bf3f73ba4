"""Open the growing table of a crawl: as it stood when the last run ended, or anew from the person's rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from clew import urls
from clew.domain.records import RecordTable
from clew.domain.records.pattern_io import PATTERNS_FILE
from clew.domain.records.record_table import RowLabelValue
from clew.errors import ConfigError
from clew.extract.records import RecordExtractor
from clew.services.tables.table_sync import TableSync
from clew.store import COLUMNS
from clew.store_contracts import FolderStore, StoredRow

MODELS = "models"
HARVESTED = "harvested"
"""The fact in the store that says how far the saved patterns have read: a place in `markup`."""

_TABLE = "table"


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """A table that is open: its ledger, and the place in the markup from which pages are to be read again."""

    sync: TableSync
    rescan_from: int
    notice: str = ""


def open_table(store: FolderStore, extractor: RecordExtractor) -> OpenedTable:
    """Let the extractor know again what it knew.

    If the person's rows have changed, or a site was forgotten, rows are numbered anew and every page whose
    markup is kept is read again; what a person said of rows stays with them.
    """
    facts = store.reader.facts(_TABLE, HARVESTED)
    name = f"{urls.fingerprint(json.dumps([extractor.columns, extractor.rows, extractor.of])):016x}"
    stored = store.table.rows()
    store.set_fact(COLUMNS, json.dumps(extractor.columns, ensure_ascii=False))
    store.set_fact(_TABLE, name)
    same = facts.get(_TABLE) == name and HARVESTED in facts and _in_order(stored)
    if same and (ledger := _known_again(store, extractor, stored)):
        _settle(store, ledger, int(facts[HARVESTED]))
        return OpenedTable(ledger, int(facts[HARVESTED]))
    _begin_anew(store, extractor, stored)
    ledger = TableSync(extractor=extractor, store=store, dirty=set(range(len(extractor.record_table))))
    _marked(store, extractor)
    ledger.skip_events()
    why = "your example rows have changed" if facts.get(_TABLE, name) != name else "rows are looked for anew"
    return OpenedTable(ledger, 0, f"{why}: stored pages are read again" if stored else "")


def _in_order(stored: Sequence[StoredRow]) -> bool:
    return [row.id for row in stored] == list(range(len(stored)))


def _known_again(
    store: FolderStore, extractor: RecordExtractor, stored: Sequence[StoredRow]
) -> TableSync | None:
    """Let rows stand where they stood, and read the patterns; None if the two do not fit together."""
    book = RecordTable(extractor.columns, [row.values for row in stored])
    book.example_count = sum(row.given for row in stored)
    if len(book) != len(stored):
        return None
    extractor.reset(book)
    sure = {row.id: row.confidence for row in stored}
    ledger = TableSync(
        extractor=extractor, store=store, rejected=store.table.rejected_patterns(), confidences=sure
    )
    stands = store.table.occurrences()
    for stand in stands:
        ledger.stored.setdefault(stand.row, set()).add((stand.page, stand.pattern))
        if stand.pattern not in ledger.rejected:
            book.add(
                book.values(stand.row), page=stand.page, pattern=stand.pattern, position=stand.position,
                confidence=stand.confidence, at=stand.at,
            )  # fmt: skip
    try:
        extractor.learner.load(store.folder / MODELS)
    except ConfigError:
        return None
    return ledger


def _settle(store: FolderStore, ledger: TableSync, read: int) -> None:
    """Bring book, patterns and marks together.

    A kill comes between a page and the saving of patterns: what a pattern gave that was not saved leaves the
    book, and is found again when its page is read again.
    """
    book, harvest = ledger.extractor.record_table, ledger.extractor.learner
    patterns = {pattern.id: pattern.rejected for pattern in harvest.patterns()}
    for row, keys in ledger.stored.items():
        for page, pattern in keys:
            if pattern >= 0 and pattern not in patterns:
                book.remove_support(row, page, pattern)
                ledger.dirty.add(row)
    _marked(store, ledger.extractor)
    for pattern, is_struck in patterns.items():
        if pattern in ledger.rejected:
            harvest.reject(pattern)
        elif is_struck:
            harvest.restore(pattern)
    for page, url in store.table.markup_urls(read):
        harvest.add_known_page(page, url)
    ledger.skip_events()


def _marked(store: FolderStore, extractor: RecordExtractor) -> None:
    for _, mark in store.table.row_labels(0):
        if mark.row < len(extractor.record_table):
            extractor.record_table.set_row_label(mark.row, cast("RowLabelValue", mark.label))


def _begin_anew(store: FolderStore, extractor: RecordExtractor, stored: Sequence[StoredRow]) -> None:
    """Number rows anew: the person's own first, then all that were known; they stand nowhere yet."""
    (store.folder / MODELS / PATTERNS_FILE).unlink(
        missing_ok=True
    )  # its patterns know rows by their old numbers
    fits = [row for row in stored if len(row.values) == len(extractor.columns)]
    book = RecordTable(extractor.columns, [*extractor.rows, *(row.values for row in fits)])
    book.example_count = len(RecordTable(extractor.columns, extractor.rows))
    extractor.reset(book)
    if stored:
        renamed = {row.id: book.find(row.values) for row in fits}
        began = {renamed[row.id]: row.found_at for row in fits}
        rows = [
            StoredRow(
                row, book.values(row), row < book.example_count, book.confidence(row), began.get(row, 0.0)
            )
            for row in range(len(book))
        ]
        store.table.begin(rows, renamed)


def table_path(folder: Path, name: str) -> Path:
    """Return where the table that clew.toml names lies: in the crawl's folder, or as it is written."""
    inside = folder / name
    return inside if inside.exists() else Path(name).expanduser()
