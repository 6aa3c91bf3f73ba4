"""Self-training: a linear model over all words of a page, learned from pages that nobody has labelled.

The verdicts of another judge on the pages read so far are its training labels. Words that the goal does not
name, but that occur with it on this web, gain weight: in text, title, menus and breadcrumbs. Words that stand
on nearly every page have none, because rarity is counted on the pages of this crawl.

    1. fit a logistic regression to the other judge's verdicts, as probabilities
    2. fit it again to the sum of both log-odds: where they agree, a page becomes a reliable example

Reference: B. Liu et al., "Building text classifiers using positive and unlabeled examples", ICDM 2003, for
the two steps; there the reliable examples are chosen, here they are weighted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from clew.domain.learned_state import State, StateRead
from clew.judge.sparse import SortedIds, SparseMatrix, damped_counts
from clew.judge.term_vectors import Column
from clew.types import TermBag

TITLE_WEIGHT = 3
"""A word of the title counts as much as this many of the text or the margin."""

RIDGE = 0.3
LABEL_WEIGHT = 5.0
"""A page that the user labelled counts as much as this many others."""

HALF_TAUGHT = 5.0
"""Labels of each kind, relevant and not, with which the pages without a label count half as much."""

FOLDS = 4
"""Parts of the labelled pages, for what a model says of those it was not fitted to."""

ERRORS, TRUSTED = 0.5, 0.2
"""Standard errors that are taken off the share of pairs in the right order, and what it must have above
one half for labels to be trusted in full."""

MIN_PAGES = 2
"""Minimum pages a term must occur in."""

PRIOR_PAGES, PRIOR_SHARE = 20.0, 0.02
"""Pseudo-count of pages in the rarity of a term, and the share of them that contain it."""

_NEWTON_STEPS, _SOLVER_STEPS = 3, 8
_MAX_LOGIT = 30.0
_NONE = np.empty(0, np.uint32)
_DAMPED = np.log1p(np.arange((2 + TITLE_WEIGHT) << 16))  # of any counts of 16 bits


@dataclass(frozen=True, slots=True)
class WordModel:
    """A fitted model: ids of terms in ascending order, with their rarity and their weight."""

    ids: NDArray[np.uint32]
    rarity: Column
    weight: Column
    bias: float
    unseen: Column = field(default_factory=lambda: np.empty(0))
    """The log-odds of the pages that it was fitted to, each as if it had not been among them."""
    fitted: Column = field(default_factory=lambda: np.empty(0))
    """The log-odds of the pages that it was fitted to, by itself."""
    taught: float = 0.0
    """How much labels count beside guesses, from 0 to 1."""
    known: SortedIds = field(init=False)
    table: Column = field(init=False)
    """Rarity and weight of each term, side by side: a page asks for both of some hundred terms."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", SortedIds(self.ids))
        object.__setattr__(self, "table", np.column_stack((self.rarity, self.weight)))

    def learned_state(self) -> State:
        """Return the model as arrays; what was said of the pages it was fitted to is not needed again."""
        return {
            "ids": self.ids, "rarity": self.rarity, "weight": self.weight,
            "numbers": np.array([self.bias, self.taught]),
        }  # fmt: skip

    @classmethod
    def of(cls, state: StateRead) -> "WordModel":
        """Make a model from what `learned_state` returned."""
        bias, taught = state["numbers"].tolist()
        return cls(state["ids"], state["rarity"], state["weight"], bias, taught=taught)

    def score(self, bag: TermBag) -> tuple[float, NDArray[np.uint32], Column]:
        """Return the log-odds of a page, and what each known term on it adds."""
        hits, values, parts = self.known.weigh(bag, self.table, _DAMPED, TITLE_WEIGHT)
        parts /= math.sqrt(float(values @ values)) or 1.0
        return float(parts.sum()) + self.bias, bag.ids[hits], parts


