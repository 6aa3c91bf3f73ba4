"""Grow the table while a crawl runs: rescan stored pages with new patterns, apply row labels at once."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from clew.contracts import FolderStore, StoredMarkup, StoredRowLabel
from clew.domain.records.record_table import RowLabelValue
from clew.domain.text import printable
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.errors import StoreError
from clew.extract.records import RecordExtractor
from clew.services.tables.open_table import HARVESTED, MODELS
from clew.services.tables.table_sync import TableSync
from clew.types import PageResult

LISTEN = 0.2
"""Seconds between two checks for new row labels and for pages to rescan."""

SLICE = 0.02
"""Seconds of rescanning before other tasks get their turn."""

FIRST = 200
"""Pages that are rescanned before a run starts; more are rescanned while it runs."""

SAVE = 5.0
"""Minimum seconds between two saves of the patterns; after a kill the pages since then are rescanned."""

RESCAN_WITH_PAGE = 50
"""Pages that are rescanned, at most, after each page that was read; more are rescanned beside the crawl."""

RECENT = 300
"""Pages read last, whose markup may not be committed yet."""

_BATCH = 20
_SAME = 1e-6


@dataclass(slots=True, kw_only=True)
class TableService:
    """Apply new patterns to stored pages, and the user's row labels to the table, while a crawl runs.

    `rescan_from` is the id in `markup` up to which the saved patterns have read; later pages are rescanned
    first, and `start_notice` says why if there are more than usual. `events` reports what a label changed.
    """

    engine: Engine
    store: FolderStore
    events: Events
    sync: TableSync
    rescan_from: int = 0
    start_notice: str = ""
    clock: Callable[[], float] = time.monotonic
    _last_label: int = 0
    _saved_at: float = 0.0
    _longest: float = 0.0
    _recent: deque[StoredMarkup] = field(default_factory=lambda: deque(maxlen=RECENT))
    _attempts: dict[int, int] = field(default_factory=dict)
    _task: "asyncio.Task[None] | None" = None

    @property
    def extractor(self) -> RecordExtractor:
        """The extractor with the table and its patterns."""
        return self.sync.extractor

    # ---- before and after a run --------------------------------------------------------------------

    async def start(self) -> None:
        """Rescan pages that the saved patterns have not read, and continue while the crawl runs."""
        if self.start_notice:
            self.events.notify(self.start_notice)
        self.engine.on_commit(self.sync.before_commit)
        self._last_label, last = self.store.table.stamp()
        self._saved_at = self.clock()
        self.store.set_fact(HARVESTED, str(self.rescan_from))
        if last - self.rescan_from <= FIRST:
            await self._catch_up()
        await self.engine.commit()
        self._task = asyncio.create_task(self._work())

    def on_result(self, result: PageResult) -> None:
        """Rescan pages on which a new pattern may match, before the next link is chosen.

        What is known when a link is chosen then depends on the pages read, not on the clock.
        """
        page = result.page
        if page.markup:
            self._recent.append(StoredMarkup(page.link.id, page.url, page.response.ended, page.markup))
        if wanted := self.extractor.learner.wanted()[:RESCAN_WITH_PAGE]:
            recent = {each.page: each for each in self._recent}
            stored = self.store.table.markup([number for number in wanted if number not in recent])
            known = recent | {each.page: each for each in stored}
            for each in (known[number] for number in wanted if number in known):
                self._read(each, self.extractor.learner.again)
            self.engine.scoring.refresh_weights()

    async def close(self) -> None:
        """Stop; save the patterns, and write the table as it is now."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled() and (fault := self._task.exception()):
                raise fault
        self.sync.flush()
        await self.store.commit()
        self._save()
        await self.store.commit()

    async def _work(self) -> None:
        """Work until cancelled. Errors of the store are left to the crawl loop, which gets them, too."""
        with suppress(StoreError):
            await self._catch_up()
            while True:
                await asyncio.sleep(LISTEN)
                if self.store.table.stamp()[0] != self._last_label:
                    await self._apply_row_labels()
                await self._rescan()
                await self._rejudge_changed()
                save_due = self.clock() - self._saved_at > max(SAVE, 50 * self._longest)
                if save_due and not self.sync.dirty:  # a page whose rows are not all stored is rescanned
                    self._save()

    def _save(self) -> None:
        """Write the patterns, and record how far they have read: all committed pages."""
        began = time.perf_counter()
        _, last = self.store.table.stamp()
        self.extractor.learner.save(self.store.folder / MODELS)
        self.store.set_fact(HARVESTED, str(max(last, self.rescan_from)))
        self._saved_at, self._longest = self.clock(), time.perf_counter() - began

    # ---- stored pages ---------------------------------------------------------------------------------

    async def _catch_up(self) -> None:
        """Read pages that were stored after the patterns were saved."""
        _, last = self.store.table.stamp()
        while self.rescan_from < last:
            places = await asyncio.to_thread(self.store.table.markup_after, self.rescan_from, _BATCH)
            if not places:
                return
            pages = await asyncio.to_thread(self.store.table.markup, [page for _, page in places])
            await self._each(pages, self.extractor.learner.process_page)
            self.rescan_from = places[-1][0]

    async def _rescan(self) -> None:
        """Rescan pages on which a new pattern may match."""
        wanted = [page for page in self.extractor.learner.wanted() if self._attempts.get(page, 0) < 3]  # noqa: PLR2004
        if not wanted:
            return
        pages = await asyncio.to_thread(self.store.table.markup, wanted[:_BATCH])
        for page in set(wanted[:_BATCH]) - {each.page for each in pages}:
            self._attempts[page] = self._attempts.get(page, 0) + 1  # not committed yet, or forgotten
        await self._each(pages, self.extractor.learner.again)

    async def _each(
        self, pages: Sequence[StoredMarkup], read: Callable[[int, str, str, float], None]
    ) -> None:
        began = time.perf_counter()
        for each in pages:
            self._read(each, read)
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()

    def _read(self, stored: StoredMarkup, read: Callable[[int, str, str, float], None]) -> None:
        read(stored.page, stored.url, stored.markup, stored.at)
        self.extractor.changed_pages.setdefault(stored.page, 0)

    async def _rejudge_changed(self) -> None:
        """Rejudge pages whose rows have changed since they were judged."""
        if not self.sync.changed_pages:
            return
        changed = self.sync.take_changed_pages()
        await self.engine.commit()
        if self.engine.evaluation.abilities.needs_whole_page:
            return  # it cannot judge a page by its stored text
        engine, began = self.engine, time.perf_counter()
        pages = await asyncio.to_thread(self.store.reader.pages_by_id, sorted(changed))
        for each in pages:
            verdict, relevant = engine.evaluation.rejudge(each.page)
            if abs(verdict.value - each.verdict) > _SAME or relevant != each.relevant:
                self.store.revise(each.page.link.id, verdict, relevant)
                engine.totals.relevant += relevant - each.relevant
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()

    # ---- row labels -------------------------------------------------------------------------------------

    async def _apply_row_labels(self) -> None:
        """Apply new row labels to the table, the patterns, the verdicts of pages and the policy."""
        await self.engine.commit()
        labels = self.store.table.row_labels(self._last_label)
        table = self.extractor.record_table
        before = self._count_rows()
        for number, label in labels:
            self._last_label = number
            if label.row < len(table):
                table.set_row_label(label.row, cast("RowLabelValue", label.label))
                self.sync.dirty.add(label.row)
        rejected = self.store.table.rejected_patterns()
        restored, fresh = self.sync.rejected - rejected, rejected - self.sync.rejected
        self.sync.set_rejected(rejected)
        known = {each.id for each in self.extractor.learner.patterns()}
        for pattern in fresh & known:
            self.extractor.learner.reject(pattern)
        for pattern in restored & known:
            self.extractor.learner.restore(pattern)
        if restored:
            self._restore_rows(restored)
        self.engine.scoring.refresh_weights()
        await self.engine.commit()
        await self._rejudge_changed()
        self.events.notify(
            _describe(labels, self.extractor, len(fresh), len(restored), self._count_rows() - before)
        )
        self.events.wake()

    def _restore_rows(self, patterns: set[int]) -> None:
        """Add the rows again that were removed with their pattern."""
        table = self.extractor.record_table
        for occurrence in self.store.table.occurrences():
            if occurrence.pattern in patterns:
                table.add(
                    table.values(occurrence.row), page=occurrence.page, pattern=occurrence.pattern,
                    position=occurrence.position, confidence=occurrence.confidence, at=occurrence.at,
                )  # fmt: skip

    def _count_rows(self) -> int:
        table = self.extractor.record_table
        return sum(row < table.example_count or table.confidence(row) > 0 for row in range(len(table)))


def _describe(
    labels: Sequence[tuple[int, StoredRowLabel]],
    extractor: RecordExtractor,
    rejected: int,
    restored: int,
    gained: int,
) -> str:
    """Describe in one line what row labels have changed."""
    if len(labels) == 1:
        label = labels[0][1]
        known = label.row < len(extractor.record_table)
        row = printable(" · ".join(extractor.record_table.values(label.row)), 60) if known else "?"
        what = f"row {label.row} ({row}): {label.label or 'label removed'}"
    else:
        what = f"{len(labels):,} rows marked"
    counted = ((rejected, "rejected"), (restored, "back"))
    patterns = [f"{count:,} pattern{'s' * (count != 1)} {word}" for count, word in counted if count]
    rows = f"{abs(gained):,} row{'s' * (abs(gained) != 1)} {'more' if gained > 0 else 'fewer'}"
    return " — ".join([what, ", ".join([*patterns, rows] if gained else patterns)]).rstrip(" —")
