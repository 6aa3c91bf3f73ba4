"""Reasons: the terms that decided, in the words of the page itself."""

import re
from collections.abc import Mapping, Sequence

from clew.domain.text import folded
from clew.types import Page

FOR, AGAINST = 5, 2
"""Terms that are named."""

TELLING = 0.05
"""Share of the whole that a term against must have to be named."""

_REST = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]*")
_LETTER = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]")
_LOOK = 16_000


def reasons(
    page: Page, counts: Mapping[str, int], parts: Sequence[tuple[float, str]], like: str
) -> tuple[str, ...]:
    """Say which terms spoke for a page and which against it, strongest first."""
    if not parts:
        return (f"none of the words that tell {like}",)
    ordered = sorted(parts, reverse=True)
    whole = sum(abs(value) for value, _ in ordered)
    ours = [term for value, term in ordered[:FOR] if value > 0]
    theirs = [term for value, term in ordered[: -AGAINST - 1 : -1] if value < -TELLING * whole]
    text = folded(f"{page.title} {page.text[:_LOOK]}")
    said = (f"like {like}: {_named(text, ours, counts)}",) if ours else ()
    return said + ((f"unlike {like}: {_named(text, theirs, counts)}",) if theirs else ())


def _named(text: str, terms: Sequence[str], counts: Mapping[str, int]) -> str:
    return ", ".join(f'"{_written(text, term)}" {counts[term]}×' for term in terms)


def _written(text: str, term: str) -> str:
    """Return a word of the text that a term stands for: stems lose endings, or change their last letter."""
    for begun in (term, term[:-1]):
        at = text.find(begun) if len(begun) > 2 or not begun.isascii() else -1  # noqa: PLR2004
        while at > 0 and begun.isascii() and _LETTER.match(text, at - 1):
            at = text.find(begun, at + 1)
        if at >= 0:
            rest = _REST.match(text, at + len(begun))
            more = rest[0] if rest and begun.isascii() else ""
            return begun + more if len(more) <= 8 else term  # noqa: PLR2004 - a longer rest is another word
    return term
