"""Lists: find where records repeat on pages that hold known rows, and make patterns of it.

After MDR (Liu, Grossman, Zhai 2003), but led by the known rows: the element that holds one of them and none
of its like is a record. Where one element holds many, a record is a line, or a run of leaves.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from clew.domain.records.evidence_pages import EvidencePage, sample, where_of
from clew.domain.records.fields import Field, common_steps
from clew.domain.records.known_values import ValueOccurrence
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.tree_patterns import Kind, TreePattern
from clew.domain.records.value_patterns import Sample, learned
from clew.domain.records.values import beginning, form_of, same_row

_FAR = 40  # leaves between two values of one record
_ROWS = 30  # known rows of one page that are looked at
_LIKE = 500  # leaves before and behind that are compared with the one at hand
_CELLS = frozenset({"td", "th"})
_WHOLE = 0.5  # the share of a list's rows that must have all fields
_MANY = 2  # whole rows that a list has on a page, at least
_TRIED = 2_000  # rows of one page that are looked at when a pattern is tried
_FEWEST = 2
"""Known rows that a pattern must explain: one alone may stand together by chance."""


class _Seen(NamedTuple):
    """One known row in one place: the leaves of its values and the element around them."""

    sheet: EvidencePage
    row: int
    parts: tuple[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]], ...]  # leaf, columns, spans
    kind: Kind
    depth: int
    home: int


def lists(
    sheets: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]], width: int, key: int
) -> list[TreePattern]:
    """Return the patterns of lists on pages of one site, those that explain most rows first.

    `forms` are those of the rows met, `key` is the column that names a row best.
    """
    groups: dict[tuple[Kind, int, tuple[tuple[int, ...], ...]], list[_Seen]] = {}
    for sheet in sheets:
        for row, columns in sheet.met[:_ROWS]:
            for together in _near(columns, sheet.leaves):
                seen = _seen(sheet, row, together)
                if seen is not None:
                    order = tuple(columns for _, columns, _ in seen.parts)
                    groups.setdefault((seen.kind, sheet.leaves.tags[seen.home], order), []).append(seen)
    ranked = sorted(groups.items(), key=lambda item: (-len({seen.row for seen in item[1]}), item[0]))
    made: list[TreePattern] = []
    for (kind, _, _), whole in ranked:
        waiting = [whole]
        while waiting:
            group = waiting.pop()
            if len({seen.row for seen in group}) < _FEWEST:
                continue
            pattern = _pattern(kind, group, width)
            if pattern is None or not _holds(pattern, group, forms, key):
                waiting += _split(group)
            elif not any(other.replaces(pattern) for other in made):
                made.append(pattern)
    return made


def _split(group: list[_Seen]) -> list[list[_Seen]]:
    """Split places by the next letter of their addresses, as DIPRE does; not at all if those are the same."""
    common = len(beginning(seen.sheet.url for seen in group)) + 1
    parts: dict[str, list[_Seen]] = {}
    for seen in group:
        parts.setdefault(seen.sheet.url[:common], []).append(seen)
    return list(parts.values()) if len(parts) > 1 else []


def _near(columns: dict[int, list[ValueOccurrence]], page: TextNodes) -> Iterator[dict[int, ValueOccurrence]]:
    """Yield values of one row that stand near each other, around every place of its rarest value."""
    anchor = min(columns, key=lambda column: (len(columns[column]), column))
    for spot in columns[anchor]:
        together = {anchor: spot}
        for column, spots in columns.items():
            if column == anchor:
                continue
            best = min(spots, key=lambda other: _apart(page, spot, other))
            if abs(best.leaf - spot.leaf) <= _FAR and not _overlap(best, together.values()):
                together[column] = best
        if len(together) > 1 or len(columns) == 1:
            yield together


def _apart(page: TextNodes, one: ValueOccurrence, other: ValueOccurrence) -> tuple[int, int]:
    """Return how many lines and leaves lie between two values."""
    return abs(page.line[other.leaf] - page.line[one.leaf]), abs(other.leaf - one.leaf)


def _overlap(spot: ValueOccurrence, others: Iterable[ValueOccurrence]) -> bool:
    return any(
        spot.leaf == other.leaf and spot.start < other.end and other.start < spot.end for other in others
    )


def _seen(sheet: EvidencePage, row: int, together: dict[int, ValueOccurrence]) -> _Seen | None:
    """Find the element that holds this record and none of its like; None when nothing is repeated."""
    page = sheet.leaves
    by_leaf: dict[int, list[tuple[ValueOccurrence, int]]] = {}
    for column, spot in together.items():
        by_leaf.setdefault(spot.leaf, []).append((spot, column))
    parts = []
    for leaf in sorted(by_leaf):
        spots = sorted(by_leaf[leaf], key=lambda item: item[0].start)
        parts.append((leaf, tuple(column for _, column in spots), tuple((s.start, s.end) for s, _ in spots)))
    home = page.node[parts[0][0]]
    for leaf, _, _ in parts[1:]:
        home = page.common(home, page.node[leaf])
    first = parts[0][0]
    like = page.at(page.tags[page.node[first]])
    at, cell = bisect_left(like, first), _cell(page, first)
    like = [leaf for leaf in like[max(0, at - _LIKE) : at + _LIKE] if _cell(page, leaf) == cell]
    counts: dict[int, int] = {}
    for leaf in like:  # how many of the first value's like stand within each element around it
        node = page.common(page.node[leaf], home)
        counts[node] = counts.get(node, 0) + 1
    if counts.get(home, 0) > 1:
        kind: Kind = "line" if len({page.line[leaf] for leaf, _, _ in parts}) == 1 else "run"
        return _Seen(sheet, row, tuple(parts), kind, page.depth[home], home)
    record, within = home, counts.get(home, 0)
    while record:
        above = page.parent[record]
        within += counts.get(above, 0)
        if within > 1:
            return _Seen(sheet, row, tuple(parts), "node", page.depth[record], record) if above else None
        record = above
    return None


def _pattern(kind: Kind, group: list[_Seen], width: int) -> TreePattern | None:
    """Make a pattern of places that are alike."""
    places: dict[tuple[tuple[int, ...], int], list[tuple[_Seen, int, tuple[tuple[int, int], ...]]]] = {}
    for seen in group:
        for leaf, columns, spans in seen.parts:
            tags = seen.sheet.leaves.tags[seen.sheet.leaves.node[leaf]]
            places.setdefault((columns, tags), []).append((seen, leaf, spans))
    ranked = sorted(places.items(), key=lambda item: (-len({seen.row for seen, _, _ in item[1]}), item[0]))
    fields: list[tuple[float, Field]] = []
    have: dict[int, int] = {}
    for (columns, _), found in ranked:
        rows = len({seen.row for seen, _, _ in found})
        if rows < _FEWEST or any(have.get(column, 0) >= _FEWEST for column in columns):
            continue
        made = _field(kind, columns, found)
        if made is not None:
            mean = sum(leaf - min(part[0] for part in seen.parts) for seen, leaf, _ in found) / len(found)
            fields.append((mean, made))
            for column in columns:
                have[column] = have.get(column, 0) + 1
    if len(have) < min(2, width):
        return None
    if kind == "run":
        fields.sort(key=lambda item: item[0])
    where = where_of({seen.sheet.url for seen in group})
    rows_seen = {seen.row for seen in group}
    return TreePattern(kind, where, [made for _, made in fields], width, group[0].depth, rows_seen)


def _holds(pattern: TreePattern, group: list[_Seen], forms: Mapping[int, Sequence[str]], key: int) -> bool:
    """Try a pattern on the pages it was made from: a list has many whole rows, and gives back those known."""
    sheets = {seen.sheet.page: seen.sheet for seen in group}
    columns = {column for each in pattern.fields for column in each.columns}
    rows = whole = wrong = 0
    right: set[int] = set()
    taken = {page: [row for row, _ in islice(pattern.take(sheets[page].leaves), _TRIED)] for page in sheets}
    different = [
        len({values[column] for found in taken.values() for values in found})
        for column in range(pattern.width)
    ]
    named_by = max(range(pattern.width), key=lambda column: (different[column], column == key))
    for sheet in sheets.values():
        named = {forms[row][named_by]: row for row, _ in sheet.met}
        for values in taken[sheet.page]:
            rows += 1
            whole += all(values[column] for column in columns)
            row = named.get(form_of(values[named_by]))
            if row is None:
                continue
            if same_row(values, forms[row]):
                right.add(row)
            else:
                wrong += 1
    pattern.rows = right
    return len(right) >= max(_FEWEST, wrong) and whole >= max(rows * _WHOLE, len(sheets) * _MANY)


def _field(
    kind: Kind, columns: tuple[int, ...], found: list[tuple[_Seen, int, tuple[tuple[int, int], ...]]]
) -> Field | None:
    """Make a field of places that are alike; None when their values are written too differently."""
    samples: list[Sample] = []
    steps, places, ordinals = [], [], set()
    for seen, leaf, spans in found:
        page = seen.sheet.leaves
        samples.append(sample(page, leaf, spans))
        node = page.node[leaf]
        steps.append(page.steps(node))
        below = page.depth[node] - seen.depth
        places.append(_cells(page, node, below) if kind == "node" else ())
        ordinals.add(_ordinal(seen, leaf))
    cut = learned(samples)
    if cut is None:
        return None
    same = tuple(of[0] if len(set(of)) == 1 else 0 for of in zip(*places, strict=True)) if places[0] else ()
    ordinal = ordinals.pop() if len(ordinals) == 1 else 0
    return Field(columns, common_steps(steps), cut, places=same, ordinal=ordinal)


def _cell(page: TextNodes, leaf: int) -> int:
    """Return the place of the cell a leaf stands in among those of its row; 0 outside of tables."""
    node = page.node[leaf]
    while node and page.tag[node] not in _CELLS:
        node = page.parent[node]
    return page.nth[node]


def _cells(page: TextNodes, node: int, below: int) -> tuple[int, ...]:
    """Return the places of the last steps among their siblings, for cells of tables; 0 for other elements."""
    made = []
    for _ in range(below):
        made.append(page.nth[node] if page.tag[node] in _CELLS else 0)
        node = page.parent[node]
    return tuple(reversed(made))


def _ordinal(seen: _Seen, leaf: int) -> int:
    """Return which one a leaf is among those on the same path within its record."""
    page = seen.sheet.leaves
    node = page.node[leaf]
    path, home, cell, count = page.path[node], page.above(node, seen.depth), _cell(page, leaf), 0
    if seen.kind == "run":
        return 0
    like = page.at(page.tags[node])
    before = bisect_left(like, leaf)
    for other in like[max(0, before - _LIKE) : before]:
        at = page.node[other]
        if page.path[at] == path and _cell(page, other) == cell and page.above(at, seen.depth) == home:
            count += seen.kind == "node" or page.line[other] == page.line[leaf]
    return count
