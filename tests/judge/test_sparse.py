"""Products of sparse matrices: the compiled ones equal those of numpy to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.judge import sparse
from clew.judge.sparse import SortedIds, SparseMatrix
from clew.types import TermBag


@given(
    entries=st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.floats(-1e6, 1e6, allow_subnormal=False)), max_size=12),
        max_size=7,
    ),
    seed=st.integers(0, 99),
)
def test_compiled_and_plain_products_are_equal(entries, seed):
    columns, values = (np.array([entry[part] for row in entries for entry in row]) for part in (0, 1))
    starts = np.cumsum([0, *map(len, entries)])
    matrix = SparseMatrix(starts, columns.astype(np.int32), values.astype(np.float64), 10)
    random = np.random.default_rng(seed)
    by_column, by_row, bias = random.normal(size=11)[:-1], random.normal(size=len(entries)), random.normal()

    def products():
        bent, pull = matrix.curved(by_column, bias, by_row)
        return [each.tolist() for each in (matrix.dot(by_column), matrix.transposed_dot(by_row), bent, pull)]

    compiled = products()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_dot", "_transposed_dot", "_curved"):
            patch.setattr(sparse, name, None)
        assert products() == compiled


@given(
    known=st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 40), max_size=40),
    wanted=st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 40), max_size=40),
)
def test_compiled_and_plain_matches_are_equal(known, wanted):
    ids = SortedIds(np.array(sorted(known), np.uint32))
    bag = np.array(sorted(wanted | set(list(known)[::2])), np.uint32)
    compiled = [each.tolist() for each in ids.match(bag)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "_match", None)
        assert [each.tolist() for each in ids.match(bag)] == compiled


@given(
    known=st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 40), max_size=40),
    wanted=st.dictionaries(
        st.integers(0, 2**32 - 1) | st.integers(0, 40),
        st.tuples(*[st.integers(0, 2**16 - 1) | st.integers(0, 3)] * 3),
        max_size=40,
    ),
    seed=st.integers(0, 99),
)
def test_compiled_and_plain_weights_are_equal(known, wanted, seed):
    wanted = dict(sorted((dict.fromkeys(list(known)[::2], (1, 2, 3)) | wanted).items()))
    counts = np.array(list(wanted.values()), np.uint16).reshape(-1, 3).T.copy()
    bag = TermBag(ids=np.array(list(wanted), np.uint32), text=counts[0], title=counts[1], margin=counts[2])
    ids = SortedIds(np.array(sorted(known), np.uint32))
    table = np.random.default_rng(seed).normal(size=(len(known), 2))
    damped = np.log1p(np.arange(5 << 16))
    compiled = [each.tolist() for each in ids.weigh(bag, table, damped, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "_weigh", None)
        assert [each.tolist() for each in ids.weigh(bag, table, damped, 3)] == compiled
