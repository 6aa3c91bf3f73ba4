"""The current score of an open link by the saved model of the policy, during a crawl or after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from clew.config import read_stored
from clew.contracts import LinearRanker, Ranker
from clew.engine.checkpoint import DERIVED, MODELS
from clew.engine.parts import make_ranker
from clew.errors import ClewError
from clew.frontier.feature_rows import FeatureRows, flagged, read_committed, read_header
from clew.frontier.linear_scorer import LinearScorer, make_scorer, sum_parts
from clew.registry import capabilities
from clew.store import as_stored, read_source
from clew.store.link_history import LastRun, read_anchors, read_last_run, read_open_scores
from clew.types import Features, Links, Outcome

DEFAULT_KEEP = 0.5
"""The threshold of a crawl whose configuration cannot be read."""


@dataclass(frozen=True)
class CurrentScore:
    """The saved ranker of the last run applied to one link; None or empty where it has no value."""

    folder: Path
    id: int

    @property
    def ranker(self) -> LinearRanker | None:
        """The trained ranker; None if its scores are not linear in features."""
        return capabilities.of_ranker(self._loaded).linear

    @property
    def policy(self) -> str:
        """The policy of the last run; empty before the first."""
        return self._run.policy if self._run else ""

    @property
    def keep(self) -> float:
        """The threshold of the last run."""
        try:
            return read_stored(self._run.settings).goal.keep if self._run else DEFAULT_KEEP
        except ClewError:
            return DEFAULT_KEEP

    @cached_property
    def _run(self) -> LastRun | None:
        return read_last_run(self.folder)

    @cached_property
    def _loaded(self) -> Ranker | None:
        if self._run is None:
            return None
        try:
            ranker = make_ranker(read_stored(self._run.settings), self._run.policy, self._run.judge)
            if saved := capabilities.persistent(ranker):
                saved.load(self.folder / MODELS)
        except ClewError:
            return None  # an object from Python, or a damaged model: use the stored score
        return ranker

    def description(self) -> str:
        """Return the ranker's own description of the link as of now; empty if it has none."""
        ranker = capabilities.of_ranker(self._loaded).describes
        if ranker is None or self._source is None:
            return ""
        source, links = self._source
        siblings = read_anchors(self.folder, source.page.link.id)
        return ranker.describe_links(source, as_stored(links), siblings)[0]

    @cached_property
    def scale(self) -> LinearScorer | None:
        """The current weights."""
        weights = self.ranker.weights() if self.ranker else None
        return make_scorer(weights) if weights is not None else None

    @cached_property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """What each feature group adds to the link's current score."""
        row = self._row()
        if self.scale is None or row is None or row.shape[1] != self.scale.columns + 1:
            return ()
        return tuple(zip(self.scale.names, self.scale.scored(row)[1][0].tolist(), strict=True))

    def _row(self) -> Features | None:
        """Return the features of the link from the file if its row is settled, else compute them."""
        stored = read_committed(self.folder / DERIVED, self.id)
        if stored is not None:
            return stored if stored[0, 0] else None
        if self._source is None or self.ranker is None:
            return None
        source, links = self._source
        return flagged(np.asarray(self.ranker.features(source, as_stored(links)), np.uint32))

    @cached_property
    def _source(self) -> tuple[Outcome, Links] | None:
        return read_source(self.folder, self.id)

    @property
    def score(self) -> float | None:
        """The current score."""
        if not self.parts:
            return None
        return float(sum_parts(np.array([[value for _, value in self.parts]], np.float32))[0])

    def queue_position(self) -> tuple[int, int]:
        """Return how many open links rank before it, and how many there are."""
        ids, scores = read_open_scores(self.folder)
        header = read_header(self.folder / DERIVED)
        if self.scale is not None and header is not None and header.columns == self.scale.columns:
            rows = FeatureRows(header.columns, self.folder / DERIVED)
            rows.open_readonly()
            features = rows.read(ids)
            features[ids >= header.links] = 0
            has_row = features[:, 0] > 0
            scores[has_row] = self.scale.scores(features[has_row])
        own = np.float32(self.score or 0)
        scores[ids == self.id] = own
        before = (scores > own) | ((scores == own) & (ids < self.id))
        return int(before.sum()), len(ids)

    def terms(self) -> Mapping[str, tuple[tuple[str, float], ...]]:
        """Return the terms behind each part with their current weights, if the ranker can name them."""
        abilities = capabilities.of_ranker(self._loaded)
        if abilities.explains_terms is None or self._source is None:
            return {}
        source, links = self._source
        row = self._row() if abilities.uses_features else None  # it learns from stored rows: explain those
        features = None if row is None else row[:, 1:]
        explained = abilities.explains_terms.explain_terms(source, as_stored(links), features)
        return {part: tuple(terms) for part, terms in explained[0].items()} if explained else {}
