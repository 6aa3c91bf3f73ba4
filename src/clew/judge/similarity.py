"""Similarity: how close a page is to the examples rather than to all other pages, as a probability.

A page is a vector of its terms, each weighted by its rarity; the centroid of the examples, minus the centroid
of all other pages, is the direction in which a page is on topic. Only the strongest terms are used.

    raw = cosine-like sum of weights        0 ── a page like any other
    u   = (raw - baseline) / scale          1 ── a page like the examples
    P   = logistic(SLOPE * u + OFFSET)      0.5 at u = 0.72
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.judge.term_vectors import Column, ScoredTerms, TermColumns, TermIndex, TermMatrix, TermVector
from clew.types import TermBag

SLOPE, OFFSET = 6.0, -4.35
"""Of the logistic."""

ABOUT_WEIGHT = 2.0
"""The user's own words count as much as this many examples."""

NEGATIVE_PRIOR = 60.0
"""Number of bad examples that count as much together as all unlabelled pages."""

PRIOR_SPREADS, PRIOR_EXAMPLES = 10.0, 4.0
"""Prior distance of the examples, in spreads of other pages' scores, and its weight in examples."""

DEFAULT_BASELINE, DEFAULT_SPREAD = 0.0, 0.008
"""Score of other pages and its spread, as long as there are too few to estimate them."""

MIN_OTHERS = 10
"""Minimum number of other pages whose scores are used for the scale."""

MIN_PAGES = 2
"""Minimum pages a term must occur in; rarer ones are names and misspellings."""

PRIOR_PAGES, PRIOR_SHARE = 20.0, 0.02
"""Pseudo-count of pages in the rarity of a term, and the share of them that contain it."""

SIMILAR_SHARE = 0.5
"""Assumed score of other pages, as a share of the examples' own, while too few are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """A fitted model: `table` holds for each known term its rarity, and rarity times weight."""

    table: Mapping[str, tuple[float, float]]
    baseline: float = DEFAULT_BASELINE
    scale: float = PRIOR_SPREADS * DEFAULT_SPREAD
    columns: TermColumns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", TermColumns(self.table))

    def score(self, bag: TermBag) -> ScoredTerms:
        """Return the raw score of a page, and the contribution of each weighted term."""
        rows, counts = self.columns.match(bag)
        damped = np.log1p(counts)
        length = math.sqrt(float(((damped * self.columns.rarity[rows]) ** 2).sum())) or 1.0
        values = damped * self.columns.weight[rows] / length
        return self.columns.scored(rows, counts, values, float(values.sum()))

    def probability(self, raw: float) -> float:
        """Return the probability that a page with this raw score is relevant."""
        return _logistic(SLOPE * (raw - self.baseline) / self.scale + OFFSET)


@dataclass(frozen=True, slots=True)
class Edits:
    """The user's changes to the terms: weights from -10 to 10 for some, and terms to ignore."""

    weights: Mapping[str, float]
    removed: Collection[str]


NO_EDITS = Edits({}, frozenset())


@dataclass(slots=True)
class _Fit:
    """Intermediate columns of a fit: one entry for each term, or for each page."""

    matrix: TermMatrix
    rarity: Column
    normalized: Column  # of each entry of the matrix: its value in the unit vector of its page
    weights: Column
    centroid: Column  # of the examples and the user's words, for the selected terms


def fit(
    vocabulary: TermIndex,
    good: Sequence[TermVector],
    bad: Sequence[TermVector] = (),
    others: Sequence[TermVector] = (),
    *,
    about: Sequence[int] = (),
    most: int = 500,
    edits: Edits = NO_EDITS,
) -> Similarity:
    """Learn from good and bad examples, other pages (most of them off topic) and the user's own words.

    Other pages that are similar to the examples are left out of a second fit, so that a crawl that starts
    among relevant pages does not treat them as background.
    """
    fitted = _fit(vocabulary, (good, bad, others), about, most, edits)
    raw = _raw_scores(fitted)[len(good) + len(bad) :]
    baseline, scale = _scale(fitted, raw, len(good), len(about))
    similar = SLOPE * (raw - baseline) / scale + OFFSET > 0
    if 0 < similar.sum() <= len(others) / 2:
        dissimilar = [page for page, like in zip(others, similar.tolist(), strict=True) if not like]
        fitted = _fit(vocabulary, (good, bad, dissimilar), about, most, edits)
        raw = _raw_scores(fitted)[len(good) + len(bad) :]
        baseline, scale = _scale(fitted, raw, len(good), len(about))
    names = vocabulary.names
    rows = np.flatnonzero(fitted.rarity > 0).tolist()
    both = zip(
        rows, fitted.rarity[rows].tolist(), (fitted.rarity * fitted.weights)[rows].tolist(), strict=True
    )
    return Similarity(
        table={names[i]: (rare, weight) for i, rare, weight in both}, baseline=baseline, scale=scale
    )


