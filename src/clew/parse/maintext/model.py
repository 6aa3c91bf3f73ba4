"""The model that tells main text from the rest: an ensemble of small symmetric trees, from a JSON file.

A symmetric tree asks the same questions on both sides: its answers are the digits of the number of a leaf, so
that numpy evaluates all trees on all blocks at once.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.parse.maintext.features import COLUMNS, Doubles, Floats, Integers

_SUM_LEAVES = compiled("clew.parse.maintext._trees", "sum_leaves")
_LONG_COPY = 80  # letters of a text that is kept once


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """Trees as arrays: the row and the threshold of each question, and the values of the leaves.

    Each distinct question is asked once; `asked` says which ones a tree asks, by depth and tree.
    """

    rows: Integers
    thresholds: Floats
    asked: Integers
    leaves: Floats
    bias: float

    def probabilities(self, matrix: Floats) -> Doubles:
        """Return for each column of the matrix the probability that the block is main text."""
        if _SUM_LEAVES is None:
            total = self.sum_leaves(matrix)
        else:
            total = np.zeros(matrix.shape[1])
            _SUM_LEAVES(matrix, self.rows, self.thresholds, self.asked, self.leaves, total)
        return np.asarray(1 / (1 + np.exp(-(total + self.bias))))

    def sum_leaves(self, matrix: Floats) -> Doubles:
        """Return for each column of the matrix the sum of the leaves that it reaches."""
        answers = (matrix.take(self.rows, 0) > self.thresholds).view(np.uint8)
        leaf = answers.take(self.asked[0], 0)
        for level, asked in enumerate(self.asked[1:], 1):
            leaf |= answers.take(asked, 0) << level
        trees, width = self.leaves.shape
        leaf = leaf + np.arange(0, trees * width, width)[:, None]
        total: Doubles = self.leaves.ravel().take(leaf).sum(0, dtype=np.float64)
        return total


def tree_ensemble(stored: dict[str, Any]) -> TreeEnsemble:
    """Return the ensemble of a model file; each tree there is its questions and its leaves, in hundredths."""
    number = {name: at for at, name in enumerate(COLUMNS)}
    trees = [[tuple(question) for question in questions] for questions, _ in stored["trees"]]
    distinct = sorted({question for tree in trees for question in tree})
    place = {question: at for at, question in enumerate(distinct)}
    return TreeEnsemble(
        rows=np.array([number[name] for name, _ in distinct]),
        thresholds=np.array([[threshold] for _, threshold in distinct], np.float32),
        asked=np.ascontiguousarray(np.array([[place[question] for question in tree] for tree in trees]).T),
        leaves=np.array([leaves for _, leaves in stored["trees"]], np.float32) / np.float32(100),
        bias=stored["bias"],
    )


@lru_cache(maxsize=1)
def load_model() -> TreeEnsemble:
    """Return the model that is shipped."""
    return tree_ensemble(json.loads(files("clew.parse.maintext").joinpath("model.json").read_text("utf-8")))


def best_selection(probabilities: Doubles, size: Doubles) -> NDArray[np.bool_]:
    """Return which blocks to keep so that the expected F1 of the page's letters is highest.

    The optimum keeps every block whose probability is at least half of the F1 that it reaches: a page that is
    hard to tell apart keeps more.
    """
    order = np.argsort(-probabilities)
    hits = np.cumsum((probabilities * size)[order])
    kept = np.cumsum(size[order])
    expected = 2 * hits / (kept + hits[-1])
    return np.asarray(probabilities >= probabilities[order[int(expected.argmax())]])


def keep_once(texts: Sequence[str], chosen: Iterable[int]) -> list[int]:
    """Return the chosen blocks without later copies of a long text: pages repeat captions and quotes.

    >>> keep_once(["a" * 80, "short", "a" * 80, "short"], range(4))
    [0, 1, 3]
    """
    seen: set[str] = set()
    kept = []
    for at in chosen:
        text = texts[at]
        if len(text) >= _LONG_COPY:
            if text in seen:
                continue
            seen.add(text)
        kept.append(at)
    return kept
