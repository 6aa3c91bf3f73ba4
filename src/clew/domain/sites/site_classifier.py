"""From a page to its site: how likely a site holds what is looked for, by the words of one of its pages.

A linear model over TF-IDF, trained on pages of sites whose truth is known. Sites weigh alike however many
pages they gave, and so do both sides however few sites hold it: a chance of one half means that the words
speak for neither. Terms of a single site are left out: they would only name it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.domain.model_files import Model, ModelTable, damaged_model, read_model, write_model
from clew.domain.sites.normal import Floats
from clew.domain.text import terms
from clew.types import Page

FILE = "site-reader.tsv"
NAME, VERSION = "site-reader", 1

CLIP = 20_000
"""Characters of a page that are read: more says nothing new about its site."""

SIDES = 3
"""Sites of either side without which nothing is learned."""

MOST = 20_000
"""Terms that are kept: those of most sites."""

PASSES = 80
"""Steps of descent; the line has settled to three digits after fifty."""

FOLDS = 5

TermCounts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SiteExample:
    """A page of a site whose truth is known: how often it says each term."""

    site: str
    good: bool
    counts: TermCounts


def count_page_terms(page: Page) -> TermCounts:
    """Count the terms of a page."""
    return count_text_terms(f"{page.title}\n{page.text}", page.lang)


def count_text_terms(text: str, lang: str) -> TermCounts:
    """Count the terms of a page's title and text."""
    return Counter(terms(text[:CLIP], lang))