def train(
    bags: Sequence[TermBag], guesses: Column, labels: Column, removed: NDArray[np.uint32] = _NONE
) -> WordModel:
    """Learn from pages with log-odds that another judge gave them.

    `labels` are the user's: 1, 0, or NaN where there is none; terms in `removed` never count. The more
    labels there are of both kinds, the less the other judge's guesses count: hundreds of them, right or
    wrong in the same way, would drown a few answers. That holds as far as the labels predict each other
    (`label_trust`).
    """
    matrix, ids, rarity = _matrix(bags, removed)
    taught = taught_share(int((labels == 1).sum()), int((labels == 0).sum()))
    trust = 1.0
    if taught:
        folds = _folds(labels)
        trust = label_trust(labels, _unseen(matrix, guesses, labels, folds), folds)
    fitted, targets, weights = _fitted(matrix, guesses, labels, trust)
    unseen = _left_out(matrix, targets, weights, fitted)
    own = matrix.dot(fitted[:-1]) + fitted[-1]
    return WordModel(ids, rarity, fitted[:-1], float(fitted[-1]), unseen, own, taught * trust)


def label_trust(labels: Column, unseen: Column, folds: NDArray[np.int64]) -> float:
    """Return how far labels can be trusted to teach words, from 0 to 1: as far as they predict each other.

    `unseen` are log-odds of labelled pages by models that were not fitted to their fold. Of the pairs of a
    relevant and an irrelevant page in one fold, the share in the right order counts, less half its standard
    error. Some kinds of pages share few words: of them the goal knows more than a few labels.

    >>> folds = np.zeros(7, np.int64)
    >>> label_trust(np.array([1.0, 1, 1, 0, 0, 0, np.nan]), np.array([0.1, 3, 2, 0.2, -1, -2, 0]), folds)
    1.0
    >>> label_trust(np.array([1.0, 1, 1, 0, 0, 0, np.nan]), np.array([0.1, 3, -3, 0.2, 1, -2, 0]), folds)
    0.0
    """
    right = pairs = 0.0
    for fold in range(FOLDS):
        good, bad = (unseen[(labels == kind) & (folds == fold)] for kind in (1.0, 0.0))
        right += float((np.sign(good[:, None] - bad) + 1).sum()) / 2
        pairs += len(good) * len(bad)
    yes, no = int((labels == 1).sum()), int((labels == 0).sum())
    error = math.sqrt((yes + no + 1) / (12 * yes * no))
    return min(1.0, max(0.0, (right / pairs - ERRORS * error - 0.5) / TRUSTED))


def _folds(labels: Column) -> NDArray[np.int64]:
    """Return the fold of each labelled page, pages of both kinds in each as far as they go; -1 for others."""
    folds = np.full(len(labels), -1, np.int64)
    for kind in (0.0, 1.0):
        rows = np.flatnonzero(labels == kind)
        folds[rows] = np.arange(len(rows)) % FOLDS
    return folds


def _unseen(matrix: SparseMatrix, guesses: Column, labels: Column, folds: NDArray[np.int64]) -> Column:
    """Return the log-odds of each labelled page by a model that was not fitted to its fold."""
    unseen = np.full(len(labels), np.nan)
    for fold in range(int(folds.max()) + 1):
        hidden = folds == fold
        fitted, _, _ = _fitted(matrix, guesses, labels, 1.0, hidden)
        unseen[hidden] = (matrix.dot(fitted[:-1]) + fitted[-1])[hidden]
    return unseen


def _fitted(
    matrix: SparseMatrix,
    guesses: Column,
    labels: Column,
    trust: float,
    hidden: NDArray[np.bool_] | None = None,
) -> tuple[Column, Column, Column]:
    """Return the weights of terms, the bias last, and targets and weights of the pages, 0 for hidden ones."""
    labelled = ~np.isnan(labels)
    taught = taught_share(int((labels == 1).sum()), int((labels == 0).sum())) * trust
    weights = np.where(labelled, 1 + (LABEL_WEIGHT - 1) * trust, 1 - taught)
    if hidden is not None:
        weights[hidden] = 0.0
    targets = np.where(labelled, labels, _logistic(guesses))
    fitted = _regression(matrix, targets, weights, np.zeros(matrix.size + 1))
    both = guesses + matrix.dot(fitted[:-1]) + fitted[-1]
    targets = np.where(labelled, labels, _logistic(both))
    return _regression(matrix, targets, weights, fitted), targets, weights


