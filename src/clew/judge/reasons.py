"""Reasons of a verdict: the terms that decided, as the page writes them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew.domain.text import folded, language, terms
from clew.judge.term_vectors import Column, ScoredTerms
from clew.types import Page, TermBag

MAX_FOR, MAX_AGAINST = 5, 2
"""Maximum numbers of terms that are named."""

MIN_SHARE = 0.05
"""Minimum share of the total that a negative term must have to be named."""

MAX_TRIES = 20
"""Words of a text that are compared with a term, at most: those that begin with it and have other terms."""

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
    reason = (f"like {like}: {_format_terms(page, text, positive, scored)}",) if positive else ()
    return reason + ((f"unlike {like}: {_format_terms(page, text, negative, scored)}",) if negative else ())


def shared_words(
    page: Page, bag: TermBag, ids: NDArray[np.uint32], parts: Column, names: Mapping[int, str]
) -> str:
    """Name the terms that add most, with their counts; those whose name is not known are left out."""
    ordered = [at for at in np.argsort(-parts, kind="stable").tolist()[: 4 * MAX_FOR] if parts[at] > 0]
    known = [at for at in ordered if int(ids[at]) in names][:MAX_FOR]
    text = folded(f"{page.title} {page.text[:_MAX_CHARACTERS]} {page.margin}") if known else ""
    rows = bag.ids.searchsorted(ids[known])
    counts = bag.text[rows].astype(int) + bag.title[rows] + bag.margin[rows]
    lang = page.lang or language(page.text)
    found = zip((names[int(ids[at])] for at in known), counts.tolist(), strict=True)
    return ", ".join(f'"{_surface_form(text, name, lang)}" {count}×' for name, count in found)


def _format_terms(page: Page, text: str, which: Sequence[int], scored: ScoredTerms) -> str:
    lang = page.lang or language(page.text)
    return ", ".join(f'"{_surface_form(text, scored.names[at], lang)}" {scored.counts[at]}×' for at in which)


def _surface_form(text: str, term: str, lang: str) -> str:
    """Return the first word of a folded text that has this term; the term if there is none.

    Stems lose endings or change their last letter ("chemistri"), and one may begin the words of another
    ("lamp", "lampist"): only a word that gives the term is named for it.
    """
    if not _LETTER.match(term):  # a script without spaces, where terms are pieces of the text
        return term
    for begun in filter(None, (term, term[:-1])):
        at, tries = text.find(begun), MAX_TRIES
        while at >= 0 and tries:
            tries -= 1
            end = _REST.match(text, at).end()  # type: ignore[union-attr]  # it also matches nothing
            if not (at and _LETTER.match(text, at - 1)) and _terms_of(text[at:end], lang) == (term,):
                return text[at:end]
            at = text.find(begun, end)
    return term


@lru_cache(100_000)
def _terms_of(word: str, lang: str) -> tuple[str, ...]:
    return tuple(terms(word, lang))
