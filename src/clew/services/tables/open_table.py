"""Open the growing table of a crawl: restore it from the last run, or rebuild it from the example rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from clew import urls
from clew.contracts import FolderStore, StoredRow
from clew.domain.records import RecordTable
from clew.domain.records.pattern_io import PATTERNS_FILE
from clew.domain.records.record_table import RowLabelValue
from clew.errors import ConfigError
from clew.extract.records import RecordExtractor
from clew.services.tables.table_sync import TableSync
from clew.store import COLUMNS

MODELS = "models"
HARVESTED = "harvested"
"""The fact in the store that says how far the saved patterns have read: an id in `markup`."""

_TABLE = "table"


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """An open table: its synchronisation, and the id in `markup` after which pages are rescanned."""

    sync: TableSync
    rescan_from: int
    notice: str = ""


def open_table(store: FolderStore, extractor: RecordExtractor) -> OpenedTable:
    """Restore rows, patterns and labels of the extractor.

    If the example rows have changed, or a site was forgotten, rows get new numbers and every page with
    stored markup is rescanned; rows keep their labels.
    """
    facts = store.reader.facts(_TABLE, HARVESTED)
    name = f"{urls.fingerprint(json.dumps([extractor.columns, extractor.rows, extractor.of])):016x}"
    stored = store.table.rows()
    store.set_fact(COLUMNS, json.dumps(extractor.columns, ensure_ascii=False))
    store.set_fact(_TABLE, name)
    same = facts.get(_TABLE) == name and HARVESTED in facts and _in_order(stored)
    if same and (sync := _restore(store, extractor, stored)):
        _reconcile(store, sync, int(facts[HARVESTED]))
        return OpenedTable(sync, int(facts[HARVESTED]))
    _rebuild(store, extractor, stored)
    sync = TableSync(extractor=extractor, store=store, dirty=set(range(len(extractor.record_table))))
    _apply_labels(store, extractor)
    sync.skip_events()
    why = "your example rows have changed" if facts.get(_TABLE, name) != name else "rows are looked for anew"
    return OpenedTable(sync, 0, f"{why}: stored pages are rescanned" if stored else "")


def _in_order(stored: Sequence[StoredRow]) -> bool:
    return [row.id for row in stored] == list(range(len(stored)))


def _restore(store: FolderStore, extractor: RecordExtractor, stored: Sequence[StoredRow]) -> TableSync | None:
    """Restore rows with their occurrences, and load the patterns; None if they are inconsistent."""
    table = RecordTable(extractor.columns, [row.values for row in stored])
    table.example_count = sum(row.given for row in stored)
    if len(table) != len(stored):
        return None
    extractor.reset(table)
    confidences = {row.id: row.confidence for row in stored}
    sync = TableSync(
        extractor=extractor, store=store, rejected=store.table.rejected_patterns(), confidences=confidences
    )
    occurrences = store.table.occurrences()
    for occurrence in occurrences:
        sync.stored.setdefault(occurrence.row, set()).add((occurrence.page, occurrence.pattern))
        if occurrence.pattern not in sync.rejected:
            table.add(
                table.values(occurrence.row), page=occurrence.page, pattern=occurrence.pattern,
                position=occurrence.position, confidence=occurrence.confidence, at=occurrence.at,
            )  # fmt: skip
    try:
        evidence = extractor.learner.load(store.folder / MODELS)
    except ConfigError:
        return None
    for each in store.table.markup(list(evidence)):
        extractor.learner.restore_evidence(each.page, each.url, each.markup, evidence[each.page])
    return sync


def _reconcile(store: FolderStore, sync: TableSync, last_read: int) -> None:
    """Make rows, patterns and labels consistent.

    After a kill, rows may be stored whose pattern was not saved: they are removed from the table, and found
    again when their page is rescanned.
    """
    table, learner = sync.extractor.record_table, sync.extractor.learner
    patterns = {pattern.id: pattern.rejected for pattern in learner.patterns()}
    for row, keys in sync.stored.items():
        for page, pattern in keys:
            if pattern >= 0 and pattern not in patterns:
                table.remove_support(row, page, pattern)
                sync.dirty.add(row)
    _apply_labels(store, sync.extractor)
    for pattern, was_rejected in patterns.items():
        if pattern in sync.rejected:
            learner.reject(pattern)
        elif was_rejected:
            learner.restore(pattern)
    for page, url in store.table.markup_urls(last_read):
        learner.add_known_page(page, url)
    sync.skip_events()


def _apply_labels(store: FolderStore, extractor: RecordExtractor) -> None:
    for _, label in store.table.row_labels(0):
        if label.row < len(extractor.record_table):
            extractor.record_table.set_row_label(label.row, cast("RowLabelValue", label.label))


def _rebuild(store: FolderStore, extractor: RecordExtractor, stored: Sequence[StoredRow]) -> None:
    """Number rows anew: example rows first, then all known ones; they have no occurrences yet."""
    # Saved patterns refer to rows by their old numbers.
    (store.folder / MODELS / PATTERNS_FILE).unlink(missing_ok=True)
    matching = [row for row in stored if len(row.values) == len(extractor.columns)]
    table = RecordTable(extractor.columns, [*extractor.rows, *(row.values for row in matching)])
    table.example_count = len(RecordTable(extractor.columns, extractor.rows))
    extractor.reset(table)
    if stored:
        renamed = {row.id: table.find(row.values) for row in matching}
        found_at = {renamed[row.id]: row.found_at for row in matching}
        rows = [
            StoredRow(
                row,
                table.values(row),
                row < table.example_count,
                table.confidence(row),
                found_at.get(row, 0.0),
            )
            for row in range(len(table))
        ]
        store.table.begin(rows, renamed)


def table_path(folder: Path, name: str) -> Path:
    """Return the path of the table that clew.toml names: in the crawl's folder, or as written."""
    inside = folder / name
    return inside if inside.exists() else Path(name).expanduser()
