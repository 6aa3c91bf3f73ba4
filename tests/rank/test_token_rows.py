"""Rows of token ids: the compiled functions equal those of numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.rank.shared import token_rows
from clew.rank.shared.token_rows import TokenBins, similarity_steps
from clew.types import TokenColumns

rows = st.lists(st.lists(st.integers(0, 60), min_size=5, max_size=5), min_size=1, max_size=6)
pairs = st.lists(st.tuples(st.integers(4, 39), st.integers(4, 39)), max_size=8)
words = st.text(st.sampled_from("abAB7é風"), min_size=1, max_size=3)


def _bins(same: list[tuple[int, int]]) -> TokenBins:
    bins = TokenBins(size=40, first=4)
    for id, other in same:
        bins.count_as(id, other)
    return bins


def _filled(hashes: list[list[int]], same: list[tuple[int, int]], *, once: bool) -> list[list[int]]:
    wide = np.zeros((len(hashes), 9), np.uint32)
    _bins(same).fill(np.array(hashes, np.uint32), wide[:, 2:7], once=once)
    return wide.tolist()


@given(hashes=rows, same=pairs, once=st.booleans())
def test_ids_are_equal(hashes, same, once):
    compiled = _filled(hashes, same, once=once)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_fill_ids", None)
        assert _filled(hashes, same, once=once) == compiled


@given(
    tokens=rows,
    width=st.integers(1, 5),
    same=pairs,
    terms=st.lists(st.integers(1, 39), max_size=4, unique=True),
)
def test_comparisons_are_equal(tokens, width, same, terms):
    hashes = np.array(tokens, np.uint32)
    parts = hashes[:, :width], hashes[:, width:]
    bins = _bins(same)
    compiled = [each.tolist() for each in bins.compare(*parts, np.array(terms, np.uint32))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_compare", None)
        assert [each.tolist() for each in bins.compare(*parts, np.array(terms, np.uint32))] == compiled


@given(
    pages=st.lists(st.lists(st.tuples(words, st.integers(0, 60)), min_size=1, max_size=9), max_size=4),
    letters=st.sets(st.sampled_from("abA7")),
)
def test_new_words_are_equal(pages, letters):
    initials, empty = np.array([chr(code) in letters for code in range(128)]), np.zeros((1, 7), np.uint32)

    def found() -> list[list[str]]:
        bins = TokenBins(size=40, first=4)
        columns = [
            TokenColumns(
                text=empty, url=empty, context=empty, word_ids=np.array([id for _, id in page], np.uint32),
                words=" ".join(word for word, _ in page),
            )
            for page in pages
        ]  # fmt: skip
        return [bins.new_words(each, initials) for each in columns]

    compiled = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_new_words", None)
        assert found() == compiled


@given(
    links=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 20)), min_size=1, max_size=6),
    squares=st.tuples(st.floats(0, 40), st.floats(0, 40)),
)
def test_similarities_are_equal(links, squares):
    present, distinct = np.array([link[:2] for link in links]), np.array([link[2] for link in links])
    arguments = present, distinct, np.array(squares), 16.0, 0.6, 11
    compiled = similarity_steps(*arguments).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_rows, "_similarity_steps", None)
        assert similarity_steps(*arguments).tolist() == compiled
