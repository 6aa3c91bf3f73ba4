"""The weights of a link classifier: in use, as loaded, and what fitting starts from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.rank.shared.token_stats import Floats
from clew.types import Weights


@dataclass(slots=True)
class FittedWeights:
    """The weights in use, those read from a file, and the parameters that fitting starts from."""

    weights: Weights | None
    loaded: Weights | None
    start: tuple[float, tuple[float, ...]]
    _columns: tuple[Weights, NDArray[np.int64], Floats, Floats] | None = None

    def group_columns(self, weights: Weights) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the first column, the offset and the weight of each group; once for the same weights."""
        if self._columns is None or self._columns[0] is not weights:
            groups = weights.groups
            begin = np.cumsum([0, *(group.columns for group in groups[:-1])])
            offsets = np.array([group.offset for group in groups], np.float32)
            self._columns = weights, begin, offsets, np.array([group.weight for group in groups], np.float32)
        return self._columns[1:]
