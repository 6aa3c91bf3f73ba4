"""Feature columns of source pages: computed once per page, and cached for links without stored features."""

import numpy as np

from clew.domain.learned_state import State, StateRead
from clew.rank.shared.link_tokens import NO_TOKEN, PAGE, LinkTokens
from clew.rank.shared.token_stats import TokenStats
from clew.types import Outcome, Page

CACHED_PAGES = 100_000
"""Pages whose columns are cached, the latest: some 20 MB."""


class SourcePages:
    """Compute the columns that all links of a page share, and cache them by the id of the page."""

    def __init__(self, tokens: LinkTokens, stats: TokenStats) -> None:
        self.tokens = tokens
        self.stats = stats
        self._by_id: dict[int, list[int]] = {}
        self._latest: tuple[Page | None, float, list[int]] = None, 0.0, []

    def columns(self, source: Outcome) -> list[int]:
        """Return the columns of a page; it is tokenised once, for learning and for scoring its links."""
        if self._latest[0] is not source.page or self._latest[1] != source.verdict.value:
            tokens = self.tokens.page_tokens(source.page, source.verdict.value)
            row = [self.stats.register("page", token, parent=tokens[0]) for token in tokens]
            self._latest = source.page, source.verdict.value, row + [NO_TOKEN] * (PAGE - len(row))
        return self._latest[2]

    def cache(self, id: int, columns: list[int]) -> None:
        """Keep the columns of a page; the oldest make room."""
        self._by_id[id] = columns
        if len(self._by_id) > CACHED_PAGES:
            del self._by_id[next(iter(self._by_id))]

    def revise(self, id: int, verdict: float) -> int:
        """Change the verdict in the columns of a page; return the token of its level."""
        token = self.tokens.verdict_token(verdict)
        if id in self._by_id:
            self._by_id[id] = [token, *self._by_id[id][1:]]
        return token

    def cached(self, id: int) -> list[int]:
        """Return the columns of a page by its id, empty ones if they are not known."""
        return self._by_id.get(id, [NO_TOKEN] * PAGE)

    def learned_state(self) -> State:
        """Return the cached columns by the ids of their pages."""
        ids = np.fromiter(self._by_id, np.int64, len(self._by_id))
        rows = np.array(list(self._by_id.values()), np.uint32).reshape(-1, PAGE)
        return {"ids": ids, "rows": rows}

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        self._by_id = dict(zip(state["ids"].tolist(), state["rows"].tolist(), strict=True))
