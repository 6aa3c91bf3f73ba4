"""Example pages of the goal as training rows, weighted against the tokens of links in general."""

import numpy as np

from clew.domain.learned_state import State, StateRead, dense, nested, part, sparse
from clew.rank.shared.link_tokens import BINS, NO_TOKEN, PAGE
from clew.rank.shared.token_stats import Floats, token_counts
from clew.types import Features

BACKGROUND = 200
"""Links seen before their tokens serve as background for the examples, and again at each fourfold."""


class ExamplePages:
    """Keep the URLs and titles of example pages as rows of tokens, and count the tokens of all links seen.

    Examples are nearly always relevant ones, so that all their words would look relevant. Their tokens are
    therefore discounted by a background: as many irrelevant pages as belong to them, at the usual share of
    relevant pages, are assumed to have the same tokens as often as links in general.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._rows: list[list[int]] = []
        self._relevant: list[bool] = []
        self._links_seen = 0
        self._links_used = 0  # links seen when the background was last brought up to date
        self._background = np.zeros(BINS, np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: list[int], relevant: bool) -> None:
        """Add the columns of link text and URL of an example; columns of the source page stay empty."""
        self._rows.append(([NO_TOKEN] * PAGE + row + [NO_TOKEN] * self.columns)[: self.columns])
        self._relevant.append(relevant)

    def count_links(self, rows: Features) -> None:
        """Count the tokens of links that were found."""
        tokens, times = np.unique(rows, return_counts=True)
        self._background[tokens] += times
        self._links_seen += len(rows)

    def background_due(self) -> bool:
        """Tell whether enough links were seen to use a new background; it is used from then on."""
        if self._rows and self._links_seen >= max(BACKGROUND, 4 * self._links_used):
            self._links_used = self._links_seen
            return True
        return False

    def counts(self, share: float) -> tuple[Floats, Floats]:
        """Return for each token the relevant and all examples that have it; `share` is of relevant pages."""
        relevant = np.array(self._relevant, np.float32)
        rows = np.array(self._rows, np.uint32).reshape(-1, self.columns)
        good, seen = token_counts(rows, relevant, np.ones_like(relevant))
        if self._links_used:
            bad = relevant.sum() * (1 - share) / share / self._links_seen
            seen += np.where(seen > 0, self._background * np.float32(bad), 0)
        return good, seen

    def learned_state(self) -> State:
        """Return the examples, and the background they are compared with."""
        counts = np.array([self._links_seen, self._links_used])
        rows = np.array(self._rows, np.uint32).reshape(-1, self.columns)
        examples = {"rows": rows, "relevant": np.array(self._relevant, bool), "links": counts}
        return examples | nested(background=sparse(self._background))

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self._rows, self._relevant = state["rows"].tolist(), state["relevant"].tolist()
        self._links_seen, self._links_used = state["links"].tolist()
        dense(part(state, "background"), self._background)
