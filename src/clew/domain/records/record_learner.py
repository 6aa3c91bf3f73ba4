"""The harvest: rows like a person's few, gathered page by page by patterns that are learned on the way.

    read a page ──▶ known patterns give rows ─────────────▶ the book
         │                                                    │ rows that are sure
         └────────▶ known rows are met ──▶ new patterns ◀─────┘
                                              └──▶ old pages that may match are wanted again

Pure: no disk, no network, no clock. What a page costs does not depend on how many were read before.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.domain.records.confidence import Confidence, LearnedPattern, Pattern
from clew.domain.records.dipre import Dipre, TextPattern
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.known_values import KnownValues, Met
from clew.domain.records.page_view import PageView
from clew.domain.records.pattern_io import read_patterns, write_patterns
from clew.domain.records.record_table import RecordTable, Support
from clew.domain.records.rescan import ANY, Rescan
from clew.domain.records.tree_method import TreeMethod
from clew.domain.records.tree_patterns import summed
from clew.domain.records.values import ENDS, loose

SEED = 0.6
"""Rows that are less sure teach nothing: this keeps one mistake from breeding others."""

LEAST = 0.3
"""Rows that are less sure than this are not entered into the book."""

MET = -1
"""The pattern of a known row that was met by its values alone."""

MOST_KNOWN = 200_000
"""Rows that are looked for on every page."""

MOST_PATTERNS = 24
"""Patterns of one site."""

WANTED = 500
"""Old pages named at once."""

_QUEUE = 20_000  # old pages waiting to be read again
_BATCH = 128  # pages after which new rows are looked for on old ones
_NEAR = 60  # leaves between values of a known row that is met without a pattern
_SURE = 0.8  # rows from here on teach what columns look like


@dataclass(frozen=True, slots=True)
class Described:
    """A pattern as a person sees it."""

    id: int
    where: str
    confidence: float
    rows: int
    pages: int
    struck: bool
    text: str


class RecordLearner:
    """Take rows like those of a book out of pages, and enter them there.

    `method` is `trees` (repeating elements, lines, pages of one template) or `dipre` (characters around
    values). Rows less sure than `seed` teach nothing; rows less sure than `least` are not entered. `learned`
    changes whenever there is something new to save.
    """

    def __init__(
        self,
        book: RecordTable,
        *,
        method: Literal["trees", "dipre"] = "trees",
        seed: float = SEED,
        least: float = LEAST,
    ) -> None:
        self.book = book
        self.method = method
        self.seed = seed
        self.least = least
        self.learned = 0
        width = len(book.columns)
        self._few = min(2, width)
        self._known = KnownValues()
        self._proof = Confidence(book, self._known)
        self._trees, self._dipre = TreeMethod(width=width), Dipre(width=width)
        self._all: dict[int, LearnedPattern] = {}
        self._sites: dict[str, list[LearnedPattern]] = {}
        self._old = Rescan()
        self._again: dict[int, None] = {}
        self._fresh: list[int] = []
        self._read = self._looked = self._heard = self._last = 0
        self._struck: dict[int, list[tuple[int, Support]]] = {}

    # ---- pages -----------------------------------------------------------------------------------------

    def read(self, page: int, url: str, markup: str, at: float) -> None:
        """Take a new page: try what is known on it, and learn from what is met there."""
        view = PageView(page, url, markup)
        close = self._look(view, at) and self.method == "trees"
        self._old.note(page, url, summed(view.leaves) if close else ANY, self._telling(view))
        self._read += 1
        if self._fresh and self._read % _BATCH == 0:
            self._want(
                self._old.holding([self._known.forms[row] for row in self._fresh if row in self._known.forms])
            )
            self._fresh.clear()

    def _telling(self, view: PageView) -> Iterator[str]:
        """Yield the leaves of a page that may be values, as they are looked up."""
        for text in view.plain:
            if len(text) <= self._known.longest:
                yield loose(text.strip(ENDS))

    def again(self, page: int, url: str, markup: str, at: float) -> None:
        """Take a page that was read before and was wanted again."""
        self._again.pop(page, None)
        self._look(PageView(page, url, markup), at)

    def remember(self, page: int, url: str) -> None:
        """Know of a page that was read in an earlier run: a new pattern may want it again."""
        self._old.note(page, url)

    def wanted(self) -> Sequence[int]:
        """Return old pages that should be read again, the first first; bring them with `again`."""
        return [page for page, _ in zip(self._again, range(WANTED), strict=False)]

    def _look(self, view: PageView, at: float) -> bool:
        """Try known patterns on a page and look for known rows; say whether it was looked at closely."""
        self._listen()
        tried = False
        for learned in self._sites.get(site_of(view.url), ()):
            if not learned.struck and view.url.startswith(learned.pattern.where):
                self._apply(learned, view, at)
                tried = True
        met = self._known.rows(self._known.spots(view.plain), self._few, self._proof.naming)
        if met:
            self._meet(view, met, at)
            for pattern in self._seen(view, [each for each in met if self._independent(each[0], view.url)]):
                self._enter(pattern, view, at)
        return tried or bool(met)

    def _independent(self, row: int, url: str) -> bool:
        """Tell whether a row is known from more than patterns for such pages: they would prove themselves."""
        if row < self.book.examples or self.book.word(row) == "right":
            return True
        patterns = {support.pattern for support in self.book.supports(row)} - {MET}
        return any(
            not url.startswith(self._all[number].pattern.where) for number in patterns if number in self._all
        )

    def _seen(self, view: PageView, met: Met) -> Iterable[Pattern]:
        if not met:
            return ()
        if self.method == "dipre":
            return self._dipre.see(view, [(row, self.book.values(row)) for row, _ in met])
        return self._trees.see(view, met, self._known.forms, self._proof.key)

    def _meet(self, view: PageView, met: Met, at: float) -> None:
        """Note known rows whose values stand near each other, whatever pattern they follow."""
        for row, columns in met:
            anchor = min(columns.values(), key=len)
            for spot in anchor:
                near = sum(
                    any(abs(other.leaf - spot.leaf) <= _NEAR for other in spots) for spots in columns.values()
                )
                if near >= self._few:
                    self.book.add(
                        self.book.values(row),
                        page=view.page,
                        pattern=MET,
                        position=spot.leaf,
                        confidence=0.0,
                        at=at,
                    )
                    break

    # ---- patterns --------------------------------------------------------------------------------------

    def _enter(self, pattern: Pattern, view: PageView, at: float) -> None:
        """Take a pattern that was found: as a new one, or in the place of one that it makes useless."""
        site = self._sites.setdefault(site_of(pattern.where), [])
        learned = next(
            (old for old in site if type(old.pattern) is type(pattern) and _replaces(pattern, old)), None
        )
        if learned is None:
            if len(site) >= MOST_PATTERNS:
                return
            self._last += 1
            learned = LearnedPattern(self._last, pattern)
            self._all[learned.id] = learned
            self._proof.sites[learned.id] = site_of(pattern.where)
            site.append(learned)
        elif learned.pattern == pattern or len(pattern.rows) < 0.8 * len(learned.right):
            return
        learned.pattern = pattern
        learned.right |= pattern.rows
        self.learned += 1
        if not learned.struck:
            if view.url.startswith(pattern.where):
                self._apply(learned, view, at)
            self._want(page for page in self._old.matching(pattern) if page != view.page)

    def _apply(self, learned: LearnedPattern, view: PageView, at: float) -> None:
        """Enter the rows that a pattern gives on a page into the book; those it no longer gives go."""
        pattern = learned.pattern
        found = pattern.take(view) if isinstance(pattern, TextPattern) else pattern.take(view.leaves)
        rows: dict[int, None] = {}
        single = not isinstance(pattern, TextPattern) and pattern.kind == "page"
        listed = list(found)
        key = self._proof.key_of(learned, (values for values, _ in listed))
        taken = [(values, leaf, self._proof.worth(values, key)) for values, leaf in listed]
        for values, _, worth in taken:
            if worth:
                self._proof.weigh(learned, values, key)
        confidence = learned.confidence
        for values, leaf, worth in taken:
            sure = worth * confidence
            if sure < self.least or (single and sum(map(bool, values)) < self._few):
                continue
            row = self.book.add(
                values, page=view.page, pattern=learned.id, position=leaf, confidence=sure, at=at
            )
            rows[row] = None
            if single and view.page not in learned.given:
                learned.repeat(row)
            self._trust(row)
        for row in learned.given.get(view.page, ()):
            if row not in rows:
                self.book.drop(row, view.page, learned.id)
        if rows or view.page in learned.given:
            learned.given[view.page] = tuple(rows)
        self.book.rate(learned.id, learned.confidence)

    def _trust(self, row: int) -> None:
        """Let a row teach from now on, if it is sure enough."""
        if row in self._known.forms or len(self._known.forms) >= MOST_KNOWN:
            return
        sure = self.book.confidence(row)
        if sure >= self.seed and self.book.word(row) != "noise":
            self._known.add(row, self.book.values(row))
            self._fresh.append(row)
            if sure >= _SURE:
                self._proof.learn(self.book.values(row), own=row < self.book.examples)

    def _listen(self) -> None:
        """Take up rows and words that came into the book from elsewhere: examples, a store, a person."""
        while self._looked < len(self.book):
            self._trust(self._looked)
            self._looked += 1
        for event in self.book.since(self._heard):
            if event.verb == "noise":
                self._known.discard(event.row)
            elif event.verb in {"right", "unmarked"}:
                self._trust(event.row)
        self._heard = len(self.book.events)

    def _want(self, pages: Iterable[int]) -> None:
        for page in pages:
            if len(self._again) >= _QUEUE:
                return
            self._again[page] = None

    # ---- a person's word -------------------------------------------------------------------------------

    def strike(self, pattern: int) -> None:
        """Believe a pattern no longer; rows that only it supports leave the book."""
        learned = self._all[pattern]
        if learned.struck:
            return
        learned.struck = True
        self.learned += 1
        gone = self._struck[pattern] = []
        for row in {row for rows in learned.given.values() for row in rows}:
            mine = [support for support in self.book.supports(row) if support.pattern == pattern]
            others = [support for support in self.book.supports(row) if support.pattern not in {pattern, MET}]
            alone = row >= self.book.examples and self.book.word(row) != "right" and not others
            for support in self.book.supports(row) if alone else mine:
                gone.append((row, support))
                self.book.drop(row, support.page, support.pattern)
            if self.book.confidence(row) < self.seed:
                self._known.discard(row)

    def restore(self, pattern: int) -> None:
        """Believe a pattern again; its rows come back."""
        learned = self._all[pattern]
        if not learned.struck:
            return
        learned.struck = False
        self.learned += 1
        for row, support in self._struck.pop(pattern, []):
            self.book.add(
                self.book.values(row), page=support.page, pattern=support.pattern, position=support.position,
                confidence=support.confidence, at=support.at,
            )  # fmt: skip
            self._trust(row)
        self._want(self._old.matching(learned.pattern))

    def patterns(self) -> list[Described]:
        """Describe all patterns, those with most rows first."""
        made = [
            Described(
                learned.id, learned.pattern.where, learned.confidence, learned.rows, len(learned.given),
                learned.struck, learned.pattern.words(self.book.columns),
            )
            for learned in self._all.values()
        ]  # fmt: skip
        return sorted(made, key=lambda said: (-said.rows, said.id))

    # ---- what outlives a run ---------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the patterns into a folder, as text that people can read."""
        write_patterns(folder, self.method, self.book, self._all.values(), self._struck)

    def load(self, folder: Path) -> None:
        """Read the patterns of an earlier run, after the book has its rows again."""
        kept = read_patterns(folder, self.method, self.book)
        self._struck = kept.struck
        self._all = {learned.id: learned for learned in kept.patterns}
        self._sites = {}
        self._last = max(self._all, default=0)
        for learned in kept.patterns:
            site = self._proof.sites[learned.id] = site_of(learned.pattern.where)
            self._sites.setdefault(site, []).append(learned)
            self.book.rate(learned.id, learned.confidence)
        for row in range(len(self.book)):
            for support in self.book.supports(row):
                if support.pattern in self._all:
                    given = self._all[support.pattern].given
                    given[support.page] = (*given.get(support.page, ()), row)
        for number, supports in kept.struck.items():
            for row, support in supports:
                if support.pattern == number and number in self._all:
                    given = self._all[number].given
                    given[support.page] = (*given.get(support.page, ()), row)


def _replaces(pattern: Pattern, old: LearnedPattern) -> bool:
    if isinstance(pattern, TextPattern):
        return isinstance(old.pattern, TextPattern) and pattern.replaces(old.pattern)
    return not isinstance(old.pattern, TextPattern) and pattern.replaces(old.pattern)
