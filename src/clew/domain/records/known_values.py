"""Known values, looked up on a page: which rows of the table may stand there, and in which leaves.

Nothing here depends on how many rows are known. A page's leaves are looked up whole; values within longer
leaves are found through the rarest pair of words of each value, and then looked for in the text. A value that
stands everywhere (`the`, a year) brings nothing up by itself: it counts where a rarer value of its row stands
too.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from clew.domain.records.values import ENDS, loose, normal, turned

MOST_PER_FORM = 40
"""Rows that are remembered for one value: an author of more has other books that lead to the same pages."""

MOST_SPOTS = 60
"""Places of one value that are looked at on one page."""

OFTEN = 12
"""A value that stands more often on a page brings up no row by itself."""

MOST_LOOKS = 800
"""Values that are looked for in the text of one page: each costs a scan of it, in C."""

MOST_ROWS = 400
"""Rows looked at on one page."""

COMMON = 0.2
"""A value that stands on a larger share of the pages read brings up no row by itself."""

_OWNERS = 8  # rows that a value may bring up by itself
_SURE = 20  # pages a value must have been met on before it can be common
_LONG = 600  # characters of a leaf that values are looked for in: longer ones are prose
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SHORTEST = 2  # letters of a value that is looked for within leaves


class ValueOccurrence(NamedTuple):
    """Where a value stands: the leaf, and from where to where in its plain text."""

    leaf: int
    start: int
    end: int


Met: TypeAlias = list[tuple[int, dict[int, list[ValueOccurrence]]]]
"""Rows met on a page, with the places of their values by column."""


class KnownValues:
    """Values of known rows, by their forms; `longest` is how long a leaf with one value may be, about."""

    def __init__(self) -> None:
        self._forms: dict[str, list[tuple[int, int]]] = {}
        self._keys: dict[str, list[str]] = {}  # rarest pair of words -> forms with it
        self._counts: dict[str, int] = {}  # pair of words -> values that have it
        self._met: dict[str, int] = {}
        self._pages = 0
        self._unspaced = False
        self.longest = 0
        self._rows: dict[int, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, values: Sequence[str]) -> None:
        """Look for a row from now on."""
        if row in self._rows:
            return
        written = tuple(normal(value) for value in values)
        self._rows[row] = tuple(map(loose, written))
        self.longest = max(self.longest, *(len(form) + 10 for form in written))
        for column, form in enumerate(written):
            for spelled in {form, turned(form)} - {""}:
                self._note(spelled, row, column)

    def discard(self, row: int) -> None:
        """Look for a row no longer."""
        for column, form in enumerate(self._rows.pop(row, ())):
            for spelled in {form, turned(form)}:
                if (row, column) in self._forms.get(spelled, ()):
                    self._forms[spelled].remove((row, column))

    @property
    def forms(self) -> Mapping[int, tuple[str, ...]]:
        """The forms of every row's values."""
        return self._rows

    def owners(self, form: str, column: int) -> list[int]:
        """Return the rows that have a value in a column."""
        return [row for row, at in self._forms.get(form, ()) if at == column]

    def _note(self, form: str, row: int, column: int) -> None:
        named = self._forms.get(loose(form))
        if named is None:
            named = self._forms[loose(form)] = []
            words = _keys(form)
            for word in words:
                self._counts[word] = self._counts.get(word, 0) + 1
            if words and len(form) >= _SHORTEST:
                rarest = min(words, key=lambda word: (self._counts[word], -len(word)))
                self._keys.setdefault(rarest, []).append(form)
                self._unspaced = self._unspaced or bool(_UNSPACED.search(form))
        if len(named) < MOST_PER_FORM:
            named.append((row, column))

    def knows(self, forms: Iterable[str]) -> set[str]:
        """Return which of the forms are values that are known."""
        return self._forms.keys() & set(forms)

    def is_common(self, form: str) -> bool:
        """Tell a value that stands nearly everywhere."""
        met = self._met.get(form, 0)
        return met >= _SURE and met > COMMON * self._pages

    def spots(self, plain: Sequence[str]) -> dict[str, list[ValueOccurrence]]:
        """Return where known values stand on a page, given the plain texts of its leaves."""
        self._pages += 1
        found: dict[str, list[ValueOccurrence]] = {}
        known = self._forms
        for leaf, text in enumerate(plain):
            form = text.strip(ENDS)
            named = loose(form)
            if named in known or (", " in form and (named := loose(turned(form))) in known):
                start = text.find(form)
                if len(spots := found.setdefault(named, [])) < MOST_SPOTS:
                    spots.append(ValueOccurrence(leaf, start, start + len(form)))
        self._within(plain, found)
        for form in found:
            self._met[form] = self._met.get(form, 0) + 1
        return found

    def _within(self, plain: Sequence[str], found: dict[str, list[ValueOccurrence]]) -> None:
        """Find values that are a part of a leaf's text."""
        parts = [text if len(text) <= _LONG else "" for text in plain]
        whole = "\n".join(parts)
        offsets, at = [], 0
        for text in parts:
            offsets.append(at)
            at += len(text) + 1
        looks = 0
        words = self._words(whole)
        for key in self._keys.keys() & words:
            for form in self._keys[key]:
                looks += 1
                if looks > MOST_LOOKS:
                    return
                at, named = whole.find(form), loose(form)
                spots = found.get(named, [])
                whole_leaves = {spot.leaf for spot in spots}
                while at >= 0 and len(spots) < MOST_SPOTS:
                    leaf = bisect_right(offsets, at) - 1
                    start = at - offsets[leaf]
                    end = start + len(form)
                    if leaf not in whole_leaves and _apart(parts[leaf], start, end):
                        spots.append(ValueOccurrence(leaf, start, end))
                    at = whole.find(form, at + len(form))
                if spots:
                    found[named] = spots

    def _words(self, text: str) -> set[str]:
        said = _WORD.findall(text)
        words = {*said, *map(" ".join, pairwise(said))}
        if self._unspaced and not text.isascii():
            words.update(text[at : at + 2] for at in range(len(text) - 1))
        return words

    def rows(self, found: dict[str, list[ValueOccurrence]], least: int, naming: Collection[int]) -> Met:
        """Return rows of which so many values were found, a rare and a naming one among them; best first."""
        met: dict[int, dict[int, list[ValueOccurrence]]] = {}
        shared = []
        for form, spots in found.items():
            owners = self._forms[form]
            if len(owners) > _OWNERS or len(spots) > OFTEN or self.is_common(form):
                shared.append((spots, owners))
                continue
            for row, column in owners:
                met.setdefault(row, {}).setdefault(column, []).extend(spots)
        for spots, owners in shared:
            for row, column in owners:
                if row in met:
                    met[row].setdefault(column, []).extend(spots)
        rows = [
            (row, columns)
            for row, columns in met.items()
            if len(columns) >= least and not columns.keys().isdisjoint(naming)
        ]
        rows.sort(key=lambda item: (-len(item[1]), item[0]))
        return rows[:MOST_ROWS]


def _keys(form: str) -> list[str]:
    """Return the pairs of words by which a form can be found; of letters where words are not spaced."""
    if _UNSPACED.search(form):
        return [form[at : at + 2] for at in range(len(form) - 1)]
    words = _WORD.findall(form)
    return words if len(words) == 1 else list(map(" ".join, pairwise(words)))


def _apart(text: str, start: int, end: int) -> bool:
    """Tell whether a value is not the middle of a word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (before.isalnum() and text[start].isalnum() and not _UNSPACED.match(before))
        or (after.isalnum() and text[end - 1].isalnum() and not _UNSPACED.match(after))
    )
