"""Search the text nodes of a page for the values of known rows.

The cost does not depend on how many rows are known. Whole text nodes are looked up by hash; values within
longer text nodes are found through the rarest word pair of each value, and then searched for in the text. A
value that occurs everywhere (`the`, a year) does not select a row by itself: it counts where a rarer value of
its row occurs too.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from clew.domain.records.values import (
    ENDS,
    drop_bracketed_end,
    drop_full_stops,
    normalize,
    swap_inverted_name,
)

MAX_ROWS_PER_VALUE = 40
"""Maximum number of rows indexed per value: an author of more has other books that lead to the same pages."""

MAX_OCCURRENCES = 60
"""Maximum number of occurrences of one value on one page."""

MAX_SELECTIVE = 12
"""A value with more occurrences on a page does not select a row by itself."""

MAX_SEARCHES = 800
"""Maximum number of values searched for in the text of one page: each costs a scan of it, in C."""

MAX_ROWS = 400
"""Maximum number of rows returned for one page."""

COMMON_SHARE = 0.2
"""A value that occurs on a larger share of the pages does not select a row by itself."""

_MAX_OWNERS = 8  # rows that a value may select by itself
_MIN_PAGES = 20  # pages a value must have occurred on before it can be common
_MAX_TEXT = 600  # characters of a text node that is searched: longer ones are prose
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MIN_LENGTH = 2  # letters of a value that is searched for within text nodes


class ValueOccurrence(NamedTuple):
    """Where a value occurs: the text node, and the span in its folded text."""

    text_node: int
    start: int
    end: int


RowMatches: TypeAlias = list[tuple[int, dict[int, list[ValueOccurrence]]]]
"""Known rows on a page, with the occurrences of their values by column."""


class KnownValues:
    """Index the values of known rows; `max_length` is about how long a text node with one value may be."""

    def __init__(self) -> None:
        self._forms: dict[str, list[tuple[int, int]]] = {}
        self._keys: dict[str, list[str]] = {}  # rarest pair of words -> forms with it
        self._counts: dict[str, int] = {}  # pair of words -> values that have it
        self._page_counts: dict[str, int] = {}
        self._pages = 0
        self._unspaced = False
        self.max_length = 0
        self._rows: dict[int, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, values: Sequence[str]) -> None:
        """Start searching for a row."""
        if row in self._rows:
            return
        written = tuple(normalize(value) for value in values)
        self._rows[row] = tuple(map(drop_full_stops, written))
        self.max_length = max(self.max_length, *(len(form) + 10 for form in written))
        for column, form in enumerate(written):
            for spelled in {form, swap_inverted_name(form)} - {""}:
                self._index(spelled, row, column)
            if (short := drop_full_stops(drop_bracketed_end(form))) != drop_full_stops(form):
                # Only as a whole text node: within others it is ambiguous.
                self._add_owner(short, row, column)

    def discard(self, row: int) -> None:
        """Stop searching for a row."""
        for column, form in enumerate(self._rows.pop(row, ())):
            for spelled in {form, swap_inverted_name(form), drop_bracketed_end(form)}:
                if (row, column) in self._forms.get(spelled, ()):
                    self._forms[spelled].remove((row, column))

    @property
    def forms(self) -> Mapping[int, tuple[str, ...]]:
        """The lookup forms of every row's values."""
        return self._rows

    def owners(self, form: str, column: int) -> list[int]:
        """Return the rows with a value in a column."""
        return [row for row, at in self._forms.get(form, ()) if at == column]

    def _index(self, form: str, row: int, column: int) -> None:
        if self._add_owner(drop_full_stops(form), row, column):
            words = _keys(form)
            for word in words:
                self._counts[word] = self._counts.get(word, 0) + 1
            if words and len(form) >= _MIN_LENGTH:
                rarest = min(words, key=lambda word: (self._counts[word], -len(word)))
                self._keys.setdefault(rarest, []).append(form)
                self._unspaced = self._unspaced or bool(_UNSPACED.search(form))

    def _add_owner(self, form: str, row: int, column: int) -> bool:
        """Let a form stand for the value of a row; return whether the form is new."""
        owners = self._forms.get(form)
        is_new = owners is None
        if owners is None:
            owners = self._forms[form] = []
        if len(owners) < MAX_ROWS_PER_VALUE:
            owners.append((row, column))
        return is_new

    def knows(self, forms: Iterable[str]) -> set[str]:
        """Return which of the forms are known values."""
        return self._forms.keys() & set(forms)

    def is_common(self, form: str) -> bool:
        """Return whether a value occurs nearly everywhere."""
        pages = self._page_counts.get(form, 0)
        return pages >= _MIN_PAGES and pages > COMMON_SHARE * self._pages

    def find_occurrences(self, texts: Sequence[str]) -> dict[str, list[ValueOccurrence]]:
        """Return the occurrences of known values on a page, given the folded texts of its text nodes."""
        self._pages += 1
        found: dict[str, list[ValueOccurrence]] = {}
        known = self._forms
        for text_node, text in enumerate(texts):
            form = text.strip(ENDS)
            form_key = drop_full_stops(form)
            if form_key in known or (
                ", " in form and (form_key := drop_full_stops(swap_inverted_name(form))) in known
            ):
                start = text.find(form)
                if len(occurrences := found.setdefault(form_key, [])) < MAX_OCCURRENCES:
                    occurrences.append(ValueOccurrence(text_node, start, start + len(form)))
        self._find_within(texts, found)
        for form in found:
            self._page_counts[form] = self._page_counts.get(form, 0) + 1
        return found

    def _find_within(self, texts: Sequence[str], found: dict[str, list[ValueOccurrence]]) -> None:
        """Find values within longer text nodes."""
        parts = [text if len(text) <= _MAX_TEXT else "" for text in texts]
        whole = "\n".join(parts)
        offsets, at = [], 0
        for text in parts:
            offsets.append(at)
            at += len(text) + 1
        searches = 0
        words = self._word_pairs(whole)
        for key in sorted(self._keys.keys() & words):
            for form in self._keys[key]:
                searches += 1
                if searches > MAX_SEARCHES:
                    return
                at, form_key = whole.find(form), drop_full_stops(form)
                occurrences = found.get(form_key, [])
                whole_nodes = {occurrence.text_node for occurrence in occurrences}
                while at >= 0 and len(occurrences) < MAX_OCCURRENCES:
                    text_node = bisect_right(offsets, at) - 1
                    start = at - offsets[text_node]
                    end = start + len(form)
                    if text_node not in whole_nodes and _is_whole_word(parts[text_node], start, end):
                        occurrences.append(ValueOccurrence(text_node, start, end))
                    at = whole.find(form, at + len(form))
                if occurrences:
                    found[form_key] = occurrences

    def _word_pairs(self, text: str) -> set[str]:
        singles = _WORD.findall(text)
        terms = {*singles, *map(" ".join, pairwise(singles))}
        if self._unspaced and not text.isascii():
            terms.update(text[at : at + 2] for at in range(len(text) - 1))
        return terms

    def find_rows(
        self, found: dict[str, list[ValueOccurrence]], min_values: int, naming_columns: Collection[int]
    ) -> RowMatches:
        """Return rows with at least so many values found, a rare and a naming one among them; best first."""
        matched: dict[int, dict[int, list[ValueOccurrence]]] = {}
        shared = []
        for form, occurrences in found.items():
            owners = self._forms[form]
            if len(owners) > _MAX_OWNERS or len(occurrences) > MAX_SELECTIVE or self.is_common(form):
                shared.append((occurrences, owners))
                continue
            for row, column in owners:
                matched.setdefault(row, {}).setdefault(column, []).extend(occurrences)
        for occurrences, owners in shared:
            for row, column in owners:
                if row in matched:
                    matched[row].setdefault(column, []).extend(occurrences)
        rows = [
            (row, columns)
            for row, columns in matched.items()
            if len(columns) >= min_values and not columns.keys().isdisjoint(naming_columns)
        ]
        rows.sort(key=lambda item: (-len(item[1]), item[0]))
        return rows[:MAX_ROWS]


def _keys(form: str) -> list[str]:
    """Return the word pairs by which a form can be found; character pairs where words are not spaced."""
    if _UNSPACED.search(form):
        return [form[at : at + 2] for at in range(len(form) - 1)]
    words = _WORD.findall(form)
    return words if len(words) == 1 else list(map(" ".join, pairwise(words)))


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Return whether a value is not the middle of a word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (before.isalnum() and text[start].isalnum() and not _UNSPACED.match(before))
        or (after.isalnum() and text[end - 1].isalnum() and not _UNSPACED.match(after))
    )
