"""Rows of token ids from hashed tokens, and their comparison with the goal; compiled where that was built."""

import numpy as np
from numpy.typing import NDArray

from clew.domain.compiled import compiled
from clew.types import Features

Flags = NDArray[np.bool_]

_fill_ids = compiled("clew.rank.shared._token_rows", "fill_ids")
_compare_terms = compiled("clew.rank.shared._token_rows", "compare_terms")
_unchecked = compiled("clew.rank.shared._token_rows", "unchecked")


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
    >>> bins.unchecked(np.array([5, 0, 6], np.uint32)), bins.unchecked(np.array([5, 8], np.uint32))
    ([0, 2], [1])
    """

    def __init__(self, *, size: int, first: int) -> None:
        self.size = size
        self.first = first
        self._ids = np.arange(size, dtype=np.uint32)  # what each id counts as
        self._mapped = np.zeros(size, bool)  # ids that others count as
        self._checked = np.zeros(size, bool)

    def count_as(self, id: int, other: int) -> None:
        """Let an id count as another one."""
        self._ids[id] = other
        self._mapped[other] = True

    def fill(self, hashes: Features, out: Features, *, once: bool = False) -> None:
        """Write the ids of hashed tokens; `once`: in rows with several words of the goal each id once."""
        if _fill_ids is not None:
            _fill_ids(hashes, self._ids, self._mapped.view(np.uint8), self.first, once, out)
            return
        out[:] = self._ids[self._bin(hashes)]
        mapped = self._mapped[out].sum(axis=1)
        for row in np.flatnonzero(mapped > 1).tolist() if once else ():
            ids = [id for id in dict.fromkeys(out[row].tolist()) if id]
            out[row] = ids + [0] * (out.shape[1] - len(ids))

    def unchecked(self, hashes: Features) -> list[int]:
        """Return the positions of tokens that were not asked for before; from now on they were."""
        if _unchecked is not None:
            new: list[int] = _unchecked(hashes, self._checked.view(np.uint8), self.first)
        else:
            new = np.flatnonzero(~self._checked[self._bin(hashes)] & (hashes > 0)).tolist()
        if new:
            self._checked[self._bin(hashes[new])] = True
        return new

    def _bin(self, hashes: Features) -> Features:
        ids: Features = np.where(
            hashes > 0, hashes % np.uint32(self.size - self.first) + np.uint32(self.first), np.uint32(0)
        )
        return ids


def compare_terms(tokens: Features, terms: Features) -> tuple[Flags, NDArray[np.int64]]:
    """Return which terms are in each row of tokens, and how many different tokens each row has.

    >>> tokens, terms = np.array([[3, 5, 3], [0, 0, 4]], np.uint32), np.array([5], np.uint32)
    >>> present, distinct = compare_terms(tokens, terms)
    >>> present.tolist(), distinct.tolist()
    ([[True], [False]], [2, 1])
    """
    if _compare_terms is not None:
        present, distinct = np.zeros((len(tokens), len(terms)), bool), np.empty(len(tokens), np.int64)
        _compare_terms(tokens, terms, present.view(np.uint8), distinct)
        return present, distinct
    found = [(tokens == term).any(axis=1) for term in terms]
    present = np.array(found, bool).reshape(len(terms), len(tokens)).T
    ordered = np.sort(tokens, axis=1)
    return present, (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + (ordered[:, 0] > 0)
