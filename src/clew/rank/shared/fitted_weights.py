"""The weights of a link classifier: in use, as loaded, and what fitting starts from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.domain.learned_state import State, StateRead, dense, nested, packed, part, sparse, unpacked
from clew.rank.shared.link_tokens import BINS
from clew.rank.shared.token_stats import Floats
from clew.types import FeatureGroup, Weights


@dataclass(slots=True)
class FittedWeights:
    """The weights in use, those read from a file, and the parameters that fitting starts from."""

    weights: Weights | None
    loaded: Weights | None
    start: tuple[float, tuple[float, ...]]
    restored: bool = False
    """Whether the weights in use come from a state, and nobody has taken them yet."""
    _columns: tuple[Weights, NDArray[np.int64], Floats, Floats] | None = None

    def group_columns(self, weights: Weights) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the first column, the offset and the weight of each group; once for the same weights."""
        if self._columns is None or self._columns[0] is not weights:
            groups = weights.groups
            begin = np.cumsum([0, *(group.columns for group in groups[:-1])])
            offsets = np.array([group.offset for group in groups], np.float32)
            self._columns = weights, begin, offsets, np.array([group.weight for group in groups], np.float32)
        return self._columns[1:]

    def learned_state(self) -> State:
        """Return the weights in use, and the parameters that fitting starts from."""
        share, shares = self.start
        state: State = {"start": np.array([share, *shares])}
        if self.weights is not None:
            groups = [(each.name, each.columns, each.weight, each.offset) for each in self.weights.groups]
            state |= {"groups": packed(groups), **nested(table=sparse(self.weights.table))}
        return state

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        share, *shares = state["start"].tolist()
        self.start, self.weights, self.loaded = (share, tuple(shares)), None, None
        if "groups" in state:
            table = dense(part(state, "table"), np.zeros(BINS, np.float32))
            groups = tuple(FeatureGroup(*each) for each in unpacked(state["groups"]))
            self.weights, self.restored = Weights(table=table, groups=groups), True
