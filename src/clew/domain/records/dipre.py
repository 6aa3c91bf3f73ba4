"""Plain DIPRE: patterns are the characters around the values of known rows, as Brin described it in 1998.

An *occurrence* is a known row in a page's markup: the order of its values, what stands before, between and
after them, and the page's address. Occurrences with the same order and the same separators form a group; what
their addresses, beginnings and ends have in common is a pattern, unless it is too general: then the group is
split by the next letter of the addresses, and each part tried again.

S. Brin: Extracting Patterns and Relations from the World Wide Web. WebDB 1998.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from clew.domain.records.page_view import PageView
from clew.domain.records.text_nodes import unescaped
from clew.domain.records.values import LONGEST, beginning, tidy

CONTEXT = 40
"""Characters before and after the values that are looked at."""

APART = 200
"""Characters between two values of one occurrence, at most."""

SPECIFIC = 6_000.0
"""What a pattern's specificity times its occurrences must exceed: the lengths of all its parts multiplied."""

MOST = 300
"""Occurrences of one group that are remembered."""

_GROUPS = 20_000
_SPOTS = 6
_ROWS = 20_000


class Occurrence(NamedTuple):
    """A known row in a page's markup."""

    row: int
    url: str
    before: str
    after: str


@dataclass(slots=True)
class TextPattern:
    """What stands around the values of rows on pages whose address begins with `where`."""

    where: str
    order: tuple[int, ...]
    before: str
    between: tuple[str, ...]
    after: str
    width: int
    rows: set[int] = field(default_factory=set)

    def replaces(self, other: "TextPattern") -> bool:
        """Tell whether an older pattern finds nothing that this one does not."""
        return (
            self.order == other.order
            and self.between == other.between
            and other.where.startswith(self.where)
            and other.before.endswith(self.before)
            and other.after.startswith(self.after)
        )

    def may_match(self, seen: int) -> bool:  # noqa: ARG002 - characters are not summed up
        """Tell whether a page can hold such rows: nothing but its address speaks against it."""
        return True

    def take(self, view: PageView) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield rows, each with its place in the markup; one scan from start to end."""
        markup, at, count = view.markup, 0, 0
        while count < _ROWS and (at := markup.find(self.before, at)) >= 0:
            at += len(self.before)
            values, end = self._values(markup, at)
            if values is not None:
                cells = dict(zip(self.order, values, strict=True))
                yield tuple(cells.get(column, "") for column in range(self.width)), at
                at, count = end, count + 1

    def _values(self, markup: str, at: int) -> tuple[list[str] | None, int]:
        made = []
        for parted in (*self.between, self.after):
            end = markup.find(parted, at, at + LONGEST + len(parted))
            if end < 0 or "<" in markup[at:end]:
                return None, at
            value = tidy(unescaped(markup[at:end]))
            if not value:
                return None, at
            made.append(value)
            at = end + len(parted)
        return made, at - len(self.after)

    def words(self, names: Sequence[str]) -> str:
        """Say it so that a person can judge it."""
        said = self.before
        for column, parted in zip(self.order, (*self.between, self.after), strict=True):
            said += f"{{{names[column]}}}{parted}"
        return said


class Dipre:
    """Groups of occurrences, and the patterns they make; `specific` is how special a pattern must be."""

    def __init__(self, *, width: int, specific: float = SPECIFIC) -> None:
        self.width = width
        self.specific = specific
        self._groups: dict[tuple[tuple[int, ...], tuple[str, ...]], dict[tuple[int, str], Occurrence]] = {}

    def see(self, view: PageView, rows: Sequence[tuple[int, Sequence[str]]]) -> list[TextPattern]:
        """Take rows that may stand on a page, with their values; return patterns that may have changed."""
        changed = set()
        folded = view.markup.lower()
        if len(folded) != len(view.markup):
            return []
        for row, values in rows:
            for order, between, before, after in _occurrences(folded, view.markup, values):
                group = self._groups.get((order, between))
                if group is None:
                    if len(self._groups) >= _GROUPS:
                        continue
                    group = self._groups[order, between] = {}
                if len(group) < MOST:
                    group[row, view.url] = Occurrence(row, view.url, before, after)
                    changed.add((order, between))
        made = []
        for order, between in changed:
            made += self._patterns(order, between, list(self._groups[order, between].values()))
        return made

    def _patterns(
        self, order: tuple[int, ...], between: tuple[str, ...], group: list[Occurrence]
    ) -> list[TextPattern]:
        """Make patterns of a group: one of all, or of its parts with longer common addresses."""
        made: list[TextPattern] = []
        waiting = [group]
        while waiting:
            group = waiting.pop()
            if len({one.row for one in group}) < 2:  # noqa: PLR2004 - a group of one says nothing
                continue
            where = beginning(one.url for one in group)
            before = beginning(one.before[::-1] for one in group)[::-1]
            after = beginning(one.after for one in group)
            special = len(where) * len(before) * len(after) * max(1, sum(map(len, between))) * len(group)
            if before and after and special > self.specific and _is_site(where):
                pattern = TextPattern(where, order, before, between, after, self.width)
                pattern.rows = {one.row for one in group}
                made.append(pattern)
                continue
            parts: dict[str, list[Occurrence]] = {}
            for one in group:
                parts.setdefault(one.url[: len(where) + 1], []).append(one)
            if len(parts) > 1:
                waiting.extend(parts.values())
        return made


def _is_site(where: str) -> bool:
    """Tell whether a common beginning of addresses names a whole host."""
    return where.count("/") >= 3  # noqa: PLR2004 - behind the host


def _occurrences(
    folded: str, markup: str, values: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...], str, str]]:
    """Yield where all values of a row stand near each other: order, separators, what is before and after."""
    spots = []
    for value in values:
        form = value.lower().replace("&", "&amp;").replace("<", "&lt;").strip()
        found: list[tuple[int, int]] = []
        at = folded.find(form) if form else -1
        while at >= 0 and len(found) < _SPOTS:
            found.append((at, at + len(form)))
            at = folded.find(form, at + len(form))
        if not found:
            return
        spots.append(found)
    anchor = min(spots, key=len)
    for here, _ in anchor:
        places = [min(found, key=lambda spot: abs(spot[0] - here)) for found in spots]
        ranked = sorted((start, end, column) for column, (start, end) in enumerate(places))
        gaps = [after[0] - before[1] for before, after in pairwise(ranked)]
        if any(not 0 < gap <= APART for gap in gaps):
            continue
        first, last = ranked[0][0], ranked[-1][1]
        yield (
            tuple(column for _, _, column in ranked),
            tuple(markup[one[1] : two[0]] for one, two in pairwise(ranked)),
            markup[max(0, first - CONTEXT) : first],
            markup[last : last + CONTEXT],
        )
