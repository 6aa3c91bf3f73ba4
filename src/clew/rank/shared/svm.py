"""Train a linear support vector machine on bags of words: dual coordinate descent."""

import numpy as np
from numpy.typing import NDArray

from clew.rank.shared.token_bags import BINS, TokenBags, Weights
from clew.types import Ids

COST = 1.0
"""What an example on the wrong side may weigh at most: the usual default."""

PASSES = 10
"""Times every example is looked at; a pass over 10,000 takes about 0.1 s."""

SETTLED = 0.1
"""A pass in which no example was further off than this is the last: LIBLINEAR's default."""


def train(bags: TokenBags, rows: Ids, sides: NDArray[np.float64], dice: np.random.Generator) -> Weights:
    """Return the weights of words that part rows of side 1 from rows of side -1, with a wide margin.

    One example after the other is made to fit exactly, as far as its cost allows, while all others stay
    as they are. There is no step to choose, and any order of examples leads towards the same line.
    Bags count as vectors of length one, so that talkative surroundings do not weigh more.

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
        for at in dice.permutation(len(examples)).tolist():
            example, size, side = examples[at], sizes[at], sides[at]
            slope = side * size * weights[example].sum() - 1
            before = multipliers[at]
            after = min(max(before - slope, 0.0), COST)
            if after != before:
                worst = max(worst, abs(slope))
                multipliers[at] = after
                weights[example] += (after - before) * side * size
        if worst < SETTLED:
            break
    return weights.astype(np.float32)
