"""Inlinks: the compiled functions equal those of numpy."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.rank.shared import inlinks
from clew.rank.shared.inlinks import Inlinks

pages = st.lists(
    st.tuples(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=9), st.floats(0, 1)),
    max_size=12,
)


def _levels(found: list[tuple[list[int], float]]) -> list[object]:
    counted, told = Inlinks(slots=7), []
    for hashes, verdict in found:
        counted.add_page(np.array(hashes, np.uint64), verdict)
        told.append(counted.levels(np.array(hashes, np.uint64)).tolist())
    return [told, counted._pages.tolist(), counted._verdicts.view(np.uint16).tolist()]


@given(found=pages)
@example(found=[([3], 1.0)] * 300)
@example(found=[([3], 0.7)] * 300)
@example(found=[([3], 1e-7)] * 40)
@example(found=[([3], 6.1e-5), ([3], 3e-8)])
def test_compiled_and_plain_inlinks_are_equal(found):
    compiled = _levels(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inlinks, "_count_page", None)
        patch.setattr(inlinks, "_levels", None)
        assert _levels(found) == compiled


def test_a_slot_that_occurs_twice_on_a_page_counts_once():
    counted = Inlinks(slots=7)
    counted.add_page(np.array([3, 10, 3], np.uint64), 0.5)
    assert counted.levels(np.array([3], np.uint64)).tolist() == [3]
