"""Which passages of a text have changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_LINES = 2_000
"""Lines of a text that are compared in order; beyond, lines are only looked up."""

MOST_WORDS = 400
"""Words of a passage whose single words are compared."""

ALIKE = 0.4
"""Passages that share a smaller part of their words are shown as one removed and one added."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that was there before, and what stands there now; one of them may be empty."""

    before: str
    after: str

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield pieces of the passage, each with what became of it: `same`, `removed` or `added`."""
        old, new = self.before.split(), self.after.split()
        small = len(old) <= MOST_WORDS and len(new) <= MOST_WORDS
        matcher = SequenceMatcher(None, old, new, autojunk=False) if small else None
        if not old or not new or matcher is None or matcher.ratio() < ALIKE:
            yield from (
                (piece, word) for piece, word in ((self.before, "removed"), (self.after, "added")) if piece
            )
            return
        for what, a, b, c, d in matcher.get_opcodes():
            if what == "equal":
                yield " ".join(old[a:b]), "same"
                continue
            if b > a:
                yield " ".join(old[a:b]), "removed"
            if d > c:
                yield " ".join(new[c:d]), "added"

    def __str__(self) -> str:
        marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
        return " ".join(marks[what].format(piece) for piece, what in self.words())


def changed_passages(before: str, after: str) -> list[Passage]:
    r"""Return the passages (lines of the main text) that differ, in the order of the new text.

    >>> [str(each) for each in changed_passages("same\nthe lamp is red", "same\nthe lamp is green")]
    ['the lamp is [-red-] {+green+}']
    """
    old, new = _lines(before), _lines(after)
    if len(old) > MOST_LINES or len(new) > MOST_LINES:
        known, current = set(old), set(new)
        removed = [Passage(line, "") for line in dict.fromkeys(old) if line not in current]
        return removed + [Passage("", line) for line in dict.fromkeys(new) if line not in known]
    found: list[Passage] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "replace" and b - a == d - c:
            found += [Passage(*pair) for pair in zip(old[a:b], new[c:d], strict=True)]
        elif what != "equal":
            found.append(Passage("\n".join(old[a:b]), "\n".join(new[c:d])))
    return found


def _lines(text: str) -> list[str]:
    return [line for raw in text.splitlines() if (line := " ".join(raw.split()))]
