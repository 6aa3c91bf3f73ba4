"""The file in which a ranker's knowledge of all pages outlives a run: arrays in `derived/ranking.npz`.

It is derived data: without the file, or with a damaged one, the ranker learns all stored pages again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from clew.contracts import FolderStore, RestoresRanking
from clew.domain.atomic_file import write_atomically
from clew.frontier import Frontier

FILE = "ranking.npz"
_MADE_BY = "made_by"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingFile:
    """Save what a ranker knows of all pages, and restore it; `made_by` names policy, options and goal."""

    path: Path
    ranker: RestoresRanking
    made_by: str

    def save(self) -> None:
        """Write the state of the ranker as it is now."""
        buffer = BytesIO()
        state = {**self.ranker.ranking_state(), _MADE_BY: np.array(self.made_by)}
        np.savez(buffer, allow_pickle=False, **state)
        write_atomically(self.path, buffer.getvalue())

    def restore(self, store: FolderStore, frontier: Frontier) -> None:
        """Give the ranker what it knew, and pages that it did not; give open links their scores again."""
        ranker, pages = self.ranker, False
        if state := self._read():
            ranker.restore_ranking(state)
            pages = True
        for source, _, links in store.reader.page_links():
            if not ranker.knows_page(source.page.link.id):
                ranker.learn(source)
                ranker.score(source, links)
                pages = True
        if pages:
            hashes, scores = ranker.current_scores()
            ids = frontier.find_ids(np.asarray(hashes, np.uint64))
            frontier.rescore(ids[ids > 0], np.asarray(scores, np.float32)[ids > 0])

    def _read(self) -> Mapping[str, NDArray[Any]] | None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                state = dict(file)
        except (OSError, ValueError, EOFError, BadZipFile):
            return None
        return state if str(state.pop(_MADE_BY, "")) == self.made_by else None
