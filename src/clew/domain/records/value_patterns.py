"""Cuts: which part of a leaf's text is a value, learned from leaves whose value is known.

A value may be the whole leaf, or stand behind a constant beginning (`by `), before a constant end (`:`) or
before one of several signs (` [`, nothing); several values may share a leaf, with the same words between
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from clew.domain.records.values import ENDS, beginning

_Parts: TypeAlias = tuple[str, tuple[str, ...], str]
Sample: TypeAlias = tuple[str, tuple[tuple[int, int], ...]]
"""A leaf's text, and from where to where its values stand in it, in order."""

_MOST_STOPS = 4
_RARE = 6  # a way of writing that is so many times rarer than the usual one is a chance
_OPENING = "'\"“‘«(¡¿.…「『"  # may begin a value
_CLOSING = "'\"”’»).!?…」』"  # may end one
_LONGEST = 40  # characters of a constant beginning or end: longer ones are prose


@dataclass(frozen=True, slots=True)
class ValuePattern:
    """How to take values out of a leaf.

    `before` is what stands before the first value, at the start of the leaf if `anchored`; `between` parts
    one value from the next; the last one ends before the first of `stops`, or before the `tail` of the leaf.
    """

    before: str = ""
    anchored: bool = True
    between: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    tail: str = ""

    @property
    def whole(self) -> bool:
        """Whether the value is all there is."""
        return not (self.before or self.between or self.tail or any(self.stops))

    def take(self, text: str) -> tuple[str, ...] | None:
        """Return the values in a leaf's text; None when it is not written that way.

        >>> ValuePattern(before="by ", stops=("", " [")).take(" by C. J. Date [1998] ")
        ('C. J. Date',)
        """
        text = text.strip()
        at = 0
        if self.before:
            at = text.find(self.before)
            if at < 0 or (self.anchored and at):
                return None
            at += len(self.before)
        made = []
        for parted in self.between:
            end = text.find(parted, at)
            if end < 0:
                return None
            made.append(text[at:end].strip())
            at = end + len(parted)
        last = self._end(text, at)
        if last is None:
            return None
        made.append(text[at:last].strip())
        return tuple(made)

    def _end(self, text: str, at: int) -> int | None:
        """Return where the last value ends: where a sign is missing, at the end of the leaf."""
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

    def words(self, names: Sequence[str]) -> str:
        """Say it with the names of the columns: `by {author} [`."""
        made = self.before
        for name, parted in zip(names, (*self.between, ""), strict=True):
            made += f"{{{name}}}{parted}"
        return made + (self.tail or " or ".join(stop for stop in self.stops if stop))


def learned(samples: Sequence[Sample]) -> ValuePattern | None:
    """Learn a cut from leaves with as many known values each; None when they are written too differently.

    >>> learned([("by C. J. Date [1998]", ((3, 13),)), ("by D. Maier", ((3, 11),))])
    Cut(before='by ', anchored=True, between=(), stops=('', ' ['), tail='')
    """
    parts = _usual([_parts(text, spans) for text, spans in _whole_first(samples)])
    befores = {before for before, _, _ in parts}
    if len(befores) > 1:
        befores = {before.rstrip(_OPENING) for before in befores}
    betweens = {between for _, between, _ in parts}
    if len(betweens) > 1:
        return None
    between = betweens.pop()
    if any(not parted for parted in between):
        return None
    before, anchored = _before(befores)
    if before is None:
        return None
    afters = {after for _, _, after in parts}
    if len(afters) > 1:
        afters = {after.lstrip(_CLOSING) for after in afters}
    ending = _ending(afters)
    return None if ending is None else ValuePattern(before, anchored, between, *ending)


def _parts(text: str, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[str, ...], str]:
    """Return what stands before, between and after the values; blanks around the leaf's text do not count."""
    between = tuple(text[end:start] for (_, end), (start, _) in pairwise(spans))
    return text[: spans[0][0]].lstrip(), between, text[spans[-1][1] :].rstrip()


def _whole_first(samples: Sequence[Sample]) -> list[Sample]:
    """Leave out values within longer leaves that elsewhere are a leaf of their own: they are other values."""
    said = [(text, spans, text[spans[0][0] : spans[-1][1]].lower()) for text, spans in samples]
    whole = {value for text, _, value in said if len(text.strip(ENDS)) == len(value.strip(ENDS))}
    return [
        (text, spans)
        for text, spans, value in said
        if value not in whole or len(text.strip(ENDS)) == len(value.strip(ENDS))
    ]


def _usual(parts: list[_Parts]) -> list[_Parts]:
    """Leave out what is written as nobody else does, if many agree: a short value within a longer one."""
    styles: dict[_Parts, set[_Parts]] = {}
    for before, between, after in parts:
        style = before.rstrip(_OPENING), between, _sign(after.lstrip(_CLOSING))
        styles.setdefault(style, set()).add((before, between, after))
    counts = {
        style: sum((b.rstrip(_OPENING), m, _sign(a.lstrip(_CLOSING))) == style for b, m, a in parts)
        for style in styles
    }
    most = max(counts.values())
    if most == 1:
        return parts
    kept = {style for style, count in counts.items() if count > 1 or not style[2]}
    kept = {style for style in kept if _RARE * counts[style] >= most or not style[2]}
    return [part for style in kept for part in styles[style]]


def _before(befores: set[str]) -> tuple[str | None, bool]:
    """Return the constant beginning, and whether it is one; None when there is none."""
    if len(befores) == 1:
        (only,) = befores
        return (only, True) if len(only) <= _LONGEST else (None, False)
    common = beginning(before[::-1] for before in befores)[::-1][-_LONGEST:]
    while common and common[0].isalnum():  # a word that was cut in two
        common = common[1:]
    return (common, False) if common.strip() else (None, False)


def _ending(afters: set[str]) -> tuple[tuple[str, ...], str] | None:
    """Return the signs at which a value ends, and the constant end of the leaf; None for neither."""
    if afters == {""}:
        return (), ""
    if len(afters) == 1:
        (only,) = afters
        return ((), only) if len(only) <= _LONGEST else ((_sign(only),), "")
    signs = {_sign(after) for after in afters}
    if len(signs) > _MOST_STOPS or any(sign.isspace() for sign in signs):
        return None
    return tuple(sorted(signs)), ""


def _sign(after: str) -> str:
    """Return the punctuation that ends a value, with the blank before it; the first word where there is none.

    >>> _sign(" [1998]"), _sign(" (hardcover)"), _sign(" hardcover")
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
