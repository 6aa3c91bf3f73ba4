"""Train a linear support vector machine on bags of words: dual coordinate descent."""

import numpy as np
from numpy.typing import NDArray

from clew.rank.shared.token_bags import BINS, TokenBags, Weights
from clew.types import Ids

COST = 1.0
"""The parameter C, the upper bound of the multipliers: the usual default."""

PASSES = 10
"""Maximum number of passes over the examples; one over 10,000 takes about 0.1 s."""

TOLERANCE = 0.1
"""Training stops after a pass without a larger violation: LIBLINEAR's default."""


def train(bags: TokenBags, rows: Ids, sides: NDArray[np.float64], rng: np.random.Generator) -> Weights:
    """Return the weights of words that separate rows of class 1 from rows of class -1, with maximum margin.

    The multiplier of one example after the other is optimised exactly, all others fixed. There is no step
    size to choose, and any order of examples converges. Bags are scaled to length one, so that long contexts
    do not weigh more.

    Reference: C. Hsieh, K. Chang, C. Lin, S. Keerthi, S. Sundararajan, "A dual coordinate descent method
    for large-scale linear SVM", ICML 2008.
    """
    words, starts = bags.words(rows)
    examples = np.split(words.astype(np.intp), starts[1:])
    sizes = [1 / np.sqrt(len(example)) for example in examples]
    weights = np.zeros(BINS, np.float64)
    multipliers = [0.0] * len(examples)
    for _ in range(PASSES):
        worst = 0.0
        for at in rng.permutation(len(examples)).tolist():
            example, size, side = examples[at], sizes[at], sides[at]
            slope = side * size * weights[example].sum() - 1
            before = multipliers[at]
            after = min(max(before - slope, 0.0), COST)
            if after != before:
                worst = max(worst, abs(slope))
                multipliers[at] = after
                weights[example] += (after - before) * side * size
        if worst < TOLERANCE:
            break
    return weights.astype(np.float32)
