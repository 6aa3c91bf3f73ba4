"""Patterns over the tree of a page: where the records of one template stand, and how rows are made of them.

A *list* pattern finds many records on a page. Each stands in an element of its own (`node`), on a line of its
own (`line`) or in a run of leaves that begins again with each record (`run`). A *page* pattern finds one
record on each page. A field that is missing leaves its cell empty and shifts no other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from clew.domain.records.fields import Field
from clew.domain.records.text_nodes import TextNodes
from clew.domain.records.values import tidy

_NONE: frozenset[int] = frozenset()
Kind: TypeAlias = Literal["page", "node", "line", "run"]

MOST_ROWS = 20_000
"""Rows that one pattern takes from one page."""


@dataclass(slots=True)
class TreePattern:
    """Fields of one template on pages whose address begins with `where`.

    `depth` is that of the elements that hold one record each, or all of them (`line`, `run`). A column may
    have several fields: the first one that says something counts.
    """

    kind: Kind
    where: str
    fields: list[Field]
    width: int
    depth: int = 0
    rows: set[int] = field(default_factory=set)

    def replaces(self, other: "TreePattern") -> bool:
        """Tell whether an older pattern of the same site says nothing that this one does not."""
        if (self.kind == "page") != (other.kind == "page"):
            return False
        if self.kind == "page":
            return self.where.startswith(other.where) or other.where.startswith(self.where)
        return other.where.startswith(self.where) and {each.key for each in other.fields} <= {
            each.key for each in self.fields
        }

    def take(self, page: TextNodes) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield rows, each with the number of its first leaf."""
        if self.kind == "page":
            found = self._one(page)
        elif self.kind == "run":
            found = self._runs(page)
        else:
            found = self._many(page)
        for count, (cells, leaf) in enumerate(found):
            if count >= MOST_ROWS:
                return
            yield tuple(cells.get(column, "") for column in range(self.width)), leaf

    def may_match(self, seen: int) -> bool:
        """Tell whether a page whose chains of tags were summed up in `seen` can hold such records."""
        return sum((seen >> mark(each.tags)) & 1 for each in self.fields) * 2 >= len(self.fields)

    def _one(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        cells: dict[int, str] = {}
        first = len(page)
        for each in self.fields:
            if any(column in cells for column in each.columns):
                continue
            chosen = each.chosen(each.leaves(page))
            if chosen is not None and _fill(cells, each, page.text[chosen]):
                first = min(first, chosen)
        if cells:
            yield cells, first

    def _many(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        records: dict[tuple[int, int], tuple[dict[int, str], int]] = {}
        broken: dict[tuple[int, int], set[int]] = {}
        lines = self.kind == "line"
        for each in self.fields:
            places: dict[tuple[int, int], list[int]] = {}
            for leaf in each.leaves(page):
                home = page.above(page.node[leaf], self.depth)
                places.setdefault((page.line[leaf] if lines else 0, home), []).append(leaf)
            for place, found in places.items():
                chosen = each.chosen(found)
                cells, first = records.setdefault(place, ({}, len(page)))
                if chosen is None or any(column in cells for column in each.columns):
                    continue
                values = each.cut.take(page.text[chosen])
                if values is None:  # written otherwise: a record of another kind
                    broken.setdefault(place, set()).update(each.columns)
                    continue
                said = _said(each, values)
                cells.update(said)
                if said:
                    records[place] = cells, min(first, chosen)
        whole = [
            record
            for place, record in records.items()
            if record[0] and broken.get(place, _NONE) <= record[0].keys()
        ]
        yield from sorted(whole, key=lambda record: record[1])

    def _runs(self, page: TextNodes) -> Iterator[tuple[dict[int, str], int]]:
        """Begin a record wherever a field comes that the last one has, or should have had before."""
        found = sorted((leaf, rank) for rank, each in enumerate(self.fields) for leaf in each.leaves(page))
        cells: dict[int, str] = {}
        home, last, first = -1, len(self.fields), 0
        for leaf, rank in found:
            here = page.above(page.node[leaf], self.depth)
            if here != home or rank <= last:
                if cells:
                    yield cells, first
                cells, home, first = {}, here, leaf
            last = rank
            _fill(cells, self.fields[rank], page.text[leaf])
        if cells:
            yield cells, first

    def words(self, names: Sequence[str]) -> str:
        """Say it so that a person can judge it."""
        how = {
            "page": "one a page",
            "node": "one an element",
            "line": "one a line",
            "run": "one after another",
        }
        return f"{how[self.kind]}; " + "; ".join(each.words(names) for each in self.fields)


def _fill(cells: dict[int, str], each: Field, text: str) -> bool:
    """Put the values of a leaf into their cells; say whether there were any."""
    values = each.cut.take(text)
    said = _said(each, values) if values is not None else {}
    cells.update(said)
    return bool(said)


def _said(each: Field, values: Sequence[str]) -> dict[int, str]:
    """Return the values that are not empty, by column."""
    return {column: value for column, raw in zip(each.columns, values, strict=True) if (value := tidy(raw))}


def mark(tags: int) -> int:
    """Return the bit by which a chain of tags is remembered of a page."""
    return tags % 251


def summed(page: TextNodes) -> int:
    """Sum up the chains of tags of a page in 251 bits: a pattern need not look where its chains are not."""
    seen = 0
    for tags in {page.tags[node] for node in set(page.node)}:
        seen |= 1 << mark(tags)
    return seen