@dataclass(frozen=True, slots=True)
class SiteClassifier:
    """What the words of a page say of its site. `slope` and `offset` make a chance of their sum.

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
    sites: int = 0
    pages: int = 0

    def chance(self, counts: TermCounts) -> float:
        """Return the chance that the site of a page with these terms holds what is looked for."""
        pairs = [(self.rarity[term] * (1 + np.log(count)), self.weights[term])
                 for term, count in counts.items() if term in self.weights]  # fmt: skip
        if not pairs:
            return 0.5
        values = np.array(pairs)
        margin = float(values[:, 0] @ values[:, 1]) / float(np.sqrt(np.square(values[:, 0]).sum()) or 1.0)
        return float(_logistic(np.array([self.slope * margin + self.offset]))[0])

    def save(self, folder: Path) -> None:
        """Write it as a file that people can read, terms that tell most first."""
        order = sorted(self.weights, key=lambda term: -abs(self.weights[term]))
        rows = [(term, round(self.weights[term], 5), round(self.rarity[term], 4)) for term in order]
        facts = {
            "sites": str(self.sites), "pages": str(self.pages), "slope": repr(self.slope),
            "offset": repr(self.offset),
        }  # fmt: skip
        table = ModelTable(("term", "weight", "rarity"), rows)
        write_model(folder / FILE, Model(name=NAME, version=VERSION, facts=facts, tables={"terms": table}))


def load_classifier(folder: Path) -> SiteClassifier | None:
    """Read what `SiteClassifier.save` wrote; None when there is nothing."""
    model = read_model(folder / FILE, NAME, VERSION)
    if model is None:
        return None
    try:
        table, facts = model.tables["terms"], model.facts
        rows = [(str(term), float(weight), float(rarity)) for term, weight, rarity in table.rows]
        return SiteClassifier(
            {term: weight for term, weight, _ in rows}, {term: rarity for term, _, rarity in rows},
            float(facts["slope"]), float(facts["offset"]), int(facts["sites"]), int(facts["pages"]),
        )  # fmt: skip
    except (KeyError, ValueError) as error:
        raise damaged_model(folder / FILE, str(error)) from None


def train_classifier(examples: Sequence[SiteExample]) -> SiteClassifier | None:
    """Learn from pages of known sites; None when there are fewer than three sites of either side."""
    sides = {example.site: example.good for example in examples}
    if min(sum(sides.values()), len(sides) - sum(sides.values())) < SIDES:
        return None
    terms_of = _vocabulary(examples)
    rows = _Rows.of(examples, terms_of)
    weights = _weights(examples, sides)
    side = np.array([1.0 if example.good else -1.0 for example in examples])
    margins = _held_out(rows, side, weights, [example.site for example in examples], len(sides))
    slope, offset = _calibrated(margins, side > 0, weights, len(sides))
    line = _line(rows, side, weights, len(sides))
    line_of = dict(zip(terms_of, line.tolist(), strict=True))
    return SiteClassifier(line_of, terms_of, slope, offset, len(sides), len(examples))


def _vocabulary(examples: Sequence[SiteExample]) -> dict[str, float]:
    """Return the terms of two sites and more with their rarity, by sites."""
    sites: dict[str, set[str]] = {}
    for example in examples:
        for term in example.counts:
            sites.setdefault(term, set()).add(example.site)
    many = len({example.site for example in examples})
    known = sorted(((len(where), term) for term, where in sites.items() if len(where) > 1), reverse=True)
    return {term: float(np.log((1 + many) / (1 + count)) + 1) for count, term in known[:MOST]}


def _weights(examples: Sequence[SiteExample], sides: Mapping[str, bool]) -> Floats:
    """Let sites weigh alike, both sides too; all weights add up to one."""
    pages = Counter(example.site for example in examples)
    good = sum(sides.values())
    each = {True: 0.5 / good, False: 0.5 / (len(sides) - good)}
    return np.array([each[example.good] / pages[example.site] for example in examples])


@dataclass(frozen=True, slots=True)
class _Rows:
    """TF-IDF rows of length one, one behind the other: which term, how much, and of which page."""

    columns: NDArray[np.intp]
    values: Floats
    pages: NDArray[np.intp]
    shape: tuple[int, int]

    @classmethod
    def of(cls, examples: Sequence[SiteExample], rarity: Mapping[str, float]) -> "_Rows":
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

    def times(self, line: Floats) -> Floats:
        """Return what each page says to a line of weights."""
        said: Floats = np.asarray(
            np.bincount(self.pages, self.values * line[self.columns], minlength=self.shape[0]), np.float64
        )
        return said

    def back(self, pages: Floats) -> Floats:
        """Return what pages with these numbers say of each term."""
        said: Floats = np.asarray(
            np.bincount(self.columns, self.values * pages[self.pages], minlength=self.shape[1]), np.float64
        )
        return said


def _line(rows: _Rows, side: Floats, weights: Floats, sites: int) -> Floats:
    """Fit a logistic line, shrunk towards zero by as much as one site weighs, by accelerated descent.

    Reference: Y. Nesterov, "A method for solving the convex programming problem with convergence rate
    O(1/k²)", 1983; rows of length one give the step.
    """
    shrink = 1.0 / sites
    total = float(weights.sum())
    step = 1 / (0.25 * total + shrink)
    fraction = np.sqrt(shrink * step)
    momentum = (1 - fraction) / (1 + fraction)
    line = ahead = np.zeros(rows.shape[1])
    for _ in range(PASSES):
        off = -weights * side * _logistic(-side * rows.times(ahead))
        after = ahead - step * (rows.back(off) + shrink * ahead)
        ahead, line = after + momentum * (after - line), after
    return line


def _held_out(rows: _Rows, side: Floats, weights: Floats, sites: Sequence[str], many: int) -> Floats:
    """Return the margin of each page by a line that has seen no page of its site."""
    sides = dict(zip(sites, side.tolist(), strict=True))
    order = {site: number for number, site in enumerate(sorted(sides, key=lambda site: (sides[site], site)))}
    folds = np.array([order[site] % FOLDS for site in sites])
    margins = np.zeros(len(side))
    for fold in range(FOLDS):
        out = folds == fold
        if out.any():
            line = _line(rows, side, _balanced(np.where(out, 0.0, weights), side), many)
            margins[out] = rows.times(line)[out]
    return margins


def _balanced(weights: Floats, side: Floats) -> Floats:
    """Let both sides weigh one half again after some sites were left out."""
    sums = {each: max(float(weights[side == each].sum()), 1e-12) for each in (-1.0, 1.0)}
    return weights * 0.5 / np.where(side > 0, sums[1.0], sums[-1.0])


def _calibrated(margins: Floats, good: NDArray[np.bool_], weights: Floats, sites: int) -> tuple[float, float]:
    """Return slope and offset that make chances of margins, by Newton's method; shrunk, for sites are few.

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
