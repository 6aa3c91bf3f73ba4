"""Likeness: how near a page is to the examples and how far from everything else, as a probability.

A page is a vector of its terms, each weighted by how rare it is; the middle of the examples, minus the middle
of all other pages, is the direction in which a page is on topic. Only the terms that tell most are used.

    raw = cosine-like sum of weights        0 ── a page like any other
    u   = (raw - usual) / reach             1 ── a page like the examples
    P   = logistic(SLOPE * u + OFFSET)      0.5 at u = 0.72
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.judge.term_bags import Bag, Stack, TermIndex

Column = NDArray[np.float64]

SLOPE, OFFSET = 6.0, -4.35
"""Of the logistic."""

WORDS_WORTH = 2.0
"""The person's own words count as much as this many examples."""

BAD_DOUBT = 60.0
"""Pages the person called bad that count as much together as all pages that nobody spoke of."""

SPREADS, DOUBT = 10.0, 4.0
"""What the distance of the examples is expected to be before any was seen, in spreads of other pages' scores,
and how many examples that expectation is worth."""

USUAL, SPREAD = 0.0, 0.008
"""Score of other pages and its spread, as long as there are too few to know."""

ENOUGH = 10
"""Other pages from which on their scores are believed."""

KNOWN = 2
"""Pages a term must occur in; rarer ones are names and slips."""

ASSUMED, ASSUMED_SHARE = 20.0, 0.02
"""Pages that are assumed before any was seen, and the share of them that say any one term."""

ALIKE = 0.5
"""How near other pages are to the examples, as a share of their own nearness, while too few are known."""

