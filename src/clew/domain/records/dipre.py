"""DIPRE: patterns are the characters around the values of known rows, as Brin described it in 1998.

An *occurrence* is a known row in a page's markup: the order of its values, the text before, between and after
them, and the page's URL. Occurrences with the same order and the same separators form a group; what their
URLs, prefixes and suffixes have in common is a pattern, unless it is too general: then the group is split by
the next letter of the URLs, and each part is tried again. With `split` off a group stays one: where
groups are merged instead, what they have in common gets no longer, and an empty part stays empty.

S. Brin: Extracting Patterns and Relations from the World Wide Web. WebDB 1998.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from clew.domain.records.page_view import PageView
from clew.domain.records.text_nodes import unescape
from clew.domain.records.values import LONGEST, clean_value, common_prefix

CONTEXT = 40
"""Number of characters before and after the values."""

MAX_GAP = 200
"""Maximum number of characters between two values of one occurrence."""

MIN_SPECIFICITY = 6_000.0
"""Minimum specificity of a pattern: the product of the lengths of its parts and the number of occurrences."""

MAX_OCCURRENCES = 300
"""Maximum number of occurrences of one group."""

_MAX_GROUPS = 20_000
_MAX_OCCURRENCES_PER_VALUE = 6
_MAX_ROWS = 20_000


class ValueContext(NamedTuple):
    """A known row in a page's markup."""

    row: int
    url: str
    before: str
    after: str


@dataclass(slots=True)
class TextPattern:
    """The text around the values of rows on pages whose URL starts with `url_prefix`."""

    url_prefix: str
    order: tuple[int, ...]
    before: str
    between: tuple[str, ...]
    after: str
    width: int
    rows: set[int] = field(default_factory=set)

    def replaces(self, other: "TextPattern") -> bool:
        """Return whether this pattern makes an older one redundant."""
        return (
            self.order == other.order
            and self.between == other.between
            and other.url_prefix.startswith(self.url_prefix)
            and other.before.endswith(self.before)
            and other.after.startswith(self.after)
        )

    def may_match(self, tags: int) -> bool:  # noqa: ARG002 - characters have no summary
        """Return whether a page can hold such rows: only its URL can rule that out."""
        return True

    def extract(self, view: PageView) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield rows, each with its position in the markup; one scan from start to end."""
        markup, at, count = view.markup, 0, 0
        while count < _MAX_ROWS and (at := markup.find(self.before, at)) >= 0:
            at += len(self.before)
            values, end = self._values(markup, at)
            if values is not None:
                cells = dict(zip(self.order, values, strict=True))
                yield tuple(cells.get(column, "") for column in range(self.width)), at
                at, count = end, count + 1

    def _values(self, markup: str, at: int) -> tuple[list[str] | None, int]:
        values = []
        for separator in (*self.between, self.after):
            end = markup.find(separator, at, at + LONGEST + len(separator))
            if end < 0 or "<" in markup[at:end]:
                return None, at
            value = clean_value(unescape(markup[at:end]))
            if not value:
                return None, at
            values.append(value)
            at = end + len(separator)
        return values, at - len(self.after)

    def describe(self, names: Sequence[str]) -> str:
        """Describe the pattern for the user."""
        text = self.before
        for column, separator in zip(self.order, (*self.between, self.after), strict=True):
            text += f"{{{names[column]}}}{separator}"
        return text


class Dipre:
    """Group occurrences and learn patterns from them; `min_specificity` is how specific a pattern must be.

    `split` says whether a group without a pattern is split by its URLs, as Brin does.
    """

    def __init__(self, *, width: int, min_specificity: float = MIN_SPECIFICITY, split: bool = True) -> None:
        self.width = width
        self.min_specificity = min_specificity
        self.split = split
        self.pages: dict[int, int] = {}  # pages with known rows
        self._groups: dict[tuple[tuple[int, ...], tuple[str, ...]], dict[tuple[int, str], ValueContext]] = {}

    def learn(self, view: PageView, rows: Sequence[tuple[int, Sequence[str]]]) -> list[TextPattern]:
        """Add rows that may occur on a page, with their values; return patterns that may have changed."""
        self.pages[view.page] = 0
        changed = set()
        folded = view.markup.lower()
        if len(folded) != len(view.markup):
            return []
        for row, values in rows:
            for order, between, before, after in _occurrences(folded, view.markup, values):
                group = self._groups.get((order, between))
                if group is None:
                    if len(self._groups) >= _MAX_GROUPS:
                        continue
                    group = self._groups[order, between] = {}
                if len(group) < MAX_OCCURRENCES:
                    group[row, view.url] = ValueContext(row, view.url, before, after)
                    changed.add((order, between))
        patterns = []
        for order, between in changed:
            patterns += self._patterns(order, between, list(self._groups[order, between].values()))
        return patterns

    def _patterns(
        self, order: tuple[int, ...], between: tuple[str, ...], group: list[ValueContext]
    ) -> list[TextPattern]:
        """Make patterns of a group: one of all, or else of its parts with longer common URL prefixes."""
        patterns: list[TextPattern] = []
        waiting = [group]
        while waiting:
            group = waiting.pop()
            if len({occurrence.row for occurrence in group}) < 2:  # noqa: PLR2004 - a group of one has nothing in common
                continue
            url_prefix = common_prefix(occurrence.url for occurrence in group)
            before = common_prefix(occurrence.before[::-1] for occurrence in group)[::-1]
            after = common_prefix(occurrence.after for occurrence in group)
            specificity = (
                len(url_prefix) * len(before) * len(after) * max(1, sum(map(len, between))) * len(group)
            )
            if before and after and specificity > self.min_specificity and _is_site(url_prefix):
                pattern = TextPattern(url_prefix, order, before, between, after, self.width)
                pattern.rows = {occurrence.row for occurrence in group}
                patterns.append(pattern)
                continue
            if not self.split:
                continue
            parts: dict[str, list[ValueContext]] = {}
            for occurrence in group:
                parts.setdefault(occurrence.url[: len(url_prefix) + 1], []).append(occurrence)
            if len(parts) > 1:
                waiting.extend(parts.values())
        return patterns


def _is_site(url_prefix: str) -> bool:
    """Return whether a common URL prefix includes the whole host."""
    return url_prefix.count("/") >= 3  # noqa: PLR2004 - behind the host


def _occurrences(
    folded: str, markup: str, values: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...], str, str]]:
    """Yield occurrences with all values of a row close together: order, separators, text before and after."""
    occurrences = []
    for value in values:
        form = value.lower().replace("&", "&amp;").replace("<", "&lt;").strip()
        found: list[tuple[int, int]] = []
        at = folded.find(form) if form else -1
        while at >= 0 and len(found) < _MAX_OCCURRENCES_PER_VALUE:
            found.append((at, at + len(form)))
            at = folded.find(form, at + len(form))
        if not found:
            return
        occurrences.append(found)
    anchor = min(occurrences, key=len)
    for start_at, _ in anchor:
        chosen = [min(found, key=lambda occurrence: abs(occurrence[0] - start_at)) for found in occurrences]
        ranked = sorted((start, end, column) for column, (start, end) in enumerate(chosen))
        gaps = [after[0] - before[1] for before, after in pairwise(ranked)]
        if any(not 0 < gap <= MAX_GAP for gap in gaps):
            continue
        first, last = ranked[0][0], ranked[-1][1]
        yield (
            tuple(column for _, _, column in ranked),
            tuple(markup[occurrence[1] : two[0]] for occurrence, two in pairwise(ranked)),
            markup[max(0, first - CONTEXT) : first],
            markup[last : last + CONTEXT],
        )