def taught_share(good: int, bad: int) -> float:
    """Return how much labels have taught, from 0 to 1: examples of one kind alone teach no difference.

    >>> [taught_share(*labels) for labels in ((8, 0), (8, 5), (13, 45))]
    [0.0, 0.5, 0.7222222222222222]
    """
    pairs = min(good, bad)
    return pairs / (pairs + HALF_TAUGHT)


def _matrix(
    bags: Sequence[TermBag], removed: NDArray[np.uint32]
) -> tuple[SparseMatrix, NDArray[np.uint32], Column]:
    """Return the unit vectors of pages, the ids of their terms, and the rarity of each."""
    found = np.concatenate([bag.ids for bag in bags])
    ids, frequency = np.unique(found, return_counts=True)
    pages = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    total = len(bags) + PRIOR_PAGES + 1
    rarity = np.log(total / (frequency + PRIOR_PAGES * PRIOR_SHARE + 0.5))
    known = (frequency >= MIN_PAGES) & (rarity > 0) & ~np.isin(ids, removed)
    ids, rarity = ids[known], rarity[known]
    terms, entries = SortedIds(ids).match(found)
    pages = pages[entries]
    values = np.concatenate([_damped(bag) for bag in bags])[entries] * rarity[terms]
    lengths = np.sqrt(np.bincount(pages, values**2, minlength=len(bags)))
    values /= np.where(lengths > 0, lengths, 1.0)[pages]
    starts = pages.searchsorted(np.arange(len(bags) + 1))
    return SparseMatrix(starts, terms.astype(np.int32), values, len(ids)), ids, rarity


def _regression(matrix: SparseMatrix, targets: Column, weights: Column, begin: Column) -> Column:
    """Fit a logistic regression by Newton steps; the last coefficient is the bias, which has no ridge."""
    fitted, ridge = begin.copy(), np.full(len(begin), RIDGE)
    ridge[-1] = 1e-3
    if not begin.any():
        fitted[-1] = _log_odds(float(np.average(targets, weights=weights)))
    for _ in range(_NEWTON_STEPS):
        expected = _logistic(matrix.dot(fitted[:-1]) + fitted[-1])
        misses, curvature = weights * (targets - expected), weights * expected * (1 - expected) + 1e-6
        gradient = np.append(matrix.transposed_dot(misses), misses.sum())
        gradient[:-1] -= RIDGE * fitted[:-1]
        fitted += _solved(matrix, curvature, ridge, gradient)
    return fitted


def _left_out(matrix: SparseMatrix, targets: Column, weights: Column, fitted: Column) -> Column:
    """Return the log-odds of each page by a model without it: one Newton step, terms taken one by one."""
    odds = matrix.dot(fitted[:-1]) + fitted[-1]
    expected = _logistic(odds)
    curvature = weights * expected * (1 - expected) + 1e-6
    squared = replace(matrix, values=matrix.values**2)
    pull = squared.dot(1 / (RIDGE + squared.transposed_dot(curvature))) + 1 / curvature.sum()
    without: Column = odds - pull * weights * (targets - expected) / np.maximum(1 - pull * curvature, 0.1)
    return without


def _solved(matrix: SparseMatrix, curvature: Column, ridge: Column, gradient: Column) -> Column:
    """Return the Newton step, by conjugate gradients."""
    step, rest, direction = np.zeros(len(gradient)), gradient.copy(), gradient.copy()
    size = first = float(rest @ rest)
    for _ in range(_SOLVER_STEPS):
        if size <= 1e-6 * first:
            break
        bent, pull = matrix.curved(direction[:-1], float(direction[-1]), curvature)
        image = np.append(pull, bent.sum()) + ridge * direction
        length = size / float(direction @ image)
        step += length * direction
        rest -= length * image
        before, size = size, float(rest @ rest)
        direction = rest + size / before * direction
    return step


def _damped(bag: TermBag) -> Column:
    """Return the counts of terms, damped: the tenth mention says less than the first."""
    return damped_counts(bag, _DAMPED, TITLE_WEIGHT)


def _logistic(x: Column) -> Column:
    return 1 / (1 + np.exp(-np.clip(x, -_MAX_LOGIT, _MAX_LOGIT)))


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-3), 1 - 1e-3)
    return math.log(share / (1 - share))
