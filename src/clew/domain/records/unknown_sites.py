"""Learn patterns on sites where no row is known, from what the columns look like.

A table with a column of numbers (name and telephone) can be found anywhere: numbers of that kind that repeat
on a page, or stand once on every page of a site, each with a text beside it that may be a value of the other
columns. Which text that is, is decided by the whole page: the position whose texts fit nearly always and
differ from each other. Numbers that other pages of the site have as well (the main office's) and fax numbers
belong to no row. The pairs are then treated like known rows, so that patterns are learned and tested on them
as on other sites.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from clew.domain.records.column_models import NumberColumn, WordColumn, number_column, word_column
from clew.domain.records.evidence_pages import site_of
from clew.domain.records.known_values import RowMatches, ValueOccurrence
from clew.domain.records.page_view import PageView
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.tree_method import TreeMethod
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.values import ENDS, lookup_form

_MIN_EXAMPLES = 3  # rows from which columns are modelled
_MIN_ROWS = 3  # rows that a pattern must explain
_MIN_LIST = 4  # numbers of a page that may be a list
_MAX_NUMBERS = 200  # of a page that are looked at
_NEAR = 14  # text nodes between a number and the other values
_MIN_COVERAGE = 0.7  # share of numbers with a fitting text in the position
_MIN_DISTINCT = 0.8  # share of different texts among them
_HEADINGS = ("h1", "h2", "h3", "title")

_MAX_SAME = 3  # texts of one path that are told apart by their order
_MOST_PAGES = 1_000  # pages whose numbers are kept before some are dropped
_LABEL = 24  # characters before a number that may tell what it is
_FAX = re.compile("fax|ファ[ック]", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s+[-–—|•·:/]\s+|[,;|•·\t]\s*|\s{3,}")

_Key: TypeAlias = tuple[int, tuple[int, int], int]
"""Before (-1), within (0) or behind (1) the number; path and table cell; index among those that fit."""


class UnknownSites:
    """Patterns from the look of columns; without a column of numbers and others of words there are none."""

    def __init__(self, *, width: int) -> None:
        self.width = width
        self.trees = TreeMethod(width=width)
        self._number: tuple[int, NumberColumn] | None = None
        self._words: dict[int, WordColumn] = {}
        self._forms: dict[int, tuple[str, ...]] = {}
        self._digits: dict[int, frozenset[str]] = {}  # of the numbers of evidence pages
        self._most = _MOST_PAGES
        self._skips_fax = True
        self._last = 0

    def learn_columns(self, rows: Sequence[Sequence[str]], names: Sequence[str] = ()) -> None:
        """Model the columns from example rows; `names` are theirs."""
        self._skips_fax = not any(map(_FAX.search, names))
        full = [row for row in rows if all(row)]
        if len(full) < _MIN_EXAMPLES:
            return
        values = list(zip(*full, strict=True))
        numbers = {at: model for at, each in enumerate(values) if (model := number_column(each))}
        words = {at: word for at, each in enumerate(values) if (word := word_column(each))}
        if len(numbers) == 1 and len(words) == self.width - 1 and words:
            self._number, self._words = next(iter(numbers.items())), words

    def fits(self, values: Sequence[str]) -> bool:
        """Return whether a whole row looks like the examples."""
        if self._number is None:
            return False
        column, number = self._number
        return number.fits(values[column]) and all(
            model.fits(values[at]) for at, model in self._words.items()
        )

    def learn(self, view: PageView) -> list[TreePattern]:
        """Return patterns for a page of a site without known rows."""
        matches = self._matches(view)
        if not matches:
            return []
        key = min(self._words)
        self._note_digits(view)
        patterns = self.trees.learn(view, matches, self._forms, key)
        return [pattern for pattern in patterns if len(pattern.rows) >= _MIN_ROWS and self._is_full(pattern)]

    def restore(self, view: PageView, count: int) -> None:
        """Use a page of an earlier run as evidence again."""
        matches = self._matches(view)
        if matches:
            self._note_digits(view)
            self.trees.restore(view, matches, count)

    def _is_full(self, pattern: TreePattern) -> bool:
        return {column for each in pattern.fields for column in each.columns} == set(range(self.width))

    def _matches(self, view: PageView) -> RowMatches:
        """Return supposed rows of a page: a list of them, or the one that its title names."""
        numbers = list(self._own_numbers(view))
        if not numbers:
            return []
        page = view.text_nodes
        lists = (list(self._list_rows(page, each)) for each in _number_lists(view, numbers))
        found = next(filter(None, lists), [])
        found = found or list(self._titled_row(page, numbers))
        matches: RowMatches = []
        for cells in found:
            self._last += 1
            forms = [""] * self.width
            for column, each in cells.items():
                forms[column] = lookup_form(page.text[each[0].text_node][each[0].start : each[0].end])
            self._forms[self._last] = tuple(forms)
            matches.append((self._last, cells))
        return matches

    def _own_numbers(self, view: PageView) -> Iterator[ValueOccurrence]:
        """Yield the numbers of a page but those that other pages of its site have, and fax numbers."""
        evidence = self.trees.pages_of(site_of(view.url))
        others = {each for page in evidence - {view.page} for each in self._digits.get(page, ())}
        for number in self._numbers(view):
            digits = _digits(view.folded[number.text_node][number.start : number.end])
            if not (self._skips_fax and _FAX.search(_label(view, number))) and digits not in others:
                yield number

    def _note_digits(self, view: PageView) -> None:
        """Keep the numbers of a page; from time to time drop those of pages that are no evidence any more."""
        if len(self._digits) >= self._most:
            kept = self.trees.evidence()
            self._digits = {page: found for page, found in self._digits.items() if page in kept}
            self._most = max(_MOST_PAGES, 2 * len(self._digits))
        self._digits[view.page] = frozenset(
            _digits(view.folded[number.text_node][number.start : number.end])
            for number in self._numbers(view)
        )

    def _numbers(self, view: PageView) -> Iterator[ValueOccurrence]:
        if self._number is None:
            return
        model, count = self._number[1], 0
        for text_node, text in enumerate(view.folded):
            if len(text) > 5 * _NEAR * _NEAR:  # prose
                continue
            for start, end in model.find(text):
                yield ValueOccurrence(text_node, start, end)
                count += 1
                if count >= _MAX_NUMBERS:
                    return

    def _list_rows(
        self, page: TextNodes, numbers: list[ValueOccurrence]
    ) -> Iterator[dict[int, list[ValueOccurrence]]]:
        assert self._number is not None
        chosen: list[dict[int, list[ValueOccurrence]]] = [{self._number[0]: [number]} for number in numbers]
        for column, model in self._words.items():
            position = self._best_position(page, numbers, model)
            if position is None:
                return
            for cells, number, candidates in zip(
                chosen, numbers, _candidates(page, numbers, model), strict=True
            ):
                if position in candidates and number:
                    cells[column] = [candidates[position]]
        yield from (cells for cells in chosen if len(cells) == self.width)

    def _best_position(
        self, page: TextNodes, numbers: list[ValueOccurrence], model: WordColumn
    ) -> _Key | None:
        """Return the position beside the numbers where texts fit nearly always and differ; None for none."""
        texts: dict[_Key, list[str]] = {}
        alone: dict[_Key, list[bool]] = {}
        for at, candidates in enumerate(_candidates(page, numbers, model)):
            for position, each in candidates.items():
                texts.setdefault(position, []).append(page.text[each.text_node][each.start : each.end])
                alone.setdefault(position, []).append(_is_alone(page, numbers, at, each))
        scores: dict[_Key, tuple[float, ...]] = {}
        for position, found in texts.items():
            coverage, distinct = len(found) / len(numbers), len(set(found)) / len(found)
            own = sum(alone[position]) / len(found)
            if position[0] > 0 and own < _MIN_COVERAGE:
                continue  # it belongs to the next number
            if coverage >= _MIN_COVERAGE and distinct >= _MIN_DISTINCT:
                scores[position] = round(own), coverage * distinct, -position[0], -position[2]
        return max(scores, key=lambda position: scores[position], default=None)

    def _titled_row(
        self, page: TextNodes, numbers: Sequence[ValueOccurrence]
    ) -> Iterator[dict[int, list[ValueOccurrence]]]:
        """Yield the row of a page whose first heading may be the value of the only column of words."""
        assert self._number is not None
        if len(self._words) != 1:
            return
        ((column, model),) = self._words.items()
        for tag in _HEADINGS:
            for text_node, element in enumerate(page.element):
                text = page.text[text_node].strip(ENDS)
                if page.tag[element] == tag and model.fits(text):
                    same = [
                        ValueOccurrence(other, start, start + len(text))
                        for other, raw in enumerate(page.text)
                        if (start := raw.find(text)) >= 0 and len(raw) == len(page.folded[other])
                    ]
                    yield {column: same, self._number[0]: list(numbers[:1])}
                    return


def _number_lists(view: PageView, numbers: list[ValueOccurrence]) -> Iterator[list[ValueOccurrence]]:
    """Yield the numbers of a page that may be a list: all, then those in one place behind one label.

    Where each person has several, only one of them has the name beside it.
    """
    if len(numbers) < _MIN_LIST:
        return
    yield numbers
    page = view.text_nodes
    labels = Counter(_label(view, number) for number in numbers)
    lists: dict[tuple[int, int, str], list[ValueOccurrence]] = {}
    for number in numbers:
        element, label = page.element[number.text_node], _label(view, number)
        key = page.path[element], page.cell(element), label if labels[label] >= _MIN_LIST else ""
        lists.setdefault(key, []).append(number)
    yield from (each for each in lists.values() if _MIN_LIST <= len(each) < len(numbers))


def _label(view: PageView, number: ValueOccurrence) -> str:
    """Return the text right before a number, back to the last separator."""
    label = view.folded[number.text_node][max(0, number.start - _LABEL) : number.start]
    if not label.strip(ENDS) and number.text_node:
        label = view.folded[number.text_node - 1].rstrip()[-_LABEL:]
        label = "" if label[-1:].isdigit() else label  # it ends with a number of its own
    return _SEPARATOR.split(label.strip())[-1]


def _is_alone(page: TextNodes, numbers: list[ValueOccurrence], at: int, value: ValueOccurrence) -> bool:
    """Return whether an element holds a number and a value, but not the number before or the one behind."""
    shared = page.common(page.element[numbers[at].text_node], page.element[value.text_node])
    others = numbers[max(0, at - 1) : at] + numbers[at + 1 : at + 2]
    return all(page.common(shared, page.element[other.text_node]) != shared for other in others)


def _candidates(
    page: TextNodes, numbers: Sequence[ValueOccurrence], model: WordColumn
) -> Iterator[Mapping[_Key, ValueOccurrence]]:
    """Yield for each number the nearest fitting text of every position around it."""
    ends = [-1, *(number.text_node for number in numbers), len(page)]
    for at, number in enumerate(numbers, 1):
        found: dict[_Key, ValueOccurrence] = {}
        own = page.text[number.text_node]
        if len(own) == len(page.folded[number.text_node]):
            for piece, (start, end) in enumerate(_pieces(own[: number.start])):
                if model.fits(own[start:end]):
                    found[0, (0, 0), piece] = ValueOccurrence(number.text_node, start, end)
        for side, nodes in (
            (-1, range(number.text_node - 1, max(ends[at - 1], number.text_node - _NEAR) - 1, -1)),
            (1, range(number.text_node + 1, min(ends[at + 1], number.text_node + _NEAR))),
        ):
            for text_node in nodes:
                if text_node < 0 or len(page.text[text_node]) != len(page.folded[text_node]):
                    continue
                raw = page.text[text_node]
                text = raw.strip(ENDS)
                if not model.fits(text):
                    continue
                element, start = page.element[text_node], raw.find(text)
                place = page.path[element], page.cell(element)
                index = next((at for at in range(_MAX_SAME) if (side, place, at) not in found), None)
                if index is not None:
                    found[side, place, index] = ValueOccurrence(text_node, start, start + len(text))
        yield found


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of a text without its ends, then those of its first pieces between separators.

    >>> [("Ada Lovelace – Countess – "[a:b]) for a, b in _pieces("Ada Lovelace – Countess – ")]
    ['Ada Lovelace – Countess', 'Ada Lovelace', 'Countess']
    """
    spans = [(0, len(text))]
    ends = [match.span() for match, _ in zip(_SEPARATOR.finditer(text), range(_MAX_SAME), strict=False)]
    starts = [0, *(end for _, end in ends)]
    spans += list(zip(starts, (start for start, _ in ends), strict=False))
    for start, end in spans:
        piece = text[start:end]
        stripped = piece.strip(ENDS)
        if stripped:
            first = start + piece.find(stripped)
            yield first, first + len(stripped)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
