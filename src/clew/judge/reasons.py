"""Reasons of a verdict: the terms that decided, as the page writes them."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import folded
from clew.judge.term_vectors import Column, ScoredTerms
from clew.types import Page, TermBag

MAX_FOR, MAX_AGAINST = 5, 2
"""Maximum numbers of terms that are named."""

MIN_SHARE = 0.05
"""Minimum share of the total that a negative term must have to be named."""

_REST = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]*")
_LETTER = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]")
_MAX_CHARACTERS = 16_000


def reasons(page: Page, scored: ScoredTerms, like: str) -> tuple[str, ...]:
    """Describe which terms raised and which lowered the score of a page, strongest first."""
    if not len(scored):
        return (f"none of the words that tell {like}",)
    values = scored.values
    ordered = np.argsort(-values, kind="stable").tolist()
    limit = -MIN_SHARE * float(np.abs(values).sum())
    positive = [at for at in ordered[:MAX_FOR] if values[at] > 0]
    negative = [at for at in ordered[: -MAX_AGAINST - 1 : -1] if values[at] < limit]
    text = folded(f"{page.title} {page.text[:_MAX_CHARACTERS]}")
    reason = (f"like {like}: {_format_terms(text, positive, scored)}",) if positive else ()
    return reason + ((f"unlike {like}: {_format_terms(text, negative, scored)}",) if negative else ())


def shared_words(
    page: Page, bag: TermBag, ids: NDArray[np.uint32], parts: Column, names: Mapping[int, str]
) -> str:
    """Name the terms that add most, with their counts; those whose name is not known are left out."""
    ordered = [at for at in np.argsort(-parts, kind="stable").tolist()[: 4 * MAX_FOR] if parts[at] > 0]
    known = [at for at in ordered if int(ids[at]) in names][:MAX_FOR]
    text = folded(f"{page.title} {page.text[:_MAX_CHARACTERS]} {page.margin}") if known else ""
    rows = bag.ids.searchsorted(ids[known])
    counts = bag.text[rows].astype(int) + bag.title[rows] + bag.margin[rows]
    found = zip((names[int(ids[at])] for at in known), counts.tolist(), strict=True)
    return ", ".join(f'"{_surface_form(text, name)}" {count}×' for name, count in found)


def _format_terms(text: str, which: Sequence[int], scored: ScoredTerms) -> str:
    return ", ".join(f'"{_surface_form(text, scored.names[at])}" {scored.counts[at]}×' for at in which)


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
