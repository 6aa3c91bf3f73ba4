"""Beside the crawl: old pages are read again with new patterns, a person's word on rows counts at once."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from clew.domain.records.record_table import RowLabelValue
from clew.domain.text import printable
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.errors import StoreError
from clew.extract.records import RecordExtractor
from clew.services.tables.open_table import HARVESTED, MODELS
from clew.services.tables.table_sync import TableSync
from clew.store_contracts import FolderStore, StoredMarkup, StoredRowLabel
from clew.types import PageResult

LISTEN = 0.2
"""Seconds between two looks for new marks and for pages to be read again."""

SLICE = 0.02
"""Seconds of reading pages again before the loop breathes."""

FIRST = 200
"""Pages that are read again before a run begins; the rest are read beside it."""

SAVE = 5.0
"""Seconds between two savings of patterns, at least; after a kill the pages since then are read again."""

_BATCH = 20
_SAME = 1e-6


@dataclass(slots=True, kw_only=True)
class TableService:
    """Bring old pages to patterns that are new, and a person's marks to the book, while a crawl runs.

    `read` is the place in the kept markup up to which the patterns that were saved have read; what came after
    it is read again first, and `note` says why if it is more than usual. `events` carries
    what a label has changed to the user.
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
    _asked: dict[int, int] = field(default_factory=dict)
    _task: "asyncio.Task[None] | None" = None

    @property
    def extractor(self) -> RecordExtractor:
        """The extractor whose book and patterns these are."""
        return self.sync.extractor

    # ---- before and after a run --------------------------------------------------------------------

    async def start(self) -> None:
        """Read again what the saved patterns have not seen, and go on beside the crawl."""
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
        """Do nothing: the extractor has read the page."""

    async def close(self) -> None:
        """Work no longer; save what was learned, and hand over the table as it is now."""
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
        """Work until cancelled. Trouble with the store is the loop's own: it meets it, too."""
        with suppress(StoreError):
            await self._catch_up()
            while True:
                await asyncio.sleep(LISTEN)
                if self.store.table.stamp()[0] != self._last_label:
                    await self._apply_row_labels()
                await self._rescan()
                await self._rejudge_changed()
                late = self.clock() - self._saved_at > max(SAVE, 50 * self._longest)
                if late and not self.sync.dirty:  # a page whose rows are not all handed over is read again
                    self._save()

    def _save(self) -> None:
        """Write the patterns, and note how far they have read: all pages that are committed."""
        began = time.perf_counter()
        _, last = self.store.table.stamp()
        self.extractor.learner.save(self.store.folder / MODELS)
        self.store.set_fact(HARVESTED, str(max(last, self.rescan_from)))
        self._saved_at, self._longest = self.clock(), time.perf_counter() - began

    # ---- old pages ---------------------------------------------------------------------------------

    async def _catch_up(self) -> None:
        """Read pages that were read after the patterns were saved."""
        _, last = self.store.table.stamp()
        while self.rescan_from < last:
            places = await asyncio.to_thread(self.store.table.markup_after, self.rescan_from, _BATCH)
            if not places:
                return
            pages = await asyncio.to_thread(self.store.table.markup, [page for _, page in places])
            await self._each(pages, self.extractor.learner.process_page)
            self.rescan_from = places[-1][0]

    async def _rescan(self) -> None:
        """Read pages again on which a new pattern may match."""
        wanted = [page for page in self.extractor.learner.wanted() if self._asked.get(page, 0) < 3]  # noqa: PLR2004
        if not wanted:
            return
        pages = await asyncio.to_thread(self.store.table.markup, wanted[:_BATCH])
        for page in set(wanted[:_BATCH]) - {each.page for each in pages}:
            self._asked[page] = self._asked.get(page, 0) + 1  # not committed yet, or forgotten
        await self._each(pages, self.extractor.learner.again)

    async def _each(
        self, pages: Sequence[StoredMarkup], read: Callable[[int, str, str, float], None]
    ) -> None:
        began = time.perf_counter()
        for each in pages:
            read(each.page, each.url, each.markup, each.at)
            self.extractor.changed_pages.setdefault(each.page, 0)
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()

    async def _rejudge_changed(self) -> None:
        """Judge pages again whose rows have changed since they were judged."""
        if not self.sync.changed_pages:
            return
        late = self.sync.take_changed_pages()
        await self.engine.commit()
        if self.engine.evaluation.abilities.needs_whole_page:
            return  # by what is stored of a page it would judge wrongly
        engine, began = self.engine, time.perf_counter()
        standing = await asyncio.to_thread(self.store.reader.pages_by_id, sorted(late))
        for each in standing:
            verdict, relevant = engine.evaluation.rejudge(each.page)
            if abs(verdict.value - each.verdict) > _SAME or relevant != each.relevant:
                self.store.revise(each.page.link.id, verdict, relevant)
                engine.totals.relevant += relevant - each.relevant
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()

    # ---- marks -------------------------------------------------------------------------------------

    async def _apply_row_labels(self) -> None:
        """Let what was said of rows count: in the book, for patterns, for pages and for the policy."""
        await self.engine.commit()
        marks = self.store.table.row_labels(self._last_label)
        book = self.extractor.record_table
        before = self._count_rows()
        for number, mark in marks:
            self._last_label = number
            if mark.row < len(book):
                book.set_row_label(mark.row, cast("RowLabelValue", mark.label))
                self.sync.dirty.add(mark.row)
        struck = self.store.table.rejected_patterns()
        lifted, fresh = self.sync.rejected - struck, struck - self.sync.rejected
        self.sync.set_rejected(struck)
        known = {each.id for each in self.extractor.learner.patterns()}
        for pattern in fresh & known:
            self.extractor.learner.reject(pattern)
        for pattern in lifted & known:
            self.extractor.learner.restore(pattern)
        if lifted:
            self._restore_rows(lifted)
        self.engine.scoring.refresh_weights()
        await self.engine.commit()
        await self._rejudge_changed()
        self.events.notify(
            _words(marks, self.extractor, len(fresh), len(lifted), self._count_rows() - before)
        )
        self.events.wake()

    def _restore_rows(self, patterns: set[int]) -> None:
        """Let rows stand again that left with their pattern."""
        book = self.extractor.record_table
        for stand in self.store.table.occurrences():
            if stand.pattern in patterns:
                book.add(
                    book.values(stand.row), page=stand.page, pattern=stand.pattern, position=stand.position,
                    confidence=stand.confidence, at=stand.at,
                )  # fmt: skip

    def _count_rows(self) -> int:
        book = self.extractor.record_table
        return sum(row < book.example_count or book.confidence(row) > 0 for row in range(len(book)))


def _words(
    marks: Sequence[tuple[int, StoredRowLabel]],
    extractor: RecordExtractor,
    struck: int,
    lifted: int,
    gained: int,
) -> str:
    """Say in one line what marks have changed."""
    if len(marks) == 1:
        mark = marks[0][1]
        known = mark.row < len(extractor.record_table)
        row = printable(" · ".join(extractor.record_table.values(mark.row)), 60) if known else "?"
        what = f"row {mark.row} ({row}): {mark.label or 'taken back'}"
    else:
        what = f"{len(marks):,} rows marked"
    counted = ((struck, "struck"), (lifted, "back"))
    patterns = [f"{count:,} pattern{'s' * (count != 1)} {word}" for count, word in counted if count]
    rows = f"{abs(gained):,} row{'s' * (abs(gained) != 1)} {'more' if gained > 0 else 'fewer'}"
    return " — ".join([what, ", ".join([*patterns, rows] if gained else patterns)]).rstrip(" —")
