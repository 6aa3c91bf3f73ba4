"""Details: pages that hold one record each, aligned with other pages of the same site.

For every column, places where known values stand are compared across pages; a place is worth what it gives on the
pages whose values are known. A place that fails on some pages is helped out by the next best.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.records.cuts import Cut, learned
from clew.records.fields import Field, common_steps, label_of
from clew.records.leaves import Leaves
from clew.records.patterns import TreePattern
from clew.records.sheets import Sheet, sample, where_of
from clew.records.values import loose, normal, turned

_FEWEST = 2  # pages with different rows that a place must explain
_TRIED = 60  # places that are tried for one column
_HELPERS = 3  # fields of one column
_WORSE = 1.5  # what a wrong value costs, in right ones


class _Place(NamedTuple):
    """Where one known value stands on one page."""

    sheet: Sheet
    row: int
    leaf: int
    span: tuple[int, int]


def details(
    sheets: Sequence[Sheet], forms: Mapping[int, Sequence[str]], width: int
) -> tuple[TreePattern, set[int]] | None:
    """Return the pattern of pages with one record each, and the pages it explains; None if there is none.

    `forms` are those of the rows met.
    """
    sheets = [sheet for sheet in sheets if sheet.met]
    if len(sheets) < _FEWEST:
        return None
    fields: list[Field] = []
    for column in range(width):
        fields += _column(column, sheets, forms)
    columns = {column for field in fields for column in field.columns}
    if len(columns) < min(2, width):
        return None
    pattern = TreePattern("page", where_of({sheet.url for sheet in sheets}), fields, width)
    right: set[int] = set()
    explained: dict[int, str] = {}
    for sheet in sheets:
        for values, _ in pattern.take(sheet.leaves):
            rows = [row for row, _ in sheet.met if _same_row(values, forms[row])]
            if rows:
                right.add(rows[0])
                explained[sheet.page] = sheet.url
    if len(right) < _FEWEST:
        return None
    pattern.rows = right
    pattern.where = where_of(set(explained.values()))
    return pattern, set(explained)


def _same_row(values: Sequence[str], forms: Sequence[str]) -> bool:
    """Tell whether all that was taken out of a page is what is known."""
    said = [(_form(value), form) for value, form in zip(values, forms, strict=True) if value]
    return len(said) >= min(2, len(forms)) and all(_same(one, other) for one, other in said)


def _form(value: str) -> str:
    return loose(normal(value))


def _same(one: str, other: str) -> bool:
    return one == other or loose(turned(one)) == loose(turned(other))


def _column(column: int, sheets: Sequence[Sheet], forms: Mapping[int, Sequence[str]]) -> list[Field]:
    """Return the places of a column, the best first, each of use where those before fail."""
    tried = list(_candidates(column, sheets))[:_TRIED]
    given = [[_value(field, sheet.leaves) for sheet in sheets] for field in tried]
    wanted = [{forms[row][column] for row, columns in sheet.met if column in columns} for sheet in sheets]
    left = [at for at, known in enumerate(wanted) if known]
    chosen: list[Field] = []
    while left and len(chosen) < _HELPERS:
        best, best_worth, best_right = -1, 0.0, 0
        for at, values in enumerate(given):
            right = sum(_right(values[sheet], wanted[sheet]) for sheet in left)
            wrong = sum(bool(values[sheet]) and not _right(values[sheet], wanted[sheet]) for sheet in left)
            worth = right - _WORSE * wrong + 0.1 * tried[at].cut.whole - 0.01 * at / len(tried)
            if worth > best_worth:
                best, best_worth, best_right = at, worth, right
        if best < 0 or best_right < _FEWEST:
            break
        chosen.append(tried[best])
        left = [sheet for sheet in left if not given[best][sheet]]
    return chosen


def _value(field: Field, page: Leaves) -> str:
    leaf = field.chosen(field.leaves(page))
    values = field.cut.take(page.text[leaf]) if leaf is not None else None
    return _form(values[0]) if values else ""


def _right(value: str, wanted: set[str]) -> bool:
    return bool(value) and (value in wanted or any(_same(value, other) for other in wanted))


def _candidates(column: int, sheets: Sequence[Sheet]) -> Iterator[Field]:
    """Yield places at which values of a column stand on two or more pages, the most frequent first."""
    exact: dict[tuple[int, int], list[_Place]] = {}
    for sheet in sheets:
        page = sheet.leaves
        for row, columns in sheet.met:
            for spot in columns.get(column, ()):
                place = _Place(sheet, row, spot.leaf, (spot.start, spot.end))
                node = page.node[spot.leaf]
                exact.setdefault((0, page.path[node]), []).append(place)
                exact.setdefault((1, page.tags[node]), []).append(place)
    ranked = sorted(exact.items(), key=lambda item: (-len({place.row for place in item[1]}), item[0]))
    for _, places in ranked:
        if len({place.row for place in places}) < _FEWEST:
            return
        yield from _variants(column, places)


def _variants(column: int, places: list[_Place]) -> Iterator[Field]:
    """Yield a place as it can be told from its like: by its label, by counting from the start or the end."""
    steps = common_steps([place.sheet.leaves.steps(place.sheet.leaves.node[place.leaf]) for place in places])
    labels: dict[str, list[_Place]] = {}
    for place in places:
        labels.setdefault(label_of(place.sheet.leaves, place.leaf), []).append(place)
    for label, labelled in sorted(labels.items(), key=lambda item: -len(item[1])):
        if label and len({place.row for place in labelled}) >= _FEWEST:
            yield from _counted(column, steps, labelled, label)
    yield from _counted(column, steps, places, "")


def _counted(column: int, steps: tuple[str, ...], places: list[_Place], label: str) -> Iterator[Field]:
    """Yield the two most frequent counts, from the start and from the end."""
    finder = Field((column,), steps, Cut(), label=label)
    from_start: dict[int, list[_Place]] = {}
    from_end: dict[int, list[_Place]] = {}
    for place in places:
        found = finder.leaves(place.sheet.leaves)
        at = found.index(place.leaf)
        from_start.setdefault(at, []).append(place)
        from_end.setdefault(at - len(found), []).append(place)
    for ordinals in (from_start, from_end):
        for ordinal, counted in sorted(ordinals.items(), key=lambda item: -len(item[1]))[:2]:
            if len({place.row for place in counted}) < _FEWEST:
                break
            cut = learned([sample(place.sheet.leaves, place.leaf, (place.span,)) for place in counted])
            if cut is not None:
                yield Field((column,), steps, cut, label=label, ordinal=ordinal)
