"""Scores of links from their features: compiled and in plain Python to the last bit the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.frontier import linear_scorer
from clew.frontier.feature_rows import flagged
from clew.frontier.linear_scorer import make_scorer
from clew.types import FeatureGroup, Weights

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def scorer_and_rows(sizes, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(0, rng.choice([0.5, 30.0, 5_000.0]), 50).astype(np.float32)
    groups = tuple(
        FeatureGroup(f"group {at}", size, rng.random(), rng.normal()) for at, size in enumerate(sizes)
    )
    rows = rng.integers(0, 60, (rng.integers(0, 30), sum(sizes)), dtype=np.uint32)  # some beyond the table
    return make_scorer(Weights(table=table, groups=groups)), rows


@pytest.mark.skipif(linear_scorer._group_sums is None, reason="the compiled module was not built")
@given(SIZES, st.integers(0, 10_000))
def test_compiled_and_plain_scores_are_the_same(sizes, seed):
    scorer, rows = scorer_and_rows(sizes, seed)
    compiled = *scorer.scored_features(rows), *scorer.scored(flagged(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_scorer, "_group_sums", None)
        plain = *scorer.scored_features(rows), *scorer.scored(flagged(rows))
    scores, parts = plain[:2]
    assert all(found.tobytes() == scores.tobytes() for found in (*compiled[::2], *plain[::2]))
    assert all(found.tobytes() == parts.tobytes() for found in (*compiled[1::2], *plain[1::2]))


@given(SIZES, st.integers(0, 10_000))
def test_a_link_alone_gets_the_score_it_has_among_others(sizes, seed):
    scorer, rows = scorer_and_rows(sizes, seed)
    alone = [scorer.scores(flagged(rows[at : at + 1])) for at in range(len(rows))]
    assert scorer.scores(flagged(rows)).tolist() == [float(score[0]) for score in alone]