def _fit(
    vocabulary: TermIndex,
    kinds: tuple[Sequence[TermVector], Sequence[TermVector], Sequence[TermVector]],
    about: Sequence[int],
    most: int,
    edits: Edits,
) -> _Fit:
    good, bad, others = kinds
    matrix, size = TermMatrix.of([*good, *bad, *others]), len(vocabulary)
    frequency = np.bincount(matrix.ids, minlength=size)
    known = frequency >= min(MIN_PAGES, matrix.page_count)
    known[list(about)] = True
    rarity = np.log((matrix.page_count + PRIOR_PAGES + 1) / (frequency + PRIOR_PAGES * PRIOR_SHARE + 0.5))
    for term in edits.removed:
        if term in vocabulary.ids:
            known[vocabulary.ids[term]] = False
    rarity = np.where(known, np.maximum(rarity, 0), 0)
    entries = np.log1p(matrix.counts) * rarity[matrix.ids]
    lengths = np.sqrt(np.bincount(matrix.pages, entries**2, minlength=matrix.page_count))
    normalized = entries / np.where(lengths, lengths, 1)[matrix.pages]
    positives = len(good)
    total = max(1.0, positives + ABOUT_WEIGHT * bool(about))
    negative_share = len(bad) / (len(bad) + NEGATIVE_PRIOR) if others else 1.0
    page_weights = np.repeat(
        [-negative_share / max(1, len(bad)), (negative_share - 1) / max(1, len(others)) if others else 0.0],
        [len(bad), len(others)],
    )
    is_positive = matrix.pages < positives
    about_part = _about_vector(about, rarity) * ABOUT_WEIGHT / total
    centroid = about_part + np.bincount(
        matrix.ids[is_positive], normalized[is_positive] / total, minlength=size
    )
    rest = matrix.pages[~is_positive] - positives
    weights = centroid + np.bincount(
        matrix.ids[~is_positive], normalized[~is_positive] * page_weights[rest], minlength=size
    )
    strength = np.abs(weights) * rarity
    selected = np.zeros(size, bool)
    selected[np.argsort(-strength, kind="stable")[:most]] = True
    weights = np.where(selected, weights, 0)
    _apply_edits(vocabulary, weights, rarity, edits)
    return _Fit(matrix, rarity, normalized, weights, np.where(selected, centroid, 0))


def _about_vector(about: Sequence[int], rarity: Column) -> Column:
    """Return the user's words as a unit vector."""
    page = np.zeros(len(rarity))
    page[list(about)] = rarity[list(about)]
    return page / (np.sqrt((page**2).sum()) or 1)


def _apply_edits(vocabulary: TermIndex, weights: Column, rarity: Column, edits: Edits) -> None:
    """Apply the user's weights: 10 is as strong as the strongest learned weight."""
    max_strength = float(np.abs(weights * rarity).max(initial=0)) or 1.0
    for term, weight in edits.weights.items():
        id = vocabulary.ids.get(term)
        if id is not None:
            rarity[id] = rarity[id] or 1.0
            weights[id] = weight / 10 * max_strength / rarity[id]


def _raw_scores(fitted: _Fit) -> Column:
    """Return the raw score of every training page."""
    parts = fitted.normalized * fitted.weights[fitted.matrix.ids]
    sums: Column = np.bincount(fitted.matrix.pages, parts, minlength=fitted.matrix.page_count).astype(
        np.float64
    )
    return sums


def _scale(fitted: _Fit, others: Column, positives: int, about_count: int) -> tuple[float, float]:
    """Return the typical score of other pages, and how far above it the examples are.

    Each example is scored leave-one-out, like an unseen page. With few of them that distance is mostly
    chance, so it is smoothed towards what is expected from the spread of other pages.
    """
    baseline, spread = DEFAULT_BASELINE, DEFAULT_SPREAD
    if len(others) >= MIN_OTHERS:
        baseline = float(np.median(others))
        spread = 1.48 * float(np.median(np.abs(others - baseline)))
        spread = max(spread, float(others.std()) / 4, DEFAULT_SPREAD / 8)
    total = positives + ABOUT_WEIGHT * bool(about_count)
    expected = PRIOR_SPREADS * spread
    if positives < 1 or total <= 1:
        return baseline, expected
    is_positive = fitted.matrix.pages < positives
    pages, ids, normalized = (
        fitted.matrix.pages[is_positive],
        fitted.matrix.ids[is_positive],
        fitted.normalized[is_positive],
    )
    near = np.bincount(pages, normalized * fitted.centroid[ids], minlength=positives)
    far = np.bincount(pages, normalized * (fitted.weights - fitted.centroid)[ids], minlength=positives)
    own = np.bincount(pages, normalized**2 * (fitted.centroid[ids] > 0), minlength=positives)
    example_score = float(((near * total - own) / (total - 1) + far).mean())
    if len(others) < MIN_OTHERS:
        return SIMILAR_SHARE * example_score, max((1 - SIMILAR_SHARE) * example_score, expected)
    distance = max(example_score - baseline, 0.0)
    return baseline, (positives * distance + PRIOR_EXAMPLES * expected) / (positives + PRIOR_EXAMPLES)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0  # noqa: PLR2004 - where exp overflows
