"""Learn patterns of detail pages, which hold one record each, by aligning pages of the same site.

For every column, the positions of known values are compared across pages; a position is scored by the values
it yields on pages whose values are known. A position that fails on some pages is complemented by the next
best.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from clew.domain.records.evidence_pages import EvidencePage, common_url_prefix, make_sample
from clew.domain.records.fields import Field, common_steps, label_of
from clew.domain.records.known_values import ValueOccurrence
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.tree_patterns import TreePattern
from clew.domain.records.value_patterns import ValuePattern, learn_value_pattern
from clew.domain.records.values import lookup_form, same_form, same_row

_HEADINGS = frozenset({"h1", "h2", "h3", "strong", "b"})
_NAMING = _HEADINGS | {"title"}
_MIN_ROWS = 2  # pages with different rows that a position must explain
_MAX_TRIED = 60  # positions that are tried for one column
_MAX_FIELDS = 3  # fields of one column
_ERROR_COST = 1.5  # cost of a wrong value, in right ones


_Match: TypeAlias = tuple[int, dict[int, list[ValueOccurrence]]]


class _Position(NamedTuple):
    """Where one known value occurs on one page."""

    evidence: EvidencePage
    row: int
    text_node: int
    span: tuple[int, int]


def learn_details(
    evidence_pages: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]], width: int, key: int
) -> tuple[TreePattern, set[int]] | None:
    """Return the pattern of pages with one record each, and the pages it explains; None if there is none.

    `forms` are the lookup forms of the known rows, `key` is the column that names a row best.
    """
    naming = _naming_column(evidence_pages, width, key)
    evidence_pages = [
        page for evidence in evidence_pages if (page := _main_row(evidence, forms, naming)) is not None
    ]
    if len(evidence_pages) < _MIN_ROWS:
        return None
    fields: list[Field] = []
    for column in range(width):
        fields += _column_fields(column, evidence_pages, forms)
    columns = {column for field in fields for column in field.columns}
    if len(columns) < min(2, width):
        return None
    pattern = TreePattern(
        "page", common_url_prefix({evidence.url for evidence in evidence_pages}), fields, width
    )
    right: set[int] = set()
    explained: dict[int, str] = {}
    for evidence in evidence_pages:
        for values, _ in pattern.extract(evidence.text_nodes):
            rows = [row for row, _ in evidence.matches if same_row(values, forms[row])]
            if rows:
                right.add(rows[0])
                explained[evidence.page] = evidence.url
    if len(right) < _MIN_ROWS:
        return None
    pattern.rows = right
    pattern.url_prefix = common_url_prefix(set(explained.values()))
    return pattern, set(explained)


def _naming_column(evidence_pages: Sequence[EvidencePage], width: int, key: int) -> int:
    """Return the column whose values are in the titles and headings of most pages; `key` among equals."""
    counts = [
        sum(any(_is_named(page, match, column) for match in page.matches) for page in evidence_pages)
        for column in range(width)
    ]
    return max(range(width), key=lambda column: (counts[column], column == key))


def _is_named(evidence: EvidencePage, match: _Match, column: int) -> bool:
    """Return whether the title or a heading of a page has the value of a row in a column."""
    page = evidence.text_nodes
    return any(page.tag[page.element[each.text_node]] in _NAMING for each in match[1].get(column, ()))


def _main_row(evidence: EvidencePage, forms: Mapping[int, Sequence[str]], key: int) -> EvidencePage | None:
    """Reduce an evidence page to the one row it is about: named in its title, in headings, most often.

    None where no row is named there: the page is about something else and lists the rows beside it.
    """
    page = evidence.text_nodes
    titled = [match for match in evidence.matches if _is_named(evidence, match, key)]
    if not titled:
        return None

    def score(match: _Match) -> tuple[float, int]:
        row, columns = match
        tags = [page.tag[page.element[occurrence.text_node]] for occurrence in columns.get(key, ())]
        titled = 4.0 * ("title" in tags) + 2.0 * any(tag in _HEADINGS for tag in tags)
        return titled + len(columns) + 0.1 * sum(map(len, columns.values())) + 0.02 * len(
            forms[row][key]
        ), -row

    return EvidencePage(evidence.page, evidence.url, page, [max(titled, key=score)])


def _column_fields(
    column: int, evidence_pages: Sequence[EvidencePage], forms: Mapping[int, Sequence[str]]
) -> list[Field]:
    """Return the fields of a column, the best first, each useful where the ones before fail."""
    candidates = list(_candidates(column, evidence_pages))[:_MAX_TRIED]
    values_by_candidate = [
        [_value(field, page_index.text_nodes) for page_index in evidence_pages] for field in candidates
    ]
    expected = [
        {forms[row][column] for row, columns in page_index.matches if column in columns}
        for page_index in evidence_pages
    ]
    remaining = [index for index, forms_known in enumerate(expected) if forms_known]
    chosen: list[Field] = []
    while remaining and len(chosen) < _MAX_FIELDS:
        best, best_worth, best_count = -1, 0.0, 0
        for index, values in enumerate(values_by_candidate):
            hits = sum(_is_right(values[page_index], expected[page_index]) for page_index in remaining)
            errors = sum(
                bool(values[page_index]) and not _is_right(values[page_index], expected[page_index])
                for page_index in remaining
            )
            worth = hits - _ERROR_COST * errors - _complexity(candidates[index])
            if worth > best_worth:
                best, best_worth, best_count = index, worth, hits
        if best < 0 or best_count < _MIN_ROWS:
            break
        chosen.append(candidates[best])
        remaining = [page_index for page_index in remaining if not values_by_candidate[best][page_index]]
    return chosen


def _complexity(field: Field) -> float:
    """Return a complexity penalty: of two positions with the same values the simpler one is chosen."""
    by_ordinal = 0.15 if field.ordinal not in {0, -1} else 0.02 if field.ordinal else 0.0
    by_label = 0.0 if not field.label else 0.04 if field.label.endswith(":") else 0.12
    by_colon = 0.2 * any(stop.startswith(":") for stop in field.value_pattern.stops)  # cuts subtitles off
    return by_ordinal + by_label + by_colon + (0.0 if field.value_pattern.whole else 0.1)


def _value(field: Field, page: TextNodes) -> str:
    text_node = field.select(field.matching_nodes(page))
    values = field.value_pattern.extract(page.text[text_node]) if text_node is not None else None
    return lookup_form(values[0]) if values else ""


def _is_right(value: str, expected: set[str]) -> bool:
    return bool(value) and (value in expected or any(same_form(value, other) for other in expected))


def _candidates(column: int, evidence_pages: Sequence[EvidencePage]) -> Iterator[Field]:
    """Yield positions of values of a column on two or more pages, the most frequent first."""
    by_path: dict[tuple[int, int], list[_Position]] = {}
    for evidence in evidence_pages:
        page = evidence.text_nodes
        for row, columns in evidence.matches:
            for occurrence in columns.get(column, ()):
                position = _Position(evidence, row, occurrence.text_node, (occurrence.start, occurrence.end))
                element = page.element[occurrence.text_node]
                by_path.setdefault((0, page.path[element]), []).append(position)
                by_path.setdefault((1, page.tags[element]), []).append(position)
    ranked = sorted(by_path.items(), key=lambda item: (-len({position.row for position in item[1]}), item[0]))
    for _, positions in ranked:
        if len({position.row for position in positions}) < _MIN_ROWS:
            return
        yield from _variants(column, positions)


def _variants(column: int, positions: list[_Position]) -> Iterator[Field]:
    """Yield the ways to identify a position: by its label, by counting from the start or from the end."""
    steps = common_steps(
        [
            position.evidence.text_nodes.steps(position.evidence.text_nodes.element[position.text_node])
            for position in positions
        ]
    )
    labels: dict[str, list[_Position]] = {}
    for position in positions:
        labels.setdefault(label_of(position.evidence.text_nodes, position.text_node), []).append(position)
    for label, labelled in sorted(labels.items(), key=lambda item: -len(item[1])):
        if label and len({position.row for position in labelled}) >= _MIN_ROWS:
            yield from _by_ordinal(column, steps, labelled, label)
    yield from _by_ordinal(column, steps, positions, "")


def _by_ordinal(
    column: int, steps: tuple[str, ...], positions: list[_Position], label: str
) -> Iterator[Field]:
    """Yield fields with the two most frequent ordinals, counted from the start and from the end."""
    probe = Field((column,), steps, ValuePattern(), label=label)
    from_start: dict[int, list[_Position]] = {}
    from_end: dict[int, list[_Position]] = {}
    for position in positions:
        found = probe.matching_nodes(position.evidence.text_nodes)
        at = found.index(position.text_node)
        from_start.setdefault(at, []).append(position)
        from_end.setdefault(at - len(found), []).append(position)
    for ordinals in (from_start, from_end):
        for ordinal, group in sorted(ordinals.items(), key=lambda item: -len(item[1]))[:2]:
            if len({position.row for position in group}) < _MIN_ROWS:
                break
            value_pattern = learn_value_pattern(
                [
                    make_sample(position.evidence.text_nodes, position.text_node, (position.span,))
                    for position in group
                ]
            )
            if value_pattern is not None:
                yield Field((column,), steps, value_pattern, label=label, ordinal=ordinal)