_LOGS = tuple(math.log1p(count) for count in range(256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """What was learned: `table` holds for each known term how rare it is, and that times its weight."""

    table: Mapping[str, tuple[float, float]]
    usual: float = USUAL
    reach: float = SPREADS * SPREAD

    def weigh(self, counts: Mapping[str, int]) -> tuple[float, list[tuple[float, str]]]:
        """Return the raw score of counted terms, and what each telling one adds to it."""
        length, parts, find = 0.0, [], self.table.get
        for term, count in counts.items():
            known = find(term)
            if known is not None:
                rarity, weight = known
                said = _LOGS[count] if count < 256 else math.log1p(count)  # noqa: PLR2004 - the table's size
                length += (said * rarity) ** 2
                if weight:
                    parts.append((said * weight, term))
        if not parts:
            return 0.0, []
        length = math.sqrt(length)
        parts = [(value / length, term) for value, term in parts]
        return sum(value for value, _ in parts), parts

    def probability(self, raw: float) -> float:
        """Return how probable it is that a page with this raw score is on topic."""
        return _logistic(SLOPE * (raw - self.usual) / self.reach + OFFSET)


@dataclass(frozen=True, slots=True)
class Edits:
    """A person's changes to the terms: weights from -10 to 10 for some, and terms that may not count."""

    weights: Mapping[str, float]
    struck: Collection[str]


NO_EDITS = Edits({}, frozenset())


@dataclass(slots=True)
class _Fit:
    """The columns from which a likeness is made: one entry for each term, or for each page."""

    stack: Stack
    rarity: Column
    units: Column  # of each entry of the stack: its share of its page, whose vector has length one
    weights: Column
    middle: Column  # of the examples and the person's words, where terms are telling


def fit(
    vocabulary: TermIndex,
    good: Sequence[Bag],
    bad: Sequence[Bag] = (),
    others: Sequence[Bag] = (),
    *,
    about: Sequence[int] = (),
    most: int = 500,
    edits: Edits = NO_EDITS,
) -> Similarity:
    """Learn from good and bad examples, other pages (most of them off topic) and the person's own words.

    Other pages that look like the examples are left out in a second look, so that a crawl that begins among
    good pages does not learn that they are nothing special.
    """
    first = _fit(vocabulary, (good, bad, others), about, most, edits)
    raw = _raw(first)[len(good) + len(bad) :]
    usual, reach = _scale(first, raw, len(good), len(about))
    alike = SLOPE * (raw - usual) / reach + OFFSET > 0
    if 0 < alike.sum() <= len(others) / 2:
        kept = [bag for bag, like in zip(others, alike.tolist(), strict=True) if not like]
        first = _fit(vocabulary, (good, bad, kept), about, most, edits)
        raw = _raw(first)[len(good) + len(bad) :]
        usual, reach = _scale(first, raw, len(good), len(about))
    named = vocabulary.names
    rows = np.flatnonzero(first.rarity > 0).tolist()
    both = zip(rows, first.rarity[rows].tolist(), (first.rarity * first.weights)[rows].tolist(), strict=True)
    return Similarity(table={named[i]: (rare, weight) for i, rare, weight in both}, usual=usual, reach=reach)


def _fit(
    vocabulary: TermIndex,
    kinds: tuple[Sequence[Bag], Sequence[Bag], Sequence[Bag]],
    about: Sequence[int],
    most: int,
    edits: Edits,
) -> _Fit:
    good, bad, others = kinds
    stack, size = Stack.of([*good, *bad, *others]), len(vocabulary)
    met = np.bincount(stack.ids, minlength=size)
    known = met >= min(KNOWN, stack.many)
    known[list(about)] = True
    rarity = np.log((stack.many + ASSUMED + 1) / (met + ASSUMED * ASSUMED_SHARE + 0.5))
    for term in edits.struck:
        if term in vocabulary.numbers:
            known[vocabulary.numbers[term]] = False
    rarity = np.where(known, np.maximum(rarity, 0), 0)
    entries = np.log1p(stack.counts) * rarity[stack.ids]
    lengths = np.sqrt(np.bincount(stack.pages, entries**2, minlength=stack.many))
    units = entries / np.where(lengths, lengths, 1)[stack.pages]
    ours = len(good)
    total = max(1.0, ours + WORDS_WORTH * bool(about))
    ill = len(bad) / (len(bad) + BAD_DOUBT) if others else 1.0
    worth = np.repeat(
        [-ill / max(1, len(bad)), (ill - 1) / max(1, len(others)) if others else 0.0],
        [len(bad), len(others)],
    )
    mine = stack.pages < ours
    said = _words(about, rarity) * WORDS_WORTH / total
    middle = said + np.bincount(stack.ids[mine], units[mine] / total, minlength=size)
    rest = stack.pages[~mine] - ours
    weights = middle + np.bincount(stack.ids[~mine], units[~mine] * worth[rest], minlength=size)
    strength = np.abs(weights) * rarity
    telling = np.zeros(size, bool)
    telling[np.argsort(-strength, kind="stable")[:most]] = True
    weights = np.where(telling, weights, 0)
    _edit(vocabulary, weights, rarity, edits)
    return _Fit(stack, rarity, units, weights, np.where(telling, middle, 0))


def _words(about: Sequence[int], rarity: Column) -> Column:
    """Return the person's words as a page of length one."""
    page = np.zeros(len(rarity))
    page[list(about)] = rarity[list(about)]
    return page / (np.sqrt((page**2).sum()) or 1)


def _edit(vocabulary: TermIndex, weights: Column, rarity: Column, edits: Edits) -> None:
    """Set weights as the person wrote them: 10 is as strong as the strongest learned."""
    strongest = float(np.abs(weights * rarity).max(initial=0)) or 1.0
    for term, weight in edits.weights.items():
        number = vocabulary.numbers.get(term)
        if number is not None:
            rarity[number] = rarity[number] or 1.0
            weights[number] = weight / 10 * strongest / rarity[number]


def _raw(made: _Fit) -> Column:
    """Return the raw score of every page that was learned from."""
    parts = made.units * made.weights[made.stack.ids]
    sums: Column = np.bincount(made.stack.pages, parts, minlength=made.stack.many).astype(np.float64)
    return sums


def _scale(made: _Fit, others: Column, ours: int, words: int) -> tuple[float, float]:
    """Return the usual score of other pages, and how far above it the examples are.

    Each example is scored by what the others taught, as a page that nobody has seen would be. With few of
    them that distance is mostly chance, so it begins with what is expected from the spread of other pages.
    """
    usual, spread = USUAL, SPREAD
    if len(others) >= ENOUGH:
        usual = float(np.median(others))
        spread = 1.48 * float(np.median(np.abs(others - usual)))
        spread = max(spread, float(others.std()) / 4, SPREAD / 8)
    total = ours + WORDS_WORTH * bool(words)
    expected = SPREADS * spread
    if ours < 1 or total <= 1:
        return usual, expected
    mine = made.stack.pages < ours
    pages, ids, units = made.stack.pages[mine], made.stack.ids[mine], made.units[mine]
    near = np.bincount(pages, units * made.middle[ids], minlength=ours)
    far = np.bincount(pages, units * (made.weights - made.middle)[ids], minlength=ours)
    own = np.bincount(pages, units**2 * (made.middle[ids] > 0), minlength=ours)
    reached = float(((near * total - own) / (total - 1) + far).mean())
    if len(others) < ENOUGH:
        return ALIKE * reached, max((1 - ALIKE) * reached, expected)
    distance = max(reached - usual, 0.0)
    return usual, (ours * distance + DOUBT * expected) / (ours + DOUBT)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0  # noqa: PLR2004 - where exp overflows
