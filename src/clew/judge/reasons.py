"""Reasons of a verdict: the terms that decided, as the page writes them."""

import re
from collections.abc import Mapping, Sequence

from clew.domain.text import folded
from clew.types import Page

MAX_FOR, MAX_AGAINST = 5, 2
"""Maximum numbers of terms that are named."""

MIN_SHARE = 0.05
"""Minimum share of the total that a negative term must have to be named."""

_REST = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]*")
_LETTER = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]")
_MAX_CHARACTERS = 16_000


def reasons(
    page: Page, counts: Mapping[str, int], parts: Sequence[tuple[float, str]], like: str
) -> tuple[str, ...]:
    """Describe which terms raised and which lowered the score of a page, strongest first."""
    if not parts:
        return (f"none of the words that tell {like}",)
    ordered = sorted(parts, reverse=True)
    total = sum(abs(value) for value, _ in ordered)
    positive = [term for value, term in ordered[:MAX_FOR] if value > 0]
    negative = [term for value, term in ordered[: -MAX_AGAINST - 1 : -1] if value < -MIN_SHARE * total]
    text = folded(f"{page.title} {page.text[:_MAX_CHARACTERS]}")
    reason = (f"like {like}: {_format_terms(text, positive, counts)}",) if positive else ()
    return reason + ((f"unlike {like}: {_format_terms(text, negative, counts)}",) if negative else ())


def _format_terms(text: str, terms: Sequence[str], counts: Mapping[str, int]) -> str:
    return ", ".join(f'"{_surface_form(text, term)}" {counts[term]}×' for term in terms)


def _surface_form(text: str, term: str) -> str:
    """Return the word of the text with this stem: stems lose endings, or change their last letter."""
    for begun in (term, term[:-1]):
        at = text.find(begun) if len(begun) > 2 or not begun.isascii() else -1  # noqa: PLR2004
        while at > 0 and begun.isascii() and _LETTER.match(text, at - 1):
            at = text.find(begun, at + 1)
        if at >= 0:
            rest = _REST.match(text, at + len(begun))
            more = rest[0] if rest and begun.isascii() else ""
            return begun + more if len(more) <= 8 else term  # noqa: PLR2004 - a longer rest is another word
    return term
