"""The `bayes` judge: naive Bayes over pages that are and pages that are not on topic."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.judge.examples import ExamplesJudge
from clew.judge.model_io import Taught
from clew.judge.similarity import KNOWN, NO_EDITS, WORDS_WORTH, Edits
from clew.judge.term_bags import Bag, Stack, TermIndex, counted
from clew.judge.term_list import about_terms
from clew.types import Page

Column = NDArray[np.float64]

SMOOTH = 1_000.0
"""Words that the good pages are assumed to have said already, in the proportions of all pages."""

LEAST = 20.0
"""Words added to the length of every page, so that three words alone decide nothing."""

FOLDS = 5
"""Parts into which the pages are dealt: each is scored by what the other parts taught, to scale the odds."""

_PAGE = 3.0  # times that a page on the person's words is assumed to say each


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """What was learned: how much each known term speaks for a page, and what the mean of that is worth."""

    table: Mapping[str, tuple[float, float]]
    slope: float
    offset: float

    @property
    def usual(self) -> float:
        """The score at which both are equally probable."""
        return -self.offset / self.slope

    @property
    def reach(self) -> float:
        """How far from there the odds grow by the factor e."""
        return 1 / self.slope

    def weigh(self, counts: Mapping[str, int]) -> tuple[float, list[tuple[float, str]]]:
        """Return the mean log-odds of counted terms, and what each telling one adds to it."""
        said, parts = LEAST, []
        for term, count in counts.items():
            known = self.table.get(term)
            if known is not None:
                often = math.log1p(count)
                said += often
                if known[1]:
                    parts.append((often * known[1], term))
        return sum(part[0] for part in parts) / said, [(value / said, term) for value, term in parts]

    def probability(self, raw: float) -> float:
        """Return how probable it is that a page with this mean is on topic."""
        return float(1 / (1 + np.exp(-np.clip(self.slope * raw + self.offset, -50, 50))))


class BayesJudge(ExamplesJudge):
    """Judge by naive Bayes: each word speaks for or against a page, by how often either kind of page says it.

    The filter of the search-engine crawler, trained there on 50 pages that are relevant and 500 that are
    not. Counts are dampened (ten mentions are not ten times one), the log-odds of a page are divided by its
    length, and a logistic makes probabilities of them, fitted to pages that were left out of the learning.

    `good` and `bad` are files, folders or finished crawls; `train` takes pages. Without bad examples the
    first 200 pages of the crawl stand for them. `about` counts as two pages of the person's words. Labels
    are learned at once; the last word on a page counts.

    >>> from dataclasses import replace
    >>> from clew.testing import sample_page
    >>> def pages(text, many):
    ...     made = (sample_page(f"https://a.test/{text}{n}", text=text * n) for n in range(1, many + 1))
    ...     return [replace(page, lang="en") for page in made]
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
        """Learn from pages that are on topic and pages that are not, beside all that is known."""
        for pages, liked in ((relevant, True), (irrelevant, False)):
            for page in pages:
                bag = self._book.bag(counted(page), page.lang)
                self._taught[page.url] = Taught(liked, 0.0, bag)
        self._likeness = None
        self._learned += 1

    def _fit(self, good: list[Bag], bad: list[Bag], others: list[Bag]) -> Odds:
        against = bad or others
        words = about_terms(self.about, [bag.lang for bag in good or against])
        return fit_odds(
            self._book, good, against, about=[self._book.number(word) for word in words],
            most=self.terms, edits=self._edits,
        )  # fmt: skip


def fit_odds(
    vocabulary: TermIndex,
    good: Sequence[Bag],
    bad: Sequence[Bag],
    *,
    about: Sequence[int] = (),
    most: int = 2_000,
    edits: Edits = NO_EDITS,
) -> Odds:
    """Learn log-odds of terms, and scale them by pages that were left out."""
    stack, size, ours = Stack.of([*good, *bad]), len(vocabulary), len(good)
    met = np.bincount(stack.ids, minlength=size)
    known = met >= min(KNOWN, max(1, stack.many))
    known[list(about)] = True
    said = np.log1p(stack.counts) * known[stack.ids]
    words = np.zeros(size)
    words[list(about)] = WORDS_WORTH * math.log1p(_PAGE)
    liked = np.arange(stack.many) < ours
    weights = _weights(stack, said, liked, words, np.ones(stack.many, bool))
    strength = np.abs(weights) * np.sqrt(met + 1) * known
    telling = np.zeros(size, bool)
    telling[np.argsort(-strength, kind="stable")[:most]] = True
    for term in edits.struck:
        if (number := vocabulary.numbers.get(term)) is not None:
            telling[number] = known[number] = False
    raw = np.zeros(stack.many)
    part = np.concatenate((np.arange(ours), np.arange(len(bad)))) % FOLDS
    lengths = LEAST + np.bincount(stack.pages, said, minlength=stack.many)
    for fold in range(FOLDS):
        taught = _weights(stack, said, liked, words, part != fold) * telling
        sums = np.bincount(stack.pages, said * taught[stack.ids], minlength=stack.many)
        raw = np.where(part == fold, sums / lengths, raw)
    weights = np.where(telling, weights, 0)
    strongest = float(np.abs(weights).max(initial=0)) or 1.0
    for term, weight in edits.weights.items():
        if (number := vocabulary.numbers.get(term)) is not None:
            known[number], weights[number] = True, weight / 10 * strongest
    slope, offset = _platt(raw, liked)
    named, rows = vocabulary.names, np.flatnonzero(known).tolist()
    table = {named[i]: (1.0, weight) for i, weight in zip(rows, weights[rows].tolist(), strict=True)}
    return Odds(table=table, slope=slope, offset=offset)


def _weights(
    stack: Stack, said: Column, liked: NDArray[np.bool_], words: Column, used: NDArray[np.bool_]
) -> Column:
    """Return the log-odds of each term, from the pages that are used."""
    size = len(words)
    entries = said * used[stack.pages]
    ours = words + np.bincount(stack.ids, entries * liked[stack.pages], minlength=size)
    theirs = np.bincount(stack.ids, entries * ~liked[stack.pages], minlength=size)
    usual = ours + theirs + 0.1
    usual /= usual.sum()
    weights: Column = np.log((ours + SMOOTH * usual) / (ours.sum() + SMOOTH))
    weights -= np.log((theirs + SMOOTH * usual) / (theirs.sum() + SMOOTH))
    return weights


def _platt(raw: Column, liked: NDArray[np.bool_]) -> tuple[float, float]:
    """Fit the logistic by Newton's method, with Platt's targets: few pages never give certainty."""
    good, bad = int(liked.sum()), int((~liked).sum())
    target = np.where(liked, (good + 1) / (good + 2), 1 / (bad + 2))
    spread = (float(raw.std()) if len(raw) else 0.0) or 1.0
    rows = np.column_stack((raw / spread, np.ones(len(raw))))
    found = np.array([1.0, math.log((good + 1) / (bad + 1))])
    ridge = np.diag([0.1, 0.01])
    for _ in range(30):
        value = 1 / (1 + np.exp(-np.clip(rows @ found, -50, 50)))
        slope = rows.T @ (value - target) + ridge @ (found - [1.0, 0.0])
        curve = (rows * (value * (1 - value))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-6:  # noqa: PLR2004 - as good as exact
            break
    return max(float(found[0]), 0.1) / spread, float(found[1])
