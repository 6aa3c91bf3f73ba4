"""Learn patterns from a few example rows and extract more rows with them, page by page.

    page ──▶ known patterns extract rows ────────────────▶ record table
         │                                                    │ rows above the confidence threshold
         └────────▶ known rows are found ──▶ new patterns ◀───┘
                                              └──▶ earlier pages that may match are queued for rescanning

No disk, network or clock. The cost of a page does not depend on how many were read before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.domain.records.confidence import Confidence, LearnedPattern, Pattern
from clew.domain.records.dipre import Dipre, TextPattern
from clew.domain.records.known_values import KnownValues, RowMatches
from clew.domain.records.page_view import PageView
from clew.domain.records.pattern_io import PatternMethod, SavedPatterns, read_patterns, write_patterns
from clew.domain.records.pattern_registry import PatternRegistry
from clew.domain.records.record_table import RecordTable, Support
from clew.domain.records.rescan import ANY, Rescan
from clew.domain.records.tree_method import TreeMethod
from clew.domain.records.tree_patterns import tag_summary
from clew.domain.records.unknown_sites import UnknownSites
from clew.domain.records.values import ENDS, drop_full_stops

SEED_CONFIDENCE = 0.6
"""Rows of lower confidence teach no patterns: this keeps one mistake from breeding others."""

MIN_CONFIDENCE = 0.3
"""Rows of lower confidence are not added to the record table."""

NO_PATTERN = -1
"""Pattern number of a known row that was found by its values alone."""

MAX_KNOWN_ROWS = 200_000
"""Maximum number of rows that are searched for on every page."""

RESCAN_BATCH = 500
"""Maximum number of earlier pages returned at once for rescanning."""

MAX_EVIDENCE = 500
"""Maximum number of pages with known rows that are read again when a crawl is resumed."""

_SEARCH_INTERVAL = 128  # pages after which earlier pages are searched for new rows
_NEAR = 60  # text nodes between values of a known row that is found without a pattern
_BOTH = 1 << 32  # evidence of a page that both known and supposed rows gave
_SHAPE_CONFIDENCE = 0.8  # rows from this confidence on teach what columns look like


@dataclass(frozen=True, slots=True)
class PatternSummary:
    """A pattern as it is shown to the user."""

    id: int
    url_prefix: str
    confidence: float
    rows: int
    pages: int
    rejected: bool
    text: str


class RecordLearner:
    """Extract rows like those of a record table from pages, and add them to the table.

    `method` is `trees` (repeating elements, lines, pages of one template) or `dipre` (characters around
    values; `dipre-merged` splits no group). Rows below `min_seed_confidence` teach nothing; rows below
    `min_confidence` are not added.
    `learned` changes whenever there is something new to save.
    """

    def __init__(
        self,
        table: RecordTable,
        *,
        method: PatternMethod = "trees",
        min_seed_confidence: float = SEED_CONFIDENCE,
        min_confidence: float = MIN_CONFIDENCE,
    ) -> None:
        self.table = table
        self.method = method
        self.min_seed_confidence = min_seed_confidence
        self.min_confidence = min_confidence
        self.learned = 0
        width = len(table.columns)
        self._known = KnownValues()
        self._confidence = Confidence(table, self._known)
        self._trees = TreeMethod(width=width)
        self._dipre = Dipre(width=width, split=method != "dipre-merged")
        self._unknown = UnknownSites(width=width)
        if method == "trees":
            examples = [table.values(row) for row in range(table.example_count)]
            self._unknown.learn_columns(examples, table.columns)
        self._patterns = PatternRegistry()
        self._rescan = Rescan()
        self._new_rows: list[int] = []
        self._pages_read = self._rows_seen = self._events_seen = 0

    @property
    def _min_values(self) -> int:
        """The fewest values that make a row."""
        return min(2, len(self.table.columns))

    # ---- pages -----------------------------------------------------------------------------------------

    def process_page(self, page: int, url: str, markup: str, at: float) -> None:
        """Apply known patterns to a new page, and learn from the known rows found on it."""
        view = PageView(page, url, markup)
        examined = self._examine(view, at) and self.method == "trees"
        summary = tag_summary(view.text_nodes) if examined else ANY
        self._rescan.add_page(page, url, summary, self._value_candidates(view))
        self._pages_read += 1
        if self._new_rows and self._pages_read % _SEARCH_INTERVAL == 0:
            forms = [self._known.forms[row] for row in self._new_rows if row in self._known.forms]
            self._rescan.enqueue(self._rescan.holding(forms))
            self._new_rows.clear()

    def _value_candidates(self, view: PageView) -> Iterator[str]:
        """Yield the texts of a page that are short enough to be values, in their lookup form."""
        for text in view.folded:
            if len(text) <= self._known.max_length:
                yield drop_full_stops(text.strip(ENDS))

    def again(self, page: int, url: str, markup: str, at: float) -> None:
        """Process an earlier page that was queued for rescanning."""
        self._rescan.dequeue(page)
        self._examine(PageView(page, url, markup), at)

    def add_known_page(self, page: int, url: str) -> None:
        """Register a page of an earlier run: a new pattern may queue it for rescanning."""
        self._rescan.add_page(page, url)

    def wanted(self) -> Sequence[int]:
        """Return earlier pages to be read again, in the order they were queued; pass them to `again`."""
        return [page for page, _ in zip(self._rescan.queue, range(RESCAN_BATCH), strict=False)]

    def _examine(self, view: PageView, at: float) -> bool:
        """Apply known patterns to a page and search for known rows; return whether either had an effect."""
        self._sync_table()
        applied = False
        for learned in self._patterns.matching(view.url):
            self._apply(learned, view, at)
            applied = True
        matches = self._known.find_rows(
            self._known.find_occurrences(view.folded), self._min_values, self._confidence.naming_columns
        )
        if matches:
            self._add_known_rows(view, matches, at)
            independent = [match for match in matches if self._is_independent(match[0], view.url)]
            for pattern in self._learn_patterns(view, independent):
                self._add_pattern(pattern, view, at)
        # Also where a known name stands by chance: other people are called like that.
        if not any(support.pattern >= 0 for support in self._supports(view.page)):
            for pattern in self._unknown.learn(view):
                pattern.rows = set()  # supposed ones confirm nothing
                self._add_pattern(pattern, view, at, by_look=True)
        return applied or bool(matches)

    def _supports(self, page: int) -> Iterator[Support]:
        for row in self.table.rows_of(page):
            yield from (support for support in self.table.supports(row) if support.page == page)

    def _is_independent(self, row: int, url: str) -> bool:
        """Return whether a row is known from other sources than patterns for such pages."""
        if row < self.table.example_count or self.table.row_label(row) == "right":
            return True
        patterns = {support.pattern for support in self.table.supports(row)} - {NO_PATTERN}
        known = self._patterns.by_id
        return any(
            not url.startswith(known[number].pattern.url_prefix) for number in patterns if number in known
        )

    def _learn_patterns(self, view: PageView, matches: RowMatches) -> Iterable[Pattern]:
        if not matches:
            return ()
        if self.method != "trees":
            return self._dipre.learn(view, [(row, self.table.values(row)) for row, _ in matches])
        return self._trees.learn(view, matches, self._known.forms, self._confidence.key_column)

    def _add_known_rows(self, view: PageView, matches: RowMatches, at: float) -> None:
        """Record known rows whose values occur near each other, whatever pattern they follow."""
        for row, columns in matches:
            anchor = min(columns.values(), key=len)
            for occurrence in anchor:
                near = sum(
                    any(abs(other.text_node - occurrence.text_node) <= _NEAR for other in occurrences)
                    for occurrences in columns.values()
                )
                if near >= self._min_values:
                    self.table.add(
                        self.table.values(row),
                        page=view.page,
                        pattern=NO_PATTERN,
                        position=occurrence.text_node,
                        confidence=0.0,
                        at=at,
                    )
                    break

    # ---- patterns --------------------------------------------------------------------------------------

    def _add_pattern(self, pattern: Pattern, view: PageView, at: float, *, by_look: bool = False) -> None:
        """Add a learned pattern, as a new one or in place of one that it makes redundant."""
        learned = self._patterns.find_replaced(pattern)
        if learned is not None and by_look and not learned.by_look:
            return
        if learned is None:
            learned = self._patterns.add(pattern)
            if learned is None:
                return
            self._confidence.set_site(learned)
        elif learned.pattern == pattern or len(pattern.rows) < 0.8 * len(learned.confirmed):
            return
        learned.pattern = pattern
        learned.by_look = by_look
        learned.confirmed |= pattern.rows
        self.learned += 1
        if not learned.rejected:
            if view.url.startswith(pattern.url_prefix):
                self._apply(learned, view, at)
            self._rescan.enqueue(page for page in self._rescan.matching(pattern) if page != view.page)

    def _apply(self, learned: LearnedPattern, view: PageView, at: float) -> None:
        """Add the rows that a pattern extracts from a page to the table; remove those it no longer does."""
        pattern = learned.pattern
        extracted = self._extracted(pattern, view)
        rows: dict[int, None] = {}
        single = not isinstance(pattern, TextPattern) and pattern.kind == "page"
        key = self._confidence.pattern_key(learned, (values for values, _ in extracted))
        scored = [
            (values, position, self._confidence.plausibility(values, key)) for values, position in extracted
        ]
        for values, _, plausibility in scored:
            if plausibility:
                self._confidence.compare(learned, values, key)
        confidence = learned.confidence
        for values, position, plausibility in scored:
            sure = plausibility * confidence
            if sure < self.min_confidence or (single and sum(map(bool, values)) < self._min_values):
                continue
            if learned.by_look and not self._unknown.fits(values):
                continue
            row = self.table.add(
                values, page=view.page, pattern=learned.id, position=position, confidence=sure, at=at
            )
            rows[row] = None
            if single and view.page not in learned.rows_by_page:
                learned.count_repeat(row)
            self._trust(row)
        for row in learned.rows_by_page.get(view.page, ()):
            if row not in rows:
                self.table.remove_support(row, view.page, learned.id)
        if rows or view.page in learned.rows_by_page:
            learned.rows_by_page[view.page] = tuple(rows)
        self.table.set_pattern_confidence(learned.id, learned.confidence)

    def _extracted(self, pattern: Pattern, view: PageView) -> list[tuple[tuple[str, ...], int]]:
        """Return what a pattern extracts from a page, with positions; nothing if each has one value only.

        Values of one column alone are the headings of an index.
        """
        extracted = list(
            pattern.extract(view) if isinstance(pattern, TextPattern) else pattern.extract(view.text_nodes)
        )
        has_rows = any(sum(map(bool, values)) >= self._min_values for values, _ in extracted)
        return extracted if has_rows else []

    def _trust(self, row: int) -> None:
        """Use a row as a seed from now on, if its confidence is high enough."""
        if row in self._known.forms or len(self._known.forms) >= MAX_KNOWN_ROWS:
            return
        sure = self.table.confidence(row)
        if sure >= self.min_seed_confidence and self.table.row_label(row) != "noise":
            self._known.add(row, self.table.values(row))
            self._new_rows.append(row)
            if sure >= _SHAPE_CONFIDENCE:
                self._confidence.learn_shape(
                    self.table.values(row), is_example=row < self.table.example_count
                )

    def _sync_table(self) -> None:
        """Take over rows and labels that others added to the table: examples, a store, the user."""
        while self._rows_seen < len(self.table):
            self._trust(self._rows_seen)
            self._rows_seen += 1
        for event in self.table.events_since(self._events_seen):
            if event.kind == "noise":
                self._known.discard(event.row)
            elif event.kind in {"right", "unlabelled"}:
                self._trust(event.row)
        self._events_seen = len(self.table.events)

    # ---- feedback --------------------------------------------------------------------------------------

    def reject(self, pattern: int) -> None:
        """Stop using a pattern; rows that only it supports leave the table."""
        learned = self._patterns.by_id[pattern]
        if learned.rejected:
            return
        learned.rejected = True
        self.learned += 1
        removed = self._patterns.removed[pattern] = []
        for row in {row for rows in learned.rows_by_page.values() for row in rows}:
            supports = self.table.supports(row)
            own = [support for support in supports if support.pattern == pattern]
            others = [support for support in supports if support.pattern not in {pattern, NO_PATTERN}]
            alone = row >= self.table.example_count and self.table.row_label(row) != "right" and not others
            for support in supports if alone else own:
                removed.append((row, support))
                self.table.remove_support(row, support.page, support.pattern)
            if self.table.confidence(row) < self.min_seed_confidence:
                self._known.discard(row)

    def restore(self, pattern: int) -> None:
        """Use a rejected pattern again; its rows return to the table."""
        learned = self._patterns.by_id[pattern]
        if not learned.rejected:
            return
        learned.rejected = False
        self.learned += 1
        for row, support in self._patterns.removed.pop(pattern, []):
            self.table.add(
                self.table.values(row), page=support.page, pattern=support.pattern, position=support.position,
                confidence=support.confidence, at=support.at,
            )  # fmt: skip
            self._trust(row)
        self._rescan.enqueue(self._rescan.matching(learned.pattern))

    def patterns(self) -> list[PatternSummary]:
        """Summarise all patterns, those with most rows first."""
        summaries = [
            PatternSummary(
                learned.id, learned.pattern.url_prefix, learned.confidence, learned.row_count,
                len(learned.rows_by_page), learned.rejected, learned.pattern.describe(self.table.columns),
            )
            for learned in self._patterns.by_id.values()
        ]  # fmt: skip
        return sorted(summaries, key=lambda summary: (-summary.rows, summary.id))

    # ---- persistence -----------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the patterns to a folder, as readable text."""
        evidence = self._dipre.pages if self.method != "trees" else self._trees.evidence()
        for page, count in self._unknown.trees.evidence().items():  # a page may be evidence of both kinds
            evidence[page] = -(count + _BOTH * evidence.get(page, 0))
        latest = dict(list(evidence.items())[-MAX_EVIDENCE:])
        saved = SavedPatterns(list(self._patterns.by_id.values()), self._patterns.removed, latest)
        write_patterns(folder, self.method, self.table, saved)

    def restore_evidence(self, page: int, url: str, markup: str, count: int) -> None:
        """Use a page of an earlier run as evidence again; `load` returns which, with the count of each."""
        self._sync_table()
        view = PageView(page, url, markup)
        if count < 0:
            count, by_look = divmod(-count, _BOTH)
            self._unknown.restore(view, by_look)
            if not count:
                return
        matches = self._known.find_rows(
            self._known.find_occurrences(view.folded), self._min_values, self._confidence.naming_columns
        )
        independent = [match for match in matches if self._is_independent(match[0], url)]
        if self.method != "trees":
            self._dipre.learn(view, [(row, self.table.values(row)) for row, _ in independent])
        elif independent:
            self._trees.restore(view, independent, count)

    def load(self, folder: Path) -> Mapping[int, int]:
        """Read the patterns of an earlier run, after the rows of the table were restored.

        Return the pages they were learned from, for `restore_evidence`.
        """
        saved = read_patterns(folder, self.method, self.table)
        self._patterns.load(saved)
        known = self._patterns.by_id
        for learned in saved.patterns:
            self._confidence.set_site(learned)
            self.table.set_pattern_confidence(learned.id, learned.confidence)
        for row in range(len(self.table)):
            for support in self.table.supports(row):
                if support.pattern in known:
                    known[support.pattern].add_row(support.page, row)
        for number, supports in saved.removed.items():
            for row, support in supports:
                if support.pattern == number and number in known:
                    known[number].add_row(support.page, row)
        return saved.evidence
