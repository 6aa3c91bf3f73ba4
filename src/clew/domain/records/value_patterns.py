"""Value patterns: which part of a text node is a value, learned from text nodes whose value is known.

A value may be the whole text node, or follow a constant prefix (`by `), or precede a constant suffix (`:`) or
one of several delimiters (` [`, nothing); several values may share a text node, with the same text between
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from clew.domain.records.values import ENDS, common_prefix

_Parts: TypeAlias = tuple[str, tuple[str, ...], str]
Sample: TypeAlias = tuple[str, tuple[tuple[int, int], ...]]
"""The text of a text node, and the spans of its values, in order."""

_MAX_STOPS = 4
_RARE_FACTOR = 6  # a format so many times rarer than the usual one is a coincidence
_OPENING = "'\"“‘«(¡¿.…「『"  # may start a value
_CLOSING = "'\"”’»).!?…」』"  # may end one
_MAX_CONSTANT = 40  # characters of a constant prefix or suffix: longer ones are prose


@dataclass(frozen=True, slots=True)
class ValuePattern:
    """How to extract values from a text node.

    `before` is the text before the first value, at the start of the text node if `anchored`; `between`
    separates one value from the next; the last one ends before the first of `stops`, or before the `tail` of
    the text node.
    """

    before: str = ""
    anchored: bool = True
    between: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    tail: str = ""

    @property
    def whole(self) -> bool:
        """Whether the value is the whole text node."""
        return not (self.before or self.between or self.tail or any(self.stops))

    def extract(self, text: str) -> tuple[str, ...] | None:
        """Return the values in the text of a text node; None when it has another format.

        >>> ValuePattern(before="by ", stops=("", " [")).extract(" by C. J. Date [1998] ")
        ('C. J. Date',)
        >>> ValuePattern(before=", ", anchored=False).extract(", Senior Lecturer, 543-1695")
        ('543-1695',)
        """
        text = text.strip()
        at = 0
        if self.before:
            open_end = not (self.anchored or self.between or self.stops or self.tail)
            at = text.rfind(self.before) if open_end else text.find(self.before)
            if at < 0 or (self.anchored and at):
                return None
            at += len(self.before)
        values = []
        for separator in self.between:
            end = text.find(separator, at)
            if end < 0:
                return None
            values.append(text[at:end].strip())
            at = end + len(separator)
        last = self._end(text, at)
        if last is None:
            return None
        values.append(text[at:last].strip())
        return tuple(values)

    def _end(self, text: str, at: int) -> int | None:
        """Return the end of the last value: without a delimiter, the end of the text node."""
        if self.tail and text[at:] == self.tail.strip():
            return at  # the value is missing
        if self.tail:
            return len(text) - len(self.tail) if text.endswith(self.tail, at) else None
        if any(stop.strip() and text.startswith(stop.strip(), at) for stop in self.stops):
            return at  # the value is missing
        ends = [end for stop in self.stops if stop and (end := text.find(stop, at)) >= 0]
        if ends:
            return min(ends)
        return len(text)

    def describe(self, names: Sequence[str]) -> str:
        """Describe the format with the names of the columns: `by {author} [`."""
        text = self.before
        for name, separator in zip(names, (*self.between, ""), strict=True):
            text += f"{{{name}}}{separator}"
        return text + (self.tail or " or ".join(stop for stop in self.stops if stop))


def learn_value_pattern(samples: Sequence[Sample]) -> ValuePattern | None:
    """Learn a value pattern from text nodes with as many known values each; None when their formats differ.

    >>> learn_value_pattern([("by C. J. Date [1998]", ((3, 13),)), ("by D. Maier", ((3, 11),))])
    ValuePattern(before='by ', anchored=True, between=(), stops=('', ' ['), tail='')
    """
    parts = _drop_rare_formats([_split_parts(text, spans) for text, spans in _drop_other_values(samples)])
    befores = {before for before, _, _ in parts}
    if len(befores) > 1:
        befores = {before.rstrip(_OPENING) for before in befores}
    betweens = {between for _, between, _ in parts}
    if len(betweens) > 1:
        return None
    between = betweens.pop()
    if any(not separator for separator in between):
        return None
    before, anchored = _constant_prefix(befores)
    if before is None:
        return None
    afters = {after for _, _, after in parts}
    if len(afters) > 1:
        afters = {after.lstrip(_CLOSING) for after in afters}
    ending = _end_marks(afters)
    return None if ending is None else ValuePattern(before, anchored, between, *ending)


def _split_parts(text: str, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[str, ...], str]:
    """Return the text before, between and after the values, without white space at both ends."""
    between = tuple(text[end:start] for (_, end), (start, _) in pairwise(spans))
    return text[: spans[0][0]].lstrip(), between, text[spans[-1][1] :].rstrip()


def _drop_other_values(samples: Sequence[Sample]) -> list[Sample]:
    """Leave out values within longer text nodes that are whole text nodes elsewhere: different values."""
    spanned = [(text, spans, text[spans[0][0] : spans[-1][1]].lower()) for text, spans in samples]
    whole = {value for text, _, value in spanned if len(text.strip(ENDS)) == len(value.strip(ENDS))}
    return [
        (text, spans)
        for text, spans, value in spanned
        if value not in whole or len(text.strip(ENDS)) == len(value.strip(ENDS))
    ]


def _drop_rare_formats(parts: list[_Parts]) -> list[_Parts]:
    """Leave out formats that occur once, if many others agree: a short value within a longer one."""
    formats: dict[_Parts, set[_Parts]] = {}
    for before, between, after in parts:
        format_key = before.rstrip(_OPENING), between, _delimiter(after.lstrip(_CLOSING))
        formats.setdefault(format_key, set()).add((before, between, after))
    counts = {
        format_key: sum(
            (b.rstrip(_OPENING), m, _delimiter(a.lstrip(_CLOSING))) == format_key for b, m, a in parts
        )
        for format_key in formats
    }
    most = max(counts.values())
    if most == 1:
        return parts
    usual = {format_key for format_key, count in counts.items() if count > 1 or not format_key[2]}
    usual = {
        format_key for format_key in usual if _RARE_FACTOR * counts[format_key] >= most or not format_key[2]
    }
    return [part for format_key in usual for part in formats[format_key]]


def _constant_prefix(befores: set[str]) -> tuple[str | None, bool]:
    """Return the constant prefix, and whether it is the whole text before; None when there is none."""
    if len(befores) == 1:
        (only,) = befores
        return (only, True) if len(only) <= _MAX_CONSTANT else (None, False)
    common = common_prefix(before[::-1] for before in befores)[::-1][-_MAX_CONSTANT:]
    while common and common[0].isalnum():  # part of a word
        common = common[1:]
    return (common, False) if common.strip() else (None, False)


def _end_marks(afters: set[str]) -> tuple[tuple[str, ...], str] | None:
    """Return the delimiters at which a value ends, and the constant suffix; None for neither."""
    if afters == {""}:
        return (), ""
    if len(afters) == 1:
        (only,) = afters
        return ((), only) if len(only) <= _MAX_CONSTANT else ((_delimiter(only),), "")
    delimiters = {_delimiter(after) for after in afters}
    if "" in afters and all(map(_may_belong_to_value, afters - {""})):
        return (), ""  # other spellings leave it out
    without_subtitles = {after for after in afters if not after.startswith(":")}
    if without_subtitles and without_subtitles != afters:
        return _end_marks(without_subtitles)
    if len(delimiters) > _MAX_STOPS or any(delimiter.isspace() for delimiter in delimiters):
        return None
    return tuple(sorted(delimiters)), ""


def _may_belong_to_value(after: str) -> bool:
    """Return whether what follows a value may be a part of it: a subtitle, a series, a year in brackets."""
    return any(map(str.isalpha, after)) or (after.startswith(" (") and after.endswith(")"))


def _delimiter(after: str) -> str:
    """Return the punctuation that ends a value, with the space before it; the first word where there is none.

    >>> _delimiter(" [1998]"), _delimiter(" (hardcover)"), _delimiter(" hardcover")
    (' [', ' (', ' hardcover')
    """
    end = 0
    while end < len(after) and not after[end].isalnum():
        end += 1
    if after[:end].strip() or not after:
        return after[:end]
    while end < len(after) and after[end].isalnum():
        end += 1
    return after[:end]
