"""The current score of an open link by the saved model of the policy, during a crawl or after it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from clew import capabilities, registry
from clew.contracts import LinearRanker
from clew.engine.checkpoint import DERIVED, MODELS
from clew.errors import ClewError
from clew.frontier.feature_rows import FeatureRows, flagged, read_committed, read_header
from clew.frontier.linear_scorer import LinearScorer, make_scorer, sum_parts
from clew.store import as_stored, read_source, read_sql
from clew.types import Features, Links, Outcome

_RUN = "SELECT policy, settings FROM runs ORDER BY id DESC LIMIT 1"
_BESIDE = "SELECT anchor FROM links WHERE parent = ? AND anchor NOT NULL"
_WAITING = """
WITH better (link, score) AS (
    SELECT link, score FROM raised WHERE rowid IN (SELECT max(rowid) FROM raised GROUP BY link))
SELECT links.id, ifnull(better.score, links.score)
FROM links LEFT JOIN better ON better.link = links.id WHERE links.state = 0 AND links.kind = 0"""


@dataclass(frozen=True)
class CurrentScore:
    """The saved ranker of the last run applied to one link; None or empty where it gives no answer."""

    folder: Path
    id: int

    @property
    def ranker(self) -> LinearRanker | None:
        """The trained ranker; None if its scores are not linear in features."""
        return capabilities.of_ranker(self._made).linear

    @cached_property
    def _made(self) -> object:
        ((policy, settings),) = read_sql(self.folder, _RUN) or [("", "{}")]
        stored = json.loads(settings)
        goal, rank = stored.get("goal", {}), stored.get("rank", {})
        try:
            ranker = registry.make(
                "ranker", policy, about=goal.get("about", ""), good=tuple(goal.get("good", ())),
                bad=tuple(goal.get("bad", ())), seed=rank.get("seed", 0), judge=goal.get("judge", ""),
                keep=goal.get("keep", 0.5), diversity=rank.get("diversity", 0.0),
            )  # fmt: skip
            if saved := capabilities.persistent(ranker):
                saved.load(self.folder / MODELS)
        except ClewError:
            return None  # an object from Python, or a damaged model: use the stored score
        return ranker

    def told(self) -> str:
        """Return the ranker's own description of the link as of now; empty if it has none."""
        ranker = capabilities.of_ranker(self._made).describes
        if ranker is None or self._asked is None:
            return ""
        source, links = self._asked
        beside = [text for (text,) in read_sql(self.folder, _BESIDE, source.page.link.id)]
        return ranker.describe_links(source, as_stored(links), beside)[0]

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
        return tuple(zip(self.scale.names, self.scale.parts(row)[0].tolist(), strict=True))

    def _row(self) -> Features | None:
        """Return the features of the link from the file if its row is settled, else compute them."""
        kept = read_committed(self.folder / DERIVED, self.id)
        if kept is not None:
            return kept if kept[0, 0] else None
        if self._asked is None or self.ranker is None:
            return None
        source, links = self._asked
        return flagged(np.asarray(self.ranker.features(source, as_stored(links)), np.uint32))

    @cached_property
    def _asked(self) -> tuple[Outcome, Links] | None:
        return read_source(self.folder, self.id)

    @property
    def score(self) -> float | None:
        """The current score."""
        if not self.parts:
            return None
        return float(sum_parts(np.array([[value for _, value in self.parts]], np.float32))[0])

    def place(self) -> tuple[int, int]:
        """Return how many open links rank before it, and how many there are."""
        rows = read_sql(self.folder, _WAITING)
        ids, scores = (
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.float32),
        )
        seal = read_header(self.folder / DERIVED)
        if self.scale is not None and seal is not None and seal.columns == self.scale.columns:
            kept = FeatureRows(seal.columns, self.folder / DERIVED)
            kept.open_readonly()
            known = kept.read(ids)
            known[ids >= seal.links] = 0
            has = known[:, 0] > 0
            scores[has] = self.scale.scores(known[has])
        mine = np.float32(self.score or 0)
        scores[ids == self.id] = mine
        before = (scores > mine) | ((scores == mine) & (ids < self.id))
        return int(before.sum()), len(ids)

    def because(self) -> Mapping[str, tuple[tuple[str, float], ...]]:
        """Return the terms behind each part with their current weights, if the ranker can name them."""
        found = capabilities.of_ranker(self.ranker)
        if found.explains_terms is None or self._asked is None:
            return {}
        asked = self._asked[0], as_stored(self._asked[1])
        row = self._row() if found.uses_features else None  # it learns from stored rows: name those
        said = found.explains_terms.explain_terms(*asked, None if row is None else row[:, 1:])
        return {part: tuple(words) for part, words in said[0].items()} if said else {}
