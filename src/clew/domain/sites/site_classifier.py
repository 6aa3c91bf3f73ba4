"""Classify sites by the words of one page: the probability that the site holds the wanted content.

A linear model over TF-IDF, trained on pages of labelled sites: a logistic regression, or a support vector
machine as in the paper. All sites have the same weight however many pages they have, and so have both classes
however few sites are positive (cost-sensitive learning): a chance of one half means that the words are
neutral. Terms of a single site are left out: they would only identify it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.domain.sites.normal import Floats
from clew.domain.text import nouns, terms
from clew.types import Page

CLASSIFIER_FILE = "site-reader.tsv"
NAME, VERSION = "site-reader", 1

MAX_CHARACTERS = 20_000
"""Maximum characters of a page that are read; more adds no information about its site."""

MIN_SITES_PER_CLASS = 3
"""Minimum labelled sites of each class for training."""

MAX_TERMS = 20_000
"""Maximum terms: those that occur on most sites."""

ITERATIONS = 80
"""Steps of gradient descent; the weights converge to three digits after fifty."""

FOLDS = 5

TermCounts = Mapping[str, int]

SiteModel = Literal["logistic", "svm"]
"""The kinds of models."""


@dataclass(frozen=True, slots=True)
class SiteExample:
    """Term counts of a page of a labelled site."""

    site: str
    good: bool
    counts: TermCounts


def count_page_terms(page: Page) -> TermCounts:
    """Count the terms of a page."""
    return count_text_terms(f"{page.title}\n{page.text}", page.lang)


def count_text_terms(text: str, lang: str) -> TermCounts:
    """Count the terms of a page's title and text; of Japanese the nouns, whose words are not spaced.

    >>> sorted(count_text_terms("統計を公開する", "ja"))
    ['公開', '統計']
    """
    shortened = text[:MAX_CHARACTERS]
    return Counter(nouns(shortened, lang) if lang == "ja" else terms(shortened, lang))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How verdicts on sites by models that were trained without them agree with their labels."""

    accuracy: float
    precision: float
    recall: float

    def sentence(self) -> str:
        """Return them in words.

        >>> HeldOut(0.9, 0.75, 1.0).sentence()
        'on sites it was not trained on: accuracy 0.90, precision 0.75, recall 1.00'
        """
        return (
            f"on sites it was not trained on: accuracy {self.accuracy:.2f}, "
            f"precision {self.precision:.2f}, recall {self.recall:.2f}"
        )


