"""Learn list patterns: find where records repeat on pages with known rows.

After MDR (Liu, Grossman, Zhai 2003), but guided by the known rows: the largest element that holds exactly one
of a kind is a record. Where one element holds many, a record is a line, or a run of text nodes.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from clew.domain.records.evidence_pages import EvidencePage, common_url_prefix, make_sample
from clew.domain.records.fields import Field, common_steps, label_key, label_of
from clew.domain.records.known_values import ValueOccurrence
from clew.domain.records.text_nodes import CELLS, TextNodes
from clew.domain.records.tree_patterns import Kind, TreePattern
from clew.domain.records.value_patterns import Sample, learn_value_pattern
from clew.domain.records.values import common_prefix, lookup_form, same_row

_MAX_GAP = 40  # text nodes between two values of one record
_MAX_ROWS = 30  # known rows of one page that are used
_MAX_SIBLINGS = 500  # text nodes before and after that are compared with the current one
_MIN_COMPLETE_SHARE = 0.5  # the share of a list's rows that must be complete
_MIN_COMPLETE = 2  # complete rows that a list must have on a page
_MAX_TRIED = 2_000  # rows of one page on which a pattern is tried
_MIN_ROWS = 2
"""Number of known rows that a pattern must explain: the values of one may be neighbours by chance."""


class _RowOccurrence(NamedTuple):
    """One occurrence of a known row: the text nodes of its values and the element around them."""

    evidence: EvidencePage
    row: int
    parts: tuple[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]], ...]  # text node, columns, spans
    kind: Kind
    depth: int
    container: int


def learn_lists(
    evidence_pages: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]], width: int, key: int
) -> list[TreePattern]:
    """Return the patterns of lists on pages of one site, those that explain most rows first.

    `forms` are the lookup forms of the known rows, `key` is the column that names a row best.
    """
    groups: dict[tuple[Kind, int, tuple[tuple[int, ...], ...]], list[_RowOccurrence]] = {}
    for evidence in evidence_pages:
        for row, columns in evidence.matches[:_MAX_ROWS]:
            for values_near in _close_values(columns, evidence.text_nodes):
                found = _locate(evidence, row, values_near)
                if found is not None:
                    order = tuple(columns for _, columns, _ in found.parts)
                    groups.setdefault(
                        (found.kind, evidence.text_nodes.tags[found.container], order), []
                    ).append(found)
    ranked = sorted(groups.items(), key=lambda item: (-len({found.row for found in item[1]}), item[0]))
    patterns: list[TreePattern] = []
    for (kind, _, _), all_found in ranked:
        waiting = [all_found]
        while waiting:
            group = waiting.pop()
            if len({found.row for found in group}) < _MIN_ROWS:
                continue
            pattern = _pattern(kind, group, width)
            if pattern is None or not _is_valid(pattern, group, forms, key):
                waiting += _split(group)
            elif not any(other.replaces(pattern) for other in patterns):
                patterns.append(pattern)
    return patterns


def _split(group: list[_RowOccurrence]) -> list[list[_RowOccurrence]]:
    """Split occurrences by the next letter of their URLs, as DIPRE does; not at all if those are the same."""
    common = len(common_prefix(located.evidence.url for located in group)) + 1
    parts: dict[str, list[_RowOccurrence]] = {}
    for located in group:
        parts.setdefault(located.evidence.url[:common], []).append(located)
    return list(parts.values()) if len(parts) > 1 else []


def _close_values(
    columns: dict[int, list[ValueOccurrence]], page: TextNodes
) -> Iterator[dict[int, ValueOccurrence]]:
    """Yield values of one row that are close together, around every occurrence of its rarest value."""
    anchor = min(columns, key=lambda column: (len(columns[column]), column))
    for occurrence in columns[anchor]:
        values_near = {anchor: occurrence}
        for column, occurrences in columns.items():
            if column == anchor:
                continue
            best = min(occurrences, key=lambda other: _distance(page, occurrence, other))
            if abs(best.text_node - occurrence.text_node) <= _MAX_GAP and not _overlaps(
                best, values_near.values()
            ):
                values_near[column] = best
        if len(values_near) > 1 or len(columns) == 1:
            yield values_near


def _distance(page: TextNodes, one: ValueOccurrence, other: ValueOccurrence) -> tuple[int, int]:
    """Return the distance of two values in lines and in text nodes."""
    return abs(page.line[other.text_node] - page.line[one.text_node]), abs(other.text_node - one.text_node)


def _overlaps(occurrence: ValueOccurrence, others: Iterable[ValueOccurrence]) -> bool:
    return any(
        occurrence.text_node == other.text_node
        and occurrence.start < other.end
        and other.start < occurrence.end
        for other in others
    )


def _locate(
    evidence: EvidencePage, row: int, values_near: dict[int, ValueOccurrence]
) -> _RowOccurrence | None:
    """Find the element that holds this record and no other; None when nothing is repeated."""
    page = evidence.text_nodes
    by_text_node: dict[int, list[tuple[ValueOccurrence, int]]] = {}
    for column, occurrence in values_near.items():
        by_text_node.setdefault(occurrence.text_node, []).append((occurrence, column))
    parts = []
    for text_node in sorted(by_text_node):
        occurrences = sorted(by_text_node[text_node], key=lambda item: item[0].start)
        parts.append(
            (
                text_node,
                tuple(column for _, column in occurrences),
                tuple((s.start, s.end) for s, _ in occurrences),
            )
        )
    container = page.element[parts[0][0]]
    for text_node, _, _ in parts[1:]:
        container = page.common(container, page.element[text_node])
    first = parts[0][0]
    similar = page.at(page.tags[page.element[first]])
    at, cell = bisect_left(similar, first), page.cell(page.element[first])
    similar = [
        text_node
        for text_node in similar[max(0, at - _MAX_SIBLINGS) : at + _MAX_SIBLINGS]
        if page.cell(page.element[text_node]) == cell
    ]
    counts: dict[int, int] = {}
    for text_node in similar:  # how many text nodes like the first value's are within each element around it
        element = page.common(page.element[text_node], container)
        counts[element] = counts.get(element, 0) + 1
    if counts.get(container, 0) > 1:
        kind: Kind = "line" if len({page.line[text_node] for text_node, _, _ in parts}) == 1 else "run"
        return _RowOccurrence(evidence, row, tuple(parts), kind, page.depth[container], container)
    record, within = container, counts.get(container, 0)
    while record:
        above = page.parent[record]
        within += counts.get(above, 0)
        if within > 1:
            return (
                _RowOccurrence(evidence, row, tuple(parts), "node", page.depth[record], record)
                if above
                else None
            )
        record = above
    return None


def _pattern(kind: Kind, group: list[_RowOccurrence], width: int) -> TreePattern | None:
    """Make a pattern of similar occurrences."""
    positions: dict[
        tuple[tuple[int, ...], int], list[tuple[_RowOccurrence, int, tuple[tuple[int, int], ...]]]
    ] = {}
    for located in group:
        for text_node, columns, spans in located.parts:
            tags = located.evidence.text_nodes.tags[located.evidence.text_nodes.element[text_node]]
            positions.setdefault((columns, tags), []).append((located, text_node, spans))
    ranked = sorted(
        positions.items(), key=lambda item: (-len({located.row for located, _, _ in item[1]}), item[0])
    )
    fields: list[tuple[float, Field]] = []
    columns_found: dict[int, int] = {}
    for (columns, _), occurrences in ranked:
        rows = len({located.row for located, _, _ in occurrences})
        if rows < _MIN_ROWS or any(columns_found.get(column, 0) >= _MIN_ROWS for column in columns):
            continue
        field = _field(kind, columns, occurrences)
        if field is not None:
            mean = sum(
                text_node - min(part[0] for part in located.parts) for located, text_node, _ in occurrences
            ) / len(occurrences)
            fields.append((mean, field))
            for column in columns:
                columns_found[column] = columns_found.get(column, 0) + 1
    if len(columns_found) < min(2, width):
        return None
    if kind == "run":
        fields.sort(key=lambda item: item[0])
        first, *others = (field for _, field in fields)
        if first.tags not in {field.tags for field in others}:
            first.label = ""  # not needed, and of the first record on a page it is another text
    url_prefix = common_url_prefix({located.evidence.url for located in group})
    rows_seen = {located.row for located in group}
    return TreePattern(kind, url_prefix, [field for _, field in fields], width, group[0].depth, rows_seen)


def _is_valid(
    pattern: TreePattern, group: list[_RowOccurrence], forms: Mapping[int, Sequence[str]], key: int
) -> bool:
    """Test a pattern on its own pages: a list has many complete rows, and reproduces the known ones."""
    evidence_pages = {located.evidence.page: located.evidence for located in group}
    columns = {column for each in pattern.fields for column in each.columns}
    rows = complete = wrong = 0
    confirmed: set[int] = set()
    extracted = {
        page: [row for row, _ in islice(pattern.extract(evidence_pages[page].text_nodes), _MAX_TRIED)]
        for page in evidence_pages
    }
    distinct = [
        len({values[column] for found in extracted.values() for values in found})
        for column in range(pattern.width)
    ]
    key_column = max(range(pattern.width), key=lambda column: (distinct[column], column == key))
    for evidence in evidence_pages.values():
        rows_by_name = {forms[row][key_column]: row for row, _ in evidence.matches}
        for values in extracted[evidence.page]:
            rows += 1
            complete += all(values[column] for column in columns)
            row = rows_by_name.get(lookup_form(values[key_column]))
            if row is None:
                continue
            if same_row(values, forms[row]):
                confirmed.add(row)
            else:
                wrong += 1
    pattern.rows = confirmed
    return len(confirmed) >= max(_MIN_ROWS, wrong) and complete >= max(
        rows * _MIN_COMPLETE_SHARE, len(evidence_pages) * _MIN_COMPLETE
    )


def _field(
    kind: Kind, columns: tuple[int, ...], found: list[tuple[_RowOccurrence, int, tuple[tuple[int, int], ...]]]
) -> Field | None:
    """Make a field of similar occurrences; None when their values are formatted too differently."""
    samples: list[Sample] = []
    steps, places = [], []
    for located, text_node, spans in found:
        page = located.evidence.text_nodes
        samples.append(make_sample(page, text_node, spans))
        element = page.element[text_node]
        steps.append(page.steps(element))
        below = page.depth[element] - located.depth
        places.append(_cell_indices(page, element, below) if kind == "node" else ())
    value_pattern = learn_value_pattern(samples)
    if value_pattern is None:
        return None
    same = tuple(of[0] if len(set(of)) == 1 else 0 for of in zip(*places, strict=True)) if places[0] else ()
    field = Field(columns, common_steps(steps), value_pattern, places=same)
    if kind == "run":  # nothing else tells its text nodes from others with the same tags
        labels = {
            label_key(label_of(located.evidence.text_nodes, text_node)) for located, text_node, _ in found
        }
        field.label = labels.pop() if len(labels) == 1 else ""
    ordinals = {_ordinal(field, located, text_node) for located, text_node, _ in found}
    field.ordinal = ordinals.pop() if len(ordinals) == 1 else 0
    return field


def _cell_indices(page: TextNodes, element: int, below: int) -> tuple[int, ...]:
    """Return the positions of the last steps among their siblings, for table cells; 0 for other elements."""
    indices = []
    for _ in range(below):
        indices.append(page.nth[element] if page.tag[element] in CELLS else 0)
        element = page.parent[element]
    return tuple(reversed(indices))


def _ordinal(field: Field, located: _RowOccurrence, text_node: int) -> int:
    """Return the index of a text node among those that the field matches within the same record."""
    if located.kind == "run":
        return 0
    page = located.evidence.text_nodes
    container = page.above(page.element[text_node], located.depth)
    similar = field.marked(page, field.matching_nodes(page))
    before = bisect_left(similar, text_node)
    return sum(
        page.above(page.element[other], located.depth) == container
        and (located.kind == "node" or page.line[other] == page.line[text_node])
        for other in similar[max(0, before - _MAX_SIBLINGS) : before]
    )
