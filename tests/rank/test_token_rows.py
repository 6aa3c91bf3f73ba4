"""Rows of token ids: the compiled functions equal those of numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.rank.shared import token_rows
from clew.rank.shared.token_rows import TokenBins, compare_terms

rows = st.lists(st.lists(st.integers(0, 60), min_size=5, max_size=5), min_size=1, max_size=6)


def _filled(hashes: list[list[int]], same: list[tuple[int, int]], *, once: bool) -> list[list[int]]:
    bins = TokenBins(size=40, first=4)
    for id, other in same:
        bins.count_as(id, other)
    wide = np.zeros((len(hashes), 9), np.uint32)
    bins.fill(np.array(hashes, np.uint32), wide[:, 2:7], once=once)
    return wide.tolist()


@given(
    hashes=rows,
    same=st.lists(st.tuples(st.integers(4, 39), st.integers(4, 39)), max_size=8),
    once=st.booleans(),
)
def test_ids_are_equal(hashes, same, once):
    compiled = _filled(hashes, same, once=once)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_fill_ids", None)
        assert _filled(hashes, same, once=once) == compiled


@given(tokens=rows, terms=st.lists(st.integers(1, 60), max_size=4, unique=True))
def test_comparisons_are_equal(tokens, terms):
    arrays = np.array(tokens, np.uint32), np.array(terms, np.uint32)
    compiled = [each.tolist() for each in compare_terms(*arrays)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_compare_terms", None)
        assert [each.tolist() for each in compare_terms(*arrays)] == compiled


@given(pages=st.lists(st.lists(st.integers(0, 60), max_size=9), max_size=4))
def test_unchecked_tokens_are_equal(pages):
    def found() -> list[list[int]]:
        bins = TokenBins(size=40, first=4)
        return [bins.unchecked(np.array(page, np.uint32)) for page in pages]

    compiled = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_unchecked", None)
        assert found() == compiled