@dataclass(frozen=True, slots=True)
class SiteClassifier:
    """Term weights; `slope` and `offset` turn their sum into the probability that a page's site is positive.

    >>> words = ("data", "cake")
    >>> pages = [SiteExample(f"{word}{n}", word == "data", {word: 2}) for word in words for n in range(4)]
    >>> classifier = train_classifier(pages)
    >>> chance = classifier.chance
    >>> chance({"data": 1}) > 0.6, chance({"cake": 1}) < 0.4, chance({})
    (True, True, 0.5)
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    rarity: Mapping[str, float] = field(default_factory=dict)
    slope: float = 1.0
    offset: float = 0.0
    sites: frozenset[str] = frozenset()
    pages: int = 0
    held_out: HeldOut | None = None

    def chance(self, counts: TermCounts) -> float:
        """Return the probability that the site of a page with these terms holds the wanted content."""
        pairs = [(self.rarity[term] * (1 + np.log(count)), self.weights[term])
                 for term, count in counts.items() if term in self.weights]  # fmt: skip
        if not pairs:
            return 0.5
        values = np.array(pairs)
        margin = float(values[:, 0] @ values[:, 1]) / float(np.sqrt(np.square(values[:, 0]).sum()) or 1.0)
        return float(_logistic(np.array([self.slope * margin + self.offset]))[0])

    def save(self, folder: Path) -> None:
        """Write it as a readable file, strongest terms first."""
        order = sorted(self.weights, key=lambda term: -abs(self.weights[term]))
        rows = [(term, round(self.weights[term], 5), round(self.rarity[term], 4)) for term in order]
        facts = {
            "sites": str(len(self.sites)), "pages": str(self.pages), "slope": repr(self.slope),
            "offset": repr(self.offset),
        }  # fmt: skip
        if self.held_out is not None:
            facts |= {name: f"{value:.4f}" for name, value in asdict(self.held_out).items()}
        tables = {
            "terms": ModelTable(("term", "weight", "rarity"), rows),
            "sites": ModelTable(("site",), [(site,) for site in sorted(self.sites)]),
        }
        write_model(folder / CLASSIFIER_FILE, Model(name=NAME, version=VERSION, facts=facts, tables=tables))


def load_classifier(folder: Path) -> SiteClassifier | None:
    """Read what `SiteClassifier.save` wrote; None if there is no file."""
    model = read_model(folder / CLASSIFIER_FILE, NAME, VERSION)
    if model is None:
        return None
    try:
        table, facts = model.tables["terms"], model.facts
        rows = [(str(term), float(weight), float(rarity)) for term, weight, rarity in table.rows]
        return SiteClassifier(
            {term: weight for term, weight, _ in rows}, {term: rarity for term, _, rarity in rows},
            float(facts["slope"]), float(facts["offset"]),
            frozenset(str(row[0]) for row in model.tables.get("sites", ModelTable(("site",))).rows),
            int(facts["pages"]),
            HeldOut(*(float(facts[name]) for name in HeldOut.__slots__)) if "recall" in facts else None,
        )  # fmt: skip
    except (KeyError, ValueError) as error:
        raise damaged_model(folder / CLASSIFIER_FILE, str(error)) from None


def has_both_classes(examples: Sequence[SiteExample]) -> bool:
    """Return whether there are pages of three sites of either class, the fewest to train on."""
    classes = {example.site: example.good for example in examples}
    return min(sum(classes.values()), len(classes) - sum(classes.values())) >= MIN_SITES_PER_CLASS


def train_classifier(
    examples: Sequence[SiteExample], model: SiteModel = "logistic", current: SiteClassifier | None = None
) -> SiteClassifier | None:
    """Train on pages of labelled sites.

    None if there are fewer than three sites of either class, or if the words do not tell them apart: the
    sites that a model was not trained on get no higher margins when they are positive. A `current` classifier
    is kept if its loss is smaller, on sites that neither was trained on: it may come from a crawl that has
    seen many more sites. If there is no such site, it is kept if it was trained on others as well.
    """
    if not has_both_classes(examples):
        return None
    classes = {example.site: example.good for example in examples}
    rarity = _vocabulary(examples)
    rows = _TermRows.of(examples, rarity)
    problem = _Problem(
        rows, np.array([1.0 if example.good else -1.0 for example in examples]), len(classes), model
    )
    weights = _page_weights(examples, classes)
    good = problem.target > 0
    sites = [example.site for example in examples]
    margins = _held_out_margins(problem, weights, sites)
    slope, offset = _calibrate(margins, good, weights, len(classes))
    if slope <= 0:
        return None
    chances = _logistic(slope * margins + offset)
    if current is not None:
        unseen = weights * [example.site not in current.sites for example in examples]
        before = np.array([current.chance(example.counts) for example in examples])
        if unseen.any():
            better = _loss(before, good, unseen) < _loss(chances, good, unseen)
        else:
            better = len(current.sites) > len(classes)
        if better:
            return current
    coefficients = problem.fit(weights)
    return SiteClassifier(
        dict(zip(rarity, coefficients.tolist(), strict=True)), rarity, slope, offset, frozenset(classes),
        len(examples), _measure_held_out(chances, sites, classes),
    )  # fmt: skip


def _loss(chances: Floats, good: NDArray[np.bool_], weights: Floats) -> float:
    """Return the weighted logarithmic loss."""
    right = np.clip(np.where(good, chances, 1 - chances), 1e-6, 1.0)
    return float(-(weights * np.log(right)).sum())


def _measure_held_out(chances: Floats, sites: Sequence[str], classes: Mapping[str, bool]) -> HeldOut:
    """Measure verdicts on sites: the mean of its pages decides each."""
    numbers = {site: number for number, site in enumerate(classes)}
    at = np.array([numbers[site] for site in sites])
    yes = np.bincount(at, chances) / np.bincount(at) >= 0.5  # noqa: PLR2004
    truth = np.array(list(classes.values()))
    right = float((yes & truth).sum())
    return HeldOut(
        float((yes == truth).mean()), right / max(1.0, float(yes.sum())), right / float(truth.sum())
    )


def _vocabulary(examples: Sequence[SiteExample]) -> dict[str, float]:
    """Return the terms of two or more sites with their inverse document frequency, by sites."""
    sites: dict[str, set[str]] = {}
    for example in examples:
        for term in example.counts:
            sites.setdefault(term, set()).add(example.site)
    site_count = len({example.site for example in examples})
    known = sorted(((len(where), term) for term, where in sites.items() if len(where) > 1), reverse=True)
    return {term: float(np.log((1 + site_count) / (1 + count)) + 1) for count, term in known[:MAX_TERMS]}


def _page_weights(examples: Sequence[SiteExample], classes: Mapping[str, bool]) -> Floats:
    """Weight pages so that all sites are equal, and both classes too; weights add up to one."""
    pages = Counter(example.site for example in examples)
    good = sum(classes.values())
    each = {True: 0.5 / good, False: 0.5 / (len(classes) - good)}
    return np.array([each[example.good] / pages[example.site] for example in examples])


@dataclass(frozen=True, slots=True)
class _TermRows:
    """Sparse TF-IDF rows of length one: term, value and page of each entry."""

    columns: NDArray[np.intp]
    values: Floats
    pages: NDArray[np.intp]
    shape: tuple[int, int]

    @classmethod
    def of(cls, examples: Sequence[SiteExample], rarity: Mapping[str, float]) -> "_TermRows":
        numbers = {term: number for number, term in enumerate(rarity)}
        columns, values, pages = [], [], []
        for page, example in enumerate(examples):
            for term, count in example.counts.items():
                if term in numbers:
                    columns.append(numbers[term])
                    values.append(rarity[term] * (1 + np.log(count)))
                    pages.append(page)
        made = np.array(values, np.float64)
        at = np.array(pages, np.intp)
        sizes = np.sqrt(np.bincount(at, made * made, minlength=len(examples)))
        shape = len(examples), len(rarity)
        return cls(np.array(columns, np.intp), made / np.maximum(sizes[at], 1e-12), at, shape)

    def dot(self, coefficients: Floats) -> Floats:
        """Return the product with a vector of term weights, by page."""
        product: Floats = np.asarray(
            np.bincount(self.pages, self.values * coefficients[self.columns], minlength=self.shape[0]),
            np.float64,
        )
        return product

    def transpose_dot(self, pages: Floats) -> Floats:
        """Return the product of the transpose with a vector of page values, by term."""
        product: Floats = np.asarray(
            np.bincount(self.columns, self.values * pages[self.pages], minlength=self.shape[1]), np.float64
        )
        return product


@dataclass(frozen=True, slots=True)
class _Problem:
    """Term rows and their classes (1 or -1), to which weights of terms are fitted."""

    rows: _TermRows
    target: Floats
    sites: int
    model: SiteModel

    def fit(self, weights: Floats) -> Floats:
        """Minimise the loss, regularized by the weight of one site, by accelerated descent.

        The loss is the logistic one, or the squared hinge of a linear support vector machine; `weights` are
        the costs of the pages.

        Reference: Y. Nesterov, "A method for solving the convex programming problem with convergence rate
        O(1/k²)", 1983; rows of length one give the step.
        """
        shrink = 1.0 / self.sites
        bend = 0.25 if self.model == "logistic" else 2.0
        step = 1 / (bend * float(weights.sum()) + shrink)
        fraction = np.sqrt(shrink * step)
        momentum = (1 - fraction) / (1 + fraction)
        coefficients = ahead = np.zeros(self.rows.shape[1])
        for _ in range(ITERATIONS):
            margins = self.target * self.rows.dot(ahead)
            pull = _logistic(-margins) if self.model == "logistic" else 2 * np.maximum(0.0, 1 - margins)
            off = -weights * self.target * pull
            after = ahead - step * (self.rows.transpose_dot(off) + shrink * ahead)
            ahead, coefficients = after + momentum * (after - coefficients), after
        return coefficients


def _held_out_margins(problem: _Problem, weights: Floats, sites: Sequence[str]) -> Floats:
    """Return the margin of each page by a model that was trained without its site."""
    target = problem.target
    classes = dict(zip(sites, target.tolist(), strict=True))
    order = {
        site: number for number, site in enumerate(sorted(classes, key=lambda site: (classes[site], site)))
    }
    folds = np.array([order[site] % FOLDS for site in sites])
    margins = np.zeros(len(target))
    for fold in range(FOLDS):
        out = folds == fold
        if out.any():
            coefficients = problem.fit(_rebalance(np.where(out, 0.0, weights), target))
            margins[out] = problem.rows.dot(coefficients)[out]
    return margins


def _rebalance(weights: Floats, target: Floats) -> Floats:
    """Restore the weight of one half of both classes after some sites were left out."""
    sums = {each: max(float(weights[target == each].sum()), 1e-12) for each in (-1.0, 1.0)}
    return weights * 0.5 / np.where(target > 0, sums[1.0], sums[-1.0])


def _calibrate(margins: Floats, good: NDArray[np.bool_], weights: Floats, sites: int) -> tuple[float, float]:
    """Return slope and offset of a regularized logistic from margins to chances, by Newton's method.

    Reference: J. Platt, "Probabilistic outputs for support vector machines", 1999.
    """
    base = np.column_stack((margins, np.ones_like(margins)))
    found = np.zeros(2)
    shrink = np.diag([0.02, 1.0]) / sites
    for _ in range(30):
        chances = _logistic(base @ found)
        slope = base.T @ (weights * (chances - good)) + shrink @ found
        bend = (base * (weights * chances * (1 - chances))[:, None]).T @ base + shrink
        found = found - np.linalg.solve(bend, slope)
    return max(float(found[0]), 0.0), float(found[1])


def _logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -40, 40)))
