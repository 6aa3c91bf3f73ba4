"""Rows of token ids from hashed tokens, and their comparison with the goal; compiled where that was built."""

import math

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.types import Features, TokenColumns

Flags = NDArray[np.bool_]

_fill_ids = compiled("clew.rank.shared._token_rows", "fill_ids")
_compare = compiled("clew.rank.shared._token_rows", "compare")
_similarity_steps = compiled("clew.rank.shared._token_rows", "similarity_steps")
_new_words = compiled("clew.rank.shared._token_rows", "new_words")

_CHECKED, _REPLACED, _GOAL = 1, 2, 4
"""Flags of an id: whether `new_words` had it, whether it counts as another, whether others count as it."""


class TokenBins:
    """Map 32-bit hashes of tokens to ids below `size`; ids below `first` are reserved, 0 is no token.

    `count_as` lets one id count as another from then on, as words of the goal do in all their forms.

    >>> bins = TokenBins(size=1_000, first=10)
    >>> out = np.zeros((2, 3), np.uint32)
    >>> hashes = np.array([[5, 0, 6], [990, 7, 6]], np.uint32)
    >>> bins.fill(hashes, out)
    >>> out.tolist()
    [[15, 0, 16], [10, 17, 16]]
    >>> bins.count_as(16, 15)
    >>> bins.fill(hashes, out, once=True)
    >>> out.tolist()
    [[15, 0, 0], [10, 17, 15]]
    >>> present, distinct = bins.compare(hashes, hashes[:, :1], np.array([15], np.uint32))
    >>> present.tolist(), distinct.tolist()
    ([[True], [True]], [1, 3])
    """

    def __init__(self, *, size: int, first: int) -> None:
        self.size = size
        self.first = first
        self._flags = np.zeros(size, np.uint8)
        self._ids = np.arange(size, dtype=np.uint32)  # what each id counts as; flags say which are replaced

    def count_as(self, id: int, other: int) -> None:
        """Let an id count as another one."""
        self._ids[id] = other
        self._flags[id] |= _REPLACED
        self._flags[other] |= _GOAL

    def fill(self, hashes: Features, out: Features, *, once: bool = False) -> None:
        """Write the ids of hashed tokens; `once`: in rows with several words of the goal each id once."""
        if _fill_ids is not None:
            _fill_ids(hashes, self._flags, self._ids, self.first, once, out)
            return
        out[:] = self._ids[self._bin(hashes)]
        mapped = (self._flags[out] & _GOAL > 0).sum(axis=1)
        for row in np.flatnonzero(mapped > 1).tolist() if once else ():
            ids = [id for id in dict.fromkeys(out[row].tolist()) if id]
            out[row] = ids + [0] * (out.shape[1] - len(ids))

    def compare(self, text: Features, context: Features, terms: Features) -> tuple[Flags, NDArray[np.int64]]:
        """Return which terms are among the tokens of each row of both, and how many different ones it has."""
        if _compare is not None:
            present, distinct = np.zeros((len(text), len(terms)), bool), np.empty(len(text), np.int64)
            _compare(
                text, context, self._flags, self._ids, self.first, terms, present.view(np.uint8), distinct
            )
            return present, distinct
        tokens = np.sort(self._ids[self._bin(np.hstack((text, context)))], axis=1)
        found = [(tokens == term).any(axis=1) for term in terms]
        present = np.array(found, bool).reshape(len(terms), len(tokens)).T
        return present, (tokens[:, 1:] != tokens[:, :-1]).sum(axis=1) + (tokens[:, 0] > 0)

    def new_words(self, columns: TokenColumns, initials: Flags) -> list[str]:
        """Return the words that were not asked for before and begin with one of `initials`.

        From now on all of them were asked for. The initials are a flag for each letter in ASCII; words that
        begin with another letter are returned, too.
        """
        if _new_words is not None:
            parts = columns.word_ids, self._flags, self.first, columns.words
            words: list[str] | None = _new_words(*parts, initials.view(np.uint8))
            if words is not None:
                return words
        bins = self._bin(columns.word_ids)
        new = np.flatnonzero((self._flags[bins] & _CHECKED == 0) & (columns.word_ids > 0)).tolist()
        self._flags[bins[columns.word_ids > 0]] |= _CHECKED
        named = map(columns.split_words().__getitem__, new) if new else ()
        return [word for word in named if ord(word[0]) >= len(initials) or initials[ord(word[0])]]

    def _bin(self, hashes: Features) -> Features:
        ids: Features = np.where(
            hashes > 0, hashes % np.uint32(self.size - self.first) + np.uint32(self.first), np.uint32(0)
        )
        return ids


def similarity_steps(  # noqa: PLR0917 - as in the compiled one
    present: Flags,
    distinct: NDArray[np.int64],
    squares: NDArray[np.float64],
    other: float,
    highest: float,
    most: int,
) -> NDArray[np.int64]:
    """Return the cosine between each row and the goal in steps of `highest / most`, `most` at most.

    `squares` are the squared rarities of the goal's terms, `other` that of any other word; `present` and
    `distinct` are what `TokenBins.compare` returns.

    >>> present, distinct = np.array([[True, False], [False, False]]), np.array([2, 2])
    >>> similarity_steps(present, distinct, np.array([4.0, 1.0]), 1.0, 1.0, 10).tolist()
    [7, 0]
    """
    length = math.sqrt(float(squares.sum())) or 1.0
    if _similarity_steps is not None:
        steps = np.empty(len(present), np.int64)
        _similarity_steps(present.view(np.uint8), distinct, squares, other, length, highest, most, steps)
        return steps
    shared = np.zeros(len(present))
    for column, square in zip(present.T, squares.tolist(), strict=True):
        shared += column * square
    others = np.maximum(distinct - present.sum(axis=1), 0)
    cosines = shared / (np.sqrt(1 + shared + other * others) * length)
    plain: NDArray[np.int64] = np.minimum(np.rint(cosines / highest * most).astype(np.int64), most)
    return plain
