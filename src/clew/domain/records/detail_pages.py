"""Details: pages that hold one record each, aligned with other pages of the same site.

For every column, places where known values stand are compared across pages; a place is worth what it gives on
the pages whose values are known. A place that fails on some pages is helped out by the next best.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.domain.records.evidence_pages import EvidencePage, sample, where_of
from clew.domain.records.fields import Field, common_steps, label_of
from clew.domain.records.known_values import ValueOccurrence
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_patterns import ValuePattern, learned
from clew.domain.records.values import form_of, same_form, same_row

_HEADINGS = frozenset({"h1", "h2", "h3", "strong", "b"})
_FEWEST = 2  # pages with different rows that a place must explain
_TRIED = 60  # places that are tried for one column
_HELPERS = 3  # fields of one column
_WORSE = 1.5  # what a wrong value costs, in right ones


class _Place(NamedTuple):
    """Where one known value stands on one page."""

    sheet: EvidencePage
    row: int
    leaf: int
    span: tuple[int, int]


def details(
    sheets: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]], width: int, key: int
) -> tuple[TreePattern, set[int]] | None:
    """Return the pattern of pages with one record each, and the pages it explains; None if there is none.

    `forms` are those of the rows met, `key` is the column that names a row best.
    """
    sheets = [_own(sheet, forms, key) for sheet in sheets if sheet.met]
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
            rows = [row for row, _ in sheet.met if same_row(values, forms[row])]
            if rows:
                right.add(rows[0])
                explained[sheet.page] = sheet.url
    if len(right) < _FEWEST:
        return None
    pattern.rows = right
    pattern.where = where_of(set(explained.values()))
    return pattern, set(explained)


def _own(sheet: EvidencePage, forms: Mapping[int, Sequence[str]], key: int) -> EvidencePage:
    """Return a sheet with the one row its page is about: named in its title, in headings, most often."""
    page = sheet.leaves

    def worth(met: tuple[int, dict[int, list[ValueOccurrence]]]) -> tuple[float, int]:
        row, columns = met
        tags = [page.tag[page.node[spot.leaf]] for spot in columns.get(key, ())]
        titled = 4.0 * ("title" in tags) + 2.0 * any(tag in _HEADINGS for tag in tags)
        return titled + len(columns) + 0.1 * sum(map(len, columns.values())) + 0.02 * len(
            forms[row][key]
        ), -row

    return EvidencePage(sheet.page, sheet.url, page, [max(sheet.met, key=worth)])


def _column(column: int, sheets: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]]) -> list[Field]:
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
            worth = right - _WORSE * wrong - _strain(tried[at])
            if worth > best_worth:
                best, best_worth, best_right = at, worth, right
        if best < 0 or best_right < _FEWEST:
            break
        chosen.append(tried[best])
        left = [sheet for sheet in left if not given[best][sheet]]
    return chosen


def _strain(field: Field) -> float:
    """Return how far-fetched a place is: of two that give the same the plainer one is taken."""
    counted = 0.15 if field.ordinal not in {0, -1} else 0.02 if field.ordinal else 0.0
    said = 0.0 if not field.label else 0.04 if field.label.endswith(":") else 0.12
    return counted + said + (0.0 if field.cut.whole else 0.1)


def _value(field: Field, page: TextNodes) -> str:
    leaf = field.chosen(field.leaves(page))
    values = field.cut.take(page.text[leaf]) if leaf is not None else None
    return form_of(values[0]) if values else ""


def _right(value: str, wanted: set[str]) -> bool:
    return bool(value) and (value in wanted or any(same_form(value, other) for other in wanted))


def _candidates(column: int, sheets: Sequence[EvidencePage]) -> Iterator[Field]:
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
    finder = Field((column,), steps, ValuePattern(), label=label)
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
