"""The `bayes` judge: naive Bayes over relevant and irrelevant pages."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.judge.examples import ExamplesJudge
from clew.judge.model_io import LabelledPage
from clew.judge.similarity import ABOUT_WEIGHT, MIN_PAGES, NO_EDITS, Edits
from clew.judge.term_list import about_terms
from clew.judge.term_vectors import (
    Column,
    ScoredTerms,
    TermColumns,
    TermIndex,
    TermMatrix,
    TermVector,
)
from clew.types import Page, TermBag

SMOOTHING = 1_000.0
"""Pseudo-count of words per class, in the proportions of all pages."""

LENGTH_PRIOR = 20.0
"""Words added to the length of every page, so that a page of three words gets no strong verdict."""

FOLDS = 5
"""Folds of the cross-validation that calibrates the odds."""

_ABOUT_MENTIONS = 3.0  # assumed mentions of each of the user's words on a relevant page


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """Learned log-odds of each known term, and the logistic that calibrates their mean."""

    table: Mapping[str, tuple[float, float]]
    slope: float
    offset: float
    columns: TermColumns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", TermColumns(self.table))

    @property
    def baseline(self) -> float:
        """The score at which relevant and irrelevant are equally probable."""
        return -self.offset / self.slope

    @property
    def scale(self) -> float:
        """The change of the score that multiplies the odds by e."""
        return 1 / self.slope

    def score(self, bag: TermBag) -> ScoredTerms:
        """Return the mean log-odds of the terms of a page, and the contribution of each weighted term."""
        rows, counts = self.columns.match(bag)
        damped = np.log1p(counts)
        values = damped * self.columns.weight[rows] / (LENGTH_PRIOR + float(damped.sum()))
        return self.columns.scored(rows, counts, values, float(values.sum()))

    def probability(self, raw: float) -> float:
        """Return the probability that a page with this mean is relevant."""
        return float(1 / (1 + np.exp(-np.clip(self.slope * raw + self.offset, -50, 50))))


class BayesJudge(ExamplesJudge):
    """Judge by naive Bayes: each word has log-odds by its frequency on relevant and irrelevant pages.

    The filter of the search-engine crawler, trained there on 50 relevant and 500 irrelevant pages. Counts
    are dampened (ten mentions count less than ten times one), the log-odds of a page are divided by its
    length, and a logistic that was fitted to held-out pages turns them into probabilities.

    `good` and `bad` are files, folders or finished crawls; `train` takes pages. Without bad examples the
    first 200 pages of the crawl are used instead. `about` counts as two pages of the user's words. Labels
    are learned at once; the latest label of a page counts.

    >>> from dataclasses import replace
    >>> from clew.testing import sample_page
    >>> def pages(text, many):
    ...     samples = (sample_page(f"https://a.test/{text}{n}", text=text * n) for n in range(1, many + 1))
    ...     return [replace(page, lang="en") for page in samples]
    >>> judge = BayesJudge()
    >>> judge.train(pages("The lamp of a lighthouse. ", 20), pages("The soup of a kitchen. ", 200))
    >>> judge.judge(pages("The lighthouse has a lamp. ", 9)[-1]).value > 0.5
    True
    >>> judge.judge(pages("The kitchen has a soup. ", 9)[-1]).value < 0.05
    True

    Reference: J. Rennie, L. Shih, J. Teevan, D. Karger, "Tackling the poor assumptions of naive Bayes text
    classifiers", ICML 2003 (dampening, length); J. Platt, "Probabilistic outputs for support vector
    machines", 1999 (the logistic).
    """

    name = "bayes"

    def __init__(
        self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = (), terms: int = 2_000
    ) -> None:
        super().__init__(about=about, good=good, bad=bad, terms=terms)

    def train(self, relevant: Iterable[Page], irrelevant: Iterable[Page]) -> None:
        """Learn from relevant and irrelevant pages, in addition to what was learned before."""
        for pages, is_relevant in ((relevant, True), (irrelevant, False)):
            for page in pages:
                counts = self._index.encode_page(page)
                self._labelled[page.url] = LabelledPage(is_relevant, 0.0, counts)
        self._model = None
        self._learned += 1

    def _fit(self, good: list[TermVector], bad: list[TermVector], others: list[TermVector]) -> Odds:
        against = bad or others
        words = about_terms(self.about, [page.lang for page in good or against])
        return fit_odds(
            self._index, good, against, about=[self._index.id_of(word) for word in words],
            most=self.terms, edits=self._edited.edits,
        )  # fmt: skip


def fit_odds(
    vocabulary: TermIndex,
    good: Sequence[TermVector],
    bad: Sequence[TermVector],
    *,
    about: Sequence[int] = (),
    most: int = 2_000,
    edits: Edits = NO_EDITS,
) -> Odds:
    """Learn log-odds of terms, and calibrate them on held-out pages."""
    matrix, size, positives = TermMatrix.of([*good, *bad]), len(vocabulary), len(good)
    frequency = np.bincount(matrix.ids, minlength=size)
    known = frequency >= min(MIN_PAGES, max(1, matrix.page_count))
    known[list(about)] = True
    damped = np.log1p(matrix.counts) * known[matrix.ids]
    words = np.zeros(size)
    words[list(about)] = ABOUT_WEIGHT * math.log1p(_ABOUT_MENTIONS)
    relevant = np.arange(matrix.page_count) < positives
    weights = _weights(matrix, damped, relevant, words, np.ones(matrix.page_count, bool))
    strength = np.abs(weights) * np.sqrt(frequency + 1) * known
    selected = np.zeros(size, bool)
    selected[np.argsort(-strength, kind="stable")[:most]] = True
    for term in edits.removed:
        if (number := vocabulary.ids.get(term)) is not None:
            selected[number] = known[number] = False
    raw = np.zeros(matrix.page_count)
    folds = np.concatenate((np.arange(positives), np.arange(len(bad)))) % FOLDS
    lengths = LENGTH_PRIOR + np.bincount(matrix.pages, damped, minlength=matrix.page_count)
    for fold in range(FOLDS):
        fold_weights = _weights(matrix, damped, relevant, words, folds != fold) * selected
        sums = np.bincount(matrix.pages, damped * fold_weights[matrix.ids], minlength=matrix.page_count)
        raw = np.where(folds == fold, sums / lengths, raw)
    weights = np.where(selected, weights, 0)
    max_weight = float(np.abs(weights).max(initial=0)) or 1.0
    for term, weight in edits.weights.items():
        if (number := vocabulary.ids.get(term)) is not None:
            known[number], weights[number] = True, weight / 10 * max_weight
    slope, offset = _platt(raw, relevant)
    names, rows = vocabulary.names, np.flatnonzero(known).tolist()
    table = {names[i]: (1.0, weight) for i, weight in zip(rows, weights[rows].tolist(), strict=True)}
    return Odds(table=table, slope=slope, offset=offset)


def _weights(
    matrix: TermMatrix, damped: Column, relevant: NDArray[np.bool_], words: Column, used: NDArray[np.bool_]
) -> Column:
    """Return the log-odds of each term, from the selected pages."""
    size = len(words)
    entries = damped * used[matrix.pages]
    positive = words + np.bincount(matrix.ids, entries * relevant[matrix.pages], minlength=size)
    negative = np.bincount(matrix.ids, entries * ~relevant[matrix.pages], minlength=size)
    smoothed = positive + negative + 0.1
    smoothed /= smoothed.sum()
    weights: Column = np.log((positive + SMOOTHING * smoothed) / (positive.sum() + SMOOTHING))
    weights -= np.log((negative + SMOOTHING * smoothed) / (negative.sum() + SMOOTHING))
    return weights


def _platt(raw: Column, relevant: NDArray[np.bool_]) -> tuple[float, float]:
    """Fit the logistic by Newton's method, with Platt's targets, which keep few pages from certainty."""
    positives, negatives = int(relevant.sum()), int((~relevant).sum())
    target = np.where(relevant, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    spread = (float(raw.std()) if len(raw) else 0.0) or 1.0
    rows = np.column_stack((raw / spread, np.ones(len(raw))))
    parameters = np.array([1.0, math.log((positives + 1) / (negatives + 1))])
    ridge = np.diag([0.1, 0.01])
    for _ in range(30):
        value = 1 / (1 + np.exp(-np.clip(rows @ parameters, -50, 50)))
        slope = rows.T @ (value - target) + ridge @ (parameters - [1.0, 0.0])
        curve = (rows * (value * (1 - value))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curve, slope)
        parameters -= step
        if np.abs(step).max() < 1e-6:  # noqa: PLR2004 - as good as exact
            break
    return max(float(parameters[0]), 0.1) / spread, float(parameters[1])
