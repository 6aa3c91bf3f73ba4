"""Patterns over the element tree of a page: where the records of one template are, and how to extract them.

A *list* pattern finds many records on a page. Each is in an element of its own (`node`), on a line of its own
(`line`) or in a run of text nodes that restarts with each record (`run`). A *page* pattern finds one record
on each page. A missing field leaves its cell empty and shifts no other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from clew.domain.records.fields import Field
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.values import clean_value

_NONE: frozenset[int] = frozenset()
Kind: TypeAlias = Literal["page", "node", "line", "run"]

MAX_ROWS = 20_000
"""Maximum number of rows that one pattern extracts from one page."""


@dataclass(slots=True)
class TreePattern:
    """Fields of one template on pages whose URL starts with `url_prefix`.

    `depth` is that of the elements that hold one record each, or all of them (`line`, `run`). A column may
    have several fields: the first one with a value counts.
    """

    kind: Kind
    url_prefix: str
    fields: list[Field]
    width: int
    depth: int = 0
    rows: set[int] = field(default_factory=set)

    def replaces(self, other: "TreePattern") -> bool:
        """Return whether this pattern makes an older one of the same site redundant."""
        if (self.kind == "page") != (other.kind == "page"):
            return False
        if self.kind == "page":
            return self.url_prefix.startswith(other.url_prefix) or other.url_prefix.startswith(
                self.url_prefix
            )
        return other.url_prefix.startswith(self.url_prefix) and {each.key for each in other.fields} <= {
            each.key for each in self.fields
        }

    def extract(self, page: TextNodes) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield rows, each with the number of its first text node."""
        if self.kind == "page":
            found = self._single_record(page)
        elif self.kind == "run":
            found = self._run_records(page)
        else:
            found = self._list_records(page)
        for count, (cells, text_node) in enumerate(found):
            if count >= MAX_ROWS:
                return
            yield tuple(cells.get(column, "") for column in range(self.width)), text_node

    def may_match(self, tags: int) -> bool:
        """Return whether a page with this summary of tag paths can hold such records."""
        return sum((tags >> tag_bit(each.tags)) & 1 for each in self.fields) * 2 >= len(self.fields)

    def _single_record(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        cells: dict[int, str] = {}
        first = len(page)
        for each in self.fields:
            if any(column in cells for column in each.columns):
                continue
            selected = each.select(each.matching_nodes(page))
            if selected is not None and _fill(cells, each, page.text[selected]):
                first = min(first, selected)
        if cells:
            yield cells, first

    def _list_records(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        records: dict[tuple[int, int], tuple[dict[int, str], int]] = {}
        mismatched: dict[tuple[int, int], set[int]] = {}
        lines = self.kind == "line"
        for each in self.fields:
            groups: dict[tuple[int, int], list[int]] = {}
            for text_node in each.marked(page, each.matching_nodes(page)):
                container = page.above(page.element[text_node], self.depth)
                groups.setdefault((page.line[text_node] if lines else 0, container), []).append(text_node)
            for group, found in groups.items():
                selected = each.select(found)
                cells, first = records.setdefault(group, ({}, len(page)))
                if selected is None or any(column in cells for column in each.columns):
                    continue
                values = each.value_pattern.extract(page.text[selected])
                if values is None:  # formatted differently: a record of another kind
                    mismatched.setdefault(group, set()).update(each.columns)
                    continue
                values_found = _nonempty_values(each, values)
                cells.update(values_found)
                if values_found:
                    records[group] = cells, min(first, selected)
        complete = [
            record
            for group, record in records.items()
            if record[0] and mismatched.get(group, _NONE) <= record[0].keys()
        ]
        yield from sorted(complete, key=lambda record: record[1])

    def _run_records(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        """Start a record at each field that the last one already has, or should have had before."""
        found = sorted(
            (text_node, rank)
            for rank, each in enumerate(self.fields)
            for text_node in each.marked(page, each.matching_nodes(page))
        )
        cells: dict[int, str] = {}
        container, last, first = -1, len(self.fields), 0
        for text_node, rank in found:
            here = page.above(page.element[text_node], self.depth)
            if here != container or rank <= last:
                if cells:
                    yield cells, first
                cells, container, first = {}, here, text_node
            last = rank
            _fill(cells, self.fields[rank], page.text[text_node])
        if cells:
            yield cells, first

    def describe(self, names: Sequence[str]) -> str:
        """Describe the pattern for the user."""
        how = {
            "page": "one a page",
            "node": "one an element",
            "line": "one a line",
            "run": "one after another",
        }
        return f"{how[self.kind]}; " + "; ".join(each.describe(names) for each in self.fields)


def _fill(cells: dict[int, str], each: Field, text: str) -> bool:
    """Put the values of a text node into their cells; return whether there were any."""
    values = each.value_pattern.extract(text)
    values_found = _nonempty_values(each, values) if values is not None else {}
    cells.update(values_found)
    return bool(values_found)


def _nonempty_values(each: Field, values: Sequence[str]) -> dict[int, str]:
    """Return the values that are not empty, by column."""
    return {
        column: value for column, raw in zip(each.columns, values, strict=True) if (value := clean_value(raw))
    }


def tag_bit(tags: int) -> int:
    """Return the bit of a tag path in the summary of a page."""
    return tags % 251


def tag_summary(page: TextNodes) -> int:
    """Summarise the tag paths of a page in 251 bits: a pattern is not tried where its paths are missing."""
    summary = 0
    for tags in {page.tags[element] for element in set(page.element)}:
        summary |= 1 << tag_bit(tags)
    return summary
